import * as Payloads from "@cahier/application/payload/Payloads";
import * as WorkspaceFiles from "@cahier/application/workspace/WorkspaceFiles";
import { readWorkspaceFile } from "@cahier/application/run/RunReader";
import { CallId, rootInvocation, WorkspaceId } from "@cahier/domain/identity/Identity";
import type { Payload } from "@cahier/domain/payload/Payload";
import * as Sha256 from "@cahier/domain/payload/Sha256";
import type { StoredEvent } from "@cahier/domain/run/EventEnvelope";
import * as Log from "@cahier/domain/run/Log";
import type { FileState } from "@cahier/domain/run/RunState";
import { RunJournal } from "@cahier/ports/RunJournal";
import * as MemoryBlobStore from "@cahier/storage-memory/MemoryBlobStore";
import * as Identifiers from "@cahier/application/identity/Identifiers";
import { assert, describe, it } from "@effect/vitest";
import * as Effect from "effect/Effect";
import { payloadsOf, play } from "./support/play.ts";
import * as World from "./support/World.ts";

const runId = Identifiers.runId("0".repeat(32));
const workspaceId = WorkspaceId.make("chat_0123456789abcdef");

/** A journal with one event that holds `held` under `field`. */
const holding = Effect.fnUntraced(function* (field: string, held: Payload) {
  const journal = yield* RunJournal;
  yield* journal.create({ runId, workspaceId, createdAt: "2026-01-01T00:00:00.000Z" });
  const event = {
    id: Identifiers.eventId("1".repeat(32)),
    timestamp: "2026-01-01T00:00:00.000Z",
    level: "info" as const,
    type: "tool_call_requested",
    v: 1,
    eventScope: { invocationId: rootInvocation },
    payload: { callId: CallId.make("a"), [field]: { ...held } } as StoredEvent["payload"],
  };
  yield* journal.append(runId, { epoch: 1, expectedSeq: 0 }, [event]);
});

const payload = (text: string, more: Partial<Payload> = {}): Payload => ({
  path: "output/main.md",
  sha256: Sha256.ofText(text),
  bytes: new TextEncoder().encode(text).length,
  ...more,
});

const readFresh = (given: Payload) => Effect.flatMap(Payloads.make(runId), (payloads) => payloads.read(given));

/** The code under which reading fails. */
const codeOf = (given: Payload) => Effect.map(Effect.flip(readFresh(given)), ({ reason }) => reason.code);

const long = "A long line by the river. ".repeat(20);

describe("content of an event", () => {
  it.effect("of up to 8 KiB stands in the event, larger content is a blob; the limit counts bytes", () =>
    Effect.gen(function* () {
      const world = World.make();
      yield* Effect.gen(function* () {
        const payloads = yield* Payloads.make(runId);
        const edges = [
          ["x".repeat(8192), true],
          ["x".repeat(8193), false],
          ["é".repeat(4096), true],
          ["é".repeat(4097), false],
        ] as const;
        for (const [text, inline] of edges) {
          const stored = yield* payloads.store("output/main.md", text);
          assert.strictEqual(stored.text, inline ? text : undefined);
          assert.strictEqual(world.blobs.scopes.get(runId)?.has(stored.sha256) ?? false, !inline);
          assert.strictEqual(yield* readFresh(stored), text);
        }
      }).pipe(World.inProcess(world));
    }),
  );

  it.effect("that another event holds is referred to when that saves anything", () =>
    Effect.gen(function* () {
      const payloads = yield* Payloads.make(runId);
      const from = { seq: 1, field: "response", pointer: "/text" } as const;
      assert.deepStrictEqual((yield* payloads.store("p", long, from)).from, from);
      assert.isUndefined((yield* payloads.store("p", "short", from)).from);
    }).pipe(World.inProcess(World.make())),
  );

  it.effect("is read out of the event that holds it, through escaped pointers and arrays", () =>
    Effect.gen(function* () {
      const text = JSON.stringify({ parts: [{ "a/b~c": long }] });
      yield* holding("response", payload(text, { text }));
      const pointer = `/parts/0/${Payloads.pointerToken("a/b~c")}`;
      assert.strictEqual(pointer, "/parts/0/a~1b~0c");
      assert.strictEqual(yield* readFresh(payload(long, { from: { seq: 1, field: "response", pointer } })), long);
    }).pipe(World.inProcess(World.make())),
  );

  it.effect("is read out of arguments however they were encoded", () =>
    Effect.gen(function* () {
      for (const times of [0, 1, 2]) {
        const raw = Array.from({ length: times }).reduce<string>(
          (text) => JSON.stringify(text),
          JSON.stringify({ content: long }),
        );
        const from = { seq: 1, field: "argumentsRef", pointer: "/content" } as const;
        yield* Effect.gen(function* () {
          yield* holding("argumentsRef", payload(raw, { text: raw }));
          assert.strictEqual(yield* readFresh(payload(long, { from })), long);
        }).pipe(World.inProcess(World.make()));
      }
    }),
  );

  it.effect("with halves of characters comes back as it was stored, from any place", () =>
    Effect.gen(function* () {
      const broken = `half \ud800 of a character. ${long}`;
      const raw = JSON.stringify({ content: broken });
      assert.include(raw, "\\ud800");
      yield* holding("argumentsRef", payload(raw, { text: raw }));
      const from = { seq: 1, field: "argumentsRef", pointer: "/content" } as const;
      assert.strictEqual(yield* readFresh(payload(broken.toWellFormed(), { from })), broken.toWellFormed());
    }).pipe(World.inProcess(World.make())),
  );

  it.effect("that is not what its hash says is refused, wherever it stands", () =>
    Effect.gen(function* () {
      const text = JSON.stringify({ content: long });
      yield* holding("argumentsRef", payload(text, { text }));
      const from = { seq: 1, field: "argumentsRef", pointer: "/content" } as const;
      assert.strictEqual(yield* codeOf(payload("other", { text: "text" })), "blob.hash_mismatch");
      assert.strictEqual(yield* codeOf(payload("other", { from })), "blob.hash_mismatch");
    }).pipe(World.inProcess(World.make())),
  );

  it.effect("that is nowhere is missing: its blob, its event, its field or its place in the field", () =>
    Effect.gen(function* () {
      const text = JSON.stringify({ content: long, n: 1 });
      yield* holding("argumentsRef", payload(text, { text }));
      const places = [
        { seq: 2, field: "argumentsRef", pointer: "/content" },
        { seq: 1, field: "response", pointer: "/content" },
        { seq: 1, field: "argumentsRef", pointer: "/contents" },
        { seq: 1, field: "argumentsRef", pointer: "/n" },
        { seq: 1, field: "argumentsRef", pointer: "/content/0" },
      ] as const;
      for (const from of places) assert.strictEqual(yield* codeOf(payload(long, { from })), "blob.missing");
      assert.strictEqual(yield* codeOf(payload("in no store")), "blob.missing");
    }).pipe(World.inProcess(World.make())),
  );

  it.effect("whose blob was changed on the disk, or is no text, is refused", () =>
    Effect.gen(function* () {
      const world = World.make();
      yield* Effect.gen(function* () {
        const stored = yield* (yield* Payloads.make(runId)).store("p", "x".repeat(9000));
        yield* MemoryBlobStore.damage(world.blobs, runId, stored.sha256);
        assert.strictEqual(yield* codeOf(stored), "blob.hash_mismatch");
        const bytes = new Uint8Array([0xff, 0xfe]);
        const sha256 = yield* MemoryBlobStore.make(world.blobs).put(runId, bytes);
        assert.strictEqual(yield* codeOf({ path: "p", sha256, bytes: 2 }), "blob.hash_mismatch");
      }).pipe(World.inProcess(world));
    }),
  );
});

describe("the content of a file", () => {
  it.effect("that the model wrote is stored once: the file refers to the call, the call to the response", () =>
    Effect.gen(function* () {
      const { events, runId: played, world } = yield* play([World.write(long), World.commit, World.finish]);
      const [written] = payloadsOf(events, "workspace_file_written");
      const [requested] = payloadsOf(events, "tool_call_requested");
      assert.isUndefined(written?.content.text);
      assert.strictEqual(written?.content.from?.field, "argumentsRef");
      assert.strictEqual(requested?.argumentsRef.from?.field, "response");
      // The script, which stands with the model's binding, has it as well.
      const run = JSON.stringify(events.filter(({ type }) => type !== "agent_model_binding_resolved"));
      assert.strictEqual(run.split("A long line by the river.").length - 1, 20);
      const file = yield* readWorkspaceFile(played, "output/main.md").pipe(World.inProcess(world));
      assert.strictEqual(file.text, long);
    }),
  );

  it.effect("that begins with an append begins empty", () =>
    Effect.gen(function* () {
      const files = WorkspaceFiles.make(yield* Payloads.make(runId));
      const added = payload("Added.", { text: "Added." });
      assert.strictEqual(
        yield* files.content(
          file({ sha256: added.sha256, deltas: Log.append(Log.empty(), { kind: "append", content: added }) }),
        ),
        "Added.",
      );
    }).pipe(World.inProcess(World.make())),
  );

  it.effect("whose recorded changes do not fit is refused", () =>
    Effect.gen(function* () {
      const files = WorkspaceFiles.make(yield* Payloads.make(runId));
      const base = payload("one two", { text: "one two" });
      const text = JSON.stringify({ nonsense: true });
      const edits = payload(text, { text });
      const patched = file({ base, deltas: Log.append(Log.empty(), { kind: "patch", edits }) });
      const unfitting = yield* Effect.flip(files.content(patched));
      assert.strictEqual(unfitting.reason.code, "blob.hash_mismatch");
      const other = yield* Effect.flip(files.content(file({ base, sha256: Sha256.ofText("three") })));
      assert.strictEqual(other.reason.code, "blob.hash_mismatch");
    }).pipe(World.inProcess(World.make())),
  );
});

const file = (more: Partial<FileState>): FileState => ({
  path: "output/main.md",
  sha256: Sha256.ofText(""),
  bytes: 0,
  chars: 0,
  words: 0,
  base: null,
  deltas: Log.empty(),
  writtenBySeq: 1,
  ...more,
});
