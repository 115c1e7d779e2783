import type { ProfileChoice } from "@cahier/application/profile/findProfile";
import * as Payloads from "@cahier/application/payload/Payloads";
import { ResolvedProfile } from "@cahier/domain/profile/resolveProfile";
import { assert, describe, it } from "@effect/vitest";
import * as Effect from "effect/Effect";
import * as Schema from "effect/Schema";
import { ended, payloadsOf, play, start } from "../support/play.ts";
import * as Team from "../support/team.ts";
import * as World from "../support/World.ts";

const stored = {
  kind: "cahier.agentProfile",
  schemaVersion: 1,
  id: "mine",
  displayName: "Mine",
  context: { windowTokens: 20_000 },
  tools: { allow: World.soloTools, maxRounds: 20 },
};

const decode = Schema.decodeUnknownSync(Schema.fromJsonString(ResolvedProfile));

/** The profile that a run under this choice has frozen. */
const frozenWith = Effect.fnUntraced(function* (profile: ProfileChoice) {
  const world = yield* Team.worldWith([stored]);
  const run = yield* play(World.publishing, { world, profile });
  assert.strictEqual(run.outcome.status, "completed");
  const [resolved] = payloadsOf(run.events, "profile_resolved");
  assert.isDefined(resolved);
  const payloads = yield* Payloads.make(run.runId).pipe(World.inProcess(world, { name: "reader" }));
  const text = resolved === undefined ? "" : yield* payloads.read(resolved.resolvedProfile);
  return { profile: decode(text), run };
});

const preset = {
  context: { windowTokens: 10_000, initialChatHistoryMessages: 4 },
  run: { driftRecovery: { maxAttempts: 7 } },
  instructions: { language: "zh" },
};
const character = { run: { driftRecovery: { maxAttempts: 2 } }, skills: { deny: ["plot"] } };

describe("the profile that a run is started with", () => {
  it.effect("is what is built in, under what the preset, the character and the start say of it", () =>
    Effect.gen(function* () {
      const { profile } = yield* frozenWith({
        layers: {
          preset,
          character,
          overrides: { context: { windowTokens: 12_000 } },
          sources: { preset: "preset:openai/Novel", character: "card:Ada.png" },
        },
      });
      assert.strictEqual(profile.id, "default-writer");
      assert.deepInclude(profile.context, { windowTokens: 12_000, initialChatHistoryMessages: 4 });
      assert.strictEqual(profile.run.driftRecovery.maxAttempts, 2);
      assert.strictEqual(profile.instructions.language, "zh");
      assert.deepStrictEqual(profile.sourceTrace, {
        profileSource: "built_in",
        layers: [
          { layer: "builtIn", source: "built_in" },
          { layer: "preset", source: "preset:openai/Novel" },
          { layer: "character", source: "card:Ada.png" },
          { layer: "run", source: "start" },
        ],
        denials: { tools: [], skills: ["plot"] },
      });
    }),
  );

  it.effect("is what the user has stored over what the preset and the character say, and the start is over that", () =>
    Effect.gen(function* () {
      const { profile } = yield* frozenWith({
        id: "mine",
        layers: { preset, character, overrides: { tools: { maxRounds: 30 } } },
      });
      assert.strictEqual(profile.id, "mine");
      assert.deepInclude(profile.context, { windowTokens: 20_000, initialChatHistoryMessages: 4 });
      assert.strictEqual(profile.tools.maxRounds, 30);
      assert.deepStrictEqual(
        profile.sourceTrace.layers?.map(({ layer }) => layer),
        ["preset", "character", "user", "run"],
      );
      const alone = yield* frozenWith({ id: "mine" });
      assert.deepStrictEqual(alone.profile.sourceTrace, { profileSource: "file:mine" });
    }),
  );

  it.effect("never has a tool or a Skill that one of the layers denies", () =>
    Effect.gen(function* () {
      const { profile, run } = yield* frozenWith({
        id: "mine",
        layers: {
          preset: { tools: { deny: ["builtin:chat.search"] } },
          character,
          overrides: { tools: { deny: [], allow: [...World.soloTools] }, skills: { deny: [] } },
        },
      });
      assert.deepStrictEqual(profile.skills.deny, ["plot"]);
      assert.notInclude(payloadsOf(run.events, "context_assembled")[0]?.tools ?? [], "builtin:chat.search");
    }),
  );

  it.effect("is refused with the layer that does not fit, and as a whole when the layers do not fit together", () =>
    Effect.gen(function* () {
      const refusalOf = (profile: ProfileChoice) =>
        Effect.flip(start(World.publishing, { profile })).pipe(World.inProcess(World.make()));
      const unknown = yield* refusalOf({
        layers: { character: { tool: {} }, sources: { character: "card:Ada.png" } },
      });
      assert.strictEqual(unknown.reason.code, "agent.profile_contract_invalid");
      assert.include(unknown.message, "what the character says of the profile (card:Ada.png)");
      const kind = yield* refusalOf({ layers: { preset: { kind: "tavern.profile" } } });
      assert.strictEqual(kind.reason.code, "agent.profile_kind_invalid");
      const version = yield* refusalOf({ layers: { overrides: { schemaVersion: 9 } } });
      assert.strictEqual(version.reason.code, "agent.profile_schema_unsupported");
      const whole = yield* refusalOf({
        layers: { preset: { tools: { deny: ["builtin:workspace.commit"] } }, overrides: {} },
      });
      assert.strictEqual(whole.reason.code, "agent.profile_commit_required");
      assert.include(whole.message, "built_in, preset, start");
    }),
  );

  it.effect(
    "takes from every agent of the run what the start denies, and what another's own profile denies from none",
    () =>
      Effect.gen(function* () {
        const allow = [...World.soloTools, "builtin:agent.delegate", "builtin:agent.await"];
        const lead = Team.lead({ tools: { allow, deny: ["builtin:chat.search"] } });
        const world = yield* Team.worldWith([Team.agent("critic", { delegation: { canDelegate: true } })]);
        const asked: Team.Asked = new Map();
        yield* Effect.gen(function* () {
          const run = yield* Team.startTeam(
            [World.calls(Team.delegate("critic")), Team.awaitAll, ...World.publishing],
            { critic: [[Team.returning("None.")]] },
            {
              profile: {
                document: lead,
                layers: { overrides: { tools: { deny: ["builtin:workspace.apply_patch"] } } },
              },
            },
          );
          const { outcome, types } = yield* ended(world, run);
          assert.strictEqual(outcome.status, "completed", types.join(" "));
        }).pipe(World.inProcess(world, Team.listening(asked)));
        const told = JSON.stringify(asked.get("critic 0")?.[0]);
        assert.notInclude(told, "workspace_apply_patch");
        assert.include(told, "chat_search");
      }),
  );
});
