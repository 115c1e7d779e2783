/**
 * What a run is at one moment: the fold of its journal.
 *
 * Owns the shape. Does not own how events change it (`evolve`) nor what follows from it (`nextStep`). Bulky content is
 * never here: the state refers to payloads, and the application reads them.
 */
import * as PathMap from "./PathMap.ts";
import type { Amount } from "../budget/Purse.ts";
import type { Repetition } from "../budget/Repetition.ts";
import type { CommitMode } from "../chat/Chat.ts";
import type {
  CallId,
  CheckpointId,
  CommitId,
  InvocationId,
  ProfileId,
  RunId,
  TaskId,
  WorkspaceId,
} from "../identity/Identity.ts";
import type { ExitPolicy, InvocationKind, InvocationStatus } from "../invocation/Invocation.ts";
import type { Payload } from "../payload/Payload.ts";
import type { Sha256 } from "../payload/Sha256.ts";
import type { FinishReason } from "../model/ModelResponse.ts";
import type { ProviderState } from "../model/ProviderState.ts";
import { type GuidanceState, none } from "../guidance/Guidance.ts";
import type { AwaitMode, TaskState } from "../task/Task.ts";
import type * as ReadState from "../workspace/ReadState.ts";
import type { RunOwner, RunTarget } from "./event/lifecycle.ts";
import type { InvocationLimits } from "./event/model.ts";
import type { MessageRollback } from "./event/rollback.ts";
import type { FileEncoding } from "./event/tool.ts";
import type { CallState } from "./CallState.ts";
import * as Log from "./Log.ts";
import { isClosed } from "../invocation/Invocation.ts";
import { isTerminal, type RunStatus } from "./RunStatus.ts";

export type { ApprovalDecision, ApprovalState, CallState } from "./CallState.ts";

/** How one version of a file follows from the one before. */
export type FileDelta =
  | { readonly kind: "append"; readonly content: Payload }
  | { readonly kind: "patch"; readonly edits: Payload };

/**
 * A file of the run's workspace: its last whole content and what changed since. `sha256` and counts are of the present
 * content. One with `encoding` is no text: its content is written down in that way, and it has no characters.
 */
export interface FileState {
  readonly path: string;
  readonly sha256: Sha256;
  readonly bytes: number;
  readonly chars: number;
  readonly words: number;
  readonly base: Payload | null;
  readonly deltas: Log.Log<FileDelta>;
  readonly writtenBySeq: number;
  readonly encoding?: FileEncoding;
}

/**
 * What is being asked of the model. `attempt` 0: decided, not yet sent. `failures` are journalled failed attempts, and
 * `lost` those of which nothing is known because their process died: each may have cost as much as the one that answers.
 */
export interface RequestState {
  readonly round: number;
  readonly attempt: number;
  readonly failures: number;
  readonly lost: number;
  readonly phase: "created" | "calling" | "retrying";
  readonly delayMs: number;
}

/** The response that is being worked on. `drift`: it was text only and has been answered by a reminder. */
export interface TurnState {
  readonly round: number;
  readonly responseSeq: number;
  readonly response: Payload;
  readonly finish: FinishReason;
  readonly calls: ReadonlyArray<CallState>;
  readonly drift: boolean;
}

/** A message after the initial prompt, by reference. `about`: what somebody else than the model tells it there. */
export type MessageReference =
  | { readonly kind: "response"; readonly payload: Payload }
  | { readonly kind: "result"; readonly callId: CallId; readonly payload: Payload }
  | { readonly kind: "user"; readonly about: "guidance" | "reminder" | "taskResults"; readonly payload: Payload };

/** Where a forked run comes from: it shares the events of run `runId` up to `seq`. */
export interface ForkedFrom {
  readonly runId: RunId;
  readonly seq: number;
}

/**
 * What a call waits for: tasks of its invocation. `fresh` are those of them whose results were not told when it began;
 * `startedWallMs` is how long the run had worked then.
 */
export interface AwaitState {
  readonly callId: CallId;
  readonly mode: AwaitMode;
  readonly taskIds: ReadonlyArray<TaskId>;
  readonly fresh: ReadonlyArray<TaskId>;
  readonly timeoutMs: number;
  readonly startedWallMs: number;
}

/** What was frozen when the invocation's context was assembled. */
export interface ContextState {
  readonly limits: InvocationLimits;
  readonly promptSnapshot: Payload;
  readonly toolSnapshot: Payload;
  readonly chat?: Payload;
  readonly worldInfo?: Payload;
  readonly promptInput?: Payload;
  readonly skills?: Payload;
}

/**
 * `boundAt`: responses and failed attempts before its model was bound. `userMessage` is what the user says before the next
 * request. Tokens and cost are what this run has spent.
 */
export interface InvocationState {
  readonly id: InvocationId;
  readonly parent: InvocationId | null;
  readonly profileId: ProfileId;
  readonly kind: InvocationKind;
  readonly status: InvocationStatus;
  readonly exitPolicy: ExitPolicy;
  /** The profile that a fork has given it in the place of its task's, or the run's. */
  readonly profile: Payload | null;
  readonly binding: Payload | null;
  readonly context: ContextState | null;
  readonly messages: Log.Log<MessageReference>;
  readonly userMessage: Payload | null;
  /** The prompt that a host is asked to make, since when (ISO 8601). */
  readonly assembly: { readonly assemblyId: string; readonly fingerprint: string; readonly askedAt: string } | null;
  /** Answers and results before this message behind the prompt are not shown to the model any more. */
  readonly leftOut: number;
  /** What the provider counted for the last request and its answer: so many tokens up to so many messages. */
  readonly measured: { readonly tokens: number; readonly messages: number } | null;
  readonly request: RequestState | null;
  readonly turn: TurnState | null;
  readonly completedResponses: number;
  readonly failedAttempts: number;
  readonly boundAt: number;
  readonly driftAttempts: number;
  readonly callCount: number;
  readonly callsPerTool: { readonly [toolId: string]: number };
  readonly reads: PathMap.PathMap<ReadState.ReadState>;
  /** How many characters of Skills it has been shown. */
  readonly skillChars: number;
  readonly awaiting: AwaitState | null;
  readonly finished: boolean;
  /** Where the provider's session stands; a fork begins one of its own. */
  readonly providerState: ProviderState | null;
  readonly failure: RunFailure | null;
  readonly inputTokens: number;
  readonly outputTokens: number;
  /** What tools and delegated models said that they used beside the invocation's own model. */
  readonly toolTokens: number;
  readonly cost: number;
  readonly repetition: Repetition;
}

export interface RunFailure {
  readonly code: string;
  readonly message: string;
}

/**
 * The last revision of the run: `commitId` is the last commit before it and `files` are those that it found. `outcome` null: it
 * has not ended.
 */
export interface RevisionState {
  readonly commitId: CommitId | null;
  readonly files: PathMap.PathMap<FileState>;
  readonly outcome: "completed" | "failed" | "cancelled" | null;
}

/** A commit between its intent and its confirmation. */
export interface PendingCommit {
  readonly commitId: CommitId;
  readonly invocationId: InvocationId;
  readonly round: number;
  readonly callId: CallId;
  readonly path: string;
  readonly mode: CommitMode;
  readonly sha256: Sha256;
  readonly revision: string;
  readonly at: string;
}

/** A rollback of the message between its intent and its outcome. */
export interface PendingRollback {
  readonly commitId: CommitId;
  readonly checkpointId: CheckpointId;
  readonly seq: number;
  readonly action: MessageRollback;
  readonly path: string;
  readonly content: Payload | null;
  readonly message: Payload | null;
  readonly revision: string;
  readonly at: string;
}

/** The message of the run that was taken out of the chat: what it is made again of, and the commit that had made it. */
export interface WithdrawnMessage {
  readonly message: Payload;
  readonly first: CommitRecord;
}

/** A commit, or a text that a rollback gave back, that the chat has confirmed and still has. */
export interface CommitRecord {
  readonly commitId: CommitId;
  readonly path: string;
  readonly mode: CommitMode;
  readonly round: number;
  readonly messageId: string;
  readonly messageIndex: number;
  readonly revision: string;
  readonly chars: number;
}

/** A name for the state after event `seq`. `files` are those of that state, shared with it. */
export interface CheckpointState {
  readonly id: CheckpointId;
  readonly seq: number;
  readonly reason: string;
  readonly label: string | null;
  readonly files: PathMap.PathMap<FileState>;
}

/** A long tool result, or a thing of one that is no text, that can be read as a file under `tool-results/`. */
export interface ReadableView {
  readonly path: string;
  readonly toolId: string;
  readonly auditPath: string;
  readonly chars: number;
  readonly words: number;
  readonly content: Payload;
  /** Of a file whose content is written down in another way: what the file itself is. */
  readonly encoded?: { readonly encoding: FileEncoding; readonly sha256: Sha256; readonly bytes: number };
}

/**
 * What the agents of the run remember. `stateId` and `base` are the state that it began with or published last, and the
 * digests of its files. `before` is the one before that, while the run that published it has not come to its end; `withdrawn`:
 * it never did. `published` is the state that the run published last, and what it was made from. `naming` is the state that the chat was asked to name, `named` the one that the run's message names.
 */
export interface PersistState {
  readonly stateId: string | null;
  readonly base: { readonly [path: string]: Sha256 };
  readonly before: Pick<PersistState, "stateId" | "base"> | null;
  readonly withdrawn: boolean;
  readonly published: { readonly stateId: string; readonly baseStateId: string | null } | null;
  readonly publishedCount: number;
  readonly naming: string | null;
  readonly named: { readonly stateId: string; readonly commitId: CommitId } | null;
}

/**
 * `createdAt`: when the run began, of a forked one when it was forked. `activeMs`: how long the run worked before `activeSince`; waiting for people and lying interrupted do not count.
 * `approvedTools`: tools whose further calls of this run need no approval.
 */
export interface RunState {
  readonly runId: RunId | null;
  readonly forkedFrom: ForkedFrom | null;
  readonly seq: number;
  readonly epoch: number;
  readonly createdAt: string | null;
  readonly updatedAt: string | null;
  readonly status: RunStatus;
  readonly workspaceId: WorkspaceId | null;
  readonly target: RunTarget | null;
  readonly presentation: "foreground" | "background";
  readonly profileId: ProfileId | null;
  readonly resolvedProfile: Payload | null;
  readonly owner: RunOwner | null;
  readonly initialized: boolean;
  readonly cancelRequested: boolean;
  readonly invocations: { readonly [id: string]: InvocationState };
  readonly foreground: InvocationId | null;
  /** In the order in which they were given. */
  readonly tasks: { readonly [taskId: string]: TaskState };
  readonly guidance: GuidanceState;
  readonly files: PathMap.PathMap<FileState>;
  readonly pendingCommit: PendingCommit | null;
  readonly pendingRollback: PendingRollback | null;
  readonly commits: ReadonlyArray<CommitRecord>;
  readonly withdrawn: WithdrawnMessage | null;
  readonly failure: RunFailure | null;
  readonly revision: RevisionState | null;
  readonly checkpoints: Log.Log<CheckpointState>;
  readonly readableViews: { readonly [path: string]: ReadableView };
  readonly approvedTools: ReadonlyArray<string>;
  readonly persist: PersistState;
  readonly activeSince: string | null;
  readonly activeMs: number;
}

/** The state before any event. */
export const empty: RunState = {
  runId: null,
  forkedFrom: null,
  seq: 0,
  epoch: 0,
  createdAt: null,
  updatedAt: null,
  status: "created",
  workspaceId: null,
  target: null,
  presentation: "foreground",
  profileId: null,
  resolvedProfile: null,
  owner: null,
  initialized: false,
  cancelRequested: false,
  invocations: {},
  foreground: null,
  tasks: {},
  guidance: none,
  files: PathMap.empty,
  pendingCommit: null,
  pendingRollback: null,
  commits: [],
  withdrawn: null,
  failure: null,
  revision: null,
  checkpoints: Log.empty(),
  readableViews: {},
  approvedTools: [],
  persist: {
    stateId: null,
    base: {},
    before: null,
    withdrawn: false,
    published: null,
    publishedCount: 0,
    naming: null,
    named: null,
  },
  activeSince: null,
  activeMs: 0,
};

/** The state of one invocation, or undefined. */
export const invocation = (state: RunState, id: InvocationId): InvocationState | undefined => state.invocations[id];

/** The revision of the chat that the run's next commit must find. */
export const chatRevision = (state: RunState): string => state.commits.at(-1)?.revision ?? state.target?.revision ?? "";

/** Responses completed plus failed attempts since the model was bound: what a scripted model's turn is chosen by. */
export const position = ({ boundAt, completedResponses, failedAttempts }: InvocationState): number =>
  completedResponses + failedAttempts - boundAt;

/** A call that somebody is asked about, with the invocation and round that it belongs to. */
export interface AwaitingCall {
  readonly invocation: InvocationState;
  readonly round: number;
  readonly call: CallState;
}

/** Every call of open invocations that awaits approval, in the order in which they were asked; a run that has ended waits for none. */
export const awaitingCalls = (state: RunState): ReadonlyArray<AwaitingCall> =>
  (isTerminal(state.status) ? [] : Object.values(state.invocations))
    .filter((one) => !isClosed(one.status))
    .flatMap((one) =>
      (one.turn?.calls ?? [])
        .filter((call) => call.phase === "awaiting")
        .map((call) => ({ invocation: one, round: one.turn?.round ?? 0, call })),
    )
    .toSorted((one, other) => (one.call.approval?.askedSeq ?? 0) - (other.call.approval?.askedSeq ?? 0));

/** How long the run has worked up to its last event, in milliseconds. */
export const wallMs = (state: RunState): number =>
  state.activeMs + (state.activeSince === null ? 0 : millisecondsBetween(state.activeSince, state.updatedAt));

/** From one time to another; 0 when there is none or it lies before. */
export const millisecondsBetween = (from: string, to: string | null): number => {
  const between = to === null ? 0 : Date.parse(to) - Date.parse(from);
  return between > 0 ? between : 0;
};

/** What the whole run has spent of tokens, cost and time, for its purse. */
export const spent = (state: RunState): Amount => {
  const invocations = Object.values(state.invocations);
  return {
    tokens: invocations.reduce((sum, one) => sum + one.inputTokens + one.outputTokens + one.toolTokens, 0),
    cost: invocations.reduce((sum, one) => sum + one.cost, 0),
    wallMs: wallMs(state),
  };
};
