import * as PathMap from "@cahier/domain/run/PathMap";
import { checkpointsOf } from "@cahier/domain/run/checkpoint";
import { assert, describe, it } from "@effect/vitest";
import * as Arbitrary from "effect/Arbitrary";
import * as Result from "effect/Result";
import * as Schema from "effect/Schema";
import { CallId, CheckpointId, rootInvocation } from "../../src/identity/Identity.ts";
import * as Sha256 from "../../src/payload/Sha256.ts";
import { decideApproval } from "../../src/run/decideApproval.ts";
import { fold } from "../../src/run/evolve.ts";
import { nextStep, type Step } from "../../src/run/nextStep.ts";
import type * as RunEvent from "../../src/run/RunEvent.ts";
import { awaitingCalls, empty, spent, wallMs } from "../../src/run/RunState.ts";
import * as Journals from "./journals.ts";

const { answered, closed, fact, requested, started, status } = Journals;

const tool = "notes.erase";
const toolId = `builtin:${tool}`;
const hash = Sha256.ofText("{}");
const other = Sha256.ofText("other");

const admitted = (limits: Partial<RunEvent.PayloadOf<"context_assembled">["limits"]> = {}) =>
  Journals.writingRun
    .slice(
      0,
      Journals.writingRun.findIndex(({ type }) => type === "model_request_created"),
    )
    .map((one) =>
      one.type === "context_assembled"
        ? {
            ...one,
            payload: {
              ...(one.payload as object),
              limits: { maxRounds: 99, driftRecoveryMaxAttempts: 9, maxRetries: 3, retryIntervalMs: 3000, ...limits },
            },
          }
        : one,
    );

const call = (id: string) => ({ round: 1, invocationId: rootInvocation, callId: CallId.make(id), toolId });

const asked = (id: string) =>
  fact("tool_call_awaiting_approval", {
    ...call(id),
    title: "Erase notes",
    argumentsSummary: `note: ${id}`,
    argumentsSha256: hash,
    sideEffects: ["The note is gone for good."],
    source: "builtin",
    reason: "It can destroy something.",
    layer: "tool",
    rule: "annotations.destructive",
  });

const approved = (id: string, more: Partial<RunEvent.PayloadOf<"tool_call_approved">> = {}) =>
  fact("tool_call_approved", { ...call(id), argumentsSha256: hash, by: "user", ...more });

const denied = (id: string, more: Partial<RunEvent.PayloadOf<"tool_call_denied">> = {}) =>
  fact("tool_call_denied", { ...call(id), by: "user", reason: "Not that one.", ...more });

/** Three calls of one turn; people are asked about `a` and `c`. */
const turn = [requested(1, "a", tool), requested(1, "b", tool), requested(1, "c", tool), asked("a"), asked("c")];
const parked = [...admitted(), ...answered(1), ...turn];

const stateAfter = (...facts: ReadonlyArray<Journals.Fact>) => fold(empty, Journals.events(facts));
const stepAfter = (...facts: ReadonlyArray<Journals.Fact>) => nextStep(stateAfter(...facts), rootInvocation);
const callsOf = (step: Step): string =>
  step._tag === "AwaitApproval" ? step.calls.map(({ callId }) => callId).join(" ") : step._tag;
const runs = (step: Step): string => (step._tag === "RunTool" ? step.call.callId : step._tag);

describe("calls that await approval", () => {
  it("are asked about together, and no call of the turn runs before all are decided", () => {
    assert.strictEqual(callsOf(stepAfter(...parked)), "a c");
    assert.strictEqual(callsOf(stepAfter(...parked, approved("c"))), "a");
    assert.strictEqual(runs(stepAfter(...parked, approved("c"), approved("a"))), "a");
  });

  it("are decided in any order and run in the model's order", () => {
    const decided = [...parked, denied("c"), approved("a")];
    assert.strictEqual(runs(stepAfter(...decided)), "a");
    const first = [...decided, started(1, "a", tool), ...closed(1, "a", tool)];
    assert.strictEqual(runs(stepAfter(...first)), "b");
    assert.strictEqual(runs(stepAfter(...first, started(1, "b", tool), ...closed(1, "b", tool))), "c");
  });

  it("are told with all that a person needs, in the order in which they were asked", () => {
    const waiting = awaitingCalls(stateAfter(...parked));
    assert.deepStrictEqual(
      waiting.map(({ call: { callId } }) => callId),
      [CallId.make("a"), CallId.make("c")],
    );
    const { askedSeq, ...shown } = waiting[0]?.call.approval ?? assert.fail("nothing is asked");
    assert.isAbove(askedSeq, 0);
    assert.deepStrictEqual(shown, {
      title: "Erase notes",
      argumentsSummary: "note: a",
      argumentsSha256: hash,
      sideEffects: ["The note is gone for good."],
      source: "builtin",
      reason: "It can destroy something.",
      layer: "tool",
      rule: "annotations.destructive",
    });
  });

  it("stand in status awaiting_approval, from which the run goes on, is cancelled or fails", () => {
    const waiting = [...parked, status("calling_model", "awaiting_approval")];
    assert.strictEqual(stateAfter(...waiting).status, "awaiting_approval");
    assert.strictEqual(
      stateAfter(...waiting, status("awaiting_approval", "dispatching_tool")).status,
      "dispatching_tool",
    );
    assert.strictEqual(stepAfter(...waiting, fact("run_cancel_requested", {}))._tag, "Cancel");
  });

  it("still wait when another process has taken the run over", () => {
    const resumed = fact("run_resumed", { previousStatus: "awaiting_approval", unknownCalls: [] });
    assert.strictEqual(callsOf(stepAfter(...parked, resumed)), "a c");
  });
});

describe("a decision about a call", () => {
  const callAfter = (...facts: ReadonlyArray<Journals.Fact>) =>
    stateAfter(...parked, ...facts).invocations[rootInvocation]?.turn?.calls[0];

  it("counts for the arguments that were shown, and for no others", () => {
    assert.strictEqual(callAfter(approved("a", { argumentsSha256: other }))?.phase, "awaiting");
    assert.isTrue(callAfter(approved("a"))?.decision?.approved);
  });

  it("counts once: the first one stands", () => {
    assert.deepStrictEqual(callAfter(approved("a"), denied("a")), callAfter(approved("a")));
    assert.deepStrictEqual(callAfter(denied("a"), approved("a")), callAfter(denied("a")));
    const running = [approved("a"), approved("c"), started(1, "a", tool)];
    assert.deepStrictEqual(callAfter(...running, denied("a")), callAfter(...running));
  });

  it("that denies becomes the result of the call", () => {
    const { decision, phase, refusal } = callAfter(denied("a")) ?? assert.fail("no call");
    assert.strictEqual(phase, "requested");
    assert.deepStrictEqual(decision, { approved: false, by: "user", reason: "Not that one." });
    assert.deepStrictEqual(refusal, { code: "tool.denied", message: "Not that one." });
  });

  it("may come from policy, without anybody being asked", () => {
    const facts = [
      ...admitted(),
      ...answered(1),
      requested(1, "a", tool),
      denied("a", { by: "policy", layer: "user", rule: "rules[0]" }),
    ];
    const step = stepAfter(...facts);
    assert.isTrue(step._tag === "RunTool" && step.call.refusal?.code === "tool.denied");
  });

  it("that denies fails the run where the profile says so, at once", () => {
    const strict = [...admitted({ onDenied: "fail" }), ...answered(1), ...turn];
    const step = stepAfter(...strict, denied("c"));
    assert.isTrue(step._tag === "Fail" && step.code === "tool.denied" && step.message.includes("Not that one."));
    const lenient = [...admitted({ onDenied: "return" }), ...answered(1), ...turn, denied("c")];
    assert.strictEqual(callsOf(stepAfter(...lenient)), "a");
  });

  it("is remembered for the run when it says so and fits", () => {
    const remembered = (...facts: ReadonlyArray<Journals.Fact>) => stateAfter(...parked, ...facts).approvedTools;
    assert.deepStrictEqual(remembered(approved("a")), []);
    assert.deepStrictEqual(remembered(approved("a", { remember: "run" })), [toolId]);
    assert.deepStrictEqual(remembered(approved("a", { remember: "run" }), approved("c", { remember: "profile" })), [
      toolId,
    ]);
    assert.deepStrictEqual(remembered(approved("a", { remember: "run", argumentsSha256: other })), []);
    assert.deepStrictEqual(remembered(denied("a"), approved("a", { remember: "run" })), []);
    assert.deepStrictEqual(remembered(approved("x", { remember: "run" })), []);
  });

  it.prop(
    "no call runs while another of its turn awaits approval, whatever happens in whatever order",
    [Arbitrary.array(Arbitrary.schema(Schema.Literals([0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11])), { maxLength: 12 })],
    ([order]) => {
      const pool = [
        ...turn.slice(3),
        asked("b"),
        approved("a"),
        approved("b"),
        approved("c"),
        denied("a"),
        denied("c"),
        approved("a", { argumentsSha256: other }),
        started(1, "a", tool),
        ...closed(1, "a", tool),
      ];
      const facts = [
        ...admitted(),
        ...answered(1),
        ...turn.slice(0, 3),
        ...order.flatMap((index) => pool[index] ?? []),
      ];
      for (let cut = parked.length - 2; cut <= facts.length; cut += 1) {
        const state = stateAfter(...facts.slice(0, cut));
        const step = nextStep(state, rootInvocation);
        const isWaiting = awaitingCalls(state).length > 0;
        assert.strictEqual(step._tag === "AwaitApproval", isWaiting);
      }
    },
    { arbitrary: { runs: 200 } },
  );
});

describe("a person's answer", () => {
  const answer = (facts: ReadonlyArray<Journals.Fact>, id: string, more: object = {}) =>
    decideApproval(stateAfter(...facts), { callId: CallId.make(id), approved: true, ...more });
  const codeOf = (result: ReturnType<typeof answer>) => (Result.isFailure(result) ? result.failure.code : "none");

  it("becomes one event that is bound to the arguments which were asked about", () => {
    const yes = Result.getOrThrow(answer(parked, "c", { remember: "run", reason: "Go on." }));
    assert.deepStrictEqual(yes, {
      type: "tool_call_approved",
      invocationId: rootInvocation,
      payload: { ...call("c"), argumentsSha256: hash, by: "user", reason: "Go on.", remember: "run" },
    });
    const no = Result.getOrThrow(answer(parked, "a", { approved: false, argumentsSha256: hash }));
    assert.deepStrictEqual(no.payload, { ...call("a"), by: "user", reason: "The user did not allow this call." });
  });

  it.each([
    ["agent.approval_not_found", "b", {}],
    ["agent.approval_not_found", "x", {}],
    ["agent.approval_not_found", "a", { invocationId: "inv_other" }],
    ["agent.approval_arguments_changed", "a", { argumentsSha256: other }],
  ])("is refused with %s for the call %s and %j", (code, id, more) => {
    assert.strictEqual(codeOf(answer(parked, id, more)), code);
  });

  it("is refused when the call is decided already, whatever it says", () => {
    for (const decision of [approved("a"), denied("a")])
      for (const yes of [true, false])
        assert.strictEqual(
          codeOf(answer([...parked, decision], "a", { approved: yes })),
          "agent.approval_already_decided",
        );
  });

  it("to a run that waits for nobody is refused", () => {
    assert.strictEqual(codeOf(answer(Journals.writingRun, "a")), "agent.approval_not_found");
  });
});

describe("what a run has spent", () => {
  const round = (number: number, more: object = {}) => [
    ...answered(number).map((one) =>
      one.type === "model_response_stored" ? { ...one, payload: { ...(one.payload as object), ...more } } : one,
    ),
    requested(number, `call${number}`, tool),
    started(number, `call${number}`, tool),
    ...closed(number, `call${number}`, tool),
  ];
  const codeAfter = (...facts: ReadonlyArray<Journals.Fact>) => {
    const step = stepAfter(...facts);
    return step._tag === "Fail" ? step.code : step._tag;
  };

  it("of tokens ends it before the next round, exactly at its budget", () => {
    const facts = (tokens: number) => [...admitted({ budget: { tokens } }), ...round(1), ...round(2)];
    assert.strictEqual(codeAfter(...facts(24)), "agent.token_budget_exhausted");
    assert.strictEqual(codeAfter(...facts(25)), "RequestModel");
  });

  it("of money ends it, and what tools cost counts", () => {
    const paid = fact("tool_call_completed", {
      ...call("call1"),
      isError: false,
      elapsedMs: 1,
      resourceRefs: [],
      usage: { cost: 0.2, tokens: 7, timeMs: 3, bytes: 9 },
    });
    const facts = (cost: number) => [...admitted({ budget: { cost } }), ...round(1, { cost: 0.1 }), paid];
    assert.strictEqual(codeAfter(...facts(0.3)), "agent.cost_budget_exhausted");
    assert.strictEqual(codeAfter(...facts(0.31)), "RequestModel");
    assert.strictEqual(spent(stateAfter(...facts(1))).tokens, 19);
  });

  it("of time ends it, before the first round as well", () => {
    assert.strictEqual(codeAfter(...admitted({ budget: { wallMs: 1 } })), "agent.time_budget_exhausted");
    assert.strictEqual(codeAfter(...admitted({ budget: { wallMs: 60_000 } })), "RequestModel");
  });

  it("of time counts neither waiting for people nor lying interrupted", () => {
    const at = (facts: ReadonlyArray<Journals.Fact>, times: ReadonlyArray<number>) =>
      fold(
        empty,
        Journals.events(facts).map((event, index) => ({
          ...event,
          timestamp: new Date((times[index] ?? times.at(-1) ?? 0) * 1000).toISOString(),
        })),
      );
    const created = Journals.writingRun.slice(0, 1);
    const owned = Journals.writingRun.slice(1, 2);
    const resumed = fact("run_resumed", { previousStatus: "calling_model", unknownCalls: [] });
    const path = ["initializing_workspace", "assembling_context", "calling_model", "awaiting_approval"] as const;
    const moves = path.map((to, index) => status(index === 0 ? "created" : (path[index - 1] ?? "created"), to));
    assert.strictEqual(wallMs(at([...created, ...owned], [0, 5])), 5000);
    assert.strictEqual(wallMs(at([...created, ...moves, ...owned], [0, 1, 2, 3, 4, 900])), 4000);
    const again = status("awaiting_approval", "dispatching_tool");
    assert.strictEqual(wallMs(at([...created, ...moves, again, ...owned], [0, 1, 2, 3, 4, 900, 902])), 6000);
    assert.strictEqual(wallMs(at([...created, ...owned, resumed, ...owned], [0, 5, 700, 703])), 8000);
    assert.strictEqual(wallMs(at([...created, ...moves, resumed, ...owned], [0, 1, 2, 3, 4, 700, 703])), 4000);
  });
});

describe("a model that goes in circles", () => {
  const content = Sha256.ofText("content");
  const repeated = (number: number, result = content) => [
    ...answered(number),
    ...[requested(number, `c${number}`, tool)].map((one) => ({
      ...one,
      payload: { ...(one.payload as object), argumentsSha256: hash },
    })),
    ...closed(number, `c${number}`, tool).map((one) =>
      one.type === "tool_result_stored"
        ? { ...one, payload: { ...(one.payload as object), contentSha256: result } }
        : one,
    ),
  ];
  const rounds = (count: number) => Array.from({ length: count }, (_, index) => repeated(index + 1)).flat();
  const limits = { repetition: { warnAt: 3, endAt: 5 } };
  const endAfter = (...facts: ReadonlyArray<Journals.Fact>) => {
    const step = stepAfter(...facts);
    return step._tag === "Fail" ? step.code : step._tag;
  };

  it("ends the run at the fifth equal call with an equal result", () => {
    assert.strictEqual(endAfter(...admitted(limits), ...rounds(4)), "RequestModel");
    assert.strictEqual(endAfter(...admitted(limits), ...rounds(5)), "agent.repeated_call");
    assert.strictEqual(endAfter(...admitted(limits), ...rounds(4), ...repeated(5, other)), "RequestModel");
  });

  it("ends the run at the fifth equal text", () => {
    const texts = (count: number) =>
      Array.from({ length: count }, (_, index) =>
        answered(index + 1).map((one) =>
          one.type === "model_response_stored"
            ? { ...one, payload: { ...(one.payload as object), textSha256: other } }
            : one,
        ),
      ).flat();
    assert.strictEqual(endAfter(...admitted(limits), ...texts(4)), "RecoverDrift");
    assert.strictEqual(endAfter(...admitted(limits), ...texts(5)), "agent.repeated_call");
  });

  it("may go on in a run whose journal says nothing of a limit", () => {
    assert.strictEqual(endAfter(...admitted(), ...rounds(9)), "RequestModel");
  });
});

describe("names and views that a run keeps", () => {
  it("a checkpoint names the state after its event", () => {
    const named = fact("checkpoint_created", {
      checkpointId: CheckpointId.make("cp_000001"),
      reason: "tool",
      label: "draft",
    });
    const state = stateAfter(...parked, named);
    assert.deepStrictEqual(checkpointsOf(state), [
      {
        id: CheckpointId.make("cp_000001"),
        seq: parked.length + 1,
        reason: "tool",
        label: "draft",
        files: PathMap.empty,
      },
    ]);
  });

  it("a long result is there to be read under its path", () => {
    const path = "tool-results/inv_root/round-001-call_0.txt";
    const content = Journals.payload(path, "long");
    const stored = fact("tool_result_readable_view_stored", {
      ...call("a"),
      path,
      auditPath: "tool-results/inv_root/round-001-call_0.json",
      chars: 4,
      words: 1,
      content,
    });
    assert.deepStrictEqual(stateAfter(...parked, stored).readableViews[path], {
      path,
      toolId,
      auditPath: "tool-results/inv_root/round-001-call_0.json",
      chars: 4,
      words: 1,
      content,
    });
  });
});
