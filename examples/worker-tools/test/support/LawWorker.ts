/**
 * The harness of the laws of sources over a worker.
 */
import { randomUUID } from "node:crypto";
import { BroadcastChannel } from "node:worker_threads";
import { ToolId } from "@cahier/domain/tool/ToolId";
import type { ToolSource } from "@cahier/ports/ToolSource";
import type { ToolSourceHarness } from "@cahier/testkit/laws/ToolSourceLaws";
import * as Effect from "effect/Effect";
import type * as Scope from "effect/Scope";
import * as WorkerTools from "../../src/WorkerTools.ts";
import type { LawNote, LawOrder } from "./lawNotes.ts";

/** A harness whose worker begins when it is opened. */
export const make: Effect.Effect<ToolSourceHarness, never, Scope.Scope> = Effect.gen(function* () {
  const name = randomUUID();
  const channel = yield* Effect.acquireRelease(
    Effect.sync(() => new BroadcastChannel(name)),
    (one) => Effect.sync(() => one.close()),
  );
  const notes: Array<LawNote> = [];
  channel.addEventListener("message", (event) => notes.push((event as unknown as { readonly data: LawNote }).data));
  // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a port of threads, not a window
  const order = (one: LawOrder): Effect.Effect<void> => Effect.sync(() => channel.postMessage(one));
  const told = (kind: LawNote["kind"]) => (text: string) =>
    until(() => notes.some((note) => note.kind === kind && note.text === text));
  const opened: { source?: ToolSource } = {};
  const offered = Effect.suspend(() => opened.source?.catalogue ?? Effect.succeed({ tools: [], diagnostics: [] }));
  // A worker that is gone says nothing more, and offers nothing.
  const heardAll = Effect.gen(function* () {
    const text = randomUUID();
    yield* order({ kind: "mark", text });
    while (!notes.some((note) => note.kind === "marked" && note.text === text)) {
      if ((yield* offered).tools.length === 0) return;
      yield* settled;
    }
  });
  return {
    open: Effect.tap(WorkerTools.make("laws", new URL("./lawTools.ts", import.meta.url), name), (source) =>
      Effect.sync(() => (opened.source = source)),
    ),
    tools: { echo: id("echo"), json: id("json"), fail: id("fail"), slow: id("slow"), vanish: id("vanish") },
    garbage: [id("garbage")],
    received: Effect.as(heardAll, notes).pipe(
      Effect.map((all) => all.filter(({ kind }) => kind === "received").map(({ text }) => text)),
    ),
    arrived: told("arrived"),
    interrupted: told("interrupted"),
    release: (text) => order({ kind: "release", text }),
    vanish: Effect.andThen(
      order({ kind: "vanish" }),
      Effect.gen(function* () {
        for (;;) {
          const { tools } = yield* offered;
          if (!tools.some(({ descriptor }) => descriptor.id === id("vanish"))) return;
          yield* settled;
        }
      }),
    ),
    lose: order({ kind: "exit" }),
  } satisfies ToolSourceHarness;
});

const id = (name: string): ToolId => ToolId.make(`extension/laws:${name}`);

/** Lets something that has been said be heard. */
const settled = Effect.promise(() => new Promise<void>((resolve) => void setImmediate(resolve)));

const until = Effect.fnUntraced(function* (isSo: () => boolean) {
  while (!isSo()) yield* settled;
});
