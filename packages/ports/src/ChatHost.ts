/**
 * The chat that a run reads from and commits to.
 *
 * Owns the frozen prefix, and that commits to one chat are applied one after the other. Does not own when to commit.
 */
import type { CommitMode, FrozenChat, GenerationType } from "@cahier/domain/chat/Chat";
import type { CommitId, ProfileId, RunId, StableChatId, WorkspaceId } from "@cahier/domain/identity/Identity";
import * as Context from "effect/Context";
import type * as Effect from "effect/Effect";
import * as Schema from "effect/Schema";

/** Where a chat is: `location` is the host's own address of it (a file path for SillyTavern's files). */
export interface ChatLocation {
  readonly location: string;
  /** States that the chat is a group's, and the group chat's id. */
  readonly groupId?: string;
  /** The stable id to use where the chat has none of its own. */
  readonly chatId?: string;
}

/** Facts about a chat. `detail` says what was found and what to do. */
export const ChatFaultReason = Schema.Union([
  Schema.TaggedStruct("Missing", {}),
  /** The chat is empty, half-written or not a chat; `line` is 1-based. */
  Schema.TaggedStruct("Malformed", { line: Schema.optionalKey(Schema.Int) }),
  Schema.TaggedStruct("StableIdMissing", {}),
  Schema.TaggedStruct("StableIdInvalid", {}),
  /** The last message is not what a swipe or regenerate needs. */
  Schema.TaggedStruct("TargetInvalid", {}),
  Schema.TaggedStruct("GenerationTypeUnsupported", { generationType: Schema.String }),
  Schema.TaggedStruct("GroupUnsupported", { feature: Schema.String }),
  /** The chat is not as it was when the prefix was frozen; nothing was written. */
  Schema.TaggedStruct("Moved", {}),
  /** The host refused the commit; the chat is unchanged. */
  Schema.TaggedStruct("Refused", {}),
  /** Another process holds the chat for too long; the chat is unchanged. */
  Schema.TaggedStruct("Busy", {}),
  /** The host cannot be reached or cannot write; the chat is unchanged. */
  Schema.TaggedStruct("Unreachable", {
    kind: Schema.Literals(["full", "readOnly", "denied", "symlink", "other"]),
  }),
  /** The host did not answer in time: whether it did what was asked is not known. */
  Schema.TaggedStruct("Silent", {}),
]);
export type ChatFaultReason = typeof ChatFaultReason.Type;

export class ChatFault extends Schema.TaggedError<ChatFault>()("ChatFault", {
  reason: ChatFaultReason,
  detail: Schema.String,
  cause: Schema.optionalKey(Schema.Defect()),
}) {}

/** What a commit writes beside the text, under `extra.cahier.agent` of the message. */
export interface CommitMetadata {
  readonly runId: RunId;
  readonly workspaceId: WorkspaceId;
  readonly stableChatId: StableChatId;
  readonly profileId: ProfileId;
  readonly path: string;
  readonly model: string;
}

/**
 * `revision` is the revision the caller last saw: of the frozen prefix, or of its own last commit. `previous` is the
 * run's first receipt: later commits update the message that it names. `message` is what `capture` gave of that message before
 * it was withdrawn: it is made again of it, with everything that it had, and then updated. `chatState` takes the place of those
 * keys of the chat's metadata, together with the text; the others stay. `at` is ISO 8601.
 */
export interface CommitRequest {
  readonly commitId: CommitId;
  readonly chat: ChatLocation;
  readonly generationType: GenerationType;
  readonly mode: CommitMode;
  readonly text: string;
  readonly characterName: string;
  readonly revision: string;
  readonly previous?: CommitReceipt;
  readonly message?: string;
  readonly chatState?: Readonly<Record<string, Schema.Json>>;
  readonly metadata: CommitMetadata;
  readonly at: string;
}

/** Where the text stands now. `revision` is that of the chat after the commit. */
export interface CommitReceipt {
  readonly commitId: CommitId;
  readonly messageId: string;
  readonly messageIndex: number;
  readonly revision: string;
}

/** Laws: `CHT-*` in `@cahier/testkit/laws/ChatHostLaws`. */
export class ChatHost extends Context.Service<
  ChatHost,
  {
    /**
     * Reads the chat as a run of `generationType` sees it; the target of swipe and regenerate is left out. A message says in
     * `agent` what runs have left in it with `writeMetadata`.
     */
    readonly freeze: (chat: ChatLocation, generationType: GenerationType) => Effect.Effect<FrozenChat, ChatFault>;
    /** Appends a line that the user says, under the rules of a commit; gives the new revision. */
    readonly appendUserMessage: (
      chat: ChatLocation,
      message: { readonly text: string; readonly revision: string; readonly at: string },
    ) => Effect.Effect<string, ChatFault>;
    /**
     * Applies one commit, or nothing. Commits to one chat, from any process, are applied one after the other. Asked again
     * with a commitId that was applied, it changes nothing and gives the same receipt.
     */
    readonly commit: (request: CommitRequest) => Effect.Effect<CommitReceipt, ChatFault>;
    /** The receipt of a commit if the chat has it, else null. */
    readonly lookup: (chat: ChatLocation, commitId: CommitId) => Effect.Effect<CommitReceipt | null, ChatFault>;
    /**
     * A message as the host keeps it, in a form that only the host reads: the one that a commit made, or the chat's `last`.
     * Fails with `Moved` where the chat is not at the revision, and with `Malformed` where the message cannot be kept so.
     */
    readonly capture: (
      chat: ChatLocation,
      message: CommitReceipt | "last",
      revision: string,
    ) => Effect.Effect<string, ChatFault>;
    /**
     * Takes a run's message or swipe out of the chat again; gives the new revision. The chat's metadata stays as it is. With `replaced`, which `capture` gave before a
     * regenerate took its place, that message is again what it was, and a host that keeps bytes keeps each of them.
     */
    readonly withdraw: (
      chat: ChatLocation,
      receipt: CommitReceipt,
      revision: string,
      replaced?: string,
    ) => Effect.Effect<string, ChatFault>;
    /** Writes the state metadata of a run into the message that its commit made; gives the new revision. */
    readonly writeMetadata: (
      chat: ChatLocation,
      receipt: CommitReceipt,
      revision: string,
      metadata: Readonly<Record<string, Schema.Json>>,
    ) => Effect.Effect<string, ChatFault>;
  }
>()("@cahier/ports/ChatHost") {}
