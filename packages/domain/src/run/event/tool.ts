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
 * The model made a call, and it has passed the gate, or with `refusal` has not: either way it is charged. `toolId` is
 * absent when the model named no tool that it has; `name` is the alias as it wrote it, `argumentsRef` its arguments as
 * it wrote them. `argumentsSha256` is the digest of the canonical arguments, by which repetitions are recognised.
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

/**
 * A call that may run is about to. `effectClass` (`pure`, `internal`, `idempotent`, `keyed` or `irreversible`) decides
 * what happens with it after a crash. A call that the gate refused never starts.
 */
export const ToolCallStarted = Schema.Struct({
  ...call,
  toolId: Schema.String,
  effectClass: Schema.String,
});

/**
 * A tool asks a person something in the middle of its call: `message` is the beginning of what it says, at most 2048 bytes, and
 * `question` all of it with the JSON Schema of an answer. It waits for as long as its process does; a call that was interrupted
 * asks nothing any more.
 */
export const ToolQuestionAsked = Schema.Struct({
  ...call,
  toolId: Schema.String,
  questionId: Schema.String,
  message: Schema.String,
  question: Payload,
});

/**
 * What a question of a tool was answered with, and by whom: a person, or nobody because nobody attends the run. `content` is what
 * was filled in, for `accept` only.
 */
export const ToolQuestionAnswered = Schema.Struct({
  ...call,
  toolId: Schema.String,
  questionId: Schema.String,
  action: Schema.Literals(["accept", "decline", "cancel"]),
  by: Schema.Literals(["user", "unattended"]),
  content: Schema.optionalKey(Payload),
});

/**
 * The one result of a call. `result` is all of it as JSON, `contentSha256` the digest of what the tool itself gave as
 * content, without what the runtime added.
 */
export const ToolResultStored = Schema.Struct({
  ...call,
  toolId: Schema.String,
  result: Payload,
  contentSha256: Schema.optionalKey(Sha256),
});

/**
 * A result that was too long for the model, as a file that it can read: `content` is the file, `chars` and `words` are
 * its size. `auditPath` names the whole result as JSON.
 */
export const ToolResultReadableViewStored = Schema.Struct({
  ...call,
  toolId: Schema.String,
  path: Schema.String,
  auditPath: Schema.String,
  chars: Schema.Int,
  words: Schema.Int,
  content: Payload,
});

/**
 * Something of a result that is no text, such as an image, as a file that can be read: `path` lies under `tool-results/`. `sha256`
 * and `bytes` are those of the file; with `encoding` `content` is its bytes in base64.
 */
export const ToolResultAttachmentStored = Schema.Struct({
  ...call,
  toolId: Schema.String,
  path: Schema.String,
  auditPath: Schema.String,
  mimeType: Schema.optionalKey(Schema.String),
  sha256: Sha256,
  bytes: Schema.Int,
  chars: Schema.Int,
  words: Schema.Int,
  content: Payload,
  encoding: Schema.optionalKey(Schema.Literal("base64")),
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

/**
 * A call closed with a result that is no error. `elapsedMs` is how long it ran, in milliseconds; `resourceRefs` name
 * what it read or changed; `usage` is what the tool says that it used.
 */
export const ToolCallCompleted = Schema.Struct(closing);
/**
 * A call closed with an error that the model reads: it failed, was refused by the gate or denied. `errorCode` says
 * which error, `message` is the beginning of what the model reads, at most 2048 bytes. `elapsedMs` is 0 for a call that
 * did not run.
 */
export const ToolCallFailed = Schema.Struct(closing);

/**
 * A call showed the model a part of a file: the characters of `range` (from, up to without) of a version of `chars`
 * characters. By this the invocation may replace or patch that version later.
 */
export const WorkspaceFileRead = Schema.Struct({
  ...call,
  path: Schema.String,
  sha256: Sha256,
  chars: Schema.Int,
  range: CharRange,
});

/**
 * A call showed the model a part of a Skill, `chars` characters of it: of the file or, by a search, below the folder `path`,
 * which begins with `skills/`. What an invocation may read of Skills is counted by this.
 */
export const SkillRead = Schema.Struct({ ...call, path: Schema.String, chars: Schema.Int });

export const FileWriteMode = Schema.Literals(["replace", "append"]);

/** How the content of a file that is no text is written down. */
export const FileEncoding = Schema.Literal("base64");
export type FileEncoding = typeof FileEncoding.Type;

/**
 * A call wrote a file. For `replace` `content` is the whole file, for `append` what was added; `sha256` and counts are
 * of the whole file. `previous` is the version before, absent for a new file. With `encoding` the file is no text: `content`
 * is its bytes in base64, `sha256` and `bytes` are still of the file itself, and it has no `chars` and `words`. `unseen`:
 * whoever called has not seen the file as it is now.
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
  encoding: Schema.optionalKey(FileEncoding),
  unseen: Schema.optionalKey(Schema.Literal(true)),
});

/** A call removed a file from the workspace; `sha256` is the version that was there. */
export const WorkspaceFileRemoved = Schema.Struct({ ...call, path: Schema.String, sha256: Sha256 });

/**
 * A call exchanged a passage of a file, at `replacements` places. Counts and `sha256` are of the file after it,
 * `oldSha256` is the version before. `edits` is the recorded inverse as JSON: see `workspace/TextPatch`.
 */
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

/**
 * A name for the state after this event; nothing is copied. `reason` is `tool` when an agent asked for it, and `label`
 * what it called it; `tool_workspace_write` and `tool_workspace_patch` after a call that changed the workspace,
 * `direct_output_capture` after a text-only answer was kept, `chat_commit` before a commit, `rollback` before a rollback
 * when the state had no name yet.
 */
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

/** An agent wants a file in the chat. `reason` is why, as it said. */
export const ChatCommitStarted = Schema.Struct({ ...commit, reason: Schema.optionalKey(Schema.String) });

/**
 * The intent before the chat is touched: everything needed to ask for the same commit again after a crash. Counts and
 * `sha256` are of the text; `revision` names the state of the chat that the run last saw, and `at` is an ISO 8601 time.
 */
export const ChatCommitRequested = Schema.Struct({
  ...commit,
  chars: Schema.Int,
  words: Schema.Int,
  sha256: Sha256,
  revision: Schema.String,
  at: Schema.String,
});

/**
 * The chat has the text, in message `messageId` at `messageIndex` (from 0). `revision` names the state of the chat
 * after it; `chars` is the length of the published file in characters.
 */
export const ChatCommitCompleted = Schema.Struct({
  ...commit,
  messageId: Schema.String,
  messageIndex: Schema.Int,
  revision: Schema.String,
  chars: Schema.Int,
});

/**
 * The chat did not take the commit and is unchanged. Nothing is written when the host did not answer: then it is not
 * known.
 */
export const ChatCommitFailed = Schema.Struct({ ...commit, code: Schema.String, message: Schema.String });

/** Follows a completed commit; `commitCount` is how many the run has by then. */
export const ChatCommitRecorded = Schema.Struct({
  invocationId: InvocationId,
  commitCount: Schema.Int,
  path: Schema.String,
  mode: CommitMode,
  messageId: Schema.String,
});
