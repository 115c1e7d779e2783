import { assert, describe, it } from "@effect/vitest";
import * as Schema from "effect/Schema";
import { rootInvocation } from "../../src/identity/Identity.ts";
import { fold } from "../../src/run/evolve.ts";
import { nextStep, type Step } from "../../src/run/nextStep.ts";
import { empty } from "../../src/run/RunState.ts";
import * as Journals from "./journals.ts";

const stepAfter = (facts: ReadonlyArray<Journals.Fact>): Step =>
  nextStep(fold(empty, Journals.events(facts)), rootInvocation);

/** Positions in a journal move with every event; nothing else of a step may. */
const withoutPositions = (step: Step): unknown =>
  JSON.parse(
    JSON.stringify(step, (key, value: unknown) =>
      key === "requestedSeq" || key === "responseSeq" || key === "writtenBySeq" ? 0 : value,
    ),
  );

const indexOf = (type: string, from = 0): number =>
  Journals.writingRun.findIndex((fact, index) => index >= from && fact.type === type);

const until = (type: string, from = 0) => Journals.writingRun.slice(0, indexOf(type, from) + 1);

const append = (facts: ReadonlyArray<Journals.Fact>, type: string, payload: Journals.Fact["payload"]) => [
  ...facts,
  { type, v: 1, invocationId: rootInvocation, payload },
];

describe("the next step", () => {
  it.prop(
    "there is a step after any sequence of events",
    [Journals.anyFacts, Journals.shuffledFacts],
    ([any, shuffled]) => {
      for (const facts of [any, shuffled]) assert.isString(stepAfter(facts)._tag);
    },
  );

  it.prop(
    "depends on the fold alone: events that fold to nothing change no step",
    [Journals.shuffledFacts, Schema.Int],
    ([shuffled, number]) => {
      for (const facts of [shuffled, Journals.writingRun]) {
        const cut = Math.abs(number) % (facts.length + 1);
        const prefix = facts.slice(0, cut);
        const at = Math.abs(number * 7) % (cut + 1);
        const padded = [...prefix.slice(0, at), ...Journals.foldlessFacts, ...prefix.slice(at)];
        assert.deepStrictEqual(withoutPositions(stepAfter(padded)), withoutPositions(stepAfter(prefix)));
      }
    },
  );

  it("depends on the fold alone: a fold in halves gives the step of the whole", () => {
    const events = Journals.events(Journals.writingRun);
    for (let cut = 0; cut <= events.length; cut += 1) {
      for (let end = cut; end <= events.length; end += 5) {
        const halves = fold(fold(empty, events.slice(0, cut)), events.slice(cut, end));
        assert.deepStrictEqual(
          nextStep(halves, rootInvocation),
          nextStep(fold(empty, events.slice(0, end)), rootInvocation),
        );
      }
    }
  });

  it("a run that was never admitted cannot be carried on", () => {
    const step = stepAfter(Journals.writingRun.slice(0, 3));
    assert.isTrue(step._tag === "Fail" && step.code === "agent.resume_unavailable");
  });

  it("an admitted run asks the model for its first round", () => {
    assert.deepStrictEqual(stepAfter(until("agent_invocation_started")), { _tag: "RequestModel", round: 1 });
  });

  it("what was requested is sent, at once the first time and after the delay when it is repeated", () => {
    assert.deepStrictEqual(stepAfter(until("model_request_created")), {
      _tag: "CallModel",
      round: 1,
      attempt: 1,
      delayMs: 0,
    });
    assert.deepStrictEqual(stepAfter(until("model_call_retry_scheduled")), {
      _tag: "CallModel",
      round: 1,
      attempt: 2,
      delayMs: 3000,
    });
  });

  it("an attempt whose outcome is not journalled is made again at once", () => {
    assert.deepStrictEqual(stepAfter(until("model_call_attempt_started")), {
      _tag: "CallModel",
      round: 1,
      attempt: 2,
      delayMs: 0,
    });
  });

  it("a text-only answer is recovered once, and a second one fails", () => {
    const text = until("model_response_stored");
    const step = stepAfter(text);
    assert.isTrue(step._tag === "RecoverDrift" && step.attempt === 1);
    const again = [
      ...until("drift_recovery_attempted"),
      ...Journals.writingRun.slice(indexOf("model_response_stored"), indexOf("model_response_stored") + 1),
    ];
    const failed = stepAfter(again);
    assert.isTrue(failed._tag === "Fail" && failed.code === "model.tool_call_required");
  });

  it("calls run in the model's order, then the next round begins", () => {
    const both = until("tool_call_requested", indexOf("tool_call_requested") + 1);
    const first = stepAfter(both);
    assert.isTrue(first._tag === "RunTool" && first.call.callId === "a");
    const second = stepAfter(until("tool_call_completed"));
    assert.isTrue(second._tag === "RunTool" && second.call.callId === "b");
    assert.deepStrictEqual(stepAfter(until("tool_call_completed", indexOf("tool_call_completed") + 1)), {
      _tag: "RequestModel",
      round: 3,
    });
  });

  it("a commit with an intent and no outcome is settled, not repeated", () => {
    const step = stepAfter(until("chat_commit_requested"));
    assert.isTrue(step._tag === "SettleCommit" && step.commit.commitId === "commit_1" && !step.onlyLookUp);
  });

  it("a finished turn ends the run, and a call after it fails the run", () => {
    assert.deepStrictEqual(stepAfter(until("agent_loop_finished")), { _tag: "Finish" });
    const requested = Journals.writingRun[indexOf("tool_call_requested")];
    assert.isDefined(requested);
    const late = stepAfter([...until("agent_loop_finished"), requested]);
    assert.isTrue(late._tag === "Fail" && late.code === "agent.tool_after_finish");
  });

  it("an interrupted call that cannot be repeated gets an unknown outcome, any other runs again", () => {
    const resumed = { previousStatus: "dispatching_tool", unknownCalls: [] };
    const started = until("tool_call_started");
    assert.strictEqual(stepAfter(append(started, "run_resumed", resumed))._tag, "RunTool");
    const irreversible = started.map((fact) =>
      fact.type === "tool_call_started"
        ? { ...fact, payload: { ...(fact.payload as object), effectClass: "irreversible" } }
        : fact,
    );
    assert.strictEqual(stepAfter(irreversible)._tag, "RunTool");
    assert.strictEqual(stepAfter(append(irreversible, "run_resumed", resumed))._tag, "RecordUnknownOutcome");
  });

  it("the last round is the end of a run that has not finished", () => {
    const short = Journals.writingRun.map((fact) =>
      fact.type === "context_assembled"
        ? {
            ...fact,
            payload: {
              ...(fact.payload as object),
              limits: { maxRounds: 2, driftRecoveryMaxAttempts: 1, maxRetries: 3, retryIntervalMs: 3000 },
            },
          }
        : fact,
    );
    const step = stepAfter(short.slice(0, indexOf("tool_call_completed", indexOf("tool_call_completed") + 1) + 1));
    assert.isTrue(step._tag === "Fail" && step.code === "agent.max_tool_rounds_exceeded");
  });

  it("a cancel comes before everything but the end and a commit that may have reached the chat", () => {
    for (let cut = indexOf("agent_invocation_started"); cut < indexOf("run_completed") - 1; cut += 1) {
      const prefix = Journals.writingRun.slice(0, cut);
      const step = stepAfter(append(prefix, "run_cancel_requested", {}));
      const inFlight = fold(empty, Journals.events(prefix)).pendingCommit !== null;
      assert.strictEqual(step._tag, inFlight ? "SettleCommit" : "Cancel");
      assert.isTrue(step._tag !== "SettleCommit" || step.onlyLookUp);
    }
    assert.strictEqual(stepAfter(append(Journals.writingRun, "run_cancel_requested", {}))._tag, "Done");
  });
});
