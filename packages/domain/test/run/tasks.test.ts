import { assert, describe, it } from "@effect/vitest";
import { InvocationId, ProfileId, rootInvocation, TaskId } from "../../src/identity/Identity.ts";
import { activeInvocations, openChildren } from "../../src/run/activeInvocations.ts";
import { fold } from "../../src/run/evolve.ts";
import { nextStep } from "../../src/run/nextStep.ts";
import { empty, type RunState } from "../../src/run/RunState.ts";
import { allTasks, undelivered } from "../../src/run/tasks.ts";
import { isOver } from "../../src/task/Task.ts";
import * as Journals from "./journals.ts";

const child = (name: string) => InvocationId.make(`inv_${name}`);

const parties = (name: string) => ({
  taskId: TaskId.make(`task_${name}`),
  parentInvocationId: rootInvocation,
  childInvocationId: child(name),
});

const given = (name: string): ReadonlyArray<Journals.Fact> => [
  Journals.fact("agent_task_registered", {
    ...parties(name),
    targetProfileId: ProfileId.make("critic"),
    workspaceKey: name,
    continuation: "return_to_parent",
    status: "queued",
    brief: Journals.payload(`input/${name}.md`, "Do it."),
    profile: Journals.payload(`input/${name}.json`, "{}"),
    timeoutMs: 1000,
  }),
  Journals.fact(
    "agent_invocation_created",
    {
      invocationId: child(name),
      parentInvocationId: rootInvocation,
      profileId: ProfileId.make("critic"),
      kind: "subagent",
      status: "created",
      exitPolicy: "task_return_required",
    },
    child(name),
  ),
];

const started = (name: string) => Journals.fact("agent_task_started", { ...parties(name), status: "running" });
const completed = (name: string) => Journals.fact("agent_task_completed", { ...parties(name), status: "completed" });
const failed = (name: string) =>
  Journals.fact("agent_task_failed", {
    ...parties(name),
    status: "failed",
    error: { code: "agent.task_timeout", message: "late" },
  });

/** A run that is under way, whose limits allow two tasks at once, with these events behind it. */
const after = (...facts: ReadonlyArray<Journals.Fact>): RunState => {
  const begun = Journals.writingRun.slice(
    0,
    Journals.writingRun.findIndex(({ type }) => type === "agent_invocation_started") + 1,
  );
  const limited = begun.map((fact) =>
    fact.type === "context_assembled"
      ? {
          ...fact,
          payload: {
            ...(fact.payload as object),
            limits: {
              maxRounds: 9,
              driftRecoveryMaxAttempts: 1,
              maxRetries: 3,
              retryIntervalMs: 3000,
              delegation: {
                canDelegate: true,
                canHandoff: false,
                maxConcurrentInvocations: 2,
                maxInvocationsPerRun: 8,
                maxHandoffDepth: 8,
                maxDepth: 1,
                taskTimeoutMs: 1000,
              },
            },
          },
        }
      : fact,
  );
  return fold(empty, Journals.events([...limited, ...facts]));
};

const statuses = (state: RunState) => allTasks(state).map(({ status }) => status);

describe("the tasks of a run", () => {
  it("end once, and stay as they ended", () => {
    const state = after(...given("a"), started("a"), completed("a"), failed("a"), started("a"));
    assert.deepStrictEqual(statuses(state), ["completed"]);
    assert.deepStrictEqual(statuses(after(...given("a"), completed("a"))), ["queued"]);
    assert.deepStrictEqual(statuses(after(started("a"), completed("a"))), []);
  });

  it("are told to whoever gave them until that is on record", () => {
    const ended = [...given("a"), ...given("b"), started("a"), completed("a"), started("b"), failed("b")];
    assert.deepStrictEqual(
      undelivered(after(...ended), rootInvocation).map(({ workspaceKey }) => workspaceKey),
      ["a", "b"],
    );
    assert.strictEqual(nextStep(after(...ended), rootInvocation)._tag, "DeliverResults");
    const told = after(
      ...ended,
      Journals.fact("agent_task_results_delivered", {
        parentInvocationId: rootInvocation,
        taskIds: [parties("a").taskId, parties("b").taskId],
        message: Journals.payload("input/told.md", "Told."),
      }),
    );
    assert.deepStrictEqual(undelivered(told, rootInvocation), []);
    assert.strictEqual(nextStep(told, rootInvocation)._tag, "RequestModel");
    const answered = fold(told, Journals.events(Journals.answered(1), told.seq + 1));
    assert.isTrue(allTasks(answered).every(({ delivery }) => delivery === "acknowledged"));
  });

  it.prop("come to the same however often their events are recorded", [Journals.shuffledFacts], ([shuffled]) => {
    const facts = [...shuffled, ...given("a"), started("a"), completed("a"), ...given("a"), completed("a")];
    assert.isAtMost(allTasks(fold(empty, Journals.events(facts))).length, 1);
  });
});

describe("the invocations that can go on", () => {
  it("are whoever is in the foreground, and as many delegated ones as the limit allows, first given first", () => {
    const three = [...given("a"), ...given("b"), ...given("c")];
    assert.deepStrictEqual(activeInvocations(after(...three)), [rootInvocation, child("a"), child("b")]);
    assert.deepStrictEqual(openChildren(after(...three, started("b"), started("c"))), [child("b"), child("c")]);
    assert.deepStrictEqual(openChildren(after(...three, started("a"), completed("a"), started("b"))), [
      child("b"),
      child("c"),
    ]);
  });

  it("are none of those whose run is to be cancelled but the one that writes down its end", () => {
    const cancelled = after(...given("a"), started("a"), Journals.fact("run_cancel_requested", {}));
    assert.deepStrictEqual(activeInvocations(cancelled), [rootInvocation]);
    assert.strictEqual(nextStep(cancelled, child("a"))._tag, "Done");
  });

  it.prop(
    "are known of any state, and no ended task is among them",
    [Journals.anyFacts, Journals.shuffledFacts],
    ([any, shuffled]) => {
      for (const facts of [any, shuffled]) {
        const state = fold(empty, Journals.events([...facts, ...given("a")]));
        const active = new Set<string>(activeInvocations(state));
        for (const { child: id, status } of allTasks(state))
          if (isOver(status) && id !== state.foreground) assert.isFalse(active.has(id));
      }
    },
  );
});
