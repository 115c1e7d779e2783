/**
 * The language of the journal: every event type with its version, level and payload.
 *
 * Owns the union and its decoding. Does not own folding (`evolve`) nor storing.
 */
import * as Option from "effect/Option";
import * as Record from "effect/Record";
import * as Schema from "effect/Schema";
import type { InvocationId } from "../identity/Identity.ts";
import type { EventLevel, StoredEvent } from "./EventEnvelope.ts";
import * as approval from "./event/approval.ts";
import * as guidance from "./event/guidance.ts";
import * as lifecycle from "./event/lifecycle.ts";
import * as model from "./event/model.ts";
import * as persist from "./event/persist.ts";
import * as prompt from "./event/prompt.ts";
import * as rollback from "./event/rollback.ts";
import * as task from "./event/task.ts";
import * as tool from "./event/tool.ts";
import { raise } from "./upcasters.ts";

interface Definition<Payload extends Schema.Top> {
  readonly v: number;
  readonly level: EventLevel;
  readonly payload: Payload;
}

const define = <Payload extends Schema.Top>(level: EventLevel, payload: Payload, v = 1): Definition<Payload> => ({
  v,
  level,
  payload,
});

/** Every event type that this version writes. Older versions of a type are raised to these when read. */
export const definitions = {
  run_created: define("info", lifecycle.RunCreated),
  run_owner_changed: define("info", lifecycle.RunOwnerChanged),
  profile_resolved: define("info", lifecycle.ProfileResolved),
  generation_intent_recorded: define("info", lifecycle.GenerationIntentRecorded),
  status_changed: define("info", lifecycle.StatusChanged),
  workspace_initialized: define("info", lifecycle.WorkspaceInitialized),
  run_resumed: define("info", lifecycle.RunResumed),
  run_forked: define("info", lifecycle.RunForked),
  run_rolled_back: define("warn", lifecycle.RunRolledBack),
  run_revision_started: define("info", lifecycle.RunRevisionStarted),
  run_cancel_requested: define("info", lifecycle.RunCancelRequested),
  run_cancelled: define("info", lifecycle.RunCancelled),
  run_completed: define("info", lifecycle.RunCompleted),
  run_failed: define("error", lifecycle.RunFailed),
  run_partial_success: define("warn", lifecycle.RunPartialSuccess),
  agent_invocation_created: define("info", model.AgentInvocation),
  agent_invocation_started: define("info", model.AgentInvocation),
  agent_invocation_completed: define("info", model.AgentInvocation),
  agent_invocation_failed: define("info", model.AgentInvocation),
  agent_invocation_cancelled: define("info", model.AgentInvocation),
  agent_invocation_transferred: define("info", model.AgentInvocation),
  agent_task_registered: define("info", task.AgentTaskRegistered),
  agent_task_queued: define("info", task.AgentTaskMoved),
  agent_task_started: define("info", task.AgentTaskMoved),
  agent_task_completed: define("info", task.AgentTaskCompleted),
  agent_task_failed: define("warn", task.AgentTaskFailed),
  agent_task_cancelled: define("warn", task.AgentTaskCancelled),
  agent_task_results_delivered: define("info", task.AgentTaskResultsDelivered),
  agent_delegate_started: define("info", task.AgentDelegateStarted),
  agent_await_started: define("info", task.AgentAwaitStarted),
  agent_await_completed: define("info", task.AgentAwaitCompleted),
  agent_child_invocation_failed: define("warn", task.AgentChildInvocationFailed),
  agent_handoff_requested: define("info", task.AgentHandoffRequested),
  agent_handoff_accepted: define("info", task.AgentHandoffAccepted),
  task_return_recorded: define("info", task.TaskReturnRecorded),
  task_return_completed: define("info", task.TaskReturnCompleted),
  user_guidance_submitted: define("info", guidance.UserGuidanceSubmitted),
  user_guidance_applied: define("info", guidance.UserGuidanceApplied),
  user_guidance_discarded: define("info", guidance.UserGuidanceDiscarded),
  agent_model_binding_resolved: define("info", model.AgentModelBindingResolved),
  skill_scopes_resolved: define("info", model.SkillScopesResolved),
  context_assembled: define("info", model.ContextAssembled),
  prompt_assembly_requested: define("info", prompt.PromptAssemblyRequested),
  prompt_assembly_completed: define("info", prompt.PromptAssemblyCompleted),
  prompt_assembly_failed: define("error", prompt.PromptAssemblyFailed),
  context_component_skipped: define("warn", model.ContextComponentSkipped),
  context_tool_result_hydrated: define("debug", model.ContextToolResultHydrated),
  model_request_created: define("info", model.ModelRequestCreated),
  model_call_attempt_started: define("debug", model.ModelCallAttemptStarted),
  model_call_attempt_failed: define("warn", model.ModelCallAttemptFailed),
  model_call_retry_scheduled: define("warn", model.ModelCallRetryScheduled),
  model_response_stored: define("debug", model.ModelResponseStored),
  provider_state_updated: define("debug", model.ProviderStateUpdated),
  model_completed: define("info", model.ModelCompleted),
  direct_output_captured: define("info", model.DirectOutputCaptured),
  drift_recovery_attempted: define("warn", model.DriftRecoveryAttempted),
  agent_loop_finished: define("info", model.AgentLoopFinished),
  tool_call_requested: define("info", tool.ToolCallRequested),
  tool_call_awaiting_approval: define("info", approval.ToolCallAwaitingApproval),
  tool_call_approved: define("info", approval.ToolCallApproved),
  tool_call_denied: define("warn", approval.ToolCallDenied),
  tool_call_started: define("info", tool.ToolCallStarted),
  tool_question_asked: define("info", tool.ToolQuestionAsked),
  tool_question_answered: define("info", tool.ToolQuestionAnswered),
  tool_result_stored: define("debug", tool.ToolResultStored),
  tool_result_attachment_stored: define("debug", tool.ToolResultAttachmentStored),
  tool_result_readable_view_stored: define("debug", tool.ToolResultReadableViewStored),
  tool_call_completed: define("info", tool.ToolCallCompleted),
  tool_call_failed: define("warn", tool.ToolCallFailed),
  workspace_file_read: define("debug", tool.WorkspaceFileRead),
  skill_read: define("debug", tool.SkillRead),
  workspace_file_written: define("info", tool.WorkspaceFileWritten),
  workspace_file_removed: define("info", tool.WorkspaceFileRemoved),
  workspace_patch_applied: define("info", tool.WorkspacePatchApplied),
  checkpoint_created: define("info", tool.CheckpointCreated),
  chat_commit_started: define("info", tool.ChatCommitStarted),
  chat_commit_requested: define("info", tool.ChatCommitRequested),
  chat_commit_completed: define("info", tool.ChatCommitCompleted),
  chat_commit_failed: define("error", tool.ChatCommitFailed),
  chat_commit_recorded: define("info", tool.ChatCommitRecorded),
  persistent_projection_initialized: define("info", persist.PersistentProjectionInitialized),
  persistent_file_projected: define("debug", persist.PersistentFileProjected),
  persistent_changes_committed: define("info", persist.PersistentChangesCommitted),
  persistent_state_withdrawn: define("warn", persist.PersistentStateWithdrawn),
  persistent_state_metadata_update_requested: define("info", persist.PersistentStateMetadataUpdateRequested),
  persistent_state_metadata_updated: define("info", persist.PersistentStateMetadataUpdated),
  persistent_state_metadata_update_failed: define("error", persist.PersistentStateMetadataUpdateFailed),
  chat_rollback_requested: define("info", rollback.ChatRollbackRequested),
  chat_rollback_completed: define("warn", rollback.ChatRollbackCompleted),
  chat_rollback_failed: define("error", rollback.ChatRollbackFailed),
} as const;

export type RunEventType = keyof typeof definitions;

export type PayloadOf<Type extends RunEventType> = (typeof definitions)[Type]["payload"]["Type"];

/** What is known of an event before it has an envelope. */
export type RunEventDraft = {
  readonly [Type in RunEventType]: {
    readonly type: Type;
    readonly invocationId: InvocationId;
    readonly payload: PayloadOf<Type>;
    readonly level?: EventLevel;
    readonly requestId?: string;
    /** Other invocations that the event concerns. */
    readonly related?: ReadonlyArray<InvocationId>;
  };
}[RunEventType];

type Header = Omit<StoredEvent, "type" | "payload">;

/** An event whose type and version this code knows. */
export type KnownEvent = {
  readonly [Type in RunEventType]: Header & { readonly type: Type; readonly payload: PayloadOf<Type> };
}[RunEventType];

/** An event of a later version of this software: kept and shown, never folded. */
export type UnknownEvent = StoredEvent & { readonly unknown: true };

export type RunEvent = KnownEvent | UnknownEvent;

/** A draft of one event. */
export const draft = <Type extends RunEventType>(
  type: Type,
  invocationId: InvocationId,
  payload: PayloadOf<Type>,
): Extract<RunEventDraft, { readonly type: Type }> =>
  ({ type, invocationId, payload }) as unknown as Extract<RunEventDraft, { readonly type: Type }>;

export const isKnownType = (type: string): type is RunEventType => Object.hasOwn(definitions, type);

/** True when this code wrote or can read the event's type and version. */
export const isKnown = (event: RunEvent): event is KnownEvent => !("unknown" in event);

const decoders: { readonly [type: string]: (input: unknown) => Option.Option<unknown> } = Record.map(
  definitions as unknown as { readonly [type: string]: Definition<Schema.Codec<unknown>> },
  (definition) => {
    const decode = Schema.decodeUnknownOption(definition.payload);
    return (input: unknown) => decode(input);
  },
);

/**
 * Reads a stored event with its full schema, for journals that come from outside: raised to the version that is written
 * today. `None` when a known type and version has a payload that does not fit it.
 */
export const decode = (event: StoredEvent): Option.Option<RunEvent> => {
  const read = trust(event);
  if (!isKnown(read)) return Option.some(read);
  const decoder = decoders[event.type];
  if (decoder === undefined) return Option.none();
  return Option.map(decoder(read.payload), () => read);
};

/**
 * Reads a stored event that an adapter has already checked (header and checksum): by type and version, without walking
 * the payload, and raised to the version that is written today.
 */
export const trust = (event: StoredEvent): RunEvent => {
  const present = raised(event);
  return present === undefined ? { ...event, unknown: true as const } : (present as unknown as KnownEvent);
};

/** An event of a type and version that this code knows, as it is written today. */
const raised = (event: StoredEvent): StoredEvent | undefined => {
  if (!isKnownType(event.type)) return undefined;
  const { v } = definitions[event.type];
  return event.v === v ? event : raise(event, v);
};
