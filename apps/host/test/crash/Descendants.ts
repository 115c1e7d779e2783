/**
 * The processes that another one started, as Linux tells of them.
 */
/* oxlint-disable eslint/no-await-in-loop -- each look comes after the one before */
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { setTimeout as wait } from "node:timers/promises";

/** Whether this machine tells which process started which. */
export const areKnown = existsSync("/proc/self/stat");

/** Those that `pid` started and that have not ended. */
export const of = (pid: number): ReadonlyArray<number> =>
  readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name) && statOf(name)?.parent === pid)
    .map(Number);

/** Resolves when all of them have ended; never when one does not. */
export const ended = async (pids: ReadonlyArray<number>): Promise<void> => {
  while (pids.some((pid) => statOf(String(pid)) !== undefined)) await wait(10);
};

/** How long a process has been at work, in hundredths of a second; 0 for one that has ended. */
export const workOf = (pid: number): number => statOf(String(pid))?.work ?? 0;

/** A process that has ended and that nobody has asked for is none. */
const statOf = (name: string): { readonly parent: number; readonly work: number } | undefined => {
  try {
    // The name of the program stands in parentheses and may hold anything.
    const fields = readFileSync(`/proc/${name}/stat`, "utf8")
      .replace(/^.*\) /s, "")
      .split(" ");
    const [state, parent] = fields;
    return state === "Z" || state === "X" ? undefined : { parent: Number(parent), work: Number(fields[11]) };
  } catch {
    return undefined;
  }
};
