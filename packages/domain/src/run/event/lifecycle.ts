/** Payloads of the events that begin, end and hand over a run. */
import * as Schema from "effect/Schema";
import { ChatRef, CommitMode, GenerationType } from "../../chat/Chat.ts";
import {
  CheckpointId,
  InvocationId,
  OwnerId,
  ProfileId,
  RunId,
  StableChatId,
  WorkspaceId,
} from "../../identity/Identity.ts";
import { Payload } from "../../payload/Payload.ts";
import { RunStatus } from "../RunStatus.ts";

/**
 * `location` is where the host finds the chat; it stands in this event only. `replaces` is the message that a regenerate takes the
 * place of, as the chat host keeps it: a rollback gives it back.
 */
export const RunTarget = Schema.Struct({
  kind: Schema.Literal("chat"),
  stableChatId: StableChatId,
  chatRef: ChatRef,
  generationType: GenerationType,
  location: Schema.String,
  groupId: Schema.optionalKey(Schema.String),
  characterName: Schema.String,
  inputMessageCount: Schema.Int,
  revision: Schema.String,
  replaces: Schema.optionalKey(Payload),
});
export type RunTarget = typeof RunTarget.Type;

/**
 * The first event of a run; that of a forked one has the time of the run that it shares events with. `target` is the chat that it writes to: `location` is where the host finds it and stands in
 * this event only, `inputMessageCount` is how many of its messages the run may see, and `revision` names the state in
 * which it was frozen.
 */
export const RunCreated = Schema.Struct({
  workspaceId: WorkspaceId,
  target: RunTarget,
  presentation: Schema.Literals(["foreground", "background"]),
  profileId: ProfileId,
});

/** A host process: `startedAt` tells a process from a later one with the same `pid` on the same `machine`. */
export const RunOwner = Schema.Struct({
  ownerId: OwnerId,
  machine: Schema.String,
  pid: Schema.Int,
  startedAt: Schema.String,
});
export type RunOwner = typeof RunOwner.Type;

/**
 * A process took the run, or let it go. `owner` is the process that carries the run on, and null when nobody does: the
 * run waits, was interrupted or has ended. `reason` is a word such as `started` or `claimed`, a status or an error
 * code.
 */
export const RunOwnerChanged = Schema.Struct({ owner: Schema.NullOr(RunOwner), reason: Schema.String });

/**
 * The profile that the run keeps for its whole life, with every default filled in. `source` is `built_in`, `file:` and
 * the id of a stored profile, or `file:given` for one that came with the start. `diagnostics` are warnings in
 * sentences.
 */
export const ProfileResolved = Schema.Struct({
  profileId: ProfileId,
  source: Schema.String,
  resolvedProfile: Payload,
  diagnostics: Schema.Array(Schema.String),
});

/**
 * The run went from one status to another. `reason` says why in a few words, or is the code of the error that led
 * there.
 */
export const StatusChanged = Schema.Struct({ from: RunStatus, to: RunStatus, reason: Schema.String });

/**
 * The workspace of the run is ready for its agent. `workspaceId` follows from the chat, so that all runs of one chat
 * have the same.
 */
export const WorkspaceInitialized = Schema.Struct({ workspaceId: WorkspaceId, stableChatId: StableChatId });

/** What the host said about why it starts the run. `intent` is kept as it was given and read by nobody. */
export const GenerationIntentRecorded = Schema.Struct({ intent: Schema.Json });

/**
 * The run was taken up again, after the process that carried it on was lost or let it go. `previousStatus` is where it
 * stood, and `unknownCalls` are the ids of calls that had begun, cannot be repeated and may or may not have taken
 * effect.
 */
export const RunResumed = Schema.Struct({ previousStatus: RunStatus, unknownCalls: Schema.Array(Schema.String) });

/**
 * The run goes on by itself from where another one stood: every event before this one is shared with the run `from` up
 * to its event `seq`, and was neither paid for nor carried out again. Nothing of what the other run published, was
 * allowed to do or has spent counts here. `message` is what the user says to the agent before its next request.
 */
export const RunForked = Schema.Struct({ from: RunId, seq: Schema.Int, message: Schema.optionalKey(Payload) });

/**
 * The files of the workspace are again those that the run had at a checkpoint, the event `seq`; `changes` are what that
 * changed. What stands in the chat stays, and so does what the agent remembers. Undone by rolling back to a checkpoint
 * that was made later.
 */
export const RunRolledBack = Schema.Struct({
  scope: Schema.Literal("workspace"),
  checkpointId: CheckpointId,
  seq: Schema.Int,
  changes: Schema.Array(
    Schema.Struct({ path: Schema.String, status: Schema.Literals(["added", "modified", "deleted"]) }),
  ),
});

/**
 * A user wants what the run has published to be another way: a run that has completed goes on, with a new invocation under
 * the same frozen profile, prompt and tools. After a revision that changed nothing in the chat it goes on with the files that
 * it had before that one. `guidance` is what its agent is told of it; `path` is the file that holds the message as
 * it stands in the chat, `content` its text, and `chars` and `words` its size.
 */
export const RunRevisionStarted = Schema.Struct({
  invocationId: InvocationId,
  guidance: Payload,
  path: Schema.String,
  content: Payload,
  chars: Schema.Int,
  words: Schema.Int,
});

/** Somebody wants the run to stop. What it still records is what became of its last commit, and its end. */
export const RunCancelRequested = Schema.Struct({ reason: Schema.optionalKey(Schema.String) });

/** The run has ended because somebody asked for it; nothing is published after it. */
export const RunCancelled = Schema.Struct({ message: Schema.optionalKey(Schema.String) });

/**
 * The run has ended because its agent finished it. With `revision` a revision of it has ended otherwise and has changed nothing
 * in the chat: the run is as complete as it was. `code` and `message` say why a revision failed.
 */
export const RunCompleted = Schema.Struct({
  revision: Schema.optionalKey(
    Schema.Union([
      Schema.Struct({ outcome: Schema.Literal("failed"), code: Schema.String, message: Schema.String }),
      Schema.Struct({ outcome: Schema.Literal("cancelled") }),
    ]),
  ),
});

const failure = {
  code: Schema.String,
  message: Schema.String,
  technicalMessage: Schema.optionalKey(Schema.String),
  retryable: Schema.Boolean,
  userRetryable: Schema.Boolean,
  details: Schema.Record(Schema.String, Schema.Json),
};

/**
 * The run has ended by a failure before anything was published. `retryable`: the same request may succeed at another
 * time; `userRetryable`: it makes sense to offer a person to try again. `message` is for people, `details` are facts by
 * name.
 */
export const RunFailed = Schema.Struct(failure);

/**
 * The run has ended by a failure after at least one confirmed commit: what reached the chat stays there and is listed
 * in `preservedCommits`. Such a run is never offered to be tried again.
 */
export const RunPartialSuccess = Schema.Struct({
  ...failure,
  preservedCommitCount: Schema.Int,
  preservedCommits: Schema.Array(
    Schema.Struct({ path: Schema.String, mode: CommitMode, messageId: Schema.String, round: Schema.Int }),
  ),
});
