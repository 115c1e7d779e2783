import { assert, describe, it } from "@effect/vitest";
import * as Schema from "effect/Schema";
import * as Invocation from "../../src/invocation/Invocation.ts";
import * as Log from "../../src/run/Log.ts";
import * as RunStatus from "../../src/run/RunStatus.ts";
import * as Task from "../../src/task/Task.ts";

const statuses = RunStatus.RunStatus.literals;
const terminal = new Set(["completed", "partial_success", "cancelled", "failed"]);
const fromAnyOpen = new Set(["interrupted", "cancelling", "failed", "partial_success"]);

describe("the status of a run", () => {
  for (const from of statuses) {
    it(`${from} changes to exactly what the table allows`, () => {
      const allowed = statuses.filter((to) => RunStatus.canChange(from, to));
      const ends = terminal.has(from);
      const expected = statuses.filter(
        (to) => RunStatus.legalChanges[from].includes(to) || (!ends && to !== from && fromAnyOpen.has(to)),
      );
      assert.deepStrictEqual(allowed, expected);
      assert.strictEqual(RunStatus.isTerminal(from), ends);
      if (ends) assert.deepStrictEqual(allowed, from === "failed" ? [] : ["assembling_context"]);
      assert.strictEqual(RunStatus.canChange(from, from), from === "calling_model");
    });
  }

  it("every status can be reached from created", () => {
    const reached = new Set<RunStatus.RunStatus>(["created"]);
    for (const from of reached) for (const to of statuses) if (RunStatus.canChange(from, to)) reached.add(to);
    assert.deepStrictEqual([...reached].toSorted(), [...statuses].toSorted());
  });

  it("an open run can always be cancelled, fail or be interrupted", () => {
    for (const from of statuses.filter((status) => !RunStatus.isTerminal(status)))
      for (const to of ["cancelling", "failed", "interrupted"] as const)
        assert.strictEqual(RunStatus.canChange(from, to), from !== to, `${from} to ${to}`);
  });
});

describe("the status of an invocation", () => {
  it("begins, runs and ends; an end is final", () => {
    const all = Invocation.InvocationStatus.literals;
    const legal = all.flatMap((from) =>
      all.filter((to) => Invocation.canChange(from, to)).map((to) => `${from} to ${to}`),
    );
    assert.deepStrictEqual(legal, [
      "created to running",
      "created to failed",
      "created to cancelled",
      "running to completed",
      "running to failed",
      "running to cancelled",
      "running to transferred",
    ]);
  });

  it("every kind but a subagent moves the status of the run", () => {
    assert.deepStrictEqual(
      Invocation.InvocationKind.literals.filter((kind) => !Invocation.ownsRunStatus(kind)),
      ["subagent"],
    );
  });
});

describe("the status of a task", () => {
  it("is queued, runs and ends; an end is final", () => {
    const all = Task.TaskStatus.literals;
    const legal = all.flatMap((from) => all.filter((to) => Task.canChange(from, to)).map((to) => `${from} to ${to}`));
    assert.deepStrictEqual(legal, [
      "queued to running",
      "queued to failed",
      "queued to cancelled",
      "running to completed",
      "running to failed",
      "running to cancelled",
    ]);
  });
});

describe("an append-only log", () => {
  const numbers = Schema.Array(Schema.Int);
  const grow = (from: Log.Log<number>, items: ReadonlyArray<number>) =>
    items.reduce((log, item) => Log.append(log, item), from);

  it.prop("holds what was appended, in order, from any start", [numbers, Schema.Int], ([items, number]) => {
    const log = grow(Log.empty(), items);
    const start = Math.abs(number) % (items.length + 1);
    assert.deepStrictEqual(Log.toArray(log), items);
    assert.deepStrictEqual(Log.toArray(log, start), items.slice(start));
    assert.strictEqual(Log.at(log, start), items[start]);
    assert.isUndefined(Log.at(log, items.length));
    assert.isUndefined(Log.at(log, -1));
  });

  it.prop("two logs that grow from one value never see each other", [numbers, numbers, numbers], ([base, one, two]) => {
    const shared = grow(Log.empty(), base);
    const left = grow(shared, one);
    const right = grow(shared, two);
    const more = grow(left, two);
    assert.deepStrictEqual(Log.toArray(shared), base);
    assert.deepStrictEqual(Log.toArray(left), [...base, ...one]);
    assert.deepStrictEqual(Log.toArray(right), [...base, ...two]);
    assert.deepStrictEqual(Log.toArray(more), [...base, ...one, ...two]);
  });

  it("appends to the newest value without copying, and copies once for a fork", () => {
    const first = Log.append(Log.empty<number>(), 1);
    const second = Log.append(first, 2);
    assert.strictEqual(second.backing, first.backing);
    const fork = Log.append(first, 3);
    assert.notStrictEqual(fork.backing, first.backing);
  });
});
