import { forkRun } from "@cahier/application/fork/forkRun";
import { abandonedAfterMs, collectBlobs } from "@cahier/application/retention/collectBlobs";
import { deleteRun } from "@cahier/application/retention/removeRun";
import { reviseRun } from "@cahier/application/revision/reviseRun";
import { Runs } from "@cahier/application/run/Runs";
import { startRunFromChat, startRunWithPromptSnapshot } from "@cahier/application/run/startRun";
import * as SkillIndex from "@cahier/application/skill/SkillIndex";
import type { StoredEvent } from "@cahier/domain/run/EventEnvelope";
import { globalScope, type SkillScope } from "@cahier/domain/skill/SkillScope";
import { Corrupt } from "@cahier/ports/StorageFault";
import * as MemoryRunJournal from "@cahier/storage-memory/MemoryRunJournal";
import { assert, describe, it } from "@effect/vitest";
import * as Effect from "effect/Effect";
import * as TestClock from "effect/testing/TestClock";
import { ended, payloadsOf, play, type PlayOptions, reached, start } from "../support/play.ts";
import * as Support from "../support/skills.ts";
import * as World from "../support/World.ts";
import { toolOf } from "../tool/tools.ts";

const preset = { apiId: "openai", name: "Novel" };
const ofPreset: SkillScope = { kind: "preset", ...preset };
const ofProfile: SkillScope = { kind: "profile", profileId: "reader" };
const ofCharacter: SkillScope = { kind: "character", characterId: "Character" };

/** A profile that has every tool; `skills` is what it says of them. */
const reader = (skills: object = {}, allow: ReadonlyArray<string> = []) => ({
  document: {
    kind: "cahier.agentProfile",
    schemaVersion: 1,
    id: "reader",
    displayName: "Reader",
    skills,
    tools: { allow: [...World.soloTools, ...allow], maxRounds: 20 },
  },
});

const readStyle = World.call("skill_read", { name: "style" });

/** A run that makes calls and publishes. */
const reading = (world: World.World, turns: ReadonlyArray<World.Turn>, options: PlayOptions = {}) =>
  play([...turns, ...World.publishing], { world, profile: reader(), ...options });

const resolvedIn = (events: ReadonlyArray<StoredEvent>) => payloadsOf(events, "skill_scopes_resolved");

/** Replaces one Skill and removes another. */
const change = (world: World.World) =>
  Effect.gen(function* () {
    const skills = yield* Support.installIn(world, [Support.packageOf("style", "New words.")]);
    yield* skills.remove(globalScope, "plot");
  }).pipe(Effect.orDie);

describe("the Skills of a run", () => {
  it.effect("are those of global, preset, profile and character, and of one name the later one's", () =>
    Effect.gen(function* () {
      const world = World.make();
      yield* Support.installIn(world, [Support.packageOf("style", "global"), Support.packageOf("everywhere")]);
      for (const scope of [ofPreset, ofProfile, ofCharacter])
        yield* Support.installIn(world, [Support.packageOf("style", scope.kind), Support.packageOf(scope.kind)], scope);
      yield* Support.installIn(world, [Support.packageOf("foreign")], { kind: "profile", profileId: "other" });
      const run = yield* reading(world, [World.call("skill_list"), readStyle], { preset });
      const [fact] = resolvedIn(run.events);
      assert.deepStrictEqual(fact?.scopes, [globalScope, ofPreset, ofProfile, ofCharacter]);
      assert.deepStrictEqual(fact?.refs, { preset, characterId: "Character" });
      assert.deepStrictEqual(
        fact?.effectiveSkills.map(({ name, scope }) => [name, scope.kind]),
        [
          ["character", "character"],
          ["everywhere", "global"],
          ["preset", "preset"],
          ["profile", "profile"],
          ["style", "character"],
        ],
      );
      assert.include(run.results[1]?.content, "character");
      assert.notInclude(run.results[0]?.content, "foreign");
    }),
  );

  it.effect("of its character are found by the agent that begins it", () =>
    Effect.gen(function* () {
      const world = World.make();
      yield* Support.installIn(world, [Support.packageOf("style", "Mira speaks in short words.")], ofCharacter);
      const run = yield* reading(world, [readStyle]);
      assert.include(run.results[0]?.content, "Mira speaks in short words.");
    }),
  );

  it.effect("without a preset are those of no preset", () =>
    Effect.gen(function* () {
      const world = World.make();
      yield* Support.installIn(world, [Support.packageOf("style")], ofPreset);
      const run = yield* reading(world, [readStyle]);
      assert.strictEqual(run.results[0]?.errorCode, "skill.not_found");
    }),
  );

  it.effect("are nothing to write down where none is installed", () =>
    Effect.gen(function* () {
      const run = yield* reading(World.make(), [World.call("skill_list")]);
      assert.deepStrictEqual(resolvedIn(run.events), []);
      assert.strictEqual(run.results[0]?.content, "You have no Skills.");
      const withPreset = yield* reading(World.make(), [], { preset });
      assert.deepStrictEqual(resolvedIn(withPreset.events)[0]?.effectiveSkills, []);
    }),
  );

  it.effect("that the profile names and nobody has installed refuse the start: agent.skill_visible_missing", () =>
    Effect.gen(function* () {
      const world = World.make();
      yield* Support.installIn(world, [Support.packageOf("style")]);
      const failure = yield* Effect.flip(
        startRunFromChat({
          chat: World.chatLocation,
          binding: World.scripted(World.publishing),
          profile: reader({ visible: ["*", "style", "plot"] }),
        }),
      ).pipe(World.inProcess(world));
      assert.strictEqual(failure.reason.code, "agent.skill_visible_missing");
      assert.deepStrictEqual(failure.reason.details, { missing: ["plot"] });
      assert.strictEqual(world.journals.journals.size, 0);
      const denied = yield* reading(world, [], { profile: reader({ visible: ["style", "plot"], deny: ["plot"] }) });
      assert.strictEqual(denied.outcome.status, "completed");
    }),
  );

  it.effect(
    "are those of the preset and the character that a host made its prompt under, or the start is refused",
    () =>
      Effect.gen(function* () {
        const world = World.make();
        const refusalOf = (options: object, sections: object = {}) =>
          Effect.flip(
            startRunWithPromptSnapshot({
              chat: World.chatLocation,
              binding: World.scripted(World.publishing),
              profile: { document: { ...reader().document, ...sections } },
              promptSnapshot: {
                contextPolicy: { initialChatHistoryMessages: -1, includeActivatedWorldInfo: true },
                messages: [{ role: "user", content: "Write." }],
              },
              ...options,
            }),
          ).pipe(
            Effect.map(({ reason }) => reason.code),
            World.inProcess(world),
          );
        const named = { preset: { mode: "ref", ref: { apiId: "openai", name: "Other" } } };
        assert.strictEqual(yield* refusalOf({ preset }, named), "agent.skill_scope_preset_mismatch");
        assert.strictEqual(yield* refusalOf({ characterId: "" }), "agent.skill_scope_character_id_empty");
        assert.strictEqual(yield* refusalOf({ characterId: "Somebody" }), "agent.skill_scope_character_mismatch");
        assert.deepStrictEqual(yield* MemoryRunJournal.make(world.journals).list({}), []);
      }),
  );

  it.effect("are not looked for in a preset without a name: agent.skill_scope_preset_invalid", () =>
    Effect.gen(function* () {
      for (const unnamed of [
        { ...preset, name: "" },
        { ...preset, apiId: "" },
      ]) {
        const failure = yield* Effect.flip(start(World.publishing, { preset: unnamed })).pipe(
          World.inProcess(World.make()),
        );
        assert.strictEqual(failure.reason.code, "agent.skill_scope_preset_invalid");
      }
    }),
  );

  it.effect("begin with what can be read when an entry of the index cannot, and the run says so", () =>
    Effect.gen(function* () {
      const world = World.make();
      yield* Support.installIn(world, [Support.packageOf("style"), Support.packageOf("plot")]);
      const id = SkillIndex.idOf(globalScope, "plot");
      world.documents.collections
        .get(SkillIndex.skillsCollection)
        ?.set(id, new Corrupt({ entity: "document", id: `skills/${id}`, detail: "torn" }));
      const run = yield* reading(world, [readStyle]);
      assert.deepStrictEqual(resolvedIn(run.events)[0]?.damaged, [id]);
      assert.isUndefined(run.results[0]?.errorCode);
    }),
  );
});

describe("Skills that are replaced and removed while a run works", () => {
  const changing = (world: World.World) =>
    toolOf("builtin:custom.act", {
      effectClass: "idempotent",
      run: () => Effect.as(change(world), { _tag: "Done" as const, content: "done" }),
    });

  const readBoth = World.calls(["skill_read", { name: "style" }], ["skill_read", { name: "plot" }]);

  const worldOfTwo = Effect.gen(function* () {
    const world = World.make();
    yield* Support.installIn(world, [Support.packageOf("style", "Old words."), Support.packageOf("plot", "Old plot.")]);
    return world;
  });

  const act = World.call("custom_act");

  it.effect("change nothing for it, and another run has the new ones", () =>
    Effect.gen(function* () {
      const world = yield* worldOfTwo;
      const tool = changing(world);
      const run = yield* reading(world, [act, readBoth], {
        profile: reader({}, [tool.descriptor.id]),
        process: { tools: [tool] },
      });
      assert.deepStrictEqual(
        run.results.slice(0, 3).map(({ errorCode }) => errorCode),
        [undefined, undefined, undefined],
      );
      assert.include(run.results[1]?.content, "Old words.");
      assert.include(run.results[2]?.content, "Old plot.");
      const after = yield* reading(world, [readBoth]);
      assert.include(after.results[0]?.content, "New words.");
      assert.strictEqual(after.results[1]?.errorCode, "skill.not_found");
    }),
  );

  it.effect("stay for a fork and a revision of it, and are collected when no run is left that reads them", () =>
    Effect.gen(function* () {
      const world = yield* worldOfTwo;
      const turns = [readBoth, ...World.publishing];
      const script = JSON.stringify({
        format: "cahier.script/1",
        turns,
        agents: { reader: [{ turns }, { turns }] },
      });
      const binding = { ...World.scripted([]), script };
      const run = yield* Effect.gen(function* () {
        const profile = reader();
        return yield* ended(world, yield* startRunFromChat({ chat: World.chatLocation, binding, profile }));
      }).pipe(World.inProcess(world));
      yield* change(world);
      yield* TestClock.adjust(abandonedAfterMs + 1);
      yield* collectBlobs().pipe(World.inProcess(world, { name: "host" }));
      const read = yield* Effect.gen(function* () {
        const assembled = run.events.find(({ type }) => type === "context_assembled")?.seq ?? 0;
        const revision = yield* ended(world, yield* reviseRun(run.runId, "Again."));
        const fork = yield* ended(world, yield* forkRun(run.runId, assembled + 1));
        return [fork, revision];
      }).pipe(World.inProcess(world, { name: "second" }));
      for (const one of read) {
        const contents = one.results.slice(-5).map(({ content }) => content);
        assert.isTrue(contents.some((content) => content.includes("Old words.")));
        assert.isTrue(contents.some((content) => content.includes("Old plot.")));
      }
      assert.strictEqual(resolvedIn(read[0]?.events ?? []).length, 1);
      const scopesOfSkills = () => [...world.blobs.scopes.keys()].filter((scope) => scope.startsWith("skill_")).length;
      assert.strictEqual(scopesOfSkills(), 3);
      const counts: Array<number> = [];
      yield* Effect.gen(function* () {
        for (const runId of new Set([run.runId, ...read.map((one) => one.runId)])) {
          const record = world.journals.journals.get(runId)?.record;
          if (record !== undefined) yield* deleteRun(record);
          yield* collectBlobs();
          counts.push(scopesOfSkills());
        }
      }).pipe(World.inProcess(world, { name: "third" }));
      assert.deepStrictEqual(counts, [3, 1]);
    }),
  );
});

describe("a fork under another profile", () => {
  it.effect("has the Skills that this profile sees as they are installed then", () =>
    Effect.gen(function* () {
      const world = World.make();
      yield* Support.installIn(world, [Support.packageOf("style", "Old words."), Support.packageOf("plot")]);
      const run = yield* reading(world, [readStyle]);
      yield* Support.installIn(world, [Support.packageOf("style", "New words.")]);
      const assembled = run.events.find(({ type }) => type === "context_assembled")?.seq ?? 0;
      const fork = yield* Effect.gen(function* () {
        const turns = [readStyle, World.call("skill_read", { name: "plot" }), ...World.publishing];
        const handle = yield* forkRun(run.runId, assembled + 1, {
          profile: reader({ visible: ["*"], deny: ["plot"] }),
          model: World.scripted(turns),
        });
        return yield* ended(world, handle);
      }).pipe(World.inProcess(world, { name: "second" }));
      assert.strictEqual(fork.outcome.status, "completed");
      assert.include(fork.results[0]?.content, "New words.");
      assert.strictEqual(fork.results[1]?.errorCode, "skill.policy_denied");
      assert.deepStrictEqual(
        resolvedIn(fork.events).map(({ effectiveSkills }) => effectiveSkills.map(({ name }) => name)),
        [["plot", "style"], ["style"]],
      );
    }),
  );
});

describe("what an agent has read of Skills", () => {
  it.effect("counts on when another process takes the run up", () =>
    Effect.gen(function* () {
      const world = World.make();
      yield* Support.installIn(world, [Support.packageOf("style", "x".repeat(900))]);
      const hanging = (hangs: boolean) =>
        toolOf("builtin:custom.act", {
          effectClass: "idempotent",
          run: () => (hangs ? Effect.never : Effect.succeed({ _tag: "Done" as const, content: "done" })),
        });
      const id = hanging(true).descriptor.id;
      const profile = reader({ maxReadCharsPerCall: 1000, maxReadCharsPerRun: 1500 }, [id]);
      const turns = [readStyle, World.call("custom_act"), readStyle, ...World.publishing];
      const runId = yield* Effect.gen(function* () {
        const run = yield* start(turns, { profile });
        yield* reached(world, run.runId, "tool_call_started", 2);
        return run.runId;
      }).pipe(World.inProcess(world, { tools: [hanging(true)] }));
      const run = yield* Effect.gen(function* () {
        const runs = yield* Runs;
        return yield* ended(world, yield* runs.resume(runId));
      }).pipe(World.inProcess(world, { name: "second", tools: [hanging(false)] }));
      assert.strictEqual(run.outcome.status, "completed");
      assert.deepStrictEqual(
        run.results.slice(0, 3).map(({ errorCode }) => errorCode),
        [undefined, undefined, "skill.read_budget_exceeded"],
      );
      assert.strictEqual(payloadsOf(run.events, "skill_read").length, 1);
    }),
  );
});
