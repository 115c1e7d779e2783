import { assert, describe, it } from "@effect/vitest";
import { CommitId, EventId, InvocationId, ProfileId, RunId, WorkspaceId } from "@cahier/domain/identity/Identity";
import type { StoredEvent } from "@cahier/domain/run/EventEnvelope";
import * as Sha256 from "@cahier/domain/payload/Sha256";
import type { BlobStore } from "@cahier/ports/BlobStore";
import type { DocumentStore } from "@cahier/ports/DocumentStore";
import type { RunJournal } from "@cahier/ports/RunJournal";
import { NotFound } from "@cahier/ports/StorageFault";
import * as Boundary from "@cahier/testkit/crash/Boundary";
import { compare, type Ending } from "@cahier/testkit/crash/Ending";
import * as Gate from "@cahier/testkit/crash/Gate";
import * as GatedPorts from "@cahier/testkit/crash/GatedPorts";
import { pairing } from "@cahier/testkit/crash/pairing";
import { plan } from "@cahier/testkit/crash/plan";
import type { Subject, Work } from "@cahier/testkit/crash/Subject";
import * as Tally from "@cahier/testkit/crash/Tally";
import { trial } from "@cahier/testkit/crash/Trial";
import * as MemoryChatHost from "@cahier/testkit/doubles/MemoryChatHost";
import * as Effect from "effect/Effect";
import * as Fiber from "effect/Fiber";
import * as Stream from "effect/Stream";

const ending = (more: Partial<Ending> = {}): Ending => ({
  run: "run_1",
  standing: "completed",
  effects: [{ name: "pay" }, { name: "post", key: "run_1/post" }],
  unknown: [],
  faults: [],
  ...more,
});

const kindsOf = (more: Partial<Ending>): ReadonlyArray<string> =>
  compare(ending(), ending(more)).map(({ kind }) => kind);

describe("an ending after a crash", () => {
  it("is sound when its effects are those of the run that nobody interrupted", () => {
    assert.deepStrictEqual(kindsOf({}), []);
    assert.deepStrictEqual(kindsOf({ standing: "neverBegun", effects: [] }), []);
  });

  it("may have asked again under the same key, and no other effect twice", () => {
    const post = { name: "post", key: "run_1/post" };
    assert.deepStrictEqual(kindsOf({ effects: [{ name: "pay" }, post, post] }), []);
    assert.deepStrictEqual(kindsOf({ effects: [{ name: "pay" }, post, { ...post, key: "another" }] }), ["doubled"]);
    assert.deepStrictEqual(kindsOf({ effects: [{ name: "pay" }, { name: "pay" }, post] }), ["doubled"]);
    assert.deepStrictEqual(kindsOf({ effects: [...ending().effects, { name: "stray" }] }), ["doubled"]);
  });

  it("has lost an effect that is not there, unless the run says that it does not know", () => {
    const [pay, post] = ending().effects;
    assert.deepStrictEqual(kindsOf({ effects: post === undefined ? [] : [post] }), ["lost"]);
    assert.deepStrictEqual(kindsOf({ effects: post === undefined ? [] : [post], unknown: ["pay"] }), []);
    assert.deepStrictEqual(kindsOf({ unknown: ["pay"] }), []);
    // What could be asked for again is asked for again.
    assert.deepStrictEqual(kindsOf({ effects: pay === undefined ? [] : [pay], unknown: ["post"] }), ["lost"]);
    assert.deepStrictEqual(kindsOf({ standing: "neverBegun" }), ["lost", "lost"]);
  });

  it("cannot be opened when it is stuck or its journal is at fault", () => {
    assert.deepStrictEqual(kindsOf({ standing: "stuck", effects: [] }), ["unopenable"]);
    assert.deepStrictEqual(kindsOf({ faults: ["call_1 was closed 2 times"] }), ["unopenable"]);
  });
});

const event = (seq: number, type: string, payload: StoredEvent["payload"] = {}, epoch = 1): StoredEvent => ({
  seq,
  id: EventId.make(`evt_${seq}`),
  runId: RunId.make("run_1"),
  timestamp: "2026-01-02T00:00:00.000Z",
  level: "info",
  type,
  v: 1,
  eventScope: { invocationId: InvocationId.make("inv_root") },
  payload,
  epoch,
});

const call = { callId: "call_1", toolId: "builtin:a" };

describe("a journal after a crash", () => {
  it("closes each call once, before the next request", () => {
    const sound = pairing([
      event(1, "model_call_attempt_started"),
      event(2, "tool_call_requested", call),
      event(3, "tool_call_started", call),
      event(4, "tool_call_failed", { ...call, errorCode: "tool.outcome_unknown" }, 2),
      event(5, "model_request_created", {}, 2),
    ]);
    assert.deepStrictEqual(sound, {
      attempts: 1,
      faults: [],
      calls: [{ ...call, requested: 1, started: 1, closed: 1, code: "tool.outcome_unknown" }],
    });
  });

  it.each([
    ["was closed 0 times", [event(1, "tool_call_requested", call)]],
    ["was closed 2 times", [event(1, "tool_call_completed", call), event(2, "tool_call_completed", call)]],
    ["had no result", [event(1, "tool_call_started", call), event(2, "model_request_created")]],
    ["has the number 3", [event(1, "a"), event(3, "b")]],
    ["the epoch falls", [event(1, "a", {}, 2), event(2, "b", {}, 1)]],
  ])("is at fault when a call or an event %s", (fault, events) => {
    assert.include(pairing(events).faults.join("; "), fault);
  });
});

describe("a gate", () => {
  it.effect("holds each run at its own boundary and knows when all are held", () =>
    Effect.gen(function* () {
      const gate = Gate.make([
        { kind: "beforeAppend", at: 2 },
        { kind: "afterAppend", at: 1 },
        { kind: "withinAppend", at: 1 },
        { kind: "beforeAnswer", at: 1 },
        { kind: "afterBlob", at: 1 },
        { kind: "beforeDocument", at: 1 },
        null,
      ]);
      const seen: Array<string> = [];
      const note = (text: string) => Effect.sync(() => void seen.push(text));
      const run = (name: string) =>
        gate
          .appending(name, note(`${name} first`))
          .pipe(
            Effect.andThen(gate.storing(name, note(`${name} blob`))),
            Effect.andThen(gate.appending(name, note(`${name} second`))),
            Effect.andThen(gate.documenting(name, note(`${name} document`))),
            Effect.andThen(gate.answering(name, note(`${name} asked`))),
            Effect.andThen(note(`${name} answered`)),
            Effect.ensuring(Effect.sync(gate.ended)),
          );
      const running = yield* Effect.forkChild(
        Effect.forEach(["a", "b", "c", "d", "e", "g", "f"], run, { concurrency: "unbounded" }),
      );
      const held = yield* gate.settled;
      assert.sameDeepMembers(
        [...held],
        [
          { run: "a", kind: "beforeAppend" },
          { run: "b", kind: "afterAppend" },
          { run: "c", kind: "withinAppend" },
          { run: "d", kind: "beforeAnswer" },
          { run: "e", kind: "afterBlob" },
          { run: "g", kind: "beforeDocument" },
        ],
      );
      assert.sameMembers(
        seen.filter((text) => !/^[fdg]/u.test(text)),
        ["a first", "a blob", "b first", "e first", "e blob"],
      );
      assert.include(seen, "d asked");
      assert.notInclude(seen, "d answered");
      yield* gate.letGo;
      yield* Effect.yieldNow;
      assert.include(seen, "c first");
      yield* gate.free;
      yield* Fiber.join(running);
      assert.lengthOf(
        seen.filter((text) => text.endsWith("answered")),
        7,
      );
      assert.notInclude(seen.slice(0, seen.indexOf("c first")), "g document");
      assert.deepStrictEqual(gate.counts()[6], { appends: 2, blobs: 1, documents: 1, answers: 1 });
    }),
  );
});

describe("ports with a gate around them", () => {
  it.effect("come past as they write and as they reach outside, each run for itself", () =>
    Effect.gen(function* () {
      const gate = Gate.make([null, null]);
      const host = MemoryChatHost.makeStorage();
      const chat = MemoryChatHost.addChat(host, "chat", [{ role: "user", text: "Hello." }]);
      const chatHost = GatedPorts.chatHost(MemoryChatHost.make(host), gate);
      const frozen = yield* chatHost.freeze(chat, "normal");
      const blobs = GatedPorts.blobStore(noBlobs, gate);
      for (const scope of ["run_2", "persist_run_2", "of_no_run"]) yield* blobs.put(scope, new Uint8Array([1]));
      const documents = GatedPorts.documentStore(noDocuments, gate);
      for (const [collection, id] of [
        ["run-summaries", "run_2"],
        ["inbox/run_2", "request_1"],
        ["hosts", "owner_1"],
      ] as const)
        yield* documents.put(collection, id, 0, {});
      yield* chatHost.commit({
        commitId: CommitId.make("commit_1"),
        chat,
        generationType: "normal",
        mode: "replace",
        text: "A text.",
        characterName: frozen.characterName,
        revision: frozen.revision,
        metadata: {
          runId: RunId.make("run_1"),
          workspaceId: WorkspaceId.make("chat_1"),
          stableChatId: frozen.stableChatId,
          profileId: ProfileId.make("writer"),
          path: "output/main.md",
          model: "a model",
        },
        at: "2026-01-02T00:00:00.000Z",
      });
      const journal = GatedPorts.runJournal(noJournal, gate);
      yield* journal.create({
        runId: RunId.make("run_2"),
        workspaceId: WorkspaceId.make("chat_1"),
        createdAt: "2026-01-02T00:00:00.000Z",
      });
      yield* Effect.flip(journal.append(RunId.make("run_2"), { epoch: 1, expectedSeq: 0 }, []));
      yield* Effect.flip(journal.claim(RunId.make("run_2"), 1, event(1, "run_owner_changed")));
      yield* Effect.flip(journal.read(RunId.make("run_2")));
      assert.deepStrictEqual(gate.counts(), [
        { appends: 3, blobs: 2, documents: 2, answers: 0 },
        { appends: 0, blobs: 0, documents: 0, answers: 1 },
      ]);
    }),
  );
});

const nothing = new NotFound({ entity: "thing", id: "nothing" });

/** Stores that keep nothing. */
const noBlobs: BlobStore["Service"] = {
  put: (_, bytes) => Effect.succeed(Sha256.ofBytes(bytes)),
  get: () => Effect.fail(nothing),
  stat: () => Effect.fail(nothing),
  list: () => Effect.succeed([]),
  scopes: Effect.succeed([]),
  remove: () => Effect.void,
  removeScope: () => Effect.void,
};
const noDocuments: DocumentStore["Service"] = {
  put: (_collection, _id, revision) => Effect.succeed(revision + 1),
  get: () => Effect.fail(nothing),
  list: () => Effect.succeed({ documents: [], damaged: [] }),
  collections: Effect.succeed([]),
  remove: () => Effect.void,
};
const noJournal: RunJournal["Service"] = {
  create: () => Effect.void,
  claim: () => Effect.fail(nothing),
  release: () => Effect.void,
  append: () => Effect.fail(nothing),
  read: () => Effect.fail(nothing),
  tail: () => Stream.fail(nothing),
  list: () => Effect.succeed([]),
  remove: () => Effect.void,
};

describe("a plan", () => {
  it("comes to every boundary of a run, and to the same ones again", () => {
    const measured = { counts: { appends: 32, blobs: 3, documents: 2, answers: 18 }, wholeMs: 1000 };
    const rounds = Array.from({ length: 24 }, (_, number) => plan(number, 50, measured, () => 0.5));
    const struck = rounds.flatMap(([first]) =>
      first === undefined || first._tag === "AtRandom" ? [] : first.boundaries,
    );
    const names = new Set(struck.map(({ at, kind }) => `${kind} ${at}`));
    assert.sameMembers(
      [...names],
      Boundary.all(measured.counts).map(({ at, kind }) => `${kind} ${at}`),
    );
    assert.deepStrictEqual(
      plan(3, 50, measured, () => 0.5),
      rounds[3],
    );
    assert.sameMembers(
      rounds
        .flat()
        .map(({ _tag }) => _tag)
        .filter((tag, index, all) => all.indexOf(tag) === index),
      ["AtBoundaries", "AtRandom", "TwoOwners"],
    );
  });
});

/** A program that does what it is told to, and says in the end what it is told to say. */
const subject = (endings: ReadonlyArray<Ending>, told: Array<string>): Subject => ({
  name: "a program",
  place: () =>
    Effect.succeed({
      start: ({ boundaries, task }: Work) =>
        Effect.sync(() => {
          told.push(task);
          const note = (word: string) => Effect.sync(() => void told.push(word));
          return {
            begun: Effect.void,
            settled: Effect.succeed(
              boundaries.flatMap((boundary, index) =>
                boundary === null ? [] : [{ run: `run_${index + 1}`, kind: boundary.kind }],
              ),
            ),
            letGo: note("letGo"),
            free: note("free"),
            done: Effect.void,
            running: () => 2,
            kill: note("kill"),
          };
        }),
      finish: Effect.succeed(endings),
    }),
});

const two = [ending(), ending({ run: "run_2" })];

describe("a trial", () => {
  it.live("strikes, resumes and strikes again, and tells at which boundary something was violated", () =>
    Effect.gen(function* () {
      const told: Array<string> = [];
      const doubled = [ending(), ending({ run: "run_2", effects: [...ending().effects, { name: "pay" }] })];
      const result = yield* trial(
        subject(doubled, told),
        [
          {
            _tag: "AtBoundaries",
            boundaries: [
              { kind: "beforeAppend", at: 1 },
              { kind: "withinAppend", at: 1 },
            ],
            afterMs: 0,
          },
          { _tag: "AtRandom", afterMs: 0 },
        ],
        ending(),
        2,
      ).pipe(Effect.scoped);
      assert.deepStrictEqual(told, ["begin", "letGo", "kill", "carryOn", "kill"]);
      assert.deepStrictEqual(result.strikes, [
        { kind: "beforeAppend", kills: 1, struck: 1 },
        { kind: "withinAppend", kills: 1, struck: 1 },
        { kind: "atRandom", kills: 1, struck: 2 },
      ]);
      assert.deepStrictEqual(
        result.violations.map(({ at, kind, run }) => [kind, at, run]),
        [["doubled", "withinAppend", "run_2"]],
      );
      assert.deepStrictEqual(Tally.table(Tally.rows([{ ...result, subject: "file" }])), [
        "adapter  boundary      kills  struck  lost  doubled  unopenable",
        "file     beforeAppend      1       1     0        0           0",
        "file     withinAppend      1       1     0        1           0",
        "file     atRandom          1       2     0        0           0",
        "all                        3       4     0        1           0",
      ]);
    }),
  );

  it.live("lets an owner go on that was taken for dead, after another has carried its runs to their end", () =>
    Effect.gen(function* () {
      const told: Array<string> = [];
      const boundaries = [1, 2].map((at) => ({ kind: "afterAppend" as const, at }));
      const result = yield* trial(subject(two, told), [{ _tag: "TwoOwners", boundaries }], ending(), 2).pipe(
        Effect.scoped,
      );
      assert.deepStrictEqual(told, ["begin", "takeOver", "free", "kill", "kill"]);
      assert.deepStrictEqual(result, { strikes: [{ kind: "twoOwners", kills: 1, struck: 2 }], violations: [] });
    }),
  );

  it.live("has lost a run that nobody says anything of", () =>
    Effect.gen(function* () {
      const { violations } = yield* trial(subject([ending()], []), [], ending(), 2).pipe(Effect.scoped);
      assert.deepStrictEqual(
        violations.map(({ detail, kind }) => [kind, detail]),
        [["lost", "1 of 2 runs are accounted for"]],
      );
    }),
  );
});
