/**
 * What a program costs as a process of its own.
 *
 * Node cannot ask what a child has used up, and most shells count in hundredths of a second; bash counts in
 * thousandths.
 */
import { spawnSync } from "node:child_process";

const measured = `TIMEFORMAT='%3U %3S'; time "$@" >&3 2>&4`;

/** User and system milliseconds of one run of Node with these arguments, and what it printed. Other exit codes throw. */
export const childCost = (args: ReadonlyArray<string>): { readonly cpu: number; readonly output: string } => {
  const done = spawnSync("bash", ["-c", measured, "bash", process.execPath, ...args], {
    encoding: "utf8",
    stdio: ["ignore", "ignore", "pipe", "pipe", "pipe"],
  });
  if (done.error !== undefined) throw done.error;
  if (done.status !== 0) throw new Error(`${args.join(" ")} ended with code ${done.status}: ${done.output[4]}`);
  const seconds = done.stderr.trim().split(" ").map(Number);
  if (seconds.length !== 2 || seconds.some(Number.isNaN)) throw new Error(`bash says "${done.stderr}" for a time`);
  return { cpu: seconds.reduce((sum, time) => sum + time * 1000, 0), output: done.output[3] ?? "" };
};
