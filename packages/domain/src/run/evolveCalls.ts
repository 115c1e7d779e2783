/**
 * How an event changes the tool calls of an invocation: what is asked, decided, run and repeated.
 */
import * as Repetition from "../budget/Repetition.ts";
import type { KnownEvent } from "./RunEvent.ts";
import type { CallState, InvocationState } from "./RunState.ts";
import * as Log from "./Log.ts";

type CallEvent = Extract<
  KnownEvent,
  {
    readonly type:
      | "tool_call_requested"
      | "tool_call_awaiting_approval"
      | "tool_call_approved"
      | "tool_call_denied"
      | "tool_call_started"
      | "tool_question_asked"
      | "tool_question_answered"
      | "tool_result_stored"
      | "tool_call_completed"
      | "tool_call_failed";
  }
>;

/** The invocation after `event`. A decision that does not fit its call, or comes twice, changes nothing. */
export const evolveCalls = (state: InvocationState, event: CallEvent): InvocationState => {
  switch (event.type) {
    case "tool_call_requested":
      return requested(state, event);
    case "tool_call_awaiting_approval": {
      const { argumentsSha256, argumentsSummary, layer, reason, rule, sideEffects, source, title } = event.payload;
      return withCall(state, event.payload.callId, (call) =>
        call.phase !== "requested" || call.approval !== null || call.decision !== null || call.refusal !== null
          ? call
          : {
              ...call,
              phase: "awaiting",
              approval: {
                title,
                argumentsSummary,
                argumentsSha256,
                sideEffects,
                source,
                reason,
                layer: layer ?? null,
                rule: rule ?? null,
                askedSeq: event.seq,
              },
            },
      );
    }
    case "tool_call_approved": {
      const { argumentsSha256, by, reason } = event.payload;
      return withCall(state, event.payload.callId, (call) =>
        isOpen(call) && (call.approval === null || call.approval.argumentsSha256 === argumentsSha256)
          ? { ...call, phase: "requested", decision: { approved: true, by, reason: reason ?? null } }
          : call,
      );
    }
    case "tool_call_denied": {
      const { by, reason } = event.payload;
      return withCall(state, event.payload.callId, (call) =>
        isOpen(call)
          ? {
              ...call,
              phase: "requested",
              decision: { approved: false, by, reason },
              refusal: call.refusal ?? { code: "tool.denied", message: reason },
            }
          : call,
      );
    }
    case "tool_call_started":
      return withCall(state, event.payload.callId, (call) => ({
        ...call,
        phase: "started",
        effectClass: event.payload.effectClass,
      }));
    case "tool_question_asked": {
      const { message, question, questionId } = event.payload;
      return withCall(state, event.payload.callId, (call) =>
        call.phase === "started" ? { ...call, question: { questionId, message, question, askedSeq: event.seq } } : call,
      );
    }
    case "tool_question_answered":
      return withCall(state, event.payload.callId, (call) =>
        call.question?.questionId === event.payload.questionId ? { ...call, question: null } : call,
      );
    case "tool_result_stored":
      return stored(state, event);
    case "tool_call_completed":
    case "tool_call_failed": {
      const { usage } = event.payload;
      const closed = withCall(state, event.payload.callId, (call) => ({
        ...call,
        phase: "closed",
        interrupted: false,
        question: null,
      }));
      if (usage === undefined) return closed;
      return {
        ...closed,
        toolTokens: closed.toolTokens + (usage.tokens ?? 0),
        cost: closed.cost + (usage.cost ?? 0),
      };
    }
    default:
      return event satisfies never;
  }
};

const requested = (
  state: InvocationState,
  event: Extract<CallEvent, { readonly type: "tool_call_requested" }>,
): InvocationState => {
  const { argumentsRef, argumentsSha256, callId, name, refusal, toolId } = event.payload;
  const call: CallState = {
    callId,
    name,
    toolId: toolId ?? null,
    argumentsRef,
    argumentsSha256: argumentsSha256 ?? null,
    requestedSeq: event.seq,
    phase: "requested",
    approval: null,
    decision: null,
    effectClass: null,
    refusal: refusal ?? null,
    interrupted: false,
    question: null,
  };
  return {
    ...state,
    turn: state.turn === null ? null : { ...state.turn, calls: [...state.turn.calls, call] },
    callCount: state.callCount + 1,
    callsPerTool:
      toolId === undefined
        ? state.callsPerTool
        : { ...state.callsPerTool, [toolId]: (state.callsPerTool[toolId] ?? 0) + 1 },
  };
};

const stored = (
  state: InvocationState,
  event: Extract<CallEvent, { readonly type: "tool_result_stored" }>,
): InvocationState => {
  const { callId, contentSha256, result, toolId } = event.payload;
  const messages = Log.append(state.messages, { kind: "result", callId, payload: result });
  const argumentsSha256 = state.turn?.calls.find((call) => call.callId === callId)?.argumentsSha256 ?? null;
  if (argumentsSha256 === null || contentSha256 === undefined) return { ...state, messages };
  return {
    ...state,
    messages,
    repetition: Repetition.observeCall(state.repetition, { toolId, argumentsSha256, resultSha256: contentSha256 }),
  };
};

/** Not decided yet, and nothing of it has run. */
const isOpen = (call: CallState): boolean =>
  call.decision === null && (call.phase === "requested" || call.phase === "awaiting");

const withCall = (state: InvocationState, callId: string, change: (call: CallState) => CallState): InvocationState => {
  if (state.turn === null) return state;
  return {
    ...state,
    turn: { ...state.turn, calls: state.turn.calls.map((call) => (call.callId === callId ? change(call) : call)) },
  };
};
