import { ChatFault, type ChatFaultReason, type ChatHost, type CommitRequest } from "@cahier/ports/ChatHost";
import { Runs } from "@cahier/application/run/Runs";
import * as MemoryChatHost from "@cahier/testkit/doubles/MemoryChatHost";
import { assert, describe, it } from "@effect/vitest";
import * as Effect from "effect/Effect";
import * as Fiber from "effect/Fiber";
import * as TestClock from "effect/testing/TestClock";
import { ended, payloadsOf, play, reached, start } from "./support/play.ts";
import * as World from "./support/World.ts";

/** A chat host that answers the n-th commit (from 1) with a fault, without touching the chat. */
const refusing =
  (n: number, reason: ChatFaultReason) =>
  (chatHost: ChatHost["Service"]): ChatHost["Service"] => {
    const count = { commits: 0 };
    return {
      ...chatHost,
      commit: (request) =>
        Effect.suspend(() => {
          count.commits += 1;
          return count.commits === n
            ? Effect.fail(new ChatFault({ reason, detail: "The host says no." }))
            : chatHost.commit(request);
        }),
    };
  };

describe("a commit", () => {
  it.effect("that the chat refuses is the model's to deal with; the run goes on", () =>
    Effect.gen(function* () {
      const { events, outcome, results, texts } = yield* play(
        [World.write("They wait by the river."), World.commit, World.commit, World.finish],
        { process: { chatHost: refusing(1, { _tag: "Refused" }) } },
      );
      assert.strictEqual(outcome.status, "completed");
      assert.strictEqual(results[1]?.errorCode, "agent.chat_commit_failed");
      assert.strictEqual(payloadsOf(events, "chat_commit_failed")[0]?.code, "agent.chat_commit_failed");
      assert.deepStrictEqual(texts, [...World.beginning, "They wait by the river."]);
    }),
  );

  it.effect("to a chat that changed since the run read it fails the run and changes nothing", () =>
    Effect.gen(function* () {
      const world = World.make();
      const { events, outcome, state, texts } = yield* Effect.gen(function* () {
        const run = yield* start(World.publishing);
        MemoryChatHost.disturb(world.chats, World.chatLocation.location, "Somebody else speaks.");
        return yield* ended(world, run);
      }).pipe(World.inProcess(world));
      assert.strictEqual(outcome.status, "failed");
      assert.strictEqual(outcome.error?.code, "chat.conflict");
      assert.deepStrictEqual(texts, [...World.beginning, "Somebody else speaks."]);
      assert.deepStrictEqual(payloadsOf(events, "chat_commit_completed"), []);
      assert.isNull(state.pendingCommit);
      assert.strictEqual(payloadsOf(events, "chat_commit_failed")[0]?.code, "chat.conflict");
    }),
  );

  it.effect("that meets a changed chat after an earlier one ends as partial success", () =>
    Effect.gen(function* () {
      const { outcome, texts } = yield* play(
        [...World.publishing.slice(0, 2), World.write("Second."), World.commit, World.finish],
        { process: { chatHost: refusing(2, { _tag: "Moved" }) } },
      );
      assert.strictEqual(outcome.status, "partial_success");
      assert.strictEqual(outcome.error?.code, "chat.conflict");
      assert.strictEqual(outcome.committed.length, 1);
      assert.strictEqual(texts[2], "They wait by the river.");
    }),
  );

  it.effect.each([
    [{ _tag: "Unreachable", kind: "other" }, "chat.unreachable"],
    [{ _tag: "Missing" }, "chat.not_found"],
  ] as const)("to a chat that cannot be written (%j) fails the run", ([reason, code]) =>
    Effect.gen(function* () {
      const { outcome, texts } = yield* play(World.publishing, { process: { chatHost: refusing(1, reason) } });
      assert.strictEqual(outcome.status, "failed");
      assert.strictEqual(outcome.error?.code, code);
      assert.deepStrictEqual(texts, World.beginning);
    }),
  );

  it.effect.each([
    ["full", "storage.full"],
    ["readOnly", "storage.read_only"],
    ["denied", "storage.failed"],
  ] as const)("to a chat on a disk that is %s leaves the run to be resumed, and is made then", ([kind, code]) =>
    Effect.gen(function* () {
      const world = World.make();
      const chatHost = refusing(1, { _tag: "Unreachable", kind });
      const { outcome, runId, texts } = yield* play(World.publishing, { world, process: { chatHost } });
      assert.deepStrictEqual([outcome.status, outcome.error?.code], ["interrupted", code]);
      assert.deepStrictEqual(texts, World.beginning);
      const resumed = yield* Effect.flatMap(Runs, (runs) => runs.resume(runId)).pipe(
        Effect.flatMap((run) => ended(world, run)),
        World.inProcess(world, { name: "second" }),
      );
      assert.strictEqual(resumed.outcome.status, "completed");
      assert.deepStrictEqual(resumed.texts, [...World.beginning, "They wait by the river."]);
    }),
  );

  it.effect("that the host does not answer within ten minutes fails the run", () =>
    Effect.gen(function* () {
      const world = World.make();
      const { outcome } = yield* Effect.gen(function* () {
        const run = yield* start(World.publishing);
        const played = yield* Effect.forkChild(ended(world, run));
        yield* reached(world, run.runId, "chat_commit_requested");
        yield* TestClock.adjust("10 minutes");
        return yield* Fiber.join(played);
      }).pipe(World.inProcess(world, { chatHost: (chatHost) => ({ ...chatHost, commit: () => Effect.never }) }));
      assert.strictEqual(outcome.status, "failed");
      assert.strictEqual(outcome.error?.code, "agent.host_timeout");
    }),
  );

  it.effect("states what it publishes, where the chat must stand, and who publishes", () =>
    Effect.gen(function* () {
      const asked: Array<CommitRequest> = [];
      const { state } = yield* play(
        [...World.publishing.slice(0, 2), World.write("Second."), World.commit, World.finish],
        {
          process: {
            chatHost: (chatHost) => ({
              ...chatHost,
              commit: (request) => {
                asked.push(request);
                return chatHost.commit(request);
              },
            }),
          },
        },
      );
      const [first, second] = asked;
      assert.isUndefined(first?.previous);
      assert.strictEqual(second?.previous?.commitId, first?.commitId);
      assert.strictEqual(first?.revision, state.target?.revision);
      assert.strictEqual(second?.revision, state.commits[0]?.revision);
      assert.strictEqual(second?.text, "Second.");
      assert.strictEqual(second?.metadata.path, "output/main.md");
      assert.strictEqual(second?.metadata.model, "script");
      assert.strictEqual(second?.metadata.runId, state.runId ?? undefined);
    }),
  );

  it.effect("of a swipe adds to the last answer, of a regeneration replaces it; neither is in the prompt", () =>
    Effect.gen(function* () {
      for (const generationType of ["swipe", "regenerate"] as const) {
        const world = World.make();
        const chat = world.chats.chats.get(World.chatLocation.location);
        chat?.messages.pop();
        const { events, outcome, texts } = yield* play(World.publishing, { world, generationType });
        assert.strictEqual(outcome.status, "completed");
        assert.deepStrictEqual(texts, ["They wait by the river."]);
        assert.deepStrictEqual(chat?.messages[0]?.swipes, [
          ...(generationType === "swipe" ? ["The ferry is late."] : []),
          "They wait by the river.",
        ]);
        assert.strictEqual(payloadsOf(events, "run_created")[0]?.target.inputMessageCount, 0);
        assert.notInclude(payloadsOf(events, "context_assembled")[0]?.promptSnapshot.text, "ferry");
      }
    }),
  );

  it.effect("two runs on one chat: the one that commits second sees a changed chat", () =>
    Effect.gen(function* () {
      const world = World.make();
      const ends = yield* Effect.gen(function* () {
        const first = yield* start([{ ...World.write("First."), delayMs: 1000 }, World.commit, World.finish]);
        const second = yield* start([World.write("Second."), World.commit, World.finish]);
        const other = yield* ended(world, second);
        yield* TestClock.adjust(1000);
        return [yield* ended(world, first), other] as const;
      }).pipe(World.inProcess(world));
      assert.strictEqual(ends[1].outcome.status, "completed");
      assert.strictEqual(ends[0].outcome.error?.code, "chat.conflict");
      assert.deepStrictEqual(World.textsOf(world), [...World.beginning, "Second."]);
    }),
  );
});
