/**
 * What a run costs while it waits for a person: no thread, no timer, and next to no memory.
 */
import { execFile } from "node:child_process";
import { join } from "node:path";
import { promisify } from "node:util";
import { assert, describe, it } from "@effect/vitest";
import { node } from "./support/node.ts";

const program = join(import.meta.dirname, "programs/parkedRuns.ts");

/** Heap growth a run in bytes, over so many runs that park in their third round. */
const bytesPerRun = async (runs: number, ...args: ReadonlyArray<string>): Promise<number> => {
  const { stdout } = await promisify(execFile)(node, [
    "--conditions=@cahier/source",
    "--no-warnings",
    "--expose-gc",
    program,
    "--runs",
    String(runs),
    ...args,
  ]);
  const found = JSON.parse(stdout) as { readonly runs: number; readonly bytesPerRun: number };
  assert.strictEqual(found.runs, runs);
  return found.bytesPerRun;
};

const mostBytes = 5 * 1024;

describe.concurrent("a run that waits for a person", { timeout: 180_000 }, () => {
  it("costs the runtime less than 5 KB of memory", async () => {
    assert.isBelow(await bytesPerRun(1000, "--journals-apart"), mostBytes);
  });

  it("costs the process less than 5 KB of memory, its open storage included", async () => {
    assert.isBelow(await bytesPerRun(1000), mostBytes);
  });
});
