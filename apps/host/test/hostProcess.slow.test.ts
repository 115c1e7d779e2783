/**
 * This process and others as owners of runs, with real child processes.
 */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { RunOwner } from "@cahier/domain/run/event/lifecycle";
import * as HostProcessLaws from "@cahier/testkit/laws/HostProcessLaws";
import * as HostProcessMutants from "@cahier/testkit/mutants/HostProcessMutants";
import { verify, verifyMutants } from "@cahier/testkit/vitest";
import { afterAll } from "@effect/vitest";
import * as Effect from "effect/Effect";
import * as Schema from "effect/Schema";
import * as NodeHostProcess from "../src/process/NodeHostProcess.ts";
import { bundleProgram } from "./support/bundleProgram.ts";
import { node } from "./support/node.ts";
import { fastFolder } from "./support/fastFolder.ts";

const folder = mkdtempSync(join(fastFolder, "cahier-host-process-test-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));
const program = await bundleProgram(folder, "hostProcess.ts");
const decodeOwner = Schema.decodeUnknownSync(Schema.fromJsonString(RunOwner));

const start = Effect.gen(function* () {
  const child = yield* Effect.acquireRelease(
    Effect.sync(() => spawn(node, ["--no-warnings", program], { stdio: ["pipe", "pipe", "inherit"] })),
    (started) => Effect.sync(() => started.kill("SIGKILL")),
  );
  const ended = once(child, "exit");
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  const nextLine = Effect.promise(async () => String((await lines.next()).value));
  const self = decodeOwner(yield* nextLine);
  const told = yield* Effect.cached(Effect.asVoid(nextLine));
  return {
    self,
    askToStop: Effect.sync(() => void child.kill("SIGINT")),
    stopRequested: told,
    kill: Effect.promise(async () => {
      child.kill("SIGKILL");
      await ended;
    }),
  } satisfies HostProcessLaws.OtherProcess;
});

const makeHarness = Effect.succeed<HostProcessLaws.HostProcessHarness>({ open: NodeHostProcess.make, start });

verify("HostProcess on Node", HostProcessLaws.laws, makeHarness);
verifyMutants("HostProcess", HostProcessLaws.laws, HostProcessMutants.mutants, makeHarness);
