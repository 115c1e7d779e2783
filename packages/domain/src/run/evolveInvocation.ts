/**
 * How an event changes the invocation that it belongs to.
 */
import * as PathMap from "./PathMap.ts";
import * as Repetition from "../budget/Repetition.ts";
import * as Invocation from "../invocation/Invocation.ts";
import type { Usage } from "../model/ModelResponse.ts";
import * as ReadState from "../workspace/ReadState.ts";
import { evolveCalls } from "./evolveCalls.ts";
import type { KnownEvent } from "./RunEvent.ts";
import type { InvocationState } from "./RunState.ts";
import * as Log from "./Log.ts";

/** The invocation after `event`; the same object when nothing of it changed. */
export const evolveInvocation = (state: InvocationState, event: KnownEvent): InvocationState => {
  switch (event.type) {
    case "agent_invocation_started":
    case "agent_invocation_completed":
    case "agent_invocation_failed":
    case "agent_invocation_cancelled":
    case "agent_invocation_transferred":
      return Invocation.canChange(state.status, event.payload.status)
        ? { ...state, status: event.payload.status }
        : state;
    case "profile_resolved":
      return { ...state, profile: event.payload.resolvedProfile };
    case "agent_model_binding_resolved":
      return {
        ...state,
        binding: event.payload.binding,
        boundAt: state.completedResponses + state.failedAttempts,
        providerState: null,
      };
    case "context_assembled": {
      const { chat, limits, promptInput, promptSnapshot, skills, toolSnapshot, worldInfo } = event.payload;
      const input = {
        ...(chat === undefined ? {} : { chat }),
        ...(worldInfo === undefined ? {} : { worldInfo }),
        ...(promptInput === undefined ? {} : { promptInput }),
        ...(skills === undefined ? {} : { skills }),
      };
      return { ...state, context: { limits, promptSnapshot, toolSnapshot, ...input } };
    }
    case "model_request_created":
      return {
        ...state,
        turn: null,
        userMessage: null,
        messages:
          state.userMessage === null
            ? state.messages
            : Log.append(state.messages, { kind: "user", about: "guidance", payload: state.userMessage }),
        request: { round: event.payload.round, attempt: 0, failures: 0, lost: 0, phase: "created", delayMs: 0 },
      };
    case "prompt_assembly_requested": {
      const { assemblyId, requestFingerprint } = event.payload;
      return { ...state, assembly: { assemblyId, fingerprint: requestFingerprint, askedAt: event.timestamp } };
    }
    case "prompt_assembly_completed":
    case "prompt_assembly_failed":
      return { ...state, assembly: null };
    case "context_component_skipped": {
      const { leftOut } = event.payload;
      // A provider that keeps the conversation has another one.
      return leftOut === undefined ? state : { ...state, leftOut, measured: null, providerState: null };
    }
    case "model_call_attempt_started":
      return {
        ...state,
        request: {
          round: event.payload.round,
          attempt: event.payload.attempt,
          failures: state.request?.failures ?? 0,
          lost: (state.request?.lost ?? 0) + (state.request?.phase === "calling" ? 1 : 0),
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
      const { cost, finish, response, round, textSha256, usage } = event.payload;
      const attempts = 1 + (state.request?.lost ?? 0);
      return {
        ...state,
        request: null,
        turn: { round, responseSeq: event.seq, response, finish, calls: [], drift: false },
        completedResponses: state.completedResponses + 1,
        messages: Log.append(state.messages, { kind: "response", payload: response }),
        measured: measuredBy(usage, state.messages.length + 1),
        inputTokens: state.inputTokens + (usage?.inputTokens ?? 0) * attempts,
        outputTokens: state.outputTokens + (usage?.outputTokens ?? 0) * attempts,
        cost: state.cost + (cost ?? 0) * attempts,
        repetition: textSha256 === undefined ? state.repetition : Repetition.observeText(state.repetition, textSha256),
      };
    }
    case "provider_state_updated": {
      const { invocationId: _of, round: _round, ...providerState } = event.payload;
      return { ...state, providerState };
    }
    case "drift_recovery_attempted":
      return {
        ...state,
        driftAttempts: state.driftAttempts + 1,
        turn: state.turn === null ? null : { ...state.turn, drift: true },
        messages: Log.append(state.messages, { kind: "user", about: "reminder", payload: event.payload.reminder }),
      };
    case "agent_task_results_delivered":
    case "user_guidance_applied": {
      const about = event.type === "user_guidance_applied" ? "guidance" : "taskResults";
      return {
        ...state,
        messages: Log.append(state.messages, { kind: "user", about, payload: event.payload.message }),
      };
    }
    case "agent_await_completed":
      return { ...state, awaiting: null };
    case "run_revision_started":
      return { ...state, userMessage: event.payload.guidance };
    case "agent_loop_finished":
      return { ...state, finished: true };
    case "tool_call_requested":
    case "tool_call_awaiting_approval":
    case "tool_call_approved":
    case "tool_call_denied":
    case "tool_call_started":
    case "tool_question_asked":
    case "tool_question_answered":
    case "tool_result_stored":
    case "tool_call_completed":
    case "tool_call_failed":
      return evolveCalls(state, event);
    case "workspace_file_read": {
      const { path, range } = event.payload;
      return withRead(state, path, ReadState.recordRead(PathMap.get(state.reads, path), event.payload, range));
    }
    case "skill_read":
      return { ...state, skillChars: state.skillChars + event.payload.chars };
    case "workspace_file_removed":
      return withoutRead(state, event.payload.path);
    case "workspace_file_written": {
      const { path, mode, previous, unseen } = event.payload;
      if (unseen === true) return withoutRead(state, path);
      return withRead(
        state,
        path,
        mode === "replace"
          ? ReadState.afterWrite(event.payload)
          : ReadState.afterAppend(PathMap.get(state.reads, path), previous, event.payload),
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

/** Not every provider counts, and one that counts nothing has not counted. */
const measuredBy = (usage: Usage | undefined, messages: number): InvocationState["measured"] => {
  const tokens = (usage?.inputTokens ?? 0) + (usage?.outputTokens ?? 0);
  return usage === undefined || usage.inputTokens <= 0 ? null : { tokens, messages };
};

const withoutRead = (state: InvocationState, path: string): InvocationState => {
  const reads = PathMap.remove(state.reads, path);
  return reads === state.reads ? state : { ...state, reads };
};

const withRead = (state: InvocationState, path: string, read: ReadState.ReadState | undefined): InvocationState => {
  if (read === undefined) return state;
  return { ...state, reads: PathMap.set(state.reads, path, read) };
};
