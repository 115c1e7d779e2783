/** Payloads of the events that begin, end and hand over a run. */
import * as Schema from "effect/Schema";
import { ChatRef, CommitMode, GenerationType } from "../../chat/Chat.ts";
import { OwnerId, ProfileId, StableChatId, WorkspaceId } from "../../identity/Identity.ts";
import { Payload } from "../../payload/Payload.ts";
import { RunStatus } from "../RunStatus.ts";

/** `location` is where the host finds the chat; it stands in this event only. */
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
});
export type RunTarget = typeof RunTarget.Type;

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

/** `owner` is null when the run is let go of: it waits or has ended. */
export const RunOwnerChanged = Schema.Struct({ owner: Schema.NullOr(RunOwner), reason: Schema.String });

export const ProfileResolved = Schema.Struct({
  profileId: ProfileId,
  source: Schema.String,
  resolvedProfile: Payload,
  diagnostics: Schema.Array(Schema.String),
});

export const StatusChanged = Schema.Struct({ from: RunStatus, to: RunStatus, reason: Schema.String });

export const WorkspaceInitialized = Schema.Struct({ workspaceId: WorkspaceId, stableChatId: StableChatId });

export const GenerationIntentRecorded = Schema.Struct({ intent: Schema.Json });

export const RunResumed = Schema.Struct({ previousStatus: RunStatus, unknownCalls: Schema.Array(Schema.String) });

export const RunCancelRequested = Schema.Struct({ reason: Schema.optionalKey(Schema.String) });

export const RunCancelled = Schema.Struct({ message: Schema.optionalKey(Schema.String) });

export const RunCompleted = Schema.Struct({});

const failure = {
  code: Schema.String,
  message: Schema.String,
  technicalMessage: Schema.optionalKey(Schema.String),
  retryable: Schema.Boolean,
  userRetryable: Schema.Boolean,
  details: Schema.Record(Schema.String, Schema.Json),
};

export const RunFailed = Schema.Struct(failure);

/** A failure after at least one confirmed commit: what reached the chat stays there. */
export const RunPartialSuccess = Schema.Struct({
  ...failure,
  preservedCommitCount: Schema.Int,
  preservedCommits: Schema.Array(
    Schema.Struct({ path: Schema.String, mode: CommitMode, messageId: Schema.String, round: Schema.Int }),
  ),
});
