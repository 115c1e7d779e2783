import * as PathMap from "@cahier/domain/run/PathMap";
import { readDiff } from "@cahier/application/diff/readDiff";
import { rollBack } from "@cahier/application/rollback/rollBack";
import { loadState } from "@cahier/application/run/loadState";
import { listRuns, readWorkspaceFile } from "@cahier/application/run/RunReader";
import { Runs } from "@cahier/application/run/Runs";
import type { Fatal } from "@cahier/domain/failure/Failure";
import { CallId, type RunId } from "@cahier/domain/identity/Identity";
import * as MemoryRunJournal from "@cahier/storage-memory/MemoryRunJournal";
import { assert, describe, it } from "@effect/vitest";
import * as Effect from "effect/Effect";
import * as TestClock from "effect/testing/TestClock";
import * as Cut from "./support/cut.ts";
import { assertReplay, ended, eventsOf, payloadsOf, play, reached, start } from "./support/play.ts";
import * as World from "./support/World.ts";

const path = "output/main.md";

/** cp_000001: one draft; cp_000002: a plan beside it; cp_000003: the draft is patched; cp_000004: before the commit. */
const turns: ReadonlyArray<World.Turn> = [
  World.write("They wait."),
  World.write("Rain.", "plan/outline.md"),
  World.call("workspace_apply_patch", { path, old_string: "wait", new_string: "go" }),
  World.commit,
  World.finish,
];

const inOther = <A, E, R>(world: World.World, effect: Effect.Effect<A, E, R>) =>
  effect.pipe(World.inProcess(world, { name: "other" }));

const codeOf = <A, R>(world: World.World, effect: Effect.Effect<A, Fatal, R>) =>
  Effect.map(inOther(world, Effect.flip(effect)), (failure) => failure.reason.code);

/** The texts of a run's files, as everybody sees them: by the fold, and in the readable tree. */
const filesOf = Effect.fnUntraced(function* (world: World.World, runId: RunId) {
  const { state } = yield* loadState(MemoryRunJournal.make(world.journals), runId);
  const paths = PathMap.paths(state.files).toSorted();
  const texts = yield* inOther(
    world,
    Effect.forEach(paths, (name) => Effect.map(readWorkspaceFile(runId, name), ({ text }) => [name, text] as const)),
  );
  const tree = world.mirrors.trees.get(runId) ?? new Map<string, Uint8Array>();
  assert.deepStrictEqual(
    [...tree.keys()].filter((name) => /^(?:output|plan)\//.test(name)).toSorted(),
    paths,
    "the readable tree has the same files",
  );
  for (const [name, text] of texts) assert.strictEqual(new TextDecoder().decode(tree.get(name)), text);
  return Object.fromEntries(texts);
});

const published = { [path]: "They go.", "plan/outline.md": "Rain." };

describe("a rollback", () => {
  it.effect("gives an ended run the files of a checkpoint, and a later checkpoint takes it back", () =>
    Effect.gen(function* () {
      const { events, runId, world } = yield* play(turns);
      assert.deepStrictEqual(yield* filesOf(world, runId), published);
      const back = yield* inOther(world, rollBack(runId, "cp_000001"));
      assert.deepStrictEqual(back.changes, [
        { path, status: "modified" },
        { path: "plan/outline.md", status: "deleted" },
      ]);
      assert.strictEqual(back.undo, "cp_000004");
      assert.deepStrictEqual(yield* filesOf(world, runId), { [path]: "They wait." });
      assert.deepStrictEqual(World.textsOf(world), [...World.beginning, "They go."]);
      const undone = yield* inOther(world, rollBack(runId, "cp_000004"));
      assert.deepStrictEqual(
        undone.changes.map(({ status }) => status),
        ["modified", "added"],
      );
      assert.deepStrictEqual(yield* filesOf(world, runId), published);
      const after = yield* eventsOf(world, runId);
      assert.deepStrictEqual(after.slice(0, events.length), events);
      assert.deepStrictEqual(
        after.slice(events.length).map(({ type }) => type),
        [1, 2].flatMap(() => ["run_owner_changed", "run_rolled_back", "run_owner_changed"]),
      );
      const { state } = yield* loadState(MemoryRunJournal.make(world.journals), runId);
      assert.deepStrictEqual([state.status, state.owner], ["completed", null]);
      assertReplay(after, state);
      const { files } = yield* inOther(world, readDiff(runId, { from: events.length, to: events.length + 2 }));
      assert.deepStrictEqual(
        files.map(({ status }) => status),
        ["modified", "deleted"],
      );
    }),
  );

  it.effect("is seen in the list of runs, which keeps what it said of a run that has ended", () =>
    Effect.gen(function* () {
      const { runId, world } = yield* play(turns);
      const [before] = yield* inOther(world, listRuns());
      yield* TestClock.adjust(1000);
      yield* inOther(world, rollBack(runId, "cp_000001"));
      const [after] = yield* inOther(world, listRuns());
      assert.deepStrictEqual([before?.standing, after?.standing], ["ended", "ended"]);
      assert.isTrue((before?.updatedAt ?? "") < (after?.updatedAt ?? ""));
    }),
  );

  it.effect(
    "of a run that waits leaves it waiting, and what is allowed then works on the files of the checkpoint",
    () =>
      Effect.gen(function* () {
        const document = {
          kind: "cahier.agentProfile",
          schemaVersion: 1,
          id: "asking",
          displayName: "Asking",
          run: { presentation: "foreground" },
          tools: {
            maxRounds: 20,
            allow: ["write_file", "apply_patch", "commit", "finish"].map((name) => `builtin:workspace.${name}`),
            policy: [{ tools: ["builtin:workspace.commit"], permission: "ask" }],
          },
        };
        const world = World.make();
        const parked = yield* play(turns, { world, profile: { document } });
        assert.strictEqual(parked.outcome.status, "awaiting_approval");
        yield* inOther(world, rollBack(parked.runId, "cp_000002"));
        const { state } = yield* loadState(MemoryRunJournal.make(world.journals), parked.runId);
        assert.deepStrictEqual([state.status, state.owner], ["awaiting_approval", null]);
        const callId = payloadsOf(parked.events, "tool_call_awaiting_approval")[0]?.callId ?? CallId.make("");
        const whole = yield* Effect.gen(function* () {
          const runs = yield* Runs;
          const handle = yield* runs.decide(parked.runId, { approved: true, callId });
          return handle === undefined ? undefined : yield* ended(world, handle);
        }).pipe(World.inProcess(world));
        assert.strictEqual(whole?.outcome.status, "completed");
        assert.deepStrictEqual(World.textsOf(world), [...World.beginning, "They wait."]);
      }),
  );

  it.effect("to where the files are already records nothing", () =>
    Effect.gen(function* () {
      const { events, runId, world } = yield* play(turns);
      const back = yield* inOther(world, rollBack(runId, "cp_000003"));
      assert.deepStrictEqual([back.changes, back.undo], [[], null]);
      assert.deepStrictEqual(yield* eventsOf(world, runId), events);
    }),
  );

  it.effect("of a run that never named its last files names them first", () =>
    Effect.gen(function* () {
      const { events, runId, world } = yield* play([World.write("They wait."), ...turns.slice(2)]);
      const [first = "", ...later] = payloadsOf(events, "checkpoint_created").map(({ checkpointId }) => checkpointId);
      const early = events.filter(
        ({ payload, type }) =>
          type !== "checkpoint_created" || !later.some((id) => JSON.stringify(payload).includes(id)),
      );
      const left = yield* Cut.upTo(world, runId, early, world.chats);
      const back = yield* inOther(left, rollBack(runId, first));
      assert.strictEqual(back.undo, "cp_000002");
      yield* inOther(left, rollBack(runId, "cp_000002"));
      assert.deepStrictEqual(yield* filesOf(left, runId), { [path]: "They go." });
      const reasons = payloadsOf(yield* eventsOf(left, runId), "checkpoint_created").map(({ reason }) => reason);
      assert.deepStrictEqual(reasons, ["tool_workspace_write", "rollback"]);
    }),
  );

  it.effect("is refused while the run works or lies interrupted, and of a checkpoint that there is not", () =>
    Effect.gen(function* () {
      const { runId, world } = yield* play(turns);
      assert.strictEqual(yield* codeOf(world, rollBack(runId, "cp_000099")), "agent.checkpoint_not_found");
      const other = World.make();
      const slow = [World.write("They wait."), { ...World.commit, delayMs: 60_000 }, World.finish];
      const working = yield* Effect.gen(function* () {
        const run = yield* start(slow);
        yield* reached(other, run.runId, "model_call_attempt_started", 2);
        const failure = yield* inOther(other, Effect.flip(rollBack(run.runId, "cp_000001")));
        assert.strictEqual(failure.reason.code, "agent.rollback_unavailable");
        assert.include(failure.message, "is carrying the run on");
        return run.runId;
      }).pipe(World.inProcess(other));
      const events = yield* eventsOf(other, working);
      assert.strictEqual(yield* codeOf(other, rollBack(working, "cp_000001")), "agent.rollback_unavailable");
      assert.deepStrictEqual(yield* eventsOf(other, working), events);
    }),
  );

  it.effect("to a checkpoint whose content is gone is refused, and the files stay as they are", () =>
    Effect.gen(function* () {
      const long = "They wait by the river.\n".repeat(500);
      const { events, runId, world } = yield* play([
        World.write(long),
        ...turns.slice(1, 2),
        World.write("x"),
        ...turns.slice(3),
      ]);
      world.blobs.scopes.delete(runId);
      const failure = yield* inOther(world, Effect.flip(rollBack(runId, "cp_000001")));
      assert.strictEqual(failure.reason.code, "blob.missing");
      assert.include(failure.message, path);
      assert.deepStrictEqual(yield* eventsOf(world, runId), events);
    }),
  );
});
