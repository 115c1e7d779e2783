import { startRunFromChat } from "@cahier/application/run/startRun";
import * as MemoryChatHost from "@cahier/testkit/doubles/MemoryChatHost";
import { assert, describe, it } from "@effect/vitest";
import * as Effect from "effect/Effect";
import * as World from "./support/World.ts";

/** Runs a script on a fresh chat; gives the outcome, the events and what the reader sees. */
const play = (
  turns: ReadonlyArray<World.Turn>,
  options: { readonly generationType?: string; readonly profile?: unknown } = {},
) => {
  const storage = World.aChat();
  return Effect.gen(function* () {
    const run = yield* startRunFromChat({
      chat: World.chatLocation,
      binding: World.scripted(turns),
      ...(options.generationType === undefined ? {} : { generationType: options.generationType }),
      ...(options.profile === undefined ? {} : { profile: { document: options.profile } }),
    });
    const outcome = yield* run.outcome;
    const events = yield* World.eventsOf(run.runId);
    return { outcome, events, types: World.typesOf(events), texts: World.textsOf(storage), runId: run.runId };
  }).pipe(Effect.provide(World.layer(storage)));
};

const draftAndPublish = [
  World.call("workspace_write_file", { path: "output/main.md", content: "They wait by the river." }),
  World.call("workspace_commit"),
  World.call("workspace_finish"),
];

describe("a writing run", () => {
  it.effect("drafts a file, publishes it as one message and completes", () =>
    Effect.gen(function* () {
      const { outcome, texts, types } = yield* play(draftAndPublish);
      assert.deepStrictEqual(outcome.error, undefined);
      assert.strictEqual(outcome.status, "completed");
      assert.deepStrictEqual(texts, ["The ferry is late.", "Then we wait.", "They wait by the river."]);
      assert.deepStrictEqual(outcome.committed, [{ messageIndex: 2, path: "output/main.md", chars: 23 }]);
      assert.strictEqual(types.at(0), "run_created");
      assert.isTrue(types.includes("run_completed"));
    }),
  );
});

void MemoryChatHost;
