import { Runs } from "@cahier/application/run/Runs";
import * as Identifiers from "@cahier/application/identity/Identifiers";
import { CallId, InvocationId, ProfileId, rootInvocation } from "@cahier/domain/identity/Identity";
import * as Sha256 from "@cahier/domain/payload/Sha256";
import type { NewEvent } from "@cahier/domain/run/EventEnvelope";
import { definitions, type PayloadOf, type RunEventType } from "@cahier/domain/run/RunEvent";
import * as TextMetrics from "@cahier/domain/workspace/TextMetrics";
import * as MemoryRunJournal from "@cahier/storage-memory/MemoryRunJournal";
import { assert, describe, it } from "@effect/vitest";
import * as Effect from "effect/Effect";
import * as TestClock from "effect/testing/TestClock";
import { ended, eventsOf, reached, start } from "./support/play.ts";
import * as World from "./support/World.ts";

const other = InvocationId.make("inv_other");
const path = "output/main.md";

const event = <Type extends RunEventType>(
  type: Type,
  invocationId: InvocationId,
  payload: PayloadOf<Type>,
): NewEvent => ({
  id: Identifiers.eventId(globalThis.crypto.randomUUID().replaceAll("-", "")),
  timestamp: "1970-01-01T00:00:00.000Z",
  level: "info",
  type,
  v: definitions[type].v,
  eventScope: { invocationId },
  payload,
});

/** Another agent's writing of `text` over what is there, as its own invocation journals it. */
const writtenByAnother = (text: string): ReadonlyArray<NewEvent> => {
  const sha256 = Sha256.ofText(text);
  return [
    event("agent_invocation_created", rootInvocation, {
      invocationId: other,
      parentInvocationId: rootInvocation,
      profileId: ProfileId.make("default-writer"),
      kind: "subagent",
      status: "created",
    }),
    event("workspace_file_written", other, {
      round: 1,
      invocationId: other,
      callId: CallId.make("theirs"),
      path,
      mode: "replace",
      ...TextMetrics.measure(text),
      bytes: text.length,
      sha256,
      content: { path, sha256, bytes: text.length, text },
    }),
  ];
};

const read = (more: object = {}) => World.call("workspace_read_file", { path, ...more });
const patch = (from: string, to: string) =>
  World.call("workspace_apply_patch", { path, old_string: from, new_string: to });
const append = (content: string) => World.call("workspace_write_file", { path, content, mode: "append" });

/**
 * Plays `before`, lets another agent write the file while the run is interrupted, then plays `after`; gives the codes
 * of the calls of `after` and the file's text in the chat.
 */
const meeting = Effect.fnUntraced(function* (
  before: ReadonlyArray<World.Turn>,
  text: string,
  after: ReadonlyArray<World.Turn>,
) {
  const world = World.make();
  const [first, ...rest] = after;
  const turns = [...before, { ...first, delayMs: 1000 }, ...rest, World.commit, World.finish];
  const runId = yield* Effect.gen(function* () {
    const run = yield* start(turns);
    yield* reached(world, run.runId, "model_call_attempt_started", before.length + 1);
    return run.runId;
  }).pipe(World.inProcess(world));
  const events = yield* eventsOf(world, runId);
  const journal = MemoryRunJournal.make(world.journals);
  yield* journal.append(runId, { epoch: 1, expectedSeq: events.length }, writtenByAnother(text));
  return yield* Effect.gen(function* () {
    const runs = yield* Runs;
    const run = yield* runs.resume(runId);
    yield* reached(world, runId, "model_call_attempt_started", before.length + 2);
    yield* TestClock.adjust(1000);
    const { outcome, results, texts } = yield* ended(world, run);
    assert.strictEqual(outcome.status, "completed");
    return {
      codes: results.slice(before.length, -2).map(({ errorCode }) => errorCode),
      text: texts[2],
    };
  }).pipe(World.inProcess(world, { name: "second" }));
});

describe("a file that another agent wrote", () => {
  it.effect("is replaced only by whoever has read it", () =>
    Effect.gen(function* () {
      const { codes, text } = yield* meeting([], "theirs", [World.write("mine"), read(), World.write("mine")]);
      assert.deepStrictEqual(codes, ["workspace.write_requires_read", undefined, undefined]);
      assert.strictEqual(text, "mine");
    }),
  );

  it.effect("is not replaced on the strength of an older reading", () =>
    Effect.gen(function* () {
      const { codes, text } = yield* meeting([World.write("mine")], "theirs", [
        World.write("again"),
        patch("mine", "x"),
        read(),
        World.write("again"),
      ]);
      assert.deepStrictEqual(codes, ["workspace.write_stale_file", "workspace.patch_stale_file", undefined, undefined]);
      assert.strictEqual(text, "again");
    }),
  );

  it.effect("is patched only when all of it was read, in as many parts as it takes", () =>
    Effect.gen(function* () {
      const { codes, text } = yield* meeting([], "one\ntwo\nthree", [
        patch("two", "2"),
        read({ start_line: 1, line_count: 2 }),
        patch("two", "2"),
        read({ start_line: 3, line_count: 1 }),
        patch("two", "2"),
      ]);
      assert.deepStrictEqual(codes, [
        "workspace.patch_requires_read",
        undefined,
        "workspace.patch_requires_full_read",
        undefined,
        undefined,
      ]);
      assert.strictEqual(text, "one\n2\nthree");
    }),
  );

  it.effect("can be appended to unread; that unlocks nothing, and an explicit read does", () =>
    Effect.gen(function* () {
      const { codes, text } = yield* meeting([], "theirs", [
        append(" and mine"),
        World.write("only mine"),
        read(),
        World.write("only mine"),
      ]);
      assert.deepStrictEqual(codes, [undefined, "workspace.write_requires_read", undefined, undefined]);
      assert.strictEqual(text, "only mine");
    }),
  );

  it.effect("after a reading and an append of one's own is known, and can be replaced", () =>
    Effect.gen(function* () {
      const { codes, text } = yield* meeting([], "theirs", [read(), append("!"), patch("theirs!", "ours")]);
      assert.deepStrictEqual(codes, [undefined, undefined, undefined]);
      assert.strictEqual(text, "ours");
    }),
  );
});
