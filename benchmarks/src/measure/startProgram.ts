/**
 * Starts a program of the benchmarks as a process of its own, on the flags of this one.
 */
import { fork } from "node:child_process";
import { fileURLToPath } from "node:url";

/** A program that runs; it ends when it is told to, or with this process. */
export interface Program {
  readonly say: (message: string) => void;
  /** The next thing that it says. A program that ends without a word is a defect of the benchmark. */
  readonly heard: () => Promise<unknown>;
  readonly stop: () => void;
}

/** Starts the module at `program`, with what it is given. */
export const startProgram = (program: URL, given: ReadonlyArray<string> = []): Program => {
  const child = fork(fileURLToPath(program), given);
  return {
    say: (message) => void child.send(message),
    heard: () =>
      new Promise((resolve, reject) => {
        const onMessage = (said: unknown): void => {
          child.off("exit", onExit);
          resolve(said);
        };
        const onExit = (code: number | null): void => {
          child.off("message", onMessage);
          reject(new Error(`${program.pathname} ended with code ${String(code)}`));
        };
        child.once("message", onMessage);
        child.once("exit", onExit);
      }),
    stop: () => child.disconnect(),
  };
};
