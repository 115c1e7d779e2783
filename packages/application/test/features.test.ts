import { startRunFromChat } from "@cahier/application/run/startRun";
import { assert, describe, it } from "@effect/vitest";
import * as Effect from "effect/Effect";
import { play } from "./support/play.ts";
import * as World from "./support/World.ts";

const profile = {
  kind: "cahier.agentProfile",
  schemaVersion: 1,
  id: "plain",
  displayName: "Plain",
};
const tools = {
  allow: ["write_file", "commit", "finish"].map((name) => `builtin:workspace.${name}`),
  maxRounds: 9,
};

const started = (sections: object) =>
  startRunFromChat({
    chat: World.chatLocation,
    binding: World.scripted(World.publishing),
    profile: { document: { ...profile, tools, ...sections } },
  });

describe("what a profile asks for and this version does not do", () => {
  it.effect.each([
    ["preset.mode", { preset: { mode: "ref", ref: { apiId: "openai", name: "Mine" } } }],
    ["context.hydrateRecentWrites", { context: { hydrateRecentWrites: 2 } }],
    ["context.toolResults", { context: { toolResults: { form: "summary" } } }],
  ] as const)("is refused: %s is named, with what to do", ([field, sections]) =>
    Effect.gen(function* () {
      const world = World.make();
      const failure = yield* Effect.flip(started(sections)).pipe(World.inProcess(world));
      assert.strictEqual(failure.reason.code, "agent.profile_feature_unsupported");
      assert.include(failure.message, `asks for in ${field}.`);
      assert.include(failure.message, "Leave it out.");
      assert.strictEqual(world.journals.journals.size, 0);
      assert.deepStrictEqual(World.textsOf(world), World.beginning);
    }),
  );

  it.effect("is named whole when it is several things", () =>
    Effect.gen(function* () {
      const failure = yield* Effect.flip(
        started({
          preset: { mode: "ref", ref: { apiId: "openai", name: "Mine" } },
          context: { hydrateRecentWrites: 2 },
        }),
      ).pipe(World.inProcess(World.make()));
      assert.include(failure.message, "asks for in preset.mode.");
      assert.include(failure.message, "The same goes for context.hydrateRecentWrites.");
    }),
  );

  it.effect("is not what a profile says that writes the defaults out", () =>
    Effect.gen(function* () {
      const document = {
        ...profile,
        tools: { ...tools, policy: [], timeoutMs: {}, onDenied: "return" },
        run: { budget: {}, repetition: { warnAt: 3, endAt: 5 } },
        preset: { mode: "currentPromptSnapshot" },
        model: { mode: "currentPromptSnapshot" },
        context: { hydrateRecentWrites: 0, toolResults: { visible: true, form: "full" } },
        instructions: { language: "en" },
      };
      const { outcome } = yield* play(World.publishing, { profile: { document } });
      assert.strictEqual(outcome.status, "completed");
    }),
  );
});
