import { forkRun } from "@cahier/application/fork/forkRun";
import * as States from "@cahier/application/persist/States";
import { metadataDeadlineMs } from "@cahier/application/persist/nameState";
import { reviseRun } from "@cahier/application/revision/reviseRun";
import { rollBack } from "@cahier/application/rollback/rollBack";
import { rollBackMessage } from "@cahier/application/rollback/rollBackMessage";
import { readWorkspaceFile } from "@cahier/application/run/RunReader";
import { Runs } from "@cahier/application/run/Runs";
import type { Fatal } from "@cahier/domain/failure/Failure";
import { type RunId, WorkspaceId } from "@cahier/domain/identity/Identity";
import type { PersistentState } from "@cahier/domain/persist/PersistentState";
import { ChatFault, type ChatHost } from "@cahier/ports/ChatHost";
import { Fenced, Unavailable } from "@cahier/ports/StorageFault";
import * as MemoryBlobStore from "@cahier/storage-memory/MemoryBlobStore";
import * as MemoryDocumentStore from "@cahier/storage-memory/MemoryDocumentStore";
import * as FaultyRunJournal from "@cahier/testkit/doubles/FaultyRunJournal";
import * as MemoryChatHost from "@cahier/testkit/doubles/MemoryChatHost";
import { assert, describe, it } from "@effect/vitest";
import * as Effect from "effect/Effect";
import * as TestClock from "effect/testing/TestClock";
import { ended, eventsOf, payloadsOf, play, type PlayOptions, reached, start } from "./support/play.ts";
import * as Shells from "./support/shell.ts";
import * as World from "./support/World.ts";

const document = {
  kind: "cahier.agentProfile",
  schemaVersion: 1,
  id: "default-writer",
  displayName: "Writer",
  run: { presentation: "foreground" },
  tools: {
    maxRounds: 20,
    allow: ["write_file", "read_file", "apply_patch", "commit", "finish"].map((name) => `builtin:workspace.${name}`),
  },
};

const memory = "persist/notes.md";

/** A run that remembers something and publishes. */
const remembering = (note: string, text = note, path = memory): ReadonlyArray<World.Turn> => [
  World.write(note, path),
  World.write(text),
  World.commit,
  World.finish,
];

const playing = (world: World.World, turns: ReadonlyArray<World.Turn>, options: PlayOptions = {}) =>
  Effect.tap(play(turns, { world, profile: { document }, ...options }), TestClock.adjust(1000));

const resumed = (world: World.World, runId: RunId, options: World.ProcessOptions = {}) =>
  Effect.gen(function* () {
    const runs = yield* Runs;
    return yield* ended(world, yield* runs.resume(runId));
  }).pipe(World.inProcess(world, { name: "second", ...options }));

const statesIn = (world: World.World): ReadonlyArray<PersistentState> =>
  [...world.documents.collections].flatMap(([name, documents]) =>
    name.startsWith(States.statesCollection)
      ? [...documents.values()].flatMap((one) => ("value" in one ? [one.value as unknown as PersistentState] : []))
      : [],
  );

const stateAt = (world: World.World, index: number) =>
  world.chats.chats.get(World.chatLocation.location)?.messages[index]?.state;

const memoryOf = (world: World.World, runId: RunId, path = memory) =>
  Effect.map(readWorkspaceFile(runId, path), ({ text }) => text).pipe(World.inProcess(world, { name: "reader" }));

const codeOf = <A, E extends { readonly _tag: string }, R>(effect: Effect.Effect<A, Fatal | E, R>) =>
  Effect.map(Effect.flip(effect), (failure) => ("reason" in failure ? failure.reason.code : failure._tag));

describe("what agents remember", () => {
  it.effect("is published when a run finishes, and its message names the state", () =>
    Effect.gen(function* () {
      const world = World.make();
      const one = yield* playing(world, remembering("They met."));
      assert.strictEqual(one.outcome.status, "completed");
      const [state] = statesIn(world);
      assert.deepStrictEqual(
        [state?.stateId, state?.baseStateId, state?.files.map(({ path }) => path), state?.deleted],
        [one.runId, null, [memory], []],
      );
      assert.deepStrictEqual(stateAt(world, 2), {
        persistBaseStateId: null,
        persistStateId: one.runId,
        persistStateStatus: "committed",
      });
      assert.deepStrictEqual(
        one.types.filter((type) => type.startsWith("persistent_")),
        [
          "persistent_changes_committed",
          "persistent_state_metadata_update_requested",
          "persistent_state_metadata_updated",
        ],
      );
    }),
  );

  it.effect(
    "is forgotten when a command removes it: the next state names it as deleted, and later runs do not have it",
    () =>
      Effect.gen(function* () {
        const world = World.make();
        yield* playing(world, [World.write("Ada.", "persist/names.md"), ...remembering("They met.")]);
        const two = yield* playing(world, [Shells.shell("rm persist/names.md"), ...World.publishing], {
          profile: Shells.profileWith(),
          process: { shell: Shells.changing({ "persist/names.md": null }) },
        });
        const [changes] = payloadsOf(two.events, "persistent_changes_committed");
        assert.deepStrictEqual(
          changes?.changes.map(({ kind, path }) => [path, kind]),
          [["persist/names.md", "deleted"]],
        );
        const state = statesIn(world).find(({ stateId }) => stateId === two.runId);
        assert.deepStrictEqual(
          [state?.files.map(({ path }) => path), state?.deleted],
          [[memory], ["persist/names.md"]],
        );
        const three = yield* playing(world, World.publishing);
        assert.strictEqual(payloadsOf(three.events, "persistent_projection_initialized")[0]?.fileCount, 1);
      }),
  );

  it.effect("is in the workspace of the run that continues from there, to be read before it is changed", () =>
    Effect.gen(function* () {
      const world = World.make();
      const one = yield* playing(world, remembering("They met."));
      const two = yield* playing(world, [
        World.write("x", memory),
        World.call("workspace_read_file", { path: memory }),
        World.call("workspace_apply_patch", { path: memory, old_string: "met", new_string: "met twice" }),
        ...World.publishing,
      ]);
      assert.strictEqual(two.outcome.status, "completed");
      assert.strictEqual(two.results[0]?.errorCode, "workspace.write_requires_read");
      assert.deepStrictEqual(payloadsOf(two.events, "persistent_projection_initialized")[0], {
        stateId: one.runId,
        source: "branch",
        fileCount: 1,
      });
      assert.strictEqual(yield* memoryOf(world, two.runId), "They met twice.");
      const [changes] = payloadsOf(two.events, "persistent_changes_committed");
      assert.deepStrictEqual(
        [changes?.baseStateId, changes?.changes.map(({ kind, path }) => [path, kind])],
        [one.runId, [[memory, "modified"]]],
      );
      assert.strictEqual(statesIn(world).length, 2);
    }),
  );

  it.effect("is told of to an agent that may write it, and to no other", () =>
    Effect.gen(function* () {
      const prompts: Array<string> = [];
      for (const writableRoots of [["output", "persist"], ["output"]]) {
        const workspace = { visibleRoots: ["output", "persist"], writableRoots };
        yield* playing(World.make(), World.publishing, {
          profile: { document: { ...document, workspace } },
          process: {
            gateway: (gateway) => ({
              ...gateway,
              generate: (request, onDelta) => {
                if (request.position === 0) prompts.push(JSON.stringify(request.messages));
                return gateway.generate(request, onDelta);
              },
            }),
          },
        });
      }
      assert.deepStrictEqual(
        prompts.map((prompt) => prompt.includes("persist/")),
        [true, false],
      );
    }),
  );

  it.effect("and did not change is named again under its old id", () =>
    Effect.gen(function* () {
      const world = World.make();
      const one = yield* playing(world, remembering("They met."));
      const two = yield* playing(world, World.publishing);
      assert.strictEqual(two.outcome.status, "completed");
      assert.strictEqual(statesIn(world).length, 1);
      assert.strictEqual(stateAt(world, 3)?.["persistStateId"], one.runId);
    }),
  );

  it.effect("and is rolled back away is recorded as deleted", () =>
    Effect.gen(function* () {
      const world = World.make();
      const one = yield* playing(world, [World.write("x", "persist/other.md"), ...remembering("They met.")]);
      yield* rollBack(one.runId, "cp_000001").pipe(World.inProcess(world, { name: "roller" }));
      const again = yield* Effect.gen(function* () {
        return yield* ended(world, yield* reviseRun(one.runId, "Forget it."));
      }).pipe(World.inProcess(world, { name: "reviser", gateway: scriptedAs([World.finish]) }));
      assert.strictEqual(again.outcome.status, "completed");
      const [, second] = statesIn(world);
      assert.deepStrictEqual(
        [second?.stateId, second?.baseStateId, second?.deleted, second?.files.map(({ path }) => path)],
        [`${one.runId}_2`, one.runId, [memory], ["persist/other.md"]],
      );
      assert.strictEqual(stateAt(world, 2)?.["persistStateId"], `${one.runId}_2`);
    }),
  );

  it.effect("branches with the chat: two swipes of one message both succeed, and each is continued from itself", () =>
    Effect.gen(function* () {
      const world = World.make();
      const base = yield* playing(world, remembering("They met."));
      yield* Effect.sync(() => MemoryChatHost.disturb(world.chats, World.chatLocation.location, "And then?"));
      const one = yield* playing(world, remembering("They parted.", "One.", "persist/one.md"));
      const two = yield* playing(world, remembering("They stayed.", "Two.", "persist/two.md"), {
        generationType: "swipe",
      });
      assert.deepStrictEqual([one.outcome.status, two.outcome.status], ["completed", "completed"]);
      const paths = new Map(statesIn(world).map(({ files, stateId }) => [stateId, files.map(({ path }) => path)]));
      assert.deepStrictEqual(paths.get(one.runId), [memory, "persist/one.md"].toSorted());
      assert.deepStrictEqual(paths.get(two.runId), [memory, "persist/two.md"].toSorted());
      assert.strictEqual(statesIn(world).find(({ stateId }) => stateId === two.runId)?.baseStateId, base.runId);
      const next = yield* playing(world, World.publishing);
      assert.strictEqual(payloadsOf(next.events, "persistent_projection_initialized")[0]?.stateId, two.runId);
    }),
  );

  it.effect("of a chat whose messages name nothing is the newest, but never that of the swipe that is replaced", () =>
    Effect.gen(function* () {
      const world = World.make();
      const one = yield* playing(world, remembering("They met."));
      const swiped = yield* playing(world, World.publishing, { generationType: "swipe" });
      assert.strictEqual(payloadsOf(swiped.events, "persistent_projection_initialized").length, 0);
      for (const message of world.chats.chats.get(World.chatLocation.location)?.messages ?? []) message.state = null;
      const next = yield* playing(world, World.publishing);
      assert.deepStrictEqual(payloadsOf(next.events, "persistent_projection_initialized")[0], {
        stateId: one.runId,
        source: "newest",
        fileCount: 1,
      });
    }),
  );

  it.effect("is not published by a run that fails or is cancelled", () =>
    Effect.gen(function* () {
      const world = World.make();
      const failed = yield* playing(world, [World.write("x", memory), { text: "No." }, { text: "No." }]);
      assert.strictEqual(failed.outcome.status, "failed");
      const cancelled = yield* Effect.gen(function* () {
        const run = yield* start([World.write("x", memory), { error: { hang: true } }], { profile: { document } });
        yield* reached(world, run.runId, "model_call_attempt_started", 2);
        return yield* run.cancel;
      }).pipe(World.inProcess(world));
      assert.strictEqual(cancelled.status, "cancelled");
      assert.deepStrictEqual(statesIn(world), []);
    }),
  );

  it.effect("survives a crash at any append: published once, named once", () =>
    Effect.gen(function* () {
      const fault = new Unavailable({ operation: "append", kind: "full", detail: "no room" });
      const whole = yield* playing(World.make(), remembering("They met."));
      const appends = new Set(whole.events.map(({ timestamp }) => timestamp)).size + 12;
      let tried = 0;
      for (const moment of ["beforeWriting", "afterWriting"] as const)
        for (let append = 2; append <= appends; append += 1) {
          const world = World.make();
          const journal = (inner: Parameters<typeof FaultyRunJournal.make>[0]) =>
            FaultyRunJournal.make(inner, { append, fault, moment });
          const first = yield* playing(world, remembering("They met."), { process: { journal } });
          const { runId } = first;
          if (first.outcome.status === "completed") continue;
          tried += 1;
          const title = `append ${append} ${moment}`;
          const again = yield* Effect.exit(resumed(world, runId));
          if (again._tag === "Success") assert.strictEqual(again.value.outcome.status, "completed", title);
          assert.deepStrictEqual(
            statesIn(world).map(({ stateId }) => stateId),
            [runId],
            title,
          );
          assert.strictEqual(stateAt(world, 2)?.["persistStateId"], runId, title);
          assert.deepStrictEqual(World.textsOf(world), [...World.beginning, "They met."], title);
        }
      assert.isAtLeast(tried, 10);
    }),
  );

  it.effect("that the chat cannot name is taken back, and the run ends as partly successful", () =>
    Effect.gen(function* () {
      const reasons = [
        [{ _tag: "Moved" }, "chat.conflict"],
        [{ _tag: "Refused" }, "agent.persistent_state_message_missing"],
      ] as const;
      for (const [reason, code] of reasons) {
        const world = World.make();
        const chatHost = (host: ChatHost["Service"]): ChatHost["Service"] => ({
          ...host,
          writeMetadata: () => Effect.fail(new ChatFault({ reason, detail: "No." })),
        });
        const found = yield* playing(world, remembering("They met."), { process: { chatHost } });
        assert.deepStrictEqual([found.outcome.status, found.outcome.error?.code], ["partial_success", code]);
        assert.deepStrictEqual(statesIn(world), []);
        assert.deepStrictEqual(yield* MemoryBlobStore.make(world.blobs).list(States.scopeOf(found.runId)), []);
        assert.include(found.types, "persistent_state_withdrawn");
      }
    }),
  );

  it.effect("stays when the disk of the chat is full, and is named when the run is resumed", () =>
    Effect.gen(function* () {
      const world = World.make();
      const full = (host: ChatHost["Service"]): ChatHost["Service"] => ({
        ...host,
        writeMetadata: () =>
          Effect.fail(new ChatFault({ reason: { _tag: "Unreachable", kind: "full" }, detail: "No room." })),
      });
      const found = yield* playing(world, remembering("They met."), { process: { chatHost: full } });
      assert.deepStrictEqual([found.outcome.status, found.outcome.error?.code], ["interrupted", "storage.full"]);
      assert.strictEqual(statesIn(world).length, 1);
      const resumed = yield* Effect.flatMap(Runs, (runs) => runs.resume(found.runId)).pipe(
        Effect.flatMap((run) => run.outcome),
        World.inProcess(world, { name: "second" }),
      );
      assert.strictEqual(resumed.status, "completed");
      assert.strictEqual(statesIn(world).length, 1);
    }),
  );

  it.effect("stays when another owner has taken the run before it could be taken back", () =>
    Effect.gen(function* () {
      const world = World.make();
      const moved = (host: ChatHost["Service"]): ChatHost["Service"] => ({
        ...host,
        writeMetadata: () => Effect.fail(new ChatFault({ reason: { _tag: "Moved" }, detail: "No." })),
      });
      const fenced = new Fenced({ id: "run", epoch: 1, currentEpoch: 2 });
      const found = yield* playing(world, remembering("They met."), {
        process: {
          chatHost: moved,
          journal: (journal) => ({
            ...journal,
            append: (id, position, events) =>
              events.some(({ type }) => type === "persistent_state_metadata_update_failed")
                ? Effect.fail(fenced)
                : journal.append(id, position, events),
          }),
        },
      });
      assert.strictEqual(found.outcome.error?.code, "journal.fenced");
      assert.strictEqual(statesIn(world).length, 1);
    }),
  );

  it.effect("that the chat may name stays when the host does not answer", () =>
    Effect.gen(function* () {
      const world = World.make();
      const silent = (host: ChatHost["Service"]): ChatHost["Service"] => ({
        ...host,
        writeMetadata: (...given) => Effect.andThen(host.writeMetadata(...given), Effect.never),
      });
      yield* Effect.gen(function* () {
        const run = yield* start(remembering("They met."), { profile: { document } });
        yield* reached(world, run.runId, "persistent_state_metadata_update_requested");
        yield* TestClock.adjust(metadataDeadlineMs);
        const outcome = yield* run.outcome;
        assert.deepStrictEqual([outcome.status, outcome.error?.code], ["partial_success", "agent.host_timeout"]);
      }).pipe(World.inProcess(world, { chatHost: silent }));
      assert.strictEqual(statesIn(world).length, 1);
    }),
  );

  it.effect("of a run that is cancelled while its message is asked to name it is taken back unless it is named", () =>
    Effect.gen(function* () {
      for (const isNamed of [false, true]) {
        const world = World.make();
        const slow = (host: ChatHost["Service"]): ChatHost["Service"] => ({
          ...host,
          writeMetadata: (...given) =>
            Effect.andThen(isNamed ? host.writeMetadata(...given) : Effect.void, Effect.never),
        });
        yield* Effect.gen(function* () {
          const run = yield* start(remembering("They met."), { profile: { document } });
          yield* reached(world, run.runId, "persistent_state_metadata_update_requested");
          assert.strictEqual((yield* run.cancel).status, "cancelled");
        }).pipe(World.inProcess(world, { chatHost: slow }));
        assert.strictEqual(statesIn(world).length, isNamed ? 1 : 0, `${isNamed}`);
      }
    }),
  );

  it.effect("of a run that crashed as it published, and is cancelled then, is taken back", () =>
    Effect.gen(function* () {
      const fault = new Unavailable({ operation: "append", kind: "full", detail: "no room" });
      const world = World.make();
      const { runId } = yield* playing(world, remembering("They met."), {
        process: {
          journal: (journal) => ({
            ...journal,
            append: (id, position, events) =>
              events.some(({ type }) => type === "persistent_changes_committed")
                ? Effect.fail(fault)
                : journal.append(id, position, events),
          }),
        },
      });
      assert.strictEqual(statesIn(world).length, 1, "the state was stored and is not in the journal");
      const outcome = yield* Effect.flatMap(Runs, (runs) => runs.cancel(runId)).pipe(
        World.inProcess(world, { name: "second" }),
      );
      assert.strictEqual(outcome.status, "cancelled");
      assert.deepStrictEqual(statesIn(world), []);
      assert.deepStrictEqual(World.textsOf(world), [...World.beginning, "They met."]);
    }),
  );

  it.effect("is published by a fork as a state of its own", () =>
    Effect.gen(function* () {
      const world = World.make();
      const one = yield* playing(world, remembering("They met."));
      const forked = yield* Effect.gen(function* () {
        const written = one.events.findLast(({ type }) => type === "chat_commit_recorded");
        return yield* ended(world, yield* forkRun(one.runId, (written?.seq ?? 0) - 9));
      }).pipe(World.inProcess(world, { name: "forker" }));
      assert.strictEqual(forked.outcome.status, "completed");
      assert.sameMembers(
        statesIn(world).map(({ stateId }) => stateId),
        [one.runId, forked.runId],
      );
    }),
  );

  it.effect("is forgotten with a message that was withdrawn, and remembered again with it", () =>
    Effect.gen(function* () {
      const world = World.make();
      const one = yield* playing(world, remembering("They met."));
      const rolled = yield* rollBackMessage(one.runId, "cp_000001").pipe(World.inProcess(world, { name: "a" }));
      const base = Effect.map(playing(world, [{ text: "No." }, { text: "No." }]), ({ events }) =>
        payloadsOf(events, "persistent_projection_initialized").map(({ stateId }) => stateId),
      );
      assert.deepStrictEqual(yield* base, []);
      yield* rollBackMessage(one.runId, rolled.undo ?? "").pipe(World.inProcess(world, { name: "b" }));
      assert.deepStrictEqual(yield* base, [one.runId]);
    }),
  );

  it.effect("is named again by a message that was withdrawn and is made again", () =>
    Effect.gen(function* () {
      const world = World.make();
      const one = yield* playing(world, remembering("They met."));
      const rolled = yield* rollBackMessage(one.runId, "cp_000001").pipe(World.inProcess(world, { name: "a" }));
      assert.deepStrictEqual(World.textsOf(world), World.beginning);
      yield* rollBackMessage(one.runId, rolled.undo ?? "").pipe(World.inProcess(world, { name: "b" }));
      assert.strictEqual(stateAt(world, 2)?.["persistStateId"], one.runId);
    }),
  );
});

describe("a start", () => {
  const put = (world: World.World, change: (state: PersistentState) => unknown) =>
    Effect.gen(function* () {
      const documents = MemoryDocumentStore.make(world.documents);
      const [state] = statesIn(world);
      if (state === undefined) return assert.fail("no state");
      const collection = States.collectionOf(WorkspaceId.make(state.workspaceId));
      const changed = change(state) as Parameters<typeof documents.put>[3] | undefined;
      yield* documents.remove(collection, state.stateId);
      if (changed !== undefined) yield* documents.put(collection, state.stateId, 0, changed);
    });

  it.effect.each<readonly [string, (state: PersistentState) => unknown]>([
    ["agent.persistent_state_not_found", () => undefined],
    ["agent.persistent_state_invalid", (state) => ({ ...state, files: "none" })],
    ["agent.persistent_state_version_unsupported", (state) => ({ ...state, schemaVersion: 2 })],
    ["agent.persistent_state_manifest_mismatch", (state) => ({ ...state, stateId: "another" })],
    ["agent.persistent_state_workspace_mismatch", (state) => ({ ...state, workspaceId: "chat_another" })],
    [
      "agent.persistent_state_root_invalid",
      (state) => ({ ...state, files: state.files.map((file) => ({ ...file, path: "output/main.md" })) }),
    ],
  ])("from a state that is not whole is refused with %s", ([code, change]) =>
    Effect.gen(function* () {
      const world = World.make();
      yield* playing(world, remembering("They met."));
      yield* put(world, change);
      const journals = world.journals.journals.size;
      assert.strictEqual(yield* codeOf(playing(world, World.publishing)), code);
      assert.strictEqual(world.journals.journals.size, journals);
    }),
  );

  it.effect("from a state whose content is gone is refused", () =>
    Effect.gen(function* () {
      const world = World.make();
      const one = yield* playing(world, remembering("They met."));
      yield* MemoryBlobStore.make(world.blobs).removeScope(States.scopeOf(one.runId));
      assert.strictEqual(yield* codeOf(playing(world, World.publishing)), "agent.persistent_state_manifest_mismatch");
    }),
  );

  it.effect("from a chat that says something unusable of its state is refused", () =>
    Effect.gen(function* () {
      const cases = [
        [{ persistStateStatus: "perhaps" }, "agent.persist_state_status_invalid"],
        [{ persistStateStatus: "committed" }, "agent.persist_state_missing"],
      ] as const;
      for (const [state, code] of cases) {
        const world = World.make();
        yield* playing(world, World.publishing);
        const message = world.chats.chats.get(World.chatLocation.location)?.messages[2];
        if (message !== undefined) message.state = state;
        assert.strictEqual(yield* codeOf(playing(world, World.publishing)), code);
      }
    }),
  );

  it.effect("that states what it begins with must agree with the chat", () =>
    Effect.gen(function* () {
      const world = World.make();
      const mismatch = playing(world, World.publishing, { persistBaseStateId: "run_other" });
      assert.strictEqual(yield* codeOf(mismatch), "agent.persist_base_state_mismatch");
      const one = yield* playing(world, remembering("They met."));
      assert.strictEqual(yield* codeOf(mismatch), "agent.persist_base_state_mismatch");
      const empty = playing(world, World.publishing, { persistBaseStateId: "" });
      assert.strictEqual(yield* codeOf(empty), "agent.persist_base_state_id_empty");
      const agreed = yield* playing(world, World.publishing, { persistBaseStateId: one.runId });
      assert.strictEqual(agreed.outcome.status, "completed");
    }),
  );

  it.effect("does not overwrite a state: the run that finds its id taken ends without one", () =>
    Effect.gen(function* () {
      const world = World.make();
      yield* Effect.gen(function* () {
        const run = yield* start(
          remembering("They met.").map((turn) => ({ ...turn, delayMs: 1 })),
          { profile: { document } },
        );
        const collection = States.collectionOf(run.state().workspaceId ?? WorkspaceId.make("none"));
        yield* MemoryDocumentStore.make(world.documents).put(collection, run.runId, 0, { of: "another" });
        for (let turn = 1; turn <= 4; turn += 1) {
          yield* reached(world, run.runId, "model_call_attempt_started", turn);
          yield* TestClock.adjust(1);
        }
        const outcome = yield* run.outcome;
        assert.deepStrictEqual(
          [outcome.status, outcome.error?.code],
          ["partial_success", "agent.persistent_state_exists"],
        );
        assert.isAbove((yield* eventsOf(world, run.runId)).length, 0);
      }).pipe(World.inProcess(world));
      assert.deepStrictEqual(statesIn(world), [{ of: "another" }] as unknown as ReadonlyArray<PersistentState>);
    }),
  );
});

const scriptedAs =
  (turns: ReadonlyArray<World.Turn>) =>
  (gateway: Parameters<NonNullable<World.ProcessOptions["gateway"]>>[0]): typeof gateway => ({
    ...gateway,
    generate: (request, onDelta) =>
      gateway.generate(
        { ...request, binding: World.scripted(turns), agent: { ...request.agent, root: true } },
        onDelta,
      ),
  });
