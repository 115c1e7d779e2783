/**
 * What a timeline says of events that are easily misread.
 */
import { EventId, InvocationId, ProfileId, RunId, TaskId } from "@cahier/domain/identity/Identity";
import type { KnownEvent, PayloadOf } from "@cahier/domain/run/RunEvent";
import { warning as playedFromAScript } from "@cahier/provider-gateway/protocols/scripted/ScriptedModel";
import { assert, describe, it } from "@effect/vitest";
import { lineOf } from "../src/timeline/Timeline.ts";

const [first, critic] = [InvocationId.make("inv_root"), InvocationId.make("inv_critic")];

const said = <Type extends KnownEvent["type"]>(
  type: Type,
  payload: PayloadOf<Type>,
  invocationId: InvocationId = first,
): string | undefined => {
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
      eventScope: { invocationId },
      payload: { ...payload },
    },
    { colours: false, nameOf: (id) => (id === critic ? "The critic" : undefined) },
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

  it("says what a tool asks in the middle of its call, and whether somebody answered", () => {
    const call = { round: 1, invocationId: first, callId: "call_1", toolId: "mcp/a:form", questionId: "question_1" };
    const question = { path: "questions/question_1.json", sha256: "0".repeat(64), bytes: 2, text: "{}" };
    const asked = { ...call, message: "Which\u001b lamp?", question } as PayloadOf<"tool_question_asked">;
    assert.strictEqual(said("tool_question_asked", asked), "mcp/a:form       asks: Which␛ lamp?");
    const answered = (action: "accept" | "cancel", by: "user" | "unattended") =>
      said("tool_question_answered", { ...call, action, by } as PayloadOf<"tool_question_answered">);
    assert.strictEqual(answered("accept", "user"), "mcp/a:form       is answered: accept");
    assert.strictEqual(answered("cancel", "unattended"), "mcp/a:form       is not answered: nobody is there");
  });

  it("tells what an answer came without, but not at each answer of a script that it is one", () => {
    const answered = (warnings: ReadonlyArray<string>) =>
      said("model_completed", {
        round: 1,
        invocationId: first,
        modelResponsePath: "model-responses/inv_root/round-001.json",
        toolCallCount: 1,
        textChars: 0,
        textWords: 0,
        hasReasoning: false,
        reasoningChars: 0,
        reasoningWords: 0,
        warnings,
      });
    assert.strictEqual(answered([playedFromAScript]), "round 1          1 call");
    assert.match(
      answered(["An attachment was not sent.", playedFromAScript]) ?? "",
      /^round 1 {10}1 call\n.* warning {10}An attachment was not sent\.$/,
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

  it("says who is given work, how it ends, and whose line it is where that is not the first agent", () => {
    const parties = {
      taskId: TaskId.make("task_1"),
      parentInvocationId: first,
      childInvocationId: critic,
    };
    const target = { ...parties, targetProfileId: ProfileId.make("critic"), workspaceKey: "critic-001" };
    assert.strictEqual(said("agent_delegate_started", target), "gives work       to The critic (critic-001)");
    assert.strictEqual(
      said("drift_recovery_attempted", { attempt: 1, maxAttempts: 2 } as PayloadOf<"drift_recovery_attempted">, critic),
      "reminder         The critic: 1 of 2",
    );
    assert.strictEqual(
      said("agent_task_completed", { ...parties, status: "completed", resultRef: "summaries/critic-001-result.md" }),
      "work done        by The critic",
    );
    assert.strictEqual(
      said("agent_task_failed", {
        ...parties,
        status: "failed",
        error: { code: "model.failed", message: "No answer." },
      }),
      "work failed      The critic: No answer. [model.failed]",
    );
    assert.strictEqual(
      said("agent_task_cancelled", { ...parties, status: "cancelled", error: "The run has ended." }),
      "work cancelled   The critic: The run has ended.",
    );
    assert.strictEqual(
      said("agent_handoff_accepted", {
        taskId: TaskId.make("handoff_1"),
        sourceInvocationId: first,
        newInvocationId: critic,
        targetProfileId: ProfileId.make("critic"),
        workspaceKey: "critic-002",
      }),
      "hands over       to The critic",
    );
    assert.isUndefined(said("agent_task_completed", { ...parties, status: "completed" }));
  });
});
