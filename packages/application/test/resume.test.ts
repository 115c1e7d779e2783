import * as PathMap from "@cahier/domain/run/PathMap";
import { Runs } from "@cahier/application/run/Runs";
import type { RunId } from "@cahier/domain/identity/Identity";
import type { Message } from "@cahier/domain/model/Message";
import * as Pairing from "@cahier/domain/model/pairing";
import { definitions } from "@cahier/domain/run/RunEvent";
import type { ModelGateway } from "@cahier/ports/ModelGateway";
import { isTerminal } from "@cahier/domain/run/RunStatus";
import { RunJournal } from "@cahier/ports/RunJournal";
import { Unavailable } from "@cahier/ports/StorageFault";
import * as MemoryRunJournal from "@cahier/storage-memory/MemoryRunJournal";
import * as FaultyRunJournal from "@cahier/testkit/doubles/FaultyRunJournal";
import { assert, describe, it } from "@effect/vitest";
import * as Effect from "effect/Effect";
import * as Fiber from "effect/Fiber";
import * as Result from "effect/Result";
import * as TestClock from "effect/testing/TestClock";
import * as Cut from "./support/cut.ts";
import { ended, eventsOf, payloadsOf, play, reached, start } from "./support/play.ts";
import * as World from "./support/World.ts";

const long = "They wait by the river, and nobody says a word until the light is gone.\n".repeat(160);

/** A run that does everything once: a large file, appends, patches, a refused call, a reminder, two commits. */
const everything: ReadonlyArray<World.Turn> = [
  World.call("workspace_write_file", { path: "output/main.md", content: long }),
  { text: "I am thinking." },
  World.calls(
    ["workspace_write_file", { path: "output/main.md", mode: "append", content: "The ferry comes." }],
    ["workspace_read_file", { path: "scratch/missing.md" }],
    ["workspace_apply_patch", { path: "output/main.md", old_string: "The ferry", new_string: "A ferry" }],
  ),
  World.commit,
  World.call("workspace_write_file", { path: "output/main.md", mode: "append", content: " It is empty." }),
  World.calls(["workspace_commit"], ["workspace_list_files"]),
  World.finish,
];

const published = `${long}A ferry comes. It is empty.`;

/** Resumes a run in a process of its own. */
const resumed = (world: World.World, runId: RunId, options: World.ProcessOptions = {}) =>
  Effect.gen(function* () {
    const runs = yield* Runs;
    return yield* ended(world, yield* runs.resume(runId));
  }).pipe(World.inProcess(world, { name: "second", ...options }));

/** Keeps what the model is asked, by position. */
const listening =
  (asked: Map<number, unknown>) =>
  (gateway: ModelGateway["Service"]): ModelGateway["Service"] => ({
    ...gateway,
    generate: (request, onDelta) => {
      asked.set(request.position, structuredClone({ messages: request.messages, tools: request.tools }));
      return gateway.generate(request, onDelta);
    },
  });

const keeping =
  (asked: Array<ReadonlyArray<Message>>) =>
  (gateway: ModelGateway["Service"]): ModelGateway["Service"] => ({
    ...gateway,
    generate: (request, onDelta) => {
      asked.push([...request.messages]);
      return gateway.generate(request, onDelta);
    },
  });

/** What is wrong with the calls and results of a conversation, if anything is. */
const firstFlaw = (messages: ReadonlyArray<Message>): string | undefined => {
  const followed = messages.reduce(
    (open, message) => Result.flatMap(open, (calls) => Pairing.follow(calls, message)),
    Result.succeed([]) as Result.Result<Pairing.OpenCalls, string>,
  );
  const closed = Result.flatMap(followed, Pairing.requireClosed);
  return Result.isFailure(closed) ? closed.failure : undefined;
};

const recordedRun = Effect.gen(function* () {
  const world = World.make();
  const recording = Cut.record();
  const asked = new Map<number, unknown>();
  const process = { ...Cut.recorded(recording, world), gateway: listening(asked) };
  const run = yield* play(everything, { world, process });
  assert.strictEqual(run.outcome.status, "completed");
  assert.deepStrictEqual(run.texts, [...World.beginning, published]);
  const cuts = yield* Cut.everyCut(recording, world, run.runId, run.events);
  return { ...run, asked, cuts, recording };
});

const isCompletion = (payload: unknown): boolean =>
  typeof payload === "object" && payload !== null && "to" in payload && payload.to === "completed";

describe("resuming a run", () => {
  it.effect("after a crash between any two appends completes it: the message once, the same files", () =>
    Effect.gen(function* () {
      const { cuts, runId, state } = yield* recordedRun;
      assert.isAtLeast(cuts.length, 17);
      assert.strictEqual(cuts.filter(({ title }) => title.endsWith("applied")).length, 2);
      // After the last append there is nothing left to resume.
      for (const { title, world } of cuts.slice(0, -1)) {
        const found = yield* resumed(world, runId);
        assert.strictEqual(found.outcome.status, "completed", title);
        assert.deepStrictEqual(found.texts, [...World.beginning, published], title);
        assert.strictEqual(found.outcome.committed.length, 2, title);
        assert.deepStrictEqual(
          PathMap.values(found.state.files).map(({ path, sha256 }) => ({ path, sha256 })),
          PathMap.values(state.files).map(({ path, sha256 }) => ({ path, sha256 })),
          title,
        );
      }
    }),
  );

  it.effect("shows the model exactly what it would have seen without the crash", () =>
    Effect.gen(function* () {
      const { asked, cuts, runId } = yield* recordedRun;
      assert.strictEqual(asked.size, everything.length);
      for (const { title, world } of cuts.slice(0, -1).filter((_, index) => index % 2 === 0)) {
        const again = new Map<number, unknown>();
        yield* resumed(world, runId, { gateway: listening(again) });
        for (const [position, request] of again) assert.deepStrictEqual(request, asked.get(position), title);
      }
    }),
  );

  it.effect("from any event on asks the model only with exactly one result for every call", () =>
    Effect.gen(function* () {
      const { events, recording, runId, world: whole } = yield* recordedRun;
      const running = events.findIndex(({ type }) => type === "agent_invocation_started") + 1;
      for (let length = running; length <= events.length; length += 1) {
        const world = yield* Cut.upTo(whole, runId, events.slice(0, length), Cut.chatsAt(recording, length));
        const asked: Array<ReadonlyArray<Message>> = [];
        yield* Effect.exit(resumed(world, runId, { gateway: keeping(asked) }));
        for (const messages of asked) assert.strictEqual(firstFlaw(messages), undefined, `${length}`);
      }
    }),
  );

  it.effect("is refused before the admission is whole, and leaves the chat as it is", () =>
    Effect.gen(function* () {
      const { events, recording, runId, world: whole } = yield* recordedRun;
      const admitted = events.findIndex(({ type }) => type === "context_assembled");
      for (let length = 0; length <= admitted; length += 1) {
        const world = yield* Cut.upTo(whole, runId, events.slice(0, length), Cut.chatsAt(recording, length));
        const refusal = yield* Effect.flip(resumed(world, runId));
        assert.strictEqual(refusal._tag === "Fatal" && refusal.reason.code, "agent.resume_unavailable", `${length}`);
        assert.deepStrictEqual(World.textsOf(world), World.beginning);
      }
    }),
  );

  it.effect("even of half a batch, which no crash leaves, comes to an end and publishes once at most", () =>
    Effect.gen(function* () {
      const { events, recording, runId, world: whole } = yield* recordedRun;
      const running = events.findIndex(({ type }) => type === "agent_invocation_started") + 1;
      const terminal = events.findIndex(({ type, payload }) => type === "status_changed" && isCompletion(payload));
      for (let length = running; length <= terminal; length += 1) {
        const world = yield* Cut.upTo(whole, runId, events.slice(0, length), Cut.chatsAt(recording, length));
        const { outcome, texts } = yield* resumed(world, runId);
        assert.isTrue(isTerminal(outcome.status), `${length}: ${outcome.status}`);
        assert.isAtMost(texts.length, 3, `${length}`);
        assert.strictEqual(texts.length === 3, outcome.committed.length > 0, `${length}`);
      }
    }),
  );

  it.effect("is the same loop under a new epoch: who took it and from which status is in the journal", () =>
    Effect.gen(function* () {
      const { cuts, runId } = yield* recordedRun;
      const cut = cuts[3];
      assert.isDefined(cut);
      if (cut === undefined) return;
      const { events } = yield* resumed(cut.world, runId);
      const after = events.slice(cut.seq);
      assert.deepStrictEqual(
        after.slice(0, 3).map(({ type }) => type),
        ["run_owner_changed", "status_changed", "run_resumed"],
      );
      assert.strictEqual(payloadsOf(after, "run_owner_changed")[0]?.owner?.ownerId as string, "owner_second");
      assert.isTrue(after.every(({ epoch }) => epoch === 2));
    }),
  );

  it.effect("can itself crash at any append, and be resumed again", () =>
    Effect.gen(function* () {
      const { cuts, runId } = yield* recordedRun;
      for (const { title, world: left } of cuts.slice(0, -1).filter((_, index) => index % 3 === 0)) {
        const fault = new Unavailable({ operation: "append", kind: "full", detail: "no room" });
        const faulty = (journal: RunJournal["Service"]) =>
          FaultyRunJournal.make(journal, { append: 2, fault, moment: "afterWriting" });
        const stopped = yield* Effect.exit(resumed(left, runId, { journal: faulty }));
        assert.isTrue(stopped._tag === "Failure" || stopped.value.outcome.status !== "failed", title);
        const again = yield* Effect.exit(resumed(left, runId, { name: "third" }));
        if (again._tag === "Success") assert.strictEqual(again.value.outcome.status, "completed", title);
        assert.deepStrictEqual(World.textsOf(left), [...World.beginning, published], title);
      }
    }),
  );

  it.effect("is refused while its owner lives, and changes nothing then", () =>
    Effect.gen(function* () {
      const world = World.make();
      yield* Effect.gen(function* () {
        const run = yield* start([{ error: { hang: true } }]);
        yield* reached(world, run.runId, "model_call_attempt_started");
        const before = yield* eventsOf(world, run.runId);
        const refusal = yield* Effect.flip(resumed(world, run.runId));
        assert.strictEqual(refusal._tag === "Fatal" && refusal.reason.code, "agent.resume_unavailable");
        assert.deepStrictEqual(yield* eventsOf(world, run.runId), before);
        yield* run.cancel;
      }).pipe(World.inProcess(world));
    }),
  );

  it.effect("in the process that carries it on gives the run that is under way", () =>
    Effect.gen(function* () {
      const world = World.make();
      yield* Effect.gen(function* () {
        const runs = yield* Runs;
        const run = yield* start([{ error: { hang: true } }]);
        const same = yield* runs.resume(run.runId);
        yield* reached(world, run.runId, "model_call_attempt_started");
        yield* run.cancel;
        assert.deepStrictEqual(yield* same.outcome, yield* run.outcome);
        assert.strictEqual((yield* eventsOf(world, run.runId)).at(-1)?.epoch, 1);
      }).pipe(World.inProcess(world));
    }),
  );

  it.effect("twice at once in one process carries it on once", () =>
    Effect.gen(function* () {
      const { cuts, runId } = yield* recordedRun;
      const cut = cuts[4];
      assert.isDefined(cut);
      if (cut === undefined) return;
      yield* Effect.gen(function* () {
        const runs = yield* Runs;
        const ends = yield* Effect.forEach(
          [1, 2],
          () => Effect.exit(Effect.flatMap(runs.resume(runId), (run) => run.outcome)),
          { concurrency: "unbounded" },
        );
        const completed = ends.filter((end) => end._tag === "Success" && end.value.status === "completed");
        assert.isAtLeast(completed.length, 1);
        assert.strictEqual((yield* eventsOf(cut.world, runId)).at(-1)?.epoch, 2);
        assert.deepStrictEqual(World.textsOf(cut.world), [...World.beginning, published]);
      }).pipe(World.inProcess(cut.world, { name: "second" }));
    }),
  );

  it.effect("is refused for a run that has ended and for one that does not exist", () =>
    Effect.gen(function* () {
      const { runId, world } = yield* play(World.publishing);
      const ended = yield* Effect.flip(resumed(world, runId));
      assert.strictEqual(ended._tag === "Fatal" && ended.reason.code, "agent.resume_unavailable");
      const missing = yield* Effect.flip(resumed(World.make(), runId));
      assert.strictEqual(missing._tag === "Fatal" && missing.reason.code, "agent.run_not_found");
    }),
  );

  it.effect("is refused for a run of a newer version, which stays as it is", () =>
    Effect.gen(function* () {
      const { cuts, runId } = yield* recordedRun;
      const cut = cuts[2];
      assert.isDefined(cut);
      if (cut === undefined) return;
      const [first] = yield* eventsOf(cut.world, runId);
      assert.isDefined(first);
      if (first === undefined) return;
      const { epoch, runId: _runId, seq: _seq, ...event } = first;
      yield* MemoryRunJournal.make(cut.world.journals).append(runId, { epoch, expectedSeq: cut.seq }, [
        { ...event, type: "plan_node_entered" },
        { ...event, type: "run_completed", v: definitions.run_completed.v + 1 },
      ]);
      const refusal = yield* Effect.flip(resumed(cut.world, runId));
      assert.strictEqual(refusal._tag === "Fatal" && refusal.reason.code, "journal.version_unsupported");
      assert.include(refusal.message, "plan_node_entered, run_completed");
      assert.strictEqual((yield* eventsOf(cut.world, runId)).length, cut.seq + 2);
    }),
  );

  it.effect("is refused for a damaged journal, and says where the damage is", () =>
    Effect.gen(function* () {
      const { cuts, runId } = yield* recordedRun;
      const cut = cuts[5];
      assert.isDefined(cut);
      if (cut === undefined) return;
      yield* MemoryRunJournal.damage(cut.world.journals, runId, 12);
      const refusal = yield* Effect.flip(resumed(cut.world, runId));
      assert.strictEqual(refusal._tag === "Fatal" && refusal.reason.code, "journal.corrupt");
      assert.include(refusal.message, "event 12");
    }),
  );
});

describe("two owners", () => {
  it.effect("whoever was taken for dead is fenced: it stops and touches nothing any more", () =>
    Effect.gen(function* () {
      const world = World.make();
      yield* Effect.gen(function* () {
        const run = yield* start([
          { ...World.write("They wait by the river."), delayMs: 1000 },
          World.commit,
          World.finish,
        ]);
        yield* reached(world, run.runId, "model_call_attempt_started");
        world.liveness.delete("owner_first");
        const other = yield* Effect.forkChild(resumed(world, run.runId));
        yield* reached(world, run.runId, "model_call_attempt_started", 2);
        yield* TestClock.adjust(1000);
        const mine = yield* run.outcome;
        assert.strictEqual(mine.status, "interrupted");
        assert.strictEqual(mine.error?.code, "journal.fenced");
        const theirs = yield* Fiber.join(other);
        assert.strictEqual(theirs.outcome.status, "completed");
        assert.deepStrictEqual(theirs.texts, [...World.beginning, "They wait by the river."]);
        assert.isTrue(
          theirs.events.slice(theirs.types.lastIndexOf("run_resumed")).every(({ epoch }) => epoch === 2),
          "nothing of the first owner follows",
        );
      }).pipe(World.inProcess(world));
    }),
  );

  it.effect("a writer whose sequence is taken by another stops with a conflict", () =>
    Effect.gen(function* () {
      const world = World.make();
      yield* Effect.gen(function* () {
        const run = yield* start([{ ...World.write("x"), delayMs: 1000 }]);
        yield* reached(world, run.runId, "model_call_attempt_started");
        const events = yield* eventsOf(world, run.runId);
        const last = events.at(-1);
        assert.isDefined(last);
        if (last === undefined) return;
        const { epoch, runId: _runId, seq, ...event } = last;
        const journal = yield* RunJournal;
        yield* journal.append(run.runId, { epoch, expectedSeq: seq }, [event]);
        yield* TestClock.adjust(1000);
        const outcome = yield* run.outcome;
        assert.deepStrictEqual([outcome.status, outcome.error?.code], ["interrupted", "journal.conflict"]);
        assert.deepStrictEqual(World.textsOf(world), World.beginning);
      }).pipe(World.inProcess(world));
    }),
  );
});

describe("a failing journal", () => {
  it.effect("at any append stops the run before anything else happens, and resuming completes it", () =>
    Effect.gen(function* () {
      const fault = new Unavailable({ operation: "append", kind: "full", detail: "no room" });
      for (const moment of ["beforeWriting", "afterWriting"] as const) {
        for (let append = 1; ; append += 1) {
          const title = `append ${append}, failing ${moment}`;
          const world = World.make();
          const counted = { appends: 0, callsAtFault: -1 };
          const started = yield* Effect.exit(
            Effect.gen(function* () {
              const run = yield* start(everything);
              const outcome = yield* run.outcome;
              if (outcome.status === "completed") return { again: undefined };
              assert.deepStrictEqual([outcome.status, outcome.error?.code], ["interrupted", "storage.full"], title);
              assert.strictEqual(world.chats.calls.length, counted.callsAtFault, `${title}: the chat is left alone`);
              // The same process may take its run up again once there is room.
              const runs = yield* Runs;
              const again = yield* Effect.exit(
                Effect.flatMap(runs.resume(run.runId), (resumedRun) => resumedRun.outcome),
              );
              return { again };
            }).pipe(
              World.inProcess(world, {
                journal: (journal) => {
                  const faulty = FaultyRunJournal.make(journal, { append, fault, moment });
                  return {
                    ...faulty,
                    append: (...given) => {
                      counted.appends += 1;
                      return faulty
                        .append(...given)
                        .pipe(
                          Effect.tapError(() => Effect.sync(() => (counted.callsAtFault = world.chats.calls.length))),
                        );
                    },
                  };
                },
              }),
            ),
          );
          if (append === 1) {
            assert.strictEqual(started._tag, "Failure", title);
            assert.strictEqual(world.journals.journals.size, 0, "a start that failed leaves nothing behind");
            continue;
          }
          assert.isTrue(started._tag === "Success", title);
          if (started._tag === "Failure") return;
          if (counted.appends < append) {
            assert.isAtLeast(append, 16);
            break;
          }
          const { again } = started.value;
          assert.isDefined(again, title);
          const endedInTime = again?._tag === "Failure";
          assert.isTrue(endedInTime || (again?._tag === "Success" && again.value.status === "completed"), title);
          assert.deepStrictEqual(World.textsOf(world), [...World.beginning, published], title);
        }
      }
    }),
  );

  it.effect("that fails for good leaves a run that says so, and no commit", () =>
    Effect.gen(function* () {
      const fault = new Unavailable({ operation: "append", kind: "readOnly", detail: "read-only" });
      const { outcome, texts, world } = yield* play(World.publishing, {
        process: {
          journal: (journal) =>
            FaultyRunJournal.make(journal, { append: 4, fault, moment: "beforeWriting", forever: true }),
        },
      });
      assert.deepStrictEqual([outcome.status, outcome.error?.code], ["interrupted", "storage.read_only"]);
      assert.deepStrictEqual(texts, World.beginning);
      assert.deepStrictEqual(
        world.chats.calls.filter(({ operation }) => operation === "commit"),
        [],
      );
    }),
  );
});
