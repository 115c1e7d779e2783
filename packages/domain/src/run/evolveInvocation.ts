/**
 * How an event changes the invocation that it belongs to.
 */
import * as Invocation from "../invocation/Invocation.ts";
import * as ReadState from "../workspace/ReadState.ts";
import type { KnownEvent } from "./RunEvent.ts";
import type { CallState, InvocationState, TurnState } from "./RunState.ts";
import * as Log from "./Log.ts";

/** The invocation after `event`; the same object when nothing of it changed. */
export const evolveInvocation = (state: InvocationState, event: KnownEvent): InvocationState => {
  switch (event.type) {
    case "agent_invocation_started":
    case "agent_invocation_completed":
    case "agent_invocation_failed":
    case "agent_invocation_cancelled":
      return Invocation.canChange(state.status, event.payload.status)
        ? { ...state, status: event.payload.status }
        : state;
    case "agent_model_binding_resolved":
      return { ...state, binding: event.payload.binding };
    case "context_assembled": {
      const { limits, promptSnapshot, toolSnapshot } = event.payload;
      return { ...state, context: { limits, promptSnapshot, toolSnapshot } };
    }
    case "model_request_created":
      return {
        ...state,
        turn: null,
        request: { round: event.payload.round, attempt: 0, failures: 0, phase: "created", delayMs: 0 },
      };
    case "model_call_attempt_started":
      return {
        ...state,
        request: {
          round: event.payload.round,
          attempt: event.payload.attempt,
          failures: state.request?.failures ?? 0,
          phase: "calling",
          delayMs: 0,
        },
      };
    case "model_call_attempt_failed": {
      const { code, message, willRetry } = event.payload;
      return {
        ...state,
        failedAttempts: state.failedAttempts + 1,
        request:
          state.request === null ? null : { ...state.request, phase: "retrying", failures: state.request.failures + 1 },
        failure: willRetry ? state.failure : { code, message },
      };
    }
    case "model_call_retry_scheduled":
      return state.request === null
        ? state
        : { ...state, request: { ...state.request, delayMs: event.payload.intervalMs } };
    case "model_response_stored": {
      const { response, round, finish, usage } = event.payload;
      return {
        ...state,
        request: null,
        turn: { round, responseSeq: event.seq, response, finish, calls: [], drift: false },
        completedResponses: state.completedResponses + 1,
        messages: Log.append(state.messages, { kind: "response", payload: response }),
        inputTokens: state.inputTokens + (usage?.inputTokens ?? 0),
        outputTokens: state.outputTokens + (usage?.outputTokens ?? 0),
      };
    }
    case "drift_recovery_attempted":
      return {
        ...state,
        driftAttempts: state.driftAttempts + 1,
        turn: state.turn === null ? null : { ...state.turn, drift: true },
        messages: Log.append(state.messages, { kind: "user", payload: event.payload.reminder }),
      };
    case "agent_loop_finished":
      return { ...state, finished: true };
    case "tool_call_requested": {
      const { callId, name, toolId, argumentsRef, refusal } = event.payload;
      const call: CallState = {
        callId,
        name,
        toolId: toolId ?? null,
        argumentsRef,
        requestedSeq: event.seq,
        phase: "requested",
        effectClass: null,
        refusal: refusal ?? null,
        interrupted: false,
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
    }
    case "tool_call_started":
      return withCall(state, event.payload.callId, { phase: "started", effectClass: event.payload.effectClass });
    case "tool_call_completed":
    case "tool_call_failed":
      return withCall(state, event.payload.callId, { phase: "closed", interrupted: false });
    case "tool_result_stored":
      return {
        ...state,
        messages: Log.append(state.messages, {
          kind: "result",
          callId: event.payload.callId,
          payload: event.payload.result,
        }),
      };
    case "workspace_file_read": {
      const { path, range } = event.payload;
      return withRead(state, path, ReadState.recordRead(state.reads[path], event.payload, range));
    }
    case "workspace_file_written": {
      const { path, mode, previous } = event.payload;
      return withRead(
        state,
        path,
        mode === "replace"
          ? ReadState.afterWrite(event.payload)
          : ReadState.afterAppend(state.reads[path], previous, event.payload),
      );
    }
    case "workspace_patch_applied":
      return withRead(state, event.payload.path, ReadState.afterPatch(event.payload));
    case "direct_output_captured":
      return withRead(
        state,
        event.payload.path,
        ReadState.afterWrite({ sha256: event.payload.content.sha256, chars: event.payload.chars }),
      );
    default:
      return state;
  }
};

const withCall = (state: InvocationState, callId: string, change: Partial<CallState>): InvocationState => {
  if (state.turn === null) return state;
  const turn: TurnState = {
    ...state.turn,
    calls: state.turn.calls.map((call) => (call.callId === callId ? { ...call, ...change } : call)),
  };
  return { ...state, turn };
};

const withRead = (state: InvocationState, path: string, read: ReadState.ReadState | undefined): InvocationState => {
  if (read === undefined) return state;
  return { ...state, reads: { ...state.reads, [path]: read } };
};
