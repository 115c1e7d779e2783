import { assert, describe, it } from "@effect/vitest";
import * as Arbitrary from "effect/Arbitrary";
import * as Result from "effect/Result";
import * as Schema from "effect/Schema";
import { RunId, WorkspaceId } from "../../src/identity/Identity.ts";
import { planRetention, type RetainedRun } from "../../src/retention/planRetention.ts";
import { check, defaults, mostRuns, type RetentionSettings } from "../../src/retention/RetentionSettings.ts";

const settingsOf = (keepRecentTerminalRuns: number, keepFullRecentRuns: number): RetentionSettings => ({
  ...defaults,
  keepRecentTerminalRuns,
  keepFullRecentRuns,
});

const run = (id: number, more: Partial<RetainedRun> = {}): RetainedRun => ({
  runId: RunId.make(`run_${String(id).padStart(4, "0")}`),
  workspaceId: WorkspaceId.make("chat_1"),
  createdAt: "2026-01-01T00:00:00.000Z",
  endedAt: new Date(id * 1000).toISOString(),
  blocked: null,
  blobs: 1,
  bytes: 10,
  ...more,
});

describe("the settings of retention", () => {
  it("keep a hundred runs, twenty of them whole, and remove nothing by themselves", () => {
    assert.deepStrictEqual(defaults, {
      autoPruneEnabled: false,
      keepRecentTerminalRuns: 100,
      keepFullRecentRuns: 20,
    });
    for (const settings of [defaults, settingsOf(0, 0), settingsOf(mostRuns, mostRuns)])
      assert.deepStrictEqual(check(settings), Result.succeed(settings));
  });

  it.each<readonly [number, number, string]>([
    [-1, 0, "agent.retention_keep_recent_terminal_runs_invalid"],
    [mostRuns + 1, 0, "agent.retention_keep_recent_terminal_runs_invalid"],
    [1.5, 0, "agent.retention_keep_recent_terminal_runs_invalid"],
    [10, -1, "agent.retention_keep_full_recent_runs_invalid"],
    [10, Number.NaN, "agent.retention_keep_full_recent_runs_invalid"],
    [10, 11, "agent.retention_keep_full_recent_runs_invalid"],
  ])("that keep %d and %d whole are refused with %s", (recent, full, code) => {
    const found = check(settingsOf(recent, full));
    assert.isTrue(Result.isFailure(found) && found.failure.code === code);
  });
});

describe("a plan", () => {
  it("keeps the last runs whole, slims those before, and deletes the rest, by when they ended", () => {
    const plan = planRetention([run(1), run(4), run(2), run(3), run(5)], settingsOf(4, 2));
    assert.deepStrictEqual([plan.terminal, plan.fullRetained, plan.coreRetained], [5, 2, 0]);
    assert.deepStrictEqual(
      plan.candidates.map(({ action, reason, runId }) => [runId, action, reason]),
      [
        ["run_0003", "slim_heavy_artifacts", "outside_full_retention_window"],
        ["run_0002", "slim_heavy_artifacts", "outside_full_retention_window"],
        ["run_0001", "delete_run", "outside_history_retention_window"],
      ],
    );
  });

  it("leaves blocked runs alone and gives them no rank, and slims nothing twice", () => {
    const blocked = [
      run(9, { blocked: "active_run", endedAt: null }),
      run(8, { blocked: "missing_terminal_event", endedAt: null }),
      run(7, { blocked: "invalid_journal", endedAt: null }),
    ];
    const plan = planRetention([...blocked, run(1), run(2, { blobs: 0, bytes: 0 }), run(3)], settingsOf(3, 1));
    assert.deepStrictEqual(
      plan.candidates.map(({ runId }) => runId),
      ["run_0001"],
    );
    assert.deepStrictEqual([plan.nonTerminal, plan.blocked.length, plan.coreRetained], [2, 3, 1]);
  });

  it.prop(
    "is the same for any order of the runs, and every run is in it once",
    [
      Arbitrary.array(Arbitrary.schema(Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 5 }))), {
        maxLength: 12,
      }),
      Arbitrary.schema(Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 12 }))),
      Arbitrary.schema(Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 12 }))),
    ],
    ([ends, one, other]) => {
      const runs = ends.map((end, index) =>
        run(index, { endedAt: new Date(end * 1000).toISOString(), blobs: index % 3 }),
      );
      const settings = settingsOf(Math.max(one, other), Math.min(one, other));
      const plan = planRetention(runs, settings);
      assert.deepStrictEqual(planRetention(runs.toReversed(), settings), plan);
      assert.strictEqual(plan.fullRetained + plan.coreRetained + plan.candidates.length, runs.length);
      assert.isAtMost(
        runs.length - plan.candidates.filter(({ action }) => action === "delete_run").length,
        Math.max(one, other),
      );
    },
  );
});
