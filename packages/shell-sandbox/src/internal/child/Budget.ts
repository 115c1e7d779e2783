/**
 * How long a command may still run, and why it was stopped.
 */

import * as time from "./time.ts";

/** `note` says it to whoever gave the command. */
export interface Stop {
  readonly ended: "timeout" | "limit";
  readonly note: string;
}

export class Budget {
  /** In the clock of `time.now`. */
  readonly deadline: number;
  readonly #stopError: () => Error;
  readonly #timeoutMs: number;
  #stopped: Stop | null = null;

  constructor(timeoutMs: number, stopError: () => Error) {
    this.#timeoutMs = timeoutMs;
    this.deadline = time.now() + timeoutMs;
    this.#stopError = stopError;
  }

  /** Milliseconds, never negative. */
  get remaining(): number {
    return Math.max(0, this.deadline - time.now());
  }

  /** Why the command was or is to be stopped; also once its time is up. */
  get stopped(): Stop | null {
    if (this.#stopped === null && this.remaining === 0) this.#stopped = timeout(this.#timeoutMs);
    return this.#stopped;
  }

  /** The first reason stays. */
  stop(stop: Stop): void {
    this.#stopped ??= stop;
  }

  /** Throws, to end the script, once there is a reason to stop. */
  check(): void {
    if (this.stopped !== null) throw this.#stopError();
  }
}

const timeout = (timeoutMs: number): Stop => ({
  ended: "timeout",
  note: `The command was stopped because its time of ${timeoutMs / 1000} seconds was up.`,
});
