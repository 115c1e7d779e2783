/**
 * What a run costs while it waits for a person: no thread, no timer, and next to no memory.
 */
import { execFile } from "node:child_process";
import { join } from "node:path";
import { promisify } from "node:util";
import { assert, describe, it } from "@effect/vitest";
import { node } from "./support/node.ts";

const program = join(import.meta.dirname, "programs/parkedRuns.ts");

/** Fewer are noise, since what the process keeps for itself counts too. */
const runs = 1000;

describe("a run that waits for a person", { timeout: 180_000 }, () => {
  it("costs the process less than 5 KB of memory, its open storage included", async () => {
    const flags = ["--conditions=@cahier/source", "--no-warnings", "--expose-gc"];
    const { stdout } = await promisify(execFile)(node, [...flags, program, "--runs", String(runs)]);
    const found = JSON.parse(stdout) as { readonly runs: number; readonly bytesPerRun: number };
    assert.strictEqual(found.runs, runs);
    assert.isBelow(found.bytesPerRun, 5 * 1024);
  });
});
