/**
 * What a timeline says of events that are easily misread.
 */
import { EventId, InvocationId, RunId } from "@cahier/domain/identity/Identity";
import type { KnownEvent, PayloadOf } from "@cahier/domain/run/RunEvent";
import { assert, describe, it } from "@effect/vitest";
import { lineOf } from "../src/timeline/Timeline.ts";

const said = <Type extends KnownEvent["type"]>(type: Type, payload: PayloadOf<Type>): string | undefined => {
  const line = lineOf(
    {
      id: EventId.make("evt_1"),
      runId: RunId.make("run_1"),
      seq: 7,
      epoch: 1,
      timestamp: "2026-01-02T03:04:05.000Z",
      level: "info",
      type,
      v: 1,
      eventScope: { invocationId: InvocationId.make("inv_root") },
      payload: { ...payload },
    },
    { colours: false },
  );
  return line?.replace(/^ +7 [\d:]{8} {2}/, "");
};

describe("the timeline", () => {
  it("says what the agent remembers, and what it does not because somebody has removed it", () => {
    const begins = (payload: PayloadOf<"persistent_projection_initialized">) =>
      said("persistent_projection_initialized", payload);
    assert.strictEqual(
      begins({ stateId: "run_a", source: "branch", fileCount: 1 }),
      "remembers        1 file of run_a",
    );
    assert.strictEqual(
      begins({ stateId: "run_a", source: "branch", fileCount: 2, removed: ["run_b"] }),
      "remembers        2 files of run_a; run_b was removed on purpose",
    );
    assert.strictEqual(
      begins({ stateId: null, source: "none", fileCount: 0, removed: ["run_b"] }),
      "remembers        nothing; run_b was removed on purpose",
    );
  });

  it("tells a run that completed from one that is as it was because its revision came to nothing", () => {
    assert.strictEqual(said("run_completed", {}), "completed");
    assert.strictEqual(
      said("run_completed", { revision: { outcome: "cancelled" } }),
      "completed        as before; its revision was cancelled",
    );
    assert.strictEqual(
      said("run_completed", { revision: { outcome: "failed", code: "model.failed", message: "No answer." } }),
      "completed        as before; its revision failed: No answer. [model.failed]",
    );
  });
});
