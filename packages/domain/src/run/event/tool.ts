/** Payloads of the events about tool calls and what they changed. */
import * as Schema from "effect/Schema";
import { CommitMode } from "../../chat/Chat.ts";
import { CallId, CheckpointId, CommitId, InvocationId } from "../../identity/Identity.ts";
import { Payload } from "../../payload/Payload.ts";
import { Sha256 } from "../../payload/Sha256.ts";
import { CharRange } from "../../workspace/ReadState.ts";

const call = { round: Schema.Int, invocationId: InvocationId, callId: CallId };

/** Why the gate let a call not through. */
export const CallRefusal = Schema.Struct({ code: Schema.String, message: Schema.String });
export type CallRefusal = typeof CallRefusal.Type;

/**
 * A call that has passed the gate, or with `refusal` has not: either way it is charged. `toolId` is absent when the
 * model named no tool that it has; `name` is the alias as it wrote it. `argumentsSha256` is the digest of the canonical
 * arguments, by which repetitions are recognised.
 */
export const ToolCallRequested = Schema.Struct({
  ...call,
  toolId: Schema.optionalKey(Schema.String),
  name: Schema.String,
  snapshotId: Schema.String,
  argumentsRef: Payload,
  argumentsSha256: Schema.optionalKey(Sha256),
  refusal: Schema.optionalKey(CallRefusal),
});

export const ToolCallStarted = Schema.Struct({
  ...call,
  toolId: Schema.String,
  effectClass: Schema.String,
});

/** `result` is the `ToolResult` as JSON, `contentSha256` the digest of what the tool itself gave as content. */
export const ToolResultStored = Schema.Struct({
  ...call,
  toolId: Schema.String,
  result: Payload,
  contentSha256: Schema.optionalKey(Sha256),
});

/** A long result as a file that the model can read; `auditPath` names the whole result as JSON. */
export const ToolResultReadableViewStored = Schema.Struct({
  ...call,
  toolId: Schema.String,
  path: Schema.String,
  auditPath: Schema.String,
  chars: Schema.Int,
  words: Schema.Int,
  content: Payload,
});

/** What a tool says that a call has used; `cost` in the currency of the run's connection. */
export const ToolUsage = Schema.Struct({
  timeMs: Schema.optionalKey(Schema.Finite),
  tokens: Schema.optionalKey(Schema.Finite),
  cost: Schema.optionalKey(Schema.Finite),
  bytes: Schema.optionalKey(Schema.Finite),
});
export type ToolUsage = typeof ToolUsage.Type;

const closing = {
  ...call,
  toolId: Schema.String,
  isError: Schema.Boolean,
  errorCode: Schema.optionalKey(Schema.String),
  message: Schema.optionalKey(Schema.String),
  elapsedMs: Schema.Int,
  resourceRefs: Schema.Array(Schema.String),
  usage: Schema.optionalKey(ToolUsage),
};

export const ToolCallCompleted = Schema.Struct(closing);
export const ToolCallFailed = Schema.Struct(closing);

/** What one read showed: the characters of `range` (from, up to without) of a version of `chars` characters. */
export const WorkspaceFileRead = Schema.Struct({
  ...call,
  path: Schema.String,
  sha256: Sha256,
  chars: Schema.Int,
  range: CharRange,
});

export const FileWriteMode = Schema.Literals(["replace", "append"]);

/**
 * For `replace` `content` is the whole file, for `append` what was added; `sha256` and counts are of the whole file.
 * `previous` is the version before, absent for a new file.
 */
export const WorkspaceFileWritten = Schema.Struct({
  ...call,
  path: Schema.String,
  mode: FileWriteMode,
  chars: Schema.Int,
  words: Schema.Int,
  bytes: Schema.Int,
  sha256: Sha256,
  previous: Schema.optionalKey(Schema.Struct({ sha256: Sha256, chars: Schema.Int })),
  content: Payload,
});

/** `edits` is the recorded inverse as JSON: see `workspace/TextPatch`. */
export const WorkspacePatchApplied = Schema.Struct({
  ...call,
  path: Schema.String,
  chars: Schema.Int,
  words: Schema.Int,
  bytes: Schema.Int,
  oldSha256: Sha256,
  sha256: Sha256,
  replacements: Schema.Int,
  edits: Payload,
});

/** A name for the state after this event. */
export const CheckpointCreated = Schema.Struct({
  checkpointId: CheckpointId,
  reason: Schema.String,
  label: Schema.optionalKey(Schema.String),
});

const commit = {
  commitId: CommitId,
  ...call,
  path: Schema.String,
  mode: CommitMode,
};

export const ChatCommitStarted = Schema.Struct({ ...commit, reason: Schema.optionalKey(Schema.String) });

/** The intent before the chat is touched: everything needed to ask for the same commit again. */
export const ChatCommitRequested = Schema.Struct({
  ...commit,
  chars: Schema.Int,
  words: Schema.Int,
  sha256: Sha256,
  revision: Schema.String,
  at: Schema.String,
});

export const ChatCommitCompleted = Schema.Struct({
  ...commit,
  messageId: Schema.String,
  messageIndex: Schema.Int,
  revision: Schema.String,
  chars: Schema.Int,
});

export const ChatCommitFailed = Schema.Struct({ ...commit, code: Schema.String, message: Schema.String });

export const ChatCommitRecorded = Schema.Struct({
  invocationId: InvocationId,
  commitCount: Schema.Int,
  path: Schema.String,
  mode: CommitMode,
  messageId: Schema.String,
});
