import { assert, describe, it } from "@effect/vitest";
import { EventId, InvocationId, RunId, WorkspaceId } from "@cahier/domain/identity/Identity";
import type { NewEvent } from "@cahier/domain/run/EventEnvelope";
import { Unavailable } from "@cahier/ports/StorageFault";
import * as FaultyRunJournal from "@cahier/testkit/doubles/FaultyRunJournal";
import * as Effect from "effect/Effect";
import * as MemoryRunJournal from "../src/MemoryRunJournal.ts";

const runId = RunId.make("run_1");
const record = { runId, workspaceId: WorkspaceId.make("chat_1"), createdAt: "2026-01-02T00:00:00.000Z" };
const fault = new Unavailable({ operation: "append", kind: "full", detail: "The disk is full." });
const event: NewEvent = {
  id: EventId.make("evt_1"),
  timestamp: "2026-01-02T00:00:00.000Z",
  level: "info",
  type: "test_event",
  v: 1,
  eventScope: { invocationId: InvocationId.make("inv_root") },
  payload: {},
};

/** What each of three appends gives, each at the position that the journal has then. */
const appendThrice = Effect.fnUntraced(function* (plan: FaultyRunJournal.Plan) {
  const journal = FaultyRunJournal.make(MemoryRunJournal.make(), plan);
  yield* journal.create(record);
  return yield* Effect.forEach([1, 2, 3], () =>
    Effect.gen(function* () {
      const { lastSeq } = yield* journal.read(runId);
      const result = yield* Effect.result(journal.append(runId, { epoch: 1, expectedSeq: lastSeq }, [event]));
      const page = yield* journal.read(runId);
      return [result._tag, page.lastSeq];
    }),
  );
});

describe("FaultyRunJournal", () => {
  it.effect("the chosen append fails before it has written, and the others go on", () =>
    Effect.gen(function* () {
      const seen = yield* appendThrice({ append: 2, fault, moment: "beforeWriting" });
      assert.deepStrictEqual(seen, [
        ["Success", 1],
        ["Failure", 1],
        ["Success", 2],
      ]);
    }),
  );

  it.effect("the chosen append fails although its events are in the journal", () =>
    Effect.gen(function* () {
      const seen = yield* appendThrice({ append: 2, fault, moment: "afterWriting" });
      assert.deepStrictEqual(seen, [
        ["Success", 1],
        ["Failure", 2],
        ["Success", 3],
      ]);
    }),
  );

  it.effect("every append fails from the chosen one on, as on a full disk", () =>
    Effect.gen(function* () {
      const seen = yield* appendThrice({ append: 2, fault, moment: "beforeWriting", forever: true });
      assert.deepStrictEqual(seen, [
        ["Success", 1],
        ["Failure", 1],
        ["Failure", 1],
      ]);
    }),
  );
});
