import { checkpointsOf } from "@cahier/domain/run/checkpoint";
import { startRunWithPromptSnapshot } from "@cahier/application/run/startRun";
import { Runs } from "@cahier/application/run/Runs";
import { Randomness } from "@cahier/application/tool/Randomness";
import { CheckpointId } from "@cahier/domain/identity/Identity";
import { assert, describe, it } from "@effect/vitest";
import * as Effect from "effect/Effect";
import * as MemoryChatHost from "@cahier/testkit/doubles/MemoryChatHost";
import * as Cut from "./support/cut.ts";
import { ended, payloadsOf, play, type PlayOptions, reached, start } from "./support/play.ts";
import { installIn, packageOf } from "./support/skills.ts";
import * as World from "./support/World.ts";

/** A profile with every built-in tool. */
const profile = {
  document: {
    kind: "cahier.agentProfile",
    schemaVersion: 1,
    id: "everything",
    displayName: "Everything",
    tools: { allow: World.soloTools, maxRounds: 80 },
  },
};

const worldInfo = {
  timestampMs: 1_700_000_000_000,
  trigger: "normal",
  entries: [
    {
      world: "Harbour",
      uid: 3,
      displayName: "Ferry",
      constant: true,
      position: "before",
      content: "The ferry is old.",
    },
    { world: "Harbour", uid: 4, displayName: "Long", constant: false, position: "depth", content: "y".repeat(9000) },
  ],
};

/** Makes calls one turn after the other; gives their results. */
const resultsOf = Effect.fnUntraced(function* (
  calls: ReadonlyArray<readonly [name: string, args?: unknown]>,
  options: PlayOptions = {},
) {
  const turns = [...calls.map(([name, args]) => World.call(name, args)), ...World.publishing];
  const { outcome, results } = yield* play(turns, { profile, worldInfo, ...options });
  assert.strictEqual(outcome.status, "completed");
  return results.slice(0, calls.length);
});

const codesOf = (results: ReadonlyArray<{ readonly errorCode?: string }>) => results.map(({ errorCode }) => errorCode);

describe("every built-in tool", () => {
  it.effect("can be called in one run", () =>
    Effect.gen(function* () {
      const path = "output/main.md";
      const calls: ReadonlyArray<readonly [string, unknown?]> = [
        ["chat_search", { query: "ferry" }],
        ["chat_read_messages", { messages: [{ index: 0 }] }],
        ["worldinfo_read_activated"],
        ["dice_roll", { formula: "3d6+4" }],
        ["skill_list"],
        ["skill_search", { name: "style", query: "done" }],
        ["skill_read", { name: "style" }],
        ["workspace_write_file", { path, content: "They wait." }],
        ["workspace_list_files"],
        ["workspace_search_files", { query: "wait" }],
        ["workspace_read_file", { path }],
        ["workspace_apply_patch", { path, old_string: "wait", new_string: "go" }],
        ["workspace_create_checkpoint", { label: "First draft" }],
        ["workspace_commit"],
        ["workspace_finish"],
      ];
      const world = World.make();
      yield* installIn(world, [packageOf("style")]);
      const { outcome, results, runId, state, texts } = yield* play(
        calls.map(([name, args]) => World.call(name, args)),
        { profile, world, worldInfo },
      );
      assert.strictEqual(outcome.status, "completed");
      assert.deepStrictEqual(
        codesOf(results),
        calls.map(() => undefined),
      );
      assert.deepStrictEqual(new Set(results.map(({ toolId }) => toolId)), new Set(World.soloTools));
      assert.strictEqual(texts[2], "They go.");
      const tree = [...(world.mirrors.trees.get(runId)?.keys() ?? [])];
      for (const file of ["input/chat.json", "input/world_info.json"]) assert.include(tree, file);
      const named = checkpointsOf(state).findIndex(({ label }) => label === "First draft");
      assert.deepInclude(checkpointsOf(state)[named], {
        id: CheckpointId.make(`cp_${String(named + 1).padStart(6, "0")}`),
        reason: "tool",
      });
    }),
  );
});

describe("a run that is taken up after a crash", () => {
  it.effect("gives every result once, and what fell before the crash has fallen", () =>
    Effect.gen(function* () {
      const turns = [
        World.call("dice_roll", { formula: "2d20" }),
        World.calls(["chat_search", { query: "ferry" }], ["worldinfo_read_activated"]),
        World.call("workspace_create_checkpoint"),
        ...World.publishing,
      ];
      const world = World.make();
      const recording = Cut.record();
      const fallen = { count: 0 };
      const chance = { next: () => ((fallen.count += 1) % 20) / 20 };
      const whole = yield* play(turns, { profile, worldInfo, world, process: Cut.recorded(recording, world) }).pipe(
        Effect.provideService(Randomness, chance),
      );
      const rolled = whole.results[0]?.structured;
      const cuts = yield* Cut.everyCut(recording, world, whole.runId, whole.events);
      assert.isAbove(cuts.length, 6);
      for (const left of cuts.slice(0, -1)) {
        const found = yield* Effect.gen(function* () {
          const runs = yield* Runs;
          return yield* ended(left.world, yield* runs.resume(whole.runId));
        }).pipe(World.inProcess(left.world, { name: "second" }), Effect.provideService(Randomness, chance));
        assert.strictEqual(found.outcome.status, "completed", left.title);
        assert.strictEqual(found.results.length, turns.length + 1, left.title);
        assert.strictEqual(found.state.checkpoints.length, whole.state.checkpoints.length, left.title);
        const isOnRecord = whole.events.some(({ seq, type }) => type === "tool_result_stored" && seq <= left.seq);
        if (isOnRecord) assert.deepStrictEqual(found.results[0]?.structured, rolled, left.title);
        assert.deepStrictEqual(
          found.results.slice(1, 3).map(({ content }) => content),
          whole.results.slice(1, 3).map(({ content }) => content),
          left.title,
        );
      }
    }),
  );
});

describe("the tools of the chat", () => {
  it.effect("find and read messages by number, with refs to read on", () =>
    Effect.gen(function* () {
      const [found, none, read] = yield* resultsOf([
        ["chat_search", { query: "ferry", role: "assistant" }],
        ["chat_search", { query: "ferry", role: "user" }],
        ["chat_read_messages", { messages: [{ index: 1 }, { index: 0, start_char: 4, max_chars: 5 }] }],
      ]);
      assert.deepStrictEqual(found?.resourceRefs, ["chat:current#0"]);
      assert.include(found?.content, "The ferry is late.");
      assert.isFalse(none?.isError);
      assert.deepInclude(none, { structured: { query: "ferry", hits: [] } });
      assert.deepStrictEqual(read?.resourceRefs, ["chat:current#1", "chat:current#0:chars=4..9"]);
      assert.include(read?.content, "Then we wait.");
      assert.include(read?.content, "characters 4-9 of 18, 1 words):\nferry");
    }),
  );

  it.effect("refuse what does not fit, each with its code", () =>
    Effect.gen(function* () {
      const world = World.make();
      MemoryChatHost.disturb(world.chats, World.chatLocation.location, "z".repeat(9000));
      const results = yield* resultsOf(
        [
          ["chat_search", { query: " " }],
          ["chat_search", { query: "x", limit: 51 }],
          ["chat_search", { query: "x", role: "tool" }],
          ["chat_read_messages", { messages: [] }],
          ["chat_read_messages", { messages: [{ index: 9 }] }],
          ["chat_read_messages", { messages: [{ index: 0, start_char: 99 }] }],
          ["chat_read_messages", { messages: [{ index: 2 }] }],
        ],
        { world },
      );
      assert.deepStrictEqual(codesOf(results), [
        "tool.invalid_arguments",
        "tool.invalid_arguments",
        "tool.invalid_arguments",
        "tool.invalid_arguments",
        "chat.message_not_found",
        "chat.invalid_message_range",
        "chat.read_too_large",
      ]);
      assert.include(results[2]?.content, 'role must be one of "user", "assistant", "system"; given was "tool".');
    }),
  );

  it.effect("see the chat as it was when the run began, also after another process takes it up", () =>
    Effect.gen(function* () {
      const world = World.make();
      const turns = [
        World.call("chat_search", { query: "thunder" }),
        { ...World.call("chat_search", { query: "thunder" }), delayMs: 60_000 },
        World.call("chat_read_messages", { messages: [{ index: 2 }] }),
        World.finish,
      ];
      const runId = yield* Effect.gen(function* () {
        const run = yield* start(turns, { profile });
        yield* reached(world, run.runId, "tool_call_completed");
        return run.runId;
      }).pipe(World.inProcess(world));
      MemoryChatHost.disturb(world.chats, World.chatLocation.location, "thunder");
      const { results } = yield* Effect.gen(function* () {
        const runs = yield* Runs;
        const run = yield* runs.resume(runId);
        return yield* ended(world, run);
      }).pipe(World.inProcess(world, { name: "second", gateway: withoutDelay }));
      assert.deepStrictEqual(codesOf(results).slice(0, 3), [undefined, undefined, "chat.message_not_found"]);
      assert.deepInclude(results[1]?.structured, { hits: [] });
    }),
  );

  it.effect("do not see what a swipe replaces", () =>
    Effect.gen(function* () {
      const world = World.make();
      yield* play(World.publishing, { world, profile });
      const [read] = yield* resultsOf([["chat_read_messages", { messages: [{ index: 2 }] }]], {
        world,
        generationType: "swipe",
      });
      assert.strictEqual(read?.errorCode, "chat.message_not_found");
    }),
  );

  it.effect("keep nothing of the chat for a run that has none of them", () =>
    Effect.gen(function* () {
      const allow = ["write_file", "commit", "finish"].map((name) => `builtin:workspace.${name}`);
      const { events } = yield* play(World.publishing, {
        profile: { document: { ...profile.document, tools: { allow, maxRounds: 9 } } },
      });
      assert.isUndefined(payloadsOf(events, "context_assembled")[0]?.chat);
    }),
  );
});

describe("the world info", () => {
  it.effect("is listed, and read by the refs of the list", () =>
    Effect.gen(function* () {
      const [list, read] = yield* resultsOf([
        ["worldinfo_read_activated"],
        ["worldinfo_read_activated", { entries: [{ ref: "worldinfo:Harbour#3" }] }],
      ]);
      assert.deepStrictEqual(list?.resourceRefs, ["worldinfo:Harbour#3", "worldinfo:Harbour#4"]);
      assert.include(list?.content, "worldinfo:Harbour#3: Ferry (before, always active; 17 characters, 4 words)");
      assert.notInclude(list?.content, "The ferry is old.");
      assert.include(read?.content, "The ferry is old.");
    }),
  );

  it.effect("refuses what does not fit, each with its code", () =>
    Effect.gen(function* () {
      const entries = (ref: string, more: object = {}) =>
        ["worldinfo_read_activated", { entries: [{ ref, ...more }] }] as const;
      const results = yield* resultsOf([
        entries("worldinfo:Harbour#9"),
        entries("worldinfo:Harbour#3", { start_char: 99 }),
        entries("worldinfo:Harbour#4"),
        ["worldinfo_read_activated", { entries: [] }],
      ]);
      assert.deepStrictEqual(codesOf(results), [
        "worldinfo.entry_not_found",
        "worldinfo.invalid_entry_range",
        "worldinfo.read_too_large",
        "tool.invalid_arguments",
      ]);
    }),
  );

  it.effect("is unavailable in a run that was started without", () =>
    Effect.gen(function* () {
      const turns = [World.call("worldinfo_read_activated"), ...World.publishing];
      const { results } = yield* play(turns, { profile });
      assert.strictEqual(results[0]?.errorCode, "worldinfo.activation_unavailable");
    }),
  );

  it.effect("of another form refuses the start, before anything is written", () =>
    Effect.gen(function* () {
      const world = World.make();
      const failure = yield* Effect.flip(start(World.publishing, { profile, worldInfo: { entries: 1 } })).pipe(
        World.inProcess(world),
      );
      assert.strictEqual(failure.reason.code, "agent.invalid_worldinfo_activation_snapshot");
      assert.strictEqual(world.journals.journals.size, 0);
    }),
  );
});

describe("dice", () => {
  it.effect("fall as chance has it, and what fell is on record", () =>
    Effect.gen(function* () {
      const [rolled, lowest] = yield* resultsOf([
        ["dice_roll", { formula: "2d6-1" }],
        ["dice_roll", { formula: "20" }],
      ]).pipe(Effect.provideService(Randomness, { next: () => 0.5 }));
      assert.deepStrictEqual(rolled?.structured, {
        formula: "2d6-1",
        rolls: [4, 4],
        modifier: -1,
        total: 7,
        min: 1,
        max: 11,
      });
      assert.strictEqual(rolled?.content, "2d6-1: 4 + 4 - 1 = 7 (it can be 1 to 11).");
      assert.include(lowest?.content, "20: 11 = 11");
    }),
  );

  it.effect("refuse what is no formula", () =>
    Effect.gen(function* () {
      const results = yield* resultsOf([
        ["dice_roll", { formula: "many" }],
        ["dice_roll", {}],
      ]);
      assert.deepStrictEqual(codesOf(results), ["dice.invalid_formula", "tool.invalid_arguments"]);
    }),
  );

  it.effect("fall within their range when nobody says otherwise", () =>
    Effect.gen(function* () {
      const { next } = yield* Randomness;
      for (const value of Array.from({ length: 1000 }, next)) assert.isTrue(value >= 0 && value < 1);
    }),
  );
});

describe("an edit in another typography", () => {
  it.effect("takes the file's own, and says what was fitted", () =>
    Effect.gen(function* () {
      const path = "output/main.md";
      const { results, texts } = yield* play(
        [
          World.write("“Wait,” she said — and left."),
          World.call("workspace_apply_patch", {
            path,
            old_string: '"Wait," she said - and',
            new_string: '"Go," she said - and',
          }),
          World.commit,
          World.finish,
        ],
        { profile },
      );
      assert.include(results[1]?.content, "The file's own way was kept in: quotation marks, dashes.");
      assert.strictEqual(texts[2], "“Go,” she said — and left.");
    }),
  );

  it.effect("that does not fit is answered with the nearest passage and its lines", () =>
    Effect.gen(function* () {
      const [, patched] = yield* resultsOf([
        ["workspace_write_file", { path: "scratch/a.md", content: "One.\nThe ferry is late again.\nThree." }],
        ["workspace_apply_patch", { path: "scratch/a.md", old_string: "The ferry was late again!", new_string: "x" }],
      ]);
      assert.strictEqual(patched?.errorCode, "workspace.patch_old_string_not_found");
      assert.include(patched?.content, "The nearest passage is line 2");
    }),
  );
});

describe("a checkpoint", () => {
  it.effect("needs no label, has a number of its own, and takes no label that is too long", () =>
    Effect.gen(function* () {
      const results = yield* resultsOf([
        ["workspace_create_checkpoint"],
        ["workspace_create_checkpoint", { label: "x".repeat(201) }],
        ["workspace_create_checkpoint", { label: "Second" }],
      ]);
      assert.deepStrictEqual(results[0]?.structured, { checkpointId: "cp_000001" });
      assert.strictEqual(results[1]?.errorCode, "tool.invalid_arguments");
      assert.deepInclude(results[2]?.structured, { checkpointId: "cp_000002", label: "Second" });
    }),
  );
});

describe("a start with a prompt of its own", () => {
  it.effect("can bring world info too", () =>
    Effect.gen(function* () {
      const world = World.make();
      const { results } = yield* Effect.gen(function* () {
        const run = yield* startRunWithPromptSnapshot({
          chat: World.chatLocation,
          binding: World.scripted([World.call("worldinfo_read_activated"), ...World.publishing]),
          profile,
          worldInfo,
          promptSnapshot: {
            contextPolicy: { initialChatHistoryMessages: -1, includeActivatedWorldInfo: true },
            messages: [{ role: "user", parts: [{ type: "text", text: "Write." }] }],
            generationParameters: {},
          },
        });
        return yield* ended(world, run);
      }).pipe(World.inProcess(world));
      assert.deepInclude(results[0]?.structured, { mode: "index", totalEntries: 2 });
    }),
  );
});

/** A gateway whose model answers at once. */
const withoutDelay: NonNullable<World.ProcessOptions["gateway"]> = (gateway) => ({
  ...gateway,
  generate: ({ binding, ...request }, onDelta) =>
    gateway.generate(
      { ...request, binding: { ...binding, script: (binding.script ?? "").replace('"delayMs":60000', '"delayMs":0') } },
      onDelta,
    ),
});
