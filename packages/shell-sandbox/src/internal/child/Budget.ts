/**
 * How long a command may still run, and why it was stopped.
 *
 * Owns hearing that nobody wants the command any more, also where it keeps this process from hearing anything else. Does not own how
 * that is said.
 */

import * as time from "./time.ts";

/** `note` says it to whoever gave the command. */
export interface Stop {
  readonly ended: "timeout" | "stopped" | "limit";
  readonly note: string;
}

/** How long the command goes on unheard, in milliseconds. */
const looksApart = 20;

export class Budget {
  /** In the clock of `time.now`. */
  readonly deadline: number;
  readonly #stopError: () => Error;
  readonly #timeoutMs: number;
  readonly #isUnwanted: () => boolean;
  #nextLook = 0;
  #stopped: Stop | null = null;

  /** `isUnwanted` says whether nobody wants the command any more; it is asked every 20 milliseconds at most. */
  constructor(timeoutMs: number, stopError: () => Error, isUnwanted: () => boolean = () => false) {
    this.#timeoutMs = timeoutMs;
    this.deadline = time.now() + timeoutMs;
    this.#stopError = stopError;
    this.#isUnwanted = isUnwanted;
  }

  /** Milliseconds, never negative. */
  get remaining(): number {
    return Math.max(0, this.deadline - time.now());
  }

  /** Why the command was or is to be stopped; also once its time is up. */
  get stopped(): Stop | null {
    if (this.#stopped !== null) return this.#stopped;
    const now = time.now();
    if (now >= this.deadline) this.#stopped = timeout(this.#timeoutMs);
    else if (now >= this.#nextLook) {
      this.#nextLook = now + looksApart;
      if (this.#isUnwanted()) this.#stopped = unwanted;
    }
    return this.#stopped;
  }

  /** The first reason stays. */
  stop(stop: Stop): void {
    this.#stopped ??= stop;
  }

  /** Waits so many milliseconds, or until there is a reason to stop. */
  async pause(milliseconds: number): Promise<void> {
    const until = time.now() + milliseconds;
    const rest = async (): Promise<void> => {
      const left = until - time.now();
      if (left <= 0 || this.stopped !== null) return;
      await time.pause(Math.min(left, this.remaining + 1, looksApart));
      return rest();
    };
    await rest();
  }

  /** Throws, to end the script, once there is a reason to stop. */
  check(): void {
    if (this.stopped !== null) throw this.#stopError();
  }
}

const unwanted: Stop = { ended: "stopped", note: "The command was stopped because its work was given up." };

const timeout = (timeoutMs: number): Stop => ({
  ended: "timeout",
  note: `The command was stopped because its time of ${timeoutMs / 1000} seconds was up.`,
});
