/**
 * Branded identifiers of everything that a run names.
 *
 * Owns the form of each id. Does not own their generation: ids enter the domain as arguments.
 */
import * as Schema from "effect/Schema";

/** A value that is safe as one path segment and as one document id. */
export const Segment = Schema.String.check(Schema.isPattern(/^[A-Za-z0-9_-]{1,128}$/));

/** `run_<32 hex>`: one generation. */
export const RunId = Segment.pipe(Schema.brand("RunId"));
export type RunId = typeof RunId.Type;

/** `evt_<32 hex>`: one journal event. Order is given by its `seq`, never by the id. */
export const EventId = Segment.pipe(Schema.brand("EventId"));
export type EventId = typeof EventId.Type;

/** `inv_root` for the first invocation of a run, `inv_<32 hex>` for every other. */
export const InvocationId = Segment.pipe(Schema.brand("InvocationId"));
export type InvocationId = typeof InvocationId.Type;

/** The invocation that a run starts with. */
export const rootInvocation = InvocationId.make("inv_root");

/** `task_<32 hex>` for a delegated task, `handoff_<32 hex>` for a handoff. */
export const TaskId = Segment.pipe(Schema.brand("TaskId"));
export type TaskId = typeof TaskId.Type;

/** `commit_<32 hex>`: one attempt to publish a file to the chat; the host can be asked whether it was applied. */
export const CommitId = Segment.pipe(Schema.brand("CommitId"));
export type CommitId = typeof CommitId.Type;

/** `cp_<6 digits>`: a name for a sequence number of one run. */
export const CheckpointId = Segment.pipe(Schema.brand("CheckpointId"));
export type CheckpointId = typeof CheckpointId.Type;

/** `chat_<16 hex>`, derived from the stable chat id alone; see `chat/workspaceIdOf`. */
export const WorkspaceId = Segment.pipe(Schema.brand("WorkspaceId"));
export type WorkspaceId = typeof WorkspaceId.Type;

/** Opaque, at most 512 characters; SillyTavern's `chat_metadata.integrity` or a group chat id. */
export const StableChatId = Schema.String.check(Schema.isMinLength(1), Schema.isMaxLength(512)).pipe(
  Schema.brand("StableChatId"),
);
export type StableChatId = typeof StableChatId.Type;

/** Lower-case ASCII letters, digits, `-` and `_`, at most 128 characters. */
export const ProfileId = Schema.String.check(Schema.isPattern(/^[a-z0-9_-]{1,128}$/)).pipe(Schema.brand("ProfileId"));
export type ProfileId = typeof ProfileId.Type;

/** The provider's own string for a tool call: opaque, stored and echoed, never parsed, trimmed or invented. */
export const CallId = Schema.String.pipe(Schema.brand("CallId"));
export type CallId = typeof CallId.Type;

/** One host process that carries runs on. */
export const OwnerId = Segment.pipe(Schema.brand("OwnerId"));
export type OwnerId = typeof OwnerId.Type;
