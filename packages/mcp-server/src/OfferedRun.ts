/**
 * What other clients are shown of a run, as it stands on the wire: the output schemas of the tools are made of these.
 *
 * Owns the forms. Does not own where they come from: the host fills them. What a form does not state never leaves.
 */
import * as Schema from "effect/Schema";

const described = (description: string) => Schema.String.annotate({ description });

/** Why a run failed, or cannot be read. */
export const RunError = Schema.Struct({ code: Schema.String, message: Schema.String });
export type RunError = typeof RunError.Type;

/** How a run stands, in one word. */
export const Standing = Schema.Literals([
  "ended",
  "running",
  "waiting",
  "interrupted",
  "damaged",
  "unreadable",
]).annotate({
  description:
    "ended; running: a process carries it on; waiting: for an answer of a person; interrupted: nobody carries it on; damaged or unreadable: its journal is",
});
export type Standing = typeof Standing.Type;

/** One line of a list of runs. Times are ISO 8601. */
export const RunEntry = Schema.Struct({
  runId: described("The id by which other tools name the run"),
  createdAt: Schema.String,
  updatedAt: Schema.String,
  endedAt: Schema.optionalKey(Schema.String),
  status: Schema.String,
  standing: Standing,
  chat: described("The chat that the run writes to; empty of a run that was never admitted"),
  profileId: Schema.String,
  generationType: Schema.String,
  rounds: Schema.Int.annotate({ description: "Answers of the model so far" }),
  commitCount: Schema.Int.annotate({ description: "Messages that the run has published to the chat" }),
  error: Schema.optionalKey(RunError),
});
export type RunEntry = typeof RunEntry.Type;

/** A file of a run as it stands now. */
export const FileEntry = Schema.Struct({
  path: described("The path in the workspace of the run"),
  bytes: Schema.Int,
  sha256: Schema.String,
});
export type FileEntry = typeof FileEntry.Type;

/** A call that waits until somebody decides about it. */
export const WaitingCall = Schema.Struct({
  callId: Schema.String,
  invocationId: Schema.String,
  toolId: Schema.String,
  title: Schema.String,
  argumentsSummary: Schema.String,
  argumentsSha256: described("An answer may be bound to exactly these arguments"),
  sideEffects: Schema.Array(Schema.String).annotate({ description: "What the call does if it is allowed" }),
  reason: Schema.String,
});
export type WaitingCall = typeof WaitingCall.Type;

/** An agent at work in a run. */
export const InvocationEntry = Schema.Struct({
  invocationId: Schema.String,
  status: Schema.String,
  model: Schema.optionalKey(Schema.String),
  rounds: Schema.Int,
  toolCalls: Schema.Int,
  inputTokens: Schema.Int,
  outputTokens: Schema.Int,
});
export type InvocationEntry = typeof InvocationEntry.Type;

/** A run with what it has made and what it waits for. */
export const RunDetail = Schema.Struct({
  ...RunEntry.fields,
  lastSeq: Schema.Int.annotate({ description: "The number of the run's last event" }),
  invocations: Schema.Array(InvocationEntry),
  files: Schema.Array(FileEntry),
  committed: Schema.Array(
    Schema.Struct({ messageIndex: Schema.Int, path: Schema.String, characters: Schema.Int, commitId: Schema.String }),
  ),
  checkpoints: Schema.Array(
    Schema.Struct({ checkpointId: Schema.String, seq: Schema.Int, label: Schema.optionalKey(Schema.String) }),
  ),
  waitingFor: Schema.Array(WaitingCall),
});
export type RunDetail = typeof RunDetail.Type;

/** One event of a run, as a line for people. */
export const RunLine = Schema.Struct({
  seq: Schema.Int,
  at: Schema.String,
  type: Schema.String,
  text: Schema.String,
});
export type RunLine = typeof RunLine.Type;

/** A moment of a run: the number of an event, and the checkpoint if it was named by one. */
export const DiffPoint = Schema.Struct({ seq: Schema.Int, checkpointId: Schema.optionalKey(Schema.String) });
export type DiffPoint = typeof DiffPoint.Type;

/** One file that differs; `diff` is in unified form. */
export const FileDiff = Schema.Struct({
  path: Schema.String,
  status: Schema.Literals(["added", "modified", "deleted"]),
  addedLines: Schema.Int,
  removedLines: Schema.Int,
  diff: Schema.String,
});
export type FileDiff = typeof FileDiff.Type;

/** What differs in the workspace between two moments of a run. */
export const RunDiff = Schema.Struct({
  runId: Schema.String,
  from: DiffPoint,
  to: DiffPoint,
  files: Schema.Array(FileDiff),
});
export type RunDiff = typeof RunDiff.Type;

/** The whole of a file: its text, or the bytes of one that holds none. */
export type FileContent =
  | { readonly path: string; readonly sha256: string; readonly text: string }
  | { readonly path: string; readonly sha256: string; readonly data: Uint8Array };
