import { rollBackMessage } from "@cahier/application/rollback/rollBackMessage";
import { loadState } from "@cahier/application/run/loadState";
import { listRuns } from "@cahier/application/run/RunReader";
import { Runs } from "@cahier/application/run/Runs";
import { commitDeadlineMs } from "@cahier/application/run/steps/settleCommit";
import type { Fatal } from "@cahier/domain/failure/Failure";
import { CallId, type RunId } from "@cahier/domain/identity/Identity";
import { ChatFault, type ChatHost } from "@cahier/ports/ChatHost";
import type { RunJournal } from "@cahier/ports/RunJournal";
import { Unavailable } from "@cahier/ports/StorageFault";
import * as MemoryChatHost from "@cahier/testkit/doubles/MemoryChatHost";
import * as FaultyRunJournal from "@cahier/testkit/doubles/FaultyRunJournal";
import * as MemoryBlobStore from "@cahier/storage-memory/MemoryBlobStore";
import * as MemoryRunJournal from "@cahier/storage-memory/MemoryRunJournal";
import { assert, describe, it } from "@effect/vitest";
import * as Effect from "effect/Effect";
import * as Fiber from "effect/Fiber";
import * as TestClock from "effect/testing/TestClock";
import { assertReplay, ended, eventsOf, payloadsOf, play, reached, start } from "./support/play.ts";
import * as World from "./support/World.ts";

/** cp_000001: a draft; cp_000002: before the first commit; cp_000003: another draft; cp_000004: before the second. */
const twice: ReadonlyArray<World.Turn> = [
  World.write("They wait."),
  World.commit,
  World.write("They go."),
  World.commit,
  World.finish,
];

const inOther = <A, E, R>(world: World.World, effect: Effect.Effect<A, E, R>, options: World.ProcessOptions = {}) =>
  effect.pipe(World.inProcess(world, { name: "other", ...options }));

const codeOf = <A, R>(effect: Effect.Effect<A, Fatal, R>) =>
  Effect.map(Effect.flip(effect), (failure) => failure.reason.code);

const stateOf = Effect.fnUntraced(function* (world: World.World, runId: RunId) {
  const { state } = yield* loadState(MemoryRunJournal.make(world.journals), runId);
  assertReplay(yield* eventsOf(world, runId), state);
  return state;
});

const back = (world: World.World, runId: RunId, checkpointId: string, options: World.ProcessOptions = {}) =>
  inOther(world, rollBackMessage(runId, checkpointId), options);

const messageIn = (world: World.World) => world.chats.chats.get(World.chatLocation.location)?.messages.at(-1);

const textsAfter = (...texts: ReadonlyArray<string>) => [...World.beginning, ...texts];

describe("a rollback of the message", () => {
  it.effect("gives it the text that was published at the checkpoint, and a later checkpoint takes that back", () =>
    Effect.gen(function* () {
      const { runId, world } = yield* play(twice);
      const done = yield* back(world, runId, "cp_000004");
      assert.deepStrictEqual(done, { runId, checkpointId: done.checkpointId, action: "replace", undo: done.undo });
      assert.deepStrictEqual(World.textsOf(world), textsAfter("They wait."));
      assert.deepStrictEqual(
        (yield* eventsOf(world, runId)).slice(-5).map(({ type }) => type),
        [
          "run_owner_changed",
          "checkpoint_created",
          "chat_rollback_requested",
          "chat_rollback_completed",
          "run_owner_changed",
        ],
      );
      const undone = yield* back(world, runId, done.undo ?? "");
      assert.strictEqual(undone.action, "replace");
      assert.deepStrictEqual(World.textsOf(world), textsAfter("They go."));
      const state = yield* stateOf(world, runId);
      assert.deepStrictEqual([state.status, state.owner, state.pendingRollback], ["completed", null, null]);
    }),
  );

  it.effect("to before its first commit withdraws it, and a later checkpoint makes it again", () =>
    Effect.gen(function* () {
      const { runId, world } = yield* play(twice);
      const done = yield* back(world, runId, "cp_000002");
      assert.strictEqual(done.action, "withdraw");
      assert.deepStrictEqual(World.textsOf(world), World.beginning);
      assert.deepStrictEqual((yield* stateOf(world, runId)).commits, []);
      assert.strictEqual((yield* back(world, runId, "cp_000001")).action, null);
      assert.strictEqual((yield* back(world, runId, "cp_000003")).action, "restore");
      assert.deepStrictEqual(World.textsOf(world), textsAfter("They wait."));
      assert.strictEqual((yield* back(world, runId, done.undo ?? "")).action, "replace");
      assert.deepStrictEqual(World.textsOf(world), textsAfter("They go."));
      assert.strictEqual((yield* stateOf(world, runId)).commits.length, 2);
    }),
  );

  it.effect("counts what later commits added", () =>
    Effect.gen(function* () {
      const adding = World.call("workspace_commit", { mode: "append", path: "output/more.md" });
      const { runId, world } = yield* play([
        World.write("They wait."),
        World.commit,
        World.write(" It rains.", "output/more.md"),
        adding,
        World.write(" Still.", "output/more.md"),
        adding,
        World.finish,
      ]);
      const whole = "They wait. It rains. Still.";
      assert.deepStrictEqual(World.textsOf(world), textsAfter(whole));
      const done = yield* back(world, runId, "cp_000006");
      assert.deepStrictEqual(World.textsOf(world), textsAfter("They wait. It rains."));
      yield* back(world, runId, done.undo ?? "");
      assert.deepStrictEqual(World.textsOf(world), textsAfter(whole));
    }),
  );

  it.effect.each(["swipe", "regenerate"] as const)(
    "of a %s gives the message back as it was, and makes that of the run again with what it had",
    (type) =>
      Effect.gen(function* () {
        const world = World.make();
        yield* play([World.write("They met.", "persist/notes.md"), ...World.publishing], { world });
        const before = structuredClone(messageIn(world));
        const read = World.call("workspace_read_file", { path: "persist/notes.md" });
        const remembering = [read, World.write("They went.", "persist/notes.md"), ...twice];
        const { runId } = yield* play(remembering, { world, generationType: type });
        assert.deepStrictEqual(World.textsOf(world), textsAfter("They go."));
        const made = structuredClone(messageIn(world));
        assert.deepInclude(made?.state, { persistStateId: runId });
        const done = yield* back(world, runId, "cp_000001");
        const withdrawn = messageIn(world);
        assert.deepStrictEqual(World.textsOf(world), textsAfter("They wait by the river."));
        if (type === "regenerate") assert.deepStrictEqual(withdrawn, before);
        assert.strictEqual((yield* stateOf(world, runId)).target?.generationType, type);
        yield* back(world, runId, done.undo ?? "");
        assert.deepStrictEqual(World.textsOf(world), textsAfter("They go."));
        const again = messageIn(world);
        assert.deepStrictEqual([again?.swipes, again?.swipe, again?.state], [made?.swipes, made?.swipe, made?.state]);
        assert.deepInclude(again?.agent, { model: "script", runId });
        yield* back(world, runId, "cp_000001");
        assert.deepStrictEqual(World.textsOf(world), textsAfter("They wait by the river."));
        yield* stateOf(world, runId);
      }),
  );

  it.effect("of a regenerate can crash at any append, and what it replaced is there once it is asked again", () =>
    Effect.gen(function* () {
      const fault = new Unavailable({ operation: "append", kind: "full", detail: "no room" });
      for (const moment of ["beforeWriting", "afterWriting"] as const)
        for (const append of [1, 2, 3]) {
          const title = `append ${append} ${moment}`;
          const world = World.make();
          yield* play(World.publishing, { world });
          const before = structuredClone(messageIn(world));
          const { runId } = yield* play(twice, { world, generationType: "regenerate" });
          const journal = (inner: RunJournal["Service"]) => FaultyRunJournal.make(inner, { append, fault, moment });
          yield* Effect.exit(back(world, runId, "cp_000001", { journal }));
          yield* back(world, runId, "cp_000001", { name: "third" });
          assert.deepStrictEqual(messageIn(world), before, title);
          yield* back(world, runId, "cp_000004", { name: "fourth" });
          assert.deepStrictEqual(World.textsOf(world), textsAfter("They wait."), title);
        }
    }),
  );

  it.effect("of a regenerate whose replaced message is not kept any more changes nothing", () =>
    Effect.gen(function* () {
      const world = World.make();
      const long = "They wait by the river, and nobody says a word.\n".repeat(400);
      yield* play([World.write(long), World.commit, World.finish], { world });
      const { runId } = yield* play(twice, { world, generationType: "regenerate" });
      yield* MemoryBlobStore.make(world.blobs).removeScope(runId);
      assert.strictEqual(yield* codeOf(back(world, runId, "cp_000001")), "blob.missing");
      assert.deepStrictEqual(World.textsOf(world), textsAfter("They go."));
    }),
  );

  it.effect("of a message whose host cannot keep it takes it out, and makes another one", () =>
    Effect.gen(function* () {
      const fault = new ChatFault({ reason: { _tag: "Malformed" }, detail: "These bytes are no text." });
      const chatHost = (host: ChatHost["Service"]): ChatHost["Service"] => ({
        ...host,
        capture: () => Effect.fail(fault),
      });
      const world = World.make();
      yield* play(World.publishing, { world });
      const { runId } = yield* play(twice, { world, generationType: "regenerate", process: { chatHost } });
      const done = yield* back(world, runId, "cp_000001", { chatHost });
      assert.deepStrictEqual(World.textsOf(world), World.beginning);
      yield* back(world, runId, done.undo ?? "", { chatHost });
      assert.deepStrictEqual(World.textsOf(world), textsAfter("They go."));
      assert.deepInclude(messageIn(world)?.agent, { model: "script", runId });
    }),
  );

  it.effect("to where it is already, and of a run that published nothing, records nothing", () =>
    Effect.gen(function* () {
      const { events, runId, world } = yield* play([...twice.slice(0, 2), ...twice.slice(2, 3), World.finish]);
      const same = yield* back(world, runId, "cp_000003");
      assert.deepStrictEqual([same.action, same.undo], [null, null]);
      assert.deepStrictEqual(yield* eventsOf(world, runId), events);
      assert.strictEqual(yield* codeOf(back(world, runId, "cp_000099")), "agent.checkpoint_not_found");
    }),
  );

  it.effect("of a chat that has moved is a conflict and changes nothing", () =>
    Effect.gen(function* () {
      const { runId, world } = yield* play(twice);
      MemoryChatHost.disturb(world.chats, World.chatLocation.location, "And then?");
      const before = World.textsOf(world);
      for (const checkpoint of ["cp_000001", "cp_000004"])
        assert.strictEqual(yield* codeOf(back(world, runId, checkpoint)), "chat.conflict");
      assert.deepStrictEqual(World.textsOf(world), before);
      const failed = payloadsOf(yield* eventsOf(world, runId), "chat_rollback_failed");
      assert.deepStrictEqual(
        failed.map(({ code }) => code),
        ["chat.conflict", "chat.conflict"],
      );
      const state = yield* stateOf(world, runId);
      assert.deepStrictEqual([state.owner, state.pendingRollback, state.commits.length], [null, null, 2]);
    }),
  );

  it.effect("that the host does not answer stays open, and is settled by whoever rolls back next", () =>
    Effect.gen(function* () {
      const { runId, world } = yield* play(twice);
      const silent = (chatHost: ChatHost["Service"]): ChatHost["Service"] => ({
        ...chatHost,
        commit: (request) => Effect.andThen(chatHost.commit(request), Effect.never),
      });
      const asked = yield* Effect.forkChild(Effect.flip(back(world, runId, "cp_000004", { chatHost: silent })));
      yield* reached(world, runId, "chat_rollback_requested");
      yield* TestClock.adjust(commitDeadlineMs);
      assert.strictEqual((yield* Fiber.join(asked)).reason.code, "agent.host_timeout");
      assert.isNotNull((yield* stateOf(world, runId)).pendingRollback);
      assert.strictEqual((yield* back(world, runId, "cp_000004")).action, null);
      assert.deepStrictEqual(World.textsOf(world), textsAfter("They wait."));
      assert.isNull((yield* stateOf(world, runId)).pendingRollback);
      const busy = (chatHost: ChatHost["Service"]): ChatHost["Service"] => ({
        ...chatHost,
        withdraw: () => Effect.fail(new ChatFault({ reason: { _tag: "Refused" }, detail: "Not this one." })),
      });
      assert.strictEqual(
        yield* codeOf(back(world, runId, "cp_000001", { chatHost: busy })),
        "agent.chat_commit_failed",
      );
    }),
  );

  it.effect.each(["cp_000004", "cp_000001"])(
    "to %s can crash at any append and is whole when it is asked again",
    (to) =>
      Effect.gen(function* () {
        const fault = new Unavailable({ operation: "append", kind: "full", detail: "no room" });
        const expected = to === "cp_000001" ? World.beginning : textsAfter("They wait.");
        for (const moment of ["beforeWriting", "afterWriting"] as const)
          for (const append of [1, 2, 3]) {
            const title = `append ${append} ${moment}`;
            const { runId, world } = yield* play(twice);
            const journal = (inner: RunJournal["Service"]) => FaultyRunJournal.make(inner, { append, fault, moment });
            yield* Effect.exit(back(world, runId, to, { journal }));
            yield* back(world, runId, to, { name: "third" });
            assert.deepStrictEqual(World.textsOf(world), expected, title);
            const state = yield* stateOf(world, runId);
            assert.isNull(state.pendingRollback, title);
            // The run still knows its chat: it can go back where it was.
            yield* back(world, runId, state.checkpoints.length > 4 ? "cp_000005" : "cp_000004", { name: "fourth" });
          }
      }),
  );

  it.effect("is refused while the run works, and is seen in the list of runs", () =>
    Effect.gen(function* () {
      const world = World.make();
      yield* Effect.gen(function* () {
        const run = yield* start([World.write("They wait."), { error: { hang: true } }]);
        yield* reached(world, run.runId, "model_call_attempt_started", 2);
        assert.strictEqual(yield* codeOf(back(world, run.runId, "cp_000001")), "agent.rollback_unavailable");
        yield* run.cancel;
      }).pipe(World.inProcess(world));
      const published = yield* play(twice);
      const [before] = yield* inOther(published.world, listRuns());
      yield* back(published.world, published.runId, "cp_000001");
      const [after] = yield* inOther(published.world, listRuns());
      assert.deepStrictEqual([before?.commitCount, after?.commitCount], [2, 0]);
    }),
  );

  it.effect("of a run that waits is settled when the run goes on, and its next commit makes the message again", () =>
    Effect.gen(function* () {
      const document = {
        kind: "cahier.agentProfile",
        schemaVersion: 1,
        id: "asking",
        displayName: "Asking",
        run: { presentation: "foreground" },
        tools: {
          maxRounds: 20,
          allow: ["write_file", "commit", "finish", "list_files"].map((name) => `builtin:workspace.${name}`),
          policy: [{ tools: ["builtin:workspace.list_files"], permission: "ask" }],
        },
      };
      const world = World.make();
      const listing = World.call("workspace_list_files");
      const parked = yield* play([...twice.slice(0, 2), listing, ...twice.slice(2)], { world, profile: { document } });
      assert.strictEqual(parked.outcome.status, "awaiting_approval");
      const fault = new Unavailable({ operation: "append", kind: "full", detail: "no room" });
      yield* Effect.exit(
        back(world, parked.runId, "cp_000001", {
          journal: (journal) => FaultyRunJournal.make(journal, { append: 2, fault, moment: "beforeWriting" }),
        }),
      );
      assert.deepStrictEqual(World.textsOf(world), World.beginning);
      assert.isNotNull((yield* stateOf(world, parked.runId)).pendingRollback);
      const callId = payloadsOf(parked.events, "tool_call_awaiting_approval")[0]?.callId ?? CallId.make("");
      const whole = yield* Effect.gen(function* () {
        const runs = yield* Runs;
        const handle = yield* runs.decide(parked.runId, { approved: true, callId });
        return handle === undefined ? undefined : yield* ended(world, handle);
      }).pipe(World.inProcess(world));
      assert.strictEqual(whole?.outcome.status, "completed");
      assert.deepStrictEqual(World.textsOf(world), textsAfter("They go."));
    }),
  );
});
