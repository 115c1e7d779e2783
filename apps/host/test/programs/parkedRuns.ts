/**
 * How much memory a run holds that waits for a person: starts runs that park in their third round, and prints the
 * growth of the heap as one JSON object.
 *
 * `--runs N` (default 1000) are measured after half as many that warm the process up. Needs `--expose-gc`. The
 * journals lie on the disk, so that they do not count; what the open storage keeps of runs that are let go does.
 */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { startRunFromChat } from "@cahier/application/run/startRun";
import * as Application from "@cahier/application/Application";
import * as SillyTavernChatHost from "@cahier/sillytavern/SillyTavernChatHost";
import * as SillyTavernPromptAssembler from "@cahier/sillytavern/SillyTavernPromptAssembler";
import * as FileStorage from "@cahier/storage-file/FileStorage";
import * as Effect from "effect/Effect";
import * as Layer from "effect/Layer";
import * as Models from "../../src/composition/Models.ts";
import * as material from "../../src/demonstration/material.ts";
import * as NodeHostProcess from "../../src/process/NodeHostProcess.ts";
import { fastFolder } from "../support/fastFolder.ts";

const { values } = parseArgs({
  options: { runs: { type: "string", default: "1000" } },
});
const runs = Number(values.runs);
const atOnce = 4;

const profile = {
  kind: "cahier.agentProfile",
  schemaVersion: 1,
  id: "asking",
  displayName: "Asking",
  run: { presentation: "foreground" },
  tools: {
    maxRounds: 10,
    allow: ["list_files", "write_file", "commit", "finish"].map((name) => `builtin:workspace.${name}`),
    policy: [{ tools: ["builtin:workspace.commit"], permission: "ask" }],
  },
};

const call = (name: string, args: object) => ({ toolCalls: [{ name, arguments: args }] });

const script = JSON.stringify({
  format: "cahier.script/1",
  turns: [
    call("workspace_write_file", { path: "output/main.md", content: "A draft of some length. ".repeat(40) }),
    call("workspace_list_files", {}),
    call("workspace_commit", {}),
  ],
});

const park = (chat: string) =>
  Effect.gen(function* () {
    const handle = yield* startRunFromChat({
      chat: { location: chat },
      binding: { source: "scripted", format: "scripted", modelId: "script", script },
      profile: { document: profile },
    });
    const { status } = yield* handle.outcome;
    if (status !== "awaiting_approval") return yield* Effect.die(new Error(`the run ended as ${status}`));
  });

const parkMany = (chat: string, count: number) =>
  Effect.replicateEffect(park(chat), count, { concurrency: atOnce, discard: true });

/** What the heap holds once everything is collected that nobody refers to. */
const heapBytes = Effect.promise(() => new Promise((resolve) => setImmediate(resolve))).pipe(
  Effect.andThen(Effect.sync(() => globalThis.gc?.())),
  Effect.repeat({ times: 2 }),
  Effect.andThen(Effect.sync(() => process.memoryUsage().heapUsed)),
);

/** The runtime as it is composed for the product, over the journals that are asked for. */
const runtime = (directory: string) => {
  const host = Layer.merge(FileStorage.layer({ directory }), NodeHostProcess.layer);
  const outside = Layer.mergeAll(Models.layer, SillyTavernChatHost.layer(), SillyTavernPromptAssembler.layer);
  return Application.layer().pipe(Layer.provideMerge(outside), Layer.provideMerge(host));
};

const program = (folder: string) =>
  Effect.gen(function* () {
    const chat = join(folder, "chat.jsonl");
    writeFileSync(chat, material.chat);
    yield* parkMany(chat, Math.ceil(runs / 2));
    const before = yield* heapBytes;
    yield* parkMany(chat, runs);
    const after = yield* heapBytes;
    process.stdout.write(`${JSON.stringify({ runs, bytesPerRun: Math.round((after - before) / runs) })}\n`);
  }).pipe(Effect.provide(runtime(join(folder, "data"))), Effect.scoped);

if (globalThis.gc === undefined) throw new Error("start this with --expose-gc");
const folder = mkdtempSync(join(fastFolder, "cahier-parked-"));
try {
  await Effect.runPromise(program(folder));
} finally {
  rmSync(folder, { recursive: true, force: true });
}
