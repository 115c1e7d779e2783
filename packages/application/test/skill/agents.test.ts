import { startRunWithPromptSnapshot } from "@cahier/application/run/startRun";
import type { StoredEvent } from "@cahier/domain/run/EventEnvelope";
import { globalScope, type SkillScope } from "@cahier/domain/skill/SkillScope";
import { assert, describe, it } from "@effect/vitest";
import * as Effect from "effect/Effect";
import { ended, payloadsOf } from "../support/play.ts";
import { installIn, packageOf } from "../support/skills.ts";
import * as Team from "../support/team.ts";
import * as World from "../support/World.ts";

const preset = { apiId: "openai", name: "Novel" };
const ofPreset: SkillScope = { kind: "preset", ...preset };
const ofCharacter: SkillScope = { kind: "character", characterId: "Character" };
const ofProfile = (profileId: string): SkillScope => ({ kind: "profile", profileId });

/** A world with these profiles and, in each scope, a Skill that is called after it. */
const worldWith = Effect.fnUntraced(function* (profiles: ReadonlyArray<object>) {
  const world = yield* Team.worldWith(profiles);
  yield* installIn(world, [packageOf("everywhere"), packageOf("style", "global")]);
  for (const scope of [ofPreset, ofProfile("lead"), ofProfile("critic"), ofCharacter])
    yield* installIn(
      world,
      [packageOf(`of-${scope.kind}`, `${scope.kind} of it`), packageOf("style", scope.kind)],
      scope,
    );
  return world;
});

const namesIn = (events: ReadonlyArray<StoredEvent>) =>
  payloadsOf(events, "skill_scopes_resolved").map(({ effectiveSkills, profileId, scopes }) => ({
    profileId,
    scopes: scopes.map(({ kind }) => kind),
    names: effectiveSkills.map(({ name, scope }) => `${name}: ${scope.kind}`),
  }));

const delegating: ReadonlyArray<World.Turn> = [
  World.calls(Team.delegate("critic")),
  Team.awaitAll,
  ...World.publishing,
];

const readIn = (name: string, path = "SKILL.md") => ["skill_read", { name, path }] as const;

describe("the Skills of a delegated agent", () => {
  it.effect("are those of its own profile, in the preset and character of the run, in the same order of scopes", () =>
    Effect.gen(function* () {
      const world = yield* worldWith([Team.agent("critic", { skills: { visible: ["*"], deny: ["everywhere"] } })]);
      const run = yield* Team.playTeam(
        delegating,
        {
          critic: [[World.calls(readIn("style"), readIn("everywhere"), readIn("of-preset")), Team.returning("Done.")]],
        },
        { world, preset },
      );
      const [root, child] = namesIn(run.events);
      assert.strictEqual(root?.profileId, "lead");
      assert.include(root?.names ?? [], "everywhere: global");
      assert.deepStrictEqual(child, {
        profileId: "critic",
        scopes: ["global", "preset", "profile", "character"],
        names: ["of-character: character", "of-preset: preset", "of-profile: profile", "style: character"],
      });
      const read = run.results.filter(({ name }) => name === "skill_read");
      assert.include(read[0]?.content, "character");
      assert.strictEqual(read[1]?.errorCode, "skill.policy_denied");
      assert.include(read[2]?.content, "preset of it");
    }),
  );

  it.effect("in a run of a host's own prompt are those of its preset and character as well", () =>
    Effect.gen(function* () {
      const world = yield* worldWith([Team.agent("critic")]);
      const run = yield* Effect.gen(function* () {
        const handle = yield* startRunWithPromptSnapshot({
          chat: World.chatLocation,
          binding: Team.script(delegating, {
            critic: [[World.calls(readIn("of-preset"), readIn("of-character")), Team.returning("Done.")]],
          }),
          profile: { document: Team.lead() },
          preset,
          promptSnapshot: {
            chatCompletionPayload: { messages: [{ role: "user", content: "Write on." }] },
            contextPolicy: { initialChatHistoryMessages: -1, includeActivatedWorldInfo: true },
          },
        });
        return yield* ended(world, handle);
      }).pipe(World.inProcess(world));
      const read = run.results.filter(({ name }) => name === "skill_read");
      assert.include(read[0]?.content, "preset of it");
      assert.include(read[1]?.content, "character of it");
    }),
  );

  it.effect("that its profile names and nobody has installed fail its task and nothing else", () =>
    Effect.gen(function* () {
      const world = yield* worldWith([Team.agent("critic", { skills: { visible: ["plot"] } })]);
      const run = yield* Team.playTeam(delegating, { critic: [] }, { world });
      assert.strictEqual(run.outcome.status, "completed");
      const [failed] = payloadsOf(run.events, "agent_task_failed");
      assert.include(JSON.stringify(failed), "agent.skill_visible_missing");
      const told = run.results.find(({ name }) => name === "agent_await")?.content;
      assert.include(told, "could not be made ready");
      assert.notMatch(told ?? "", /\b(?:profiles?|journals?|hash|invocations?)\b/i);
    }),
  );

  it.effect("are counted for it alone: what it reads takes nothing from the others", () =>
    Effect.gen(function* () {
      const skills = { maxReadCharsPerCall: 100, maxReadCharsPerRun: 100 };
      const world = yield* worldWith([Team.agent("critic", { skills })]);
      const run = yield* Team.playTeam(
        [World.calls(readIn("style")), ...delegating],
        { critic: [[World.calls(readIn("style"), readIn("style")), Team.returning("Done.")]] },
        { world, lead: Team.lead({ skills }) },
      );
      assert.deepStrictEqual(
        run.results.filter(({ name }) => name === "skill_read").map(({ errorCode }) => errorCode),
        [undefined, undefined, "skill.read_budget_exceeded"],
      );
    }),
  );
});

describe("the Skills of a successor", () => {
  it.effect("are those of its own profile, in the preset and character of the run", () =>
    Effect.gen(function* () {
      const world = yield* worldWith([Team.agent("critic", { skills: { visible: ["of-preset", "of-profile"] } })]);
      const asked: Team.Asked = new Map();
      const run = yield* Team.playTeam(
        [Team.handingOver("critic")],
        { critic: [[World.calls(readIn("of-preset"), readIn("everywhere")), ...World.publishing]] },
        { world, preset, process: Team.listening(asked) },
      );
      assert.strictEqual(run.outcome.status, "completed");
      assert.deepStrictEqual(namesIn(run.events)[1]?.names, ["of-preset: preset", "of-profile: profile"]);
      const read = run.results.filter(({ name }) => name === "skill_read");
      assert.deepStrictEqual(
        read.map(({ errorCode }) => errorCode),
        [undefined, "skill.not_visible"],
      );
      const [lead = "", critic = ""] = ["lead 0", "critic 0"].map((name) =>
        (asked.get(name)?.[0] ?? []).map(({ text }) => text).join("\n"),
      );
      assert.include(lead, "- everywhere: Tells of everywhere.");
      assert.include(critic, "- of-preset: Tells of of-preset.");
      assert.notInclude(critic, "- everywhere:");
    }),
  );
});

describe("the catalogue of Skills in a prompt", () => {
  const promptWith = Effect.fnUntraced(function* (profile: Team.AgentProfile) {
    const world = yield* Team.worldWith([]);
    yield* installIn(world, [packageOf("style")], globalScope);
    const asked: Team.Asked = new Map();
    yield* Team.playTeam(World.publishing, {}, { world, lead: Team.lead(profile), process: Team.listening(asked) });
    return (asked.get("lead 0")?.[0] ?? []).map(({ text }) => text).join("\n");
  });

  const without = (pattern: RegExp) => ({ tools: { allow: World.soloTools.filter((id) => !pattern.test(id)) } });

  it.effect("is there when the agent can read one, and says with what", () =>
    Effect.gen(function* () {
      const usual = yield* promptWith({});
      assert.include(usual, "- style: Tells of style.");
      assert.include(usual, "read it with skill_read:");
      const files = yield* promptWith(without(/skill\./));
      assert.include(files, "read it with workspace_read_file (skills/…/SKILL.md):");
      const chinese = yield* promptWith({ instructions: { language: "zh" } });
      assert.include(chinese, "先用 skill_read 阅读它：\n- style: Tells of style.");
      const own = yield* promptWith({ instructions: { agentSystemPrompt: "Write." } });
      assert.include(own, "- style: Tells of style.");
    }),
  );

  it.effect("is not there without a Skill or without a tool that shows one", () =>
    Effect.gen(function* () {
      assert.notInclude(yield* promptWith({ skills: { visible: ["*"], deny: ["style"] } }), "Skills tell");
      assert.notInclude(yield* promptWith(without(/skill\.|read_file|search_files/)), "Skills tell");
    }),
  );
});
