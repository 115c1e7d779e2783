import * as PathMap from "@cahier/domain/run/PathMap";
import * as Inbox from "@cahier/application/run/Inbox";
import { Runs } from "@cahier/application/run/Runs";
import type { ChatHost } from "@cahier/ports/ChatHost";
import * as MemoryDocumentStore from "@cahier/storage-memory/MemoryDocumentStore";
import { assert, describe, it } from "@effect/vitest";
import * as Deferred from "effect/Deferred";
import * as Effect from "effect/Effect";
import * as Fiber from "effect/Fiber";
import * as TestClock from "effect/testing/TestClock";
import { ended, eventsOf, payloadsOf, play, reached, start } from "./support/play.ts";
import * as World from "./support/World.ts";

const hanging: World.Turn = { text: "Once", error: { hang: true } };

/** What every cancelled run looks like in its journal. */
const assertCancelled = (run: Effect.Success<ReturnType<typeof ended>>): void => {
  assert.strictEqual(run.outcome.status, "cancelled");
  assert.isUndefined(run.outcome.error);
  assert.strictEqual(run.types.filter((type) => type === "run_cancel_requested").length, 1);
  assert.deepStrictEqual(run.types.slice(-3), ["status_changed", "run_cancelled", "run_owner_changed"]);
  const asked = run.types.indexOf("run_cancel_requested");
  assert.notInclude(run.types.slice(asked), "chat_commit_requested");
  assert.include(run.types.slice(asked), "agent_invocation_cancelled");
};

/** A chat host that applies commits and never says so. */
const neverAnswering =
  (applied: Deferred.Deferred<void>) =>
  (chatHost: ChatHost["Service"]): ChatHost["Service"] => ({
    ...chatHost,
    commit: (request) =>
      chatHost.commit(request).pipe(
        Effect.tap(() => Deferred.succeed(applied, undefined)),
        Effect.andThen(Effect.never),
      ),
  });

describe("cancelling a run", () => {
  it.effect("during a model call ends it at once, and nothing reaches the chat", () =>
    Effect.gen(function* () {
      const world = World.make();
      yield* Effect.gen(function* () {
        const run = yield* start([World.write("kept for the record"), hanging, World.commit]);
        yield* reached(world, run.runId, "model_call_attempt_started", 2);
        yield* run.cancel;
        const found = yield* ended(world, run);
        assertCancelled(found);
        assert.deepStrictEqual(found.texts, World.beginning);
        assert.strictEqual(PathMap.get(found.state.files, "output/main.md")?.chars, 19);
      }).pipe(World.inProcess(world));
    }),
  );

  it.effect("while it waits to repeat a call ends it at once", () =>
    Effect.gen(function* () {
      const world = World.make();
      yield* Effect.gen(function* () {
        const run = yield* start([{ error: { status: 503 } }, ...World.publishing]);
        yield* reached(world, run.runId, "model_call_retry_scheduled");
        yield* run.cancel;
        const found = yield* ended(world, run);
        assertCancelled(found);
        assert.strictEqual(found.types.filter((type) => type === "model_call_attempt_started").length, 1);
      }).pipe(World.inProcess(world));
    }),
  );

  it.effect("before a commit means that the commit never happens", () =>
    Effect.gen(function* () {
      const world = World.make();
      yield* Effect.gen(function* () {
        const run = yield* start([World.write("draft"), { ...World.commit, delayMs: 1000 }, World.finish]);
        yield* reached(world, run.runId, "model_call_attempt_started", 2);
        yield* TestClock.adjust(999);
        yield* run.cancel;
        yield* TestClock.adjust(10_000);
        assertCancelled(yield* ended(world, run));
        assert.deepStrictEqual(World.textsOf(world), World.beginning);
      }).pipe(World.inProcess(world));
    }),
  );

  it.effect("while the chat has not applied a commit ends at once, and the commit never happens", () =>
    Effect.gen(function* () {
      const world = World.make();
      yield* Effect.gen(function* () {
        const run = yield* start(World.publishing);
        yield* reached(world, run.runId, "chat_commit_requested");
        yield* run.cancel;
        const found = yield* ended(world, run);
        assert.strictEqual(found.outcome.status, "cancelled");
        assert.deepStrictEqual(found.outcome.committed, []);
        assert.isNull(found.state.pendingCommit);
        assert.strictEqual(payloadsOf(found.events, "chat_commit_failed").length, 1);
        assert.deepStrictEqual(found.texts, World.beginning);
      }).pipe(World.inProcess(world, { chatHost: (chatHost) => ({ ...chatHost, commit: () => Effect.never }) }));
    }),
  );

  it.effect("while the answer to an applied commit is outstanding records the commit; no other follows", () =>
    Effect.gen(function* () {
      const world = World.make();
      const applied = yield* Deferred.make<void>();
      yield* Effect.gen(function* () {
        const run = yield* start([...World.publishing.slice(0, 2), World.write("Second."), World.commit]);
        yield* Deferred.await(applied);
        yield* run.cancel;
        const found = yield* ended(world, run);
        assert.strictEqual(found.outcome.status, "cancelled");
        assert.strictEqual(found.outcome.committed.length, 1);
        assert.deepStrictEqual(found.texts, [...World.beginning, "They wait by the river."]);
        assert.isNull(found.state.pendingCommit);
      }).pipe(World.inProcess(world, { chatHost: neverAnswering(applied) }));
    }),
  );

  it.effect("while the chat host has fallen silent ends within a second, as cancelled", () =>
    Effect.gen(function* () {
      const world = World.make();
      yield* Effect.gen(function* () {
        const run = yield* start(World.publishing);
        yield* reached(world, run.runId, "chat_commit_requested");
        const cancelling = yield* Effect.forkChild(run.cancel);
        yield* reached(world, run.runId, "run_cancel_requested");
        yield* TestClock.adjust(1000);
        const outcome = yield* Fiber.join(cancelling);
        assert.strictEqual(outcome.status, "cancelled");
        assert.deepStrictEqual(outcome.committed, []);
        // Whether it was applied is not known, and the journal does not say that it was not.
        assert.isNotNull(run.state().pendingCommit);
      }).pipe(
        World.inProcess(world, {
          chatHost: (chatHost) => ({ ...chatHost, commit: () => Effect.never, lookup: () => Effect.never }),
        }),
      );
    }),
  );

  it.effect("is idempotent: asked twice at once, or after the end, it gives the same outcome", () =>
    Effect.gen(function* () {
      const world = World.make();
      yield* Effect.gen(function* () {
        const runs = yield* Runs;
        const run = yield* start([hanging]);
        yield* reached(world, run.runId, "model_call_attempt_started");
        const outcomes = yield* Effect.all([run.cancel, run.cancel, runs.cancel(run.runId)], {
          concurrency: "unbounded",
        });
        outcomes.push(yield* runs.cancel(run.runId), yield* run.cancel);
        for (const outcome of outcomes) assert.deepStrictEqual(outcome, outcomes[0]);
        assertCancelled(yield* ended(world, run));
      }).pipe(World.inProcess(world));
    }),
  );

  it.effect("after the end changes nothing", () =>
    Effect.gen(function* () {
      const found = yield* play(World.publishing);
      yield* Effect.gen(function* () {
        const runs = yield* Runs;
        assert.deepStrictEqual(yield* runs.cancel(found.runId), found.outcome);
        assert.deepStrictEqual(yield* eventsOf(found.world, found.runId), found.events);
      }).pipe(World.inProcess(found.world, { name: "second" }));
    }),
  );

  it.effect("from another process goes through the inbox; the owner journals it under the request's id", () =>
    Effect.gen(function* () {
      const world = World.make();
      yield* Effect.gen(function* () {
        const run = yield* start([hanging]);
        yield* reached(world, run.runId, "model_call_attempt_started");
        const other = yield* Effect.forkChild(
          Effect.gen(function* () {
            const runs = yield* Runs;
            return yield* runs.cancel(run.runId);
          }).pipe(World.inProcess(world, { name: "second" })),
          { startImmediately: true },
        );
        yield* TestClock.adjust(500);
        const found = yield* ended(world, run);
        assertCancelled(found);
        assert.strictEqual((yield* Fiber.join(other)).status, "cancelled");
        const request = found.events.find(({ type }) => type === "run_cancel_requested")?.causality?.requestId;
        assert.match(request ?? "", /^request_/);
        assert.isTrue(found.events.every(({ epoch }) => epoch === 1));
        const left = yield* MemoryDocumentStore.make(world.documents).list(Inbox.collectionOf(run.runId));
        assert.deepStrictEqual(left.documents, []);
      }).pipe(World.inProcess(world));
    }),
  );

  it.effect("of a run whose owner is gone is done by whoever asks", () =>
    Effect.gen(function* () {
      const world = World.make();
      const runId = yield* Effect.gen(function* () {
        const run = yield* start([World.write("draft"), hanging]);
        yield* reached(world, run.runId, "model_call_attempt_started", 2);
        return run.runId;
      }).pipe(World.inProcess(world));
      yield* Effect.gen(function* () {
        const runs = yield* Runs;
        const outcome = yield* runs.cancel(runId);
        assert.strictEqual(outcome.status, "cancelled");
        const events = yield* eventsOf(world, runId);
        assert.strictEqual(payloadsOf(events, "run_cancelled").length, 1);
        assert.strictEqual(events.at(-1)?.epoch, 2);
      }).pipe(World.inProcess(world, { name: "second" }));
    }),
  );

  it.effect("of a run whose owner dies while it is asked is done by whoever asks", () =>
    Effect.gen(function* () {
      const world = World.make();
      world.liveness.set("owner_first", "running");
      const runId = yield* Effect.gen(function* () {
        const run = yield* start([hanging]);
        yield* reached(world, run.runId, "model_call_attempt_started");
        return run.runId;
      }).pipe(World.inProcess(world));
      world.liveness.set("owner_first", "running");
      yield* Effect.gen(function* () {
        const runs = yield* Runs;
        const asking = yield* Effect.forkChild(runs.cancel(runId), { startImmediately: true });
        yield* TestClock.adjust(1000);
        world.liveness.delete("owner_first");
        yield* TestClock.adjust(1000);
        assert.strictEqual((yield* Fiber.join(asking)).status, "cancelled");
        const left = yield* MemoryDocumentStore.make(world.documents).list(Inbox.collectionOf(runId));
        assert.deepStrictEqual(left.documents, [], "a request that is answered does not stay");
      }).pipe(World.inProcess(world, { name: "second" }));
    }),
  );

  it.effect("of a run whose commit was in flight records the commit that the chat has", () =>
    Effect.gen(function* () {
      const world = World.make();
      const applied = yield* Deferred.make<void>();
      const runId = yield* Effect.gen(function* () {
        const run = yield* start(World.publishing);
        yield* Deferred.await(applied);
        return run.runId;
      }).pipe(World.inProcess(world, { chatHost: neverAnswering(applied) }));
      yield* Effect.gen(function* () {
        const runs = yield* Runs;
        const outcome = yield* runs.cancel(runId);
        assert.strictEqual(outcome.status, "cancelled");
        assert.strictEqual(outcome.committed.length, 1);
        assert.deepStrictEqual(World.textsOf(world), [...World.beginning, "They wait by the river."]);
      }).pipe(World.inProcess(world, { name: "second" }));
    }),
  );
});
