import { pruneStates } from "@cahier/application/persist/pruneStates";
import * as StateNotes from "@cahier/application/persist/StateNotes";
import * as States from "@cahier/application/persist/States";
import { forgetChats } from "@cahier/application/retention/forgetChats";
import { Retention } from "@cahier/application/retention/Retention";
import { rollBackMessage } from "@cahier/application/rollback/rollBackMessage";
import { readWorkspaceFile } from "@cahier/application/run/RunReader";
import type { Fatal } from "@cahier/domain/failure/Failure";
import { type RunId, StableChatId, WorkspaceId } from "@cahier/domain/identity/Identity";
import { Unavailable } from "@cahier/ports/StorageFault";
import * as MemoryDocumentStore from "@cahier/storage-memory/MemoryDocumentStore";
import { assert, describe, it } from "@effect/vitest";
import * as Effect from "effect/Effect";
import * as TestClock from "effect/testing/TestClock";
import { payloadsOf, play, type PlayOptions } from "../support/play.ts";
import * as World from "../support/World.ts";

const memory = "persist/notes.md";
const remembering = (note: string): ReadonlyArray<World.Turn> => [World.write(note, memory), ...World.publishing];
const failing: ReadonlyArray<World.Turn> = [{ text: "No." }, { text: "No." }];

const stableChatId = StableChatId.make(`stable ${World.chatLocation.location}`);
const chat = { kind: "character" as const, stableChatId };

const playing = (world: World.World, turns: ReadonlyArray<World.Turn>, options: PlayOptions = {}) =>
  Effect.tap(play(turns, { world, ...options }), TestClock.adjust(1000));

const inHost = <A, E, R>(world: World.World, effect: Effect.Effect<A, E, R>) =>
  effect.pipe(World.inProcess(world, { name: "host" }));

/** What a run that begins now says of the state that it begins with. */
const begun = (world: World.World, options: PlayOptions = {}) =>
  Effect.map(playing(world, failing, options), ({ events }) => payloadsOf(events, "persistent_projection_initialized"));

const codeOf = <A, E extends { readonly _tag: string }, R>(effect: Effect.Effect<A, Fatal | E, R>) =>
  Effect.map(Effect.flip(effect), (failure) => ("reason" in failure ? failure.reason.code : failure._tag));

const memoryOf = (world: World.World, runId: RunId) =>
  inHost(
    world,
    Effect.map(readWorkspaceFile(runId, memory), ({ text }) => text),
  );

const workspaceOf = (world: World.World): WorkspaceId => {
  const [journal] = world.journals.journals.values();
  return WorkspaceId.make(journal?.record.workspaceId ?? "");
};

/** Takes a state out of the storage as damage would: nobody has asked for it. */
const lose = (world: World.World, stateId: string) =>
  MemoryDocumentStore.make(world.documents).remove(States.collectionOf(workspaceOf(world)), stateId);

describe("a chat that was forgotten", () => {
  it.effect("is chatted on in: a run begins with nothing, says so, and is remembered again", () =>
    Effect.gen(function* () {
      const world = World.make();
      const one = yield* playing(world, remembering("They met."));
      yield* inHost(world, forgetChats([chat]));
      const two = yield* playing(world, remembering("They parted."));
      assert.strictEqual(two.outcome.status, "completed");
      assert.deepStrictEqual(payloadsOf(two.events, "persistent_projection_initialized"), [
        { stateId: null, source: "none", fileCount: 0, removed: [one.runId] },
      ]);
      assert.strictEqual(payloadsOf(two.events, "persistent_changes_committed")[0]?.baseStateId, null);
      assert.strictEqual(yield* memoryOf(world, two.runId), "They parted.");
      assert.deepStrictEqual(yield* begun(world), [{ stateId: two.runId, source: "branch", fileCount: 1 }]);
    }),
  );

  it.effect("begins with what is newest since, where its messages name only what was forgotten", () =>
    Effect.gen(function* () {
      const world = World.make();
      const one = yield* playing(world, remembering("They met."));
      yield* inHost(world, forgetChats([chat]));
      const two = yield* playing(world, remembering("They parted."));
      const messages = world.chats.chats.get(World.chatLocation.location)?.messages;
      const last = messages?.at(-1);
      assert.isDefined(last);
      if (last !== undefined) last.state = null;
      assert.deepStrictEqual(yield* begun(world), [
        { stateId: two.runId, source: "newest", fileCount: 1, removed: [one.runId] },
      ]);
    }),
  );

  it.effect("still refuses to begin without a state that nobody has removed", () =>
    Effect.gen(function* () {
      const world = World.make();
      yield* playing(world, remembering("They met."));
      yield* inHost(world, forgetChats([chat]));
      const two = yield* playing(world, remembering("They parted."));
      yield* lose(world, two.runId);
      assert.strictEqual(yield* codeOf(begun(world)), "agent.persistent_state_not_found");
    }),
  );

  it.effect("says what is removed before it is removed: broken off, the next run is not refused", () =>
    Effect.gen(function* () {
      const world = World.make();
      const one = yield* playing(world, remembering("They met."));
      const fault = new Unavailable({ operation: "put", kind: "full", detail: "no room" });
      const broken = forgetChats([chat]).pipe(
        World.inProcess(world, {
          name: "host",
          documents: (inner) => ({
            ...inner,
            put: (collection, id, revision, value) =>
              collection === StateNotes.notesCollection
                ? Effect.fail(fault)
                : inner.put(collection, id, revision, value),
          }),
        }),
      );
      assert.strictEqual(yield* codeOf(broken), "storage.full");
      assert.deepStrictEqual(yield* begun(world), [{ stateId: one.runId, source: "branch", fileCount: 1 }]);
      yield* inHost(world, forgetChats([chat]));
      assert.deepStrictEqual(yield* begun(world), [
        { stateId: null, source: "none", fileCount: 0, removed: [one.runId] },
      ]);
    }),
  );
});

describe("a state that was pruned", () => {
  it.effect("and is named again by a message counts as absent, and the one before it is remembered", () =>
    Effect.gen(function* () {
      const world = World.make();
      const one = yield* playing(world, remembering("They met."));
      const two = yield* playing(world, [
        World.call("workspace_read_file", { path: memory }),
        ...remembering("They parted."),
      ]);
      const last = world.chats.chats.get(World.chatLocation.location)?.messages.at(-1);
      const state = last?.state ?? null;
      if (last !== undefined) last.state = null;
      assert.deepStrictEqual((yield* inHost(world, pruneStates(World.chatLocation, [two.runId]))).removed, [two.runId]);
      if (last !== undefined) last.state = state;
      assert.deepStrictEqual(yield* begun(world), [
        { stateId: one.runId, source: "branch", fileCount: 1, removed: [two.runId] },
      ]);
    }),
  );
});

describe("a memory whose message was taken back", () => {
  it.effect("stays withdrawn after retention has deleted its run", () =>
    Effect.gen(function* () {
      const world = World.make();
      const one = yield* playing(world, remembering("They met."));
      yield* rollBackMessage(one.runId, "cp_000001").pipe(World.inProcess(world, { name: "a" }));
      assert.deepStrictEqual(yield* begun(world), []);
      const none = { keepRecentTerminalRuns: 0, keepFullRecentRuns: 0 };
      const { deleted } = yield* inHost(
        world,
        Effect.flatMap(Retention, (retention) => retention.apply(none)),
      );
      assert.include(deleted, one.runId);
      assert.deepStrictEqual(yield* begun(world), []);
    }),
  );

  it.effect("that was not taken back is remembered after its run was deleted", () =>
    Effect.gen(function* () {
      const world = World.make();
      const one = yield* playing(world, remembering("They met."));
      const last = world.chats.chats.get(World.chatLocation.location)?.messages.at(-1);
      if (last !== undefined) last.state = null;
      const none = { keepRecentTerminalRuns: 0, keepFullRecentRuns: 0 };
      yield* inHost(
        world,
        Effect.flatMap(Retention, (retention) => retention.apply(none)),
      );
      assert.deepStrictEqual(yield* begun(world), [{ stateId: one.runId, source: "newest", fileCount: 1 }]);
    }),
  );
});

describe("notes of states", () => {
  it.effect("are kept once each, the newest of them, whoever writes at the same time", () =>
    Effect.gen(function* () {
      const world = World.make();
      const workspaceId = WorkspaceId.make("chat_0000000000000001");
      const ids = Array.from({ length: StateNotes.mostNoted }, (_, index) => `state_${index}`);
      yield* Effect.gen(function* () {
        yield* StateNotes.note(workspaceId, "removed", [...ids, ...ids]);
        yield* Effect.forEach(["one", "two", "two"], (id) => StateNotes.note(workspaceId, "removed", [id]), {
          concurrency: 3,
        });
        yield* StateNotes.note(workspaceId, "withdrawn", ["three"]);
        const { removed, withdrawn } = yield* StateNotes.read(workspaceId);
        assert.strictEqual(removed.length, StateNotes.mostNoted);
        assert.deepStrictEqual([removed[0], removed.slice(-2).toSorted()], ["state_2", ["one", "two"]]);
        assert.deepStrictEqual(withdrawn, ["three"]);
      }).pipe(World.inProcess(world));
    }),
  );
});
