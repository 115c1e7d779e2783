import { forkRun } from "@cahier/application/fork/forkRun";
import type { PromptInput } from "@cahier/ports/PromptAssembler";
import * as MemoryChatHost from "@cahier/testkit/doubles/MemoryChatHost";
import { assert, describe, it } from "@effect/vitest";
import * as Effect from "effect/Effect";
import { ended, play } from "../support/play.ts";
import * as Team from "../support/team.ts";
import * as World from "../support/World.ts";

/** An assembler whose prompts count in the chat how many there were. */
const counting: World.ProcessOptions = {
  assembler: (assembler) => ({
    ...assembler,
    assemble: ({ preset: _preset, ...input }: PromptInput) =>
      Effect.map(assembler.assemble(input), (prompt) => ({
        ...prompt,
        chatState: { turns: Number(input.chat.metadata?.["turns"] ?? 0) + 1 },
      })),
  }),
};

const metadataOf = (world: World.World) => world.chats.chats.get(World.chatLocation.location)?.metadata;

describe("what a prompt leaves to its chat", () => {
  it.effect("is kept with the first message that the run publishes, and not before", () =>
    Effect.gen(function* () {
      const world = World.make();
      MemoryChatHost.annotate(world.chats, World.chatLocation.location, { mood: "calm" });
      yield* play([World.write("Draft."), { text: "Hm", error: { code: "agent.unauthorized" } }], {
        world,
        process: counting,
      });
      assert.deepStrictEqual(metadataOf(world), { mood: "calm" });
      yield* play(World.publishing, { world, process: counting });
      assert.deepStrictEqual(metadataOf(world), { mood: "calm", turns: 1 });
      yield* play(World.publishing, { world, process: counting });
      assert.deepStrictEqual(metadataOf(world), { mood: "calm", turns: 2 });
    }),
  );

  it.effect("takes nothing back that the chat has kept since, when a fork publishes later", () =>
    Effect.gen(function* () {
      const world = World.make();
      const first = yield* play(World.publishing, { world, process: counting });
      MemoryChatHost.annotate(world.chats, World.chatLocation.location, { turns: 7 });
      const at = first.events.find(({ type }) => type === "checkpoint_created")?.seq ?? 0;
      const forked = yield* Effect.gen(function* () {
        return yield* ended(
          world,
          yield* forkRun(first.runId, at, { model: World.scripted([World.commit, World.finish]) }),
        );
      }).pipe(World.inProcess(world, counting));
      assert.strictEqual(forked.outcome.status, "completed");
      assert.deepStrictEqual(metadataOf(world), { turns: 7 });
    }),
  );

  it.effect("is kept as well when whoever took over publishes, with a prompt of a preset or without", () =>
    Effect.gen(function* () {
      for (const preset of [undefined, { mode: "ref", ref: { apiId: "openai", name: "Editors" } }]) {
        const world = yield* Team.worldWith([Team.agent("editor", preset === undefined ? {} : { preset })]);
        const run = yield* Team.playTeam(
          [Team.handingOver("editor")],
          { editor: [World.publishing] },
          { world, process: counting },
        );
        assert.strictEqual(run.outcome.status, "completed");
        assert.deepStrictEqual(metadataOf(world), { turns: 1 });
      }
    }),
  );
});
