/**
 * How each event changes the state of a run.
 *
 * Total: an event that does not fit (unknown type, unknown invocation, illegal status) changes only the position, so a
 * fold of any prefix, from any version, gives a state.
 */
import * as PathMap from "./PathMap.ts";
import type { KnownEvent, RunEvent } from "./RunEvent.ts";
import { isKnown } from "./RunEvent.ts";
import {
  type CheckpointState,
  type CommitRecord,
  type InvocationState,
  millisecondsBetween,
  type ReadableView,
  type RunState,
  wallMs,
} from "./RunState.ts";
import * as Repetition from "../budget/Repetition.ts";
import { checkpointOf } from "./checkpoint.ts";
import { evolveInvocation } from "./evolveInvocation.ts";
import { evolveFiles } from "./evolveFiles.ts";
import { evolveGuidance } from "./evolveGuidance.ts";
import { evolveFork } from "./evolveFork.ts";
import { evolvePersist } from "./evolvePersist.ts";
import { evolveRevision } from "./evolveRevision.ts";
import { evolveRollback } from "./evolveRollback.ts";
import { acknowledged, evolveTasks } from "./evolveTasks.ts";
import * as Log from "./Log.ts";
import * as RunStatus from "./RunStatus.ts";

/** The state after `event`. */
export const evolve = (state: RunState, event: RunEvent): RunState => {
  const moved: RunState = { ...state, seq: event.seq, epoch: event.epoch, updatedAt: event.timestamp };
  return isKnown(event) ? evolveRun(withInvocation(timed(moved, state.updatedAt, event), event), event) : moved;
};

/** The state after all `events`, from `from`. */
export const fold = (from: RunState, events: Iterable<RunEvent>): RunState => {
  let state = from;
  for (const event of events) state = evolve(state, event);
  return state;
};

/** Keeps the time of work: it stops where the run waits or ends, and where its process was lost. */
const timed = (state: RunState, before: string | null, event: KnownEvent): RunState => {
  switch (event.type) {
    case "run_created":
      return { ...state, activeSince: event.timestamp };
    case "run_resumed": {
      const stopped = stop(state, before);
      return isAtRest(state.status) ? stopped : { ...stopped, activeSince: event.timestamp };
    }
    case "status_changed": {
      if (!RunStatus.canChange(state.status, event.payload.to)) return state;
      if (isAtRest(event.payload.to)) return stop(state, event.timestamp);
      return state.activeSince === null ? { ...state, activeSince: event.timestamp } : state;
    }
    default:
      return state;
  }
};

const isAtRest = (status: RunState["status"]): boolean =>
  status === "awaiting_approval" || status === "interrupted" || RunStatus.isTerminal(status);

const stop = (state: RunState, at: string | null): RunState =>
  state.activeSince === null
    ? state
    : { ...state, activeSince: null, activeMs: state.activeMs + millisecondsBetween(state.activeSince, at) };

const withInvocation = (state: RunState, event: KnownEvent): RunState => {
  if (event.type === "run_resumed") return { ...state, invocations: interruptCalls(state.invocations) };
  if (event.type === "agent_invocation_created") {
    const { invocationId, parentInvocationId, profileId, kind, exitPolicy } = event.payload;
    if (state.invocations[invocationId] !== undefined) return state;
    const created: InvocationState = {
      ...newInvocation(),
      id: invocationId,
      parent: parentInvocationId ?? null,
      profileId,
      kind,
      exitPolicy: exitPolicy ?? "run_finish_allowed",
    };
    return {
      ...state,
      invocations: { ...state.invocations, [invocationId]: created },
      // A successor comes to the foreground when its predecessor has left it.
      foreground: kind === "root" || kind === "revision" ? invocationId : state.foreground,
    };
  }
  const id = event.eventScope.invocationId;
  const before = state.invocations[id];
  if (before === undefined) return state;
  const after = event.type === "agent_await_started" ? awaiting(state, before, event) : evolveInvocation(before, event);
  return after === before ? state : { ...state, invocations: { ...state.invocations, [id]: after } };
};

/** What it waits for is told from the tasks as they stand. */
const awaiting = (
  state: RunState,
  invocation: InvocationState,
  event: Extract<KnownEvent, { readonly type: "agent_await_started" }>,
): InvocationState => {
  const { callId, mode, taskIds, timeoutMs } = event.payload;
  const fresh = taskIds.filter((id) => state.tasks[id]?.delivery === "none");
  return { ...invocation, awaiting: { callId, mode, taskIds, fresh, timeoutMs, startedWallMs: wallMs(state) } };
};

const evolveRun = (state: RunState, event: KnownEvent): RunState => {
  switch (event.type) {
    case "run_created":
      return {
        ...state,
        // A log of its own: that of the empty state is everybody's.
        checkpoints: Log.empty(),
        runId: event.runId,
        createdAt: event.timestamp,
        workspaceId: event.payload.workspaceId,
        target: event.payload.target,
        presentation: event.payload.presentation,
        profileId: event.payload.profileId,
      };
    case "run_forked":
      return evolveFork(state, event);
    case "run_rolled_back":
      return { ...state, files: checkpointOf(state, event.payload.checkpointId)?.files ?? state.files };
    case "run_owner_changed":
      return { ...state, owner: event.payload.owner };
    case "profile_resolved":
      return { ...state, resolvedProfile: event.payload.resolvedProfile };
    case "status_changed":
      return RunStatus.canChange(state.status, event.payload.to) ? { ...state, status: event.payload.to } : state;
    case "workspace_initialized":
      return { ...state, initialized: true };
    case "run_cancel_requested":
      return { ...state, cancelRequested: true };
    case "run_revision_started":
    case "run_completed":
    case "run_failed":
    case "run_partial_success":
    case "run_cancelled":
      return evolveRevision(state, event);
    case "direct_output_captured":
    case "workspace_file_removed":
    case "workspace_file_written":
    case "workspace_patch_applied":
      return { ...state, files: evolveFiles(state.files, event) };
    case "persistent_file_projected":
      return evolvePersist({ ...state, files: evolveFiles(state.files, event) }, event);
    case "persistent_projection_initialized":
    case "persistent_changes_committed":
    case "persistent_state_withdrawn":
    case "persistent_state_metadata_update_requested":
    case "persistent_state_metadata_updated":
    case "persistent_state_metadata_update_failed":
      return evolvePersist(state, event);
    case "chat_commit_requested": {
      const { commitId, invocationId, round, callId, path, mode, sha256, revision, at } = event.payload;
      return {
        ...state,
        pendingCommit: { commitId, invocationId, round, callId, path, mode, sha256, revision, at },
      };
    }
    case "chat_commit_completed": {
      const { commitId, path, mode, round, messageId, messageIndex, revision, chars } = event.payload;
      const record: CommitRecord = { commitId, path, mode, round, messageId, messageIndex, revision, chars };
      return { ...state, pendingCommit: null, withdrawn: null, commits: [...state.commits, record] };
    }
    case "chat_commit_failed":
      return { ...state, pendingCommit: null };
    case "chat_rollback_requested":
    case "chat_rollback_completed":
    case "chat_rollback_failed":
      return evolveRollback(state, event);
    case "tool_call_approved": {
      const { remember, toolId } = event.payload;
      return remember === undefined || state.approvedTools.includes(toolId) || !isApproved(state, event)
        ? state
        : { ...state, approvedTools: [...state.approvedTools, toolId] };
    }
    case "tool_result_readable_view_stored": {
      const { auditPath, chars, content, path, toolId, words } = event.payload;
      const view: ReadableView = { path, toolId, auditPath, chars, words, content };
      return { ...state, readableViews: { ...state.readableViews, [path]: view } };
    }
    case "tool_result_attachment_stored": {
      const { auditPath, bytes, chars, content, encoding, path, sha256, toolId, words } = event.payload;
      const encoded = encoding === undefined ? {} : { encoded: { encoding, sha256, bytes } };
      const view: ReadableView = { path, toolId, auditPath, chars, words, content, ...encoded };
      return { ...state, readableViews: { ...state.readableViews, [path]: view } };
    }
    case "checkpoint_created": {
      const { checkpointId, label, reason } = event.payload;
      const checkpoint: CheckpointState = {
        id: checkpointId,
        seq: event.seq,
        reason,
        label: label ?? null,
        files: state.files,
      };
      return { ...state, checkpoints: Log.append(state.checkpoints, checkpoint) };
    }
    case "agent_task_registered":
    case "agent_task_queued":
    case "agent_task_started":
    case "agent_task_completed":
    case "agent_task_failed":
    case "agent_task_cancelled":
    case "agent_task_results_delivered":
    case "agent_await_completed":
    case "agent_invocation_transferred":
    case "task_return_recorded":
      return evolveTasks(state, event);
    case "model_response_stored":
      return acknowledged(state, event.eventScope.invocationId);
    case "user_guidance_submitted":
    case "user_guidance_applied":
    case "user_guidance_discarded":
      return evolveGuidance(state, event);
    case "agent_delegate_started":
    case "agent_await_started":
    case "agent_child_invocation_failed":
    case "agent_handoff_requested":
    case "agent_handoff_accepted":
    case "task_return_completed":
    case "generation_intent_recorded":
    case "run_resumed":
    case "agent_invocation_created":
    case "agent_invocation_started":
    case "agent_invocation_completed":
    case "agent_invocation_failed":
    case "agent_invocation_cancelled":
    case "agent_model_binding_resolved":
    case "skill_scopes_resolved":
    case "context_assembled":
    case "prompt_assembly_requested":
    case "prompt_assembly_completed":
    case "prompt_assembly_failed":
    case "context_component_skipped":
    case "context_tool_result_hydrated":
    case "model_request_created":
    case "model_call_attempt_started":
    case "model_call_attempt_failed":
    case "model_call_retry_scheduled":
    case "provider_state_updated":
    case "model_completed":
    case "drift_recovery_attempted":
    case "agent_loop_finished":
    case "tool_call_requested":
    case "tool_call_awaiting_approval":
    case "tool_call_denied":
    case "tool_call_started":
    case "tool_question_asked":
    case "tool_question_answered":
    case "tool_result_stored":
    case "tool_call_completed":
    case "tool_call_failed":
    case "workspace_file_read":
    case "skill_read":
    case "chat_commit_started":
    case "chat_commit_recorded":
      return state;
    default:
      return event satisfies never;
  }
};

const newInvocation = (): Omit<InvocationState, "id" | "parent" | "profileId" | "kind" | "exitPolicy"> => ({
  status: "created",
  binding: null,
  context: null,
  messages: Log.empty(),
  userMessage: null,
  request: null,
  turn: null,
  completedResponses: 0,
  failedAttempts: 0,
  boundAt: 0,
  driftAttempts: 0,
  callCount: 0,
  callsPerTool: {},
  reads: PathMap.empty,
  profile: null,
  assembly: null,
  leftOut: 0,
  measured: null,
  skillChars: 0,
  awaiting: null,
  finished: false,
  failure: null,
  inputTokens: 0,
  outputTokens: 0,
  providerState: null,
  toolTokens: 0,
  cost: 0,
  repetition: Repetition.empty,
});

/** Whether the call that an approval names is approved: it may have come late, twice, or for other arguments. */
const isApproved = (state: RunState, event: Extract<KnownEvent, { readonly type: "tool_call_approved" }>): boolean => {
  const { callId, toolId } = event.payload;
  const calls = state.invocations[event.eventScope.invocationId]?.turn?.calls ?? [];
  return calls.some((call) => call.callId === callId && call.toolId === toolId && call.decision?.approved === true);
};

/** A call that had started when its process died is marked: whether it took effect is for recovery to find out. */
const interruptCalls = (invocations: RunState["invocations"]): RunState["invocations"] =>
  Object.fromEntries(
    Object.entries(invocations).map(([id, invocation]) => [
      id,
      invocation.turn === null
        ? invocation
        : {
            ...invocation,
            turn: {
              ...invocation.turn,
              calls: invocation.turn.calls.map((call) =>
                call.phase === "started" ? { ...call, interrupted: true, question: null } : call,
              ),
            },
          },
    ]),
  );
