/**
 * What the laws of ChatHost need of an adapter, and the commits that they make.
 */
import type { CommitMode, GenerationType } from "@cahier/domain/chat/Chat";
import { CommitId, ProfileId, RunId, StableChatId, WorkspaceId } from "@cahier/domain/identity/Identity";
import type {
  ChatFault,
  ChatFaultReason,
  ChatHost,
  ChatLocation,
  CommitReceipt,
  CommitRequest,
} from "@cahier/ports/ChatHost";
import * as Effect from "effect/Effect";
import type * as Schema from "effect/Schema";
import type * as Scope from "effect/Scope";
import * as Expectation from "../../../Expectation.ts";
import * as Law from "../../../Law.ts";

export type Host = ChatHost["Service"];

/** A message of a chat that a law asks for. */
export interface Seed {
  readonly role: "user" | "assistant";
  readonly text: string;
  readonly hidden?: boolean;
}

/** A message as a reader of the chat sees it. `extra` is JSON text of all that a commit wrote beside the text. */
export interface Seen {
  readonly role: string;
  readonly text: string;
  readonly swipes: ReadonlyArray<string>;
  readonly extra: string;
}

/** `open` gives a fresh view of the same chats, as another process would have. */
export interface Harness {
  readonly open: Effect.Effect<Host, unknown, Scope.Scope>;
  /** Makes a character's chat with a stable id and these messages. */
  readonly chat: (messages: ReadonlyArray<Seed>) => Effect.Effect<ChatLocation, unknown>;
  /** The chat's messages, read past the adapter. */
  readonly read: (chat: ChatLocation) => Effect.Effect<ReadonlyArray<Seen>, unknown>;
  /** The stored bytes of the chat. */
  readonly bytes: (chat: ChatLocation) => Effect.Effect<Uint8Array, unknown>;
  /** Adds a user's message with this text, as another program would. */
  readonly disturb: (chat: ChatLocation, text: string) => Effect.Effect<void, unknown>;
  /** A location where no chat is. */
  readonly missing: ChatLocation;
  /** The generation types that this host takes beyond normal, swipe and regenerate. */
  readonly supports: ReadonlyArray<GenerationType>;
  /** Makes a chat that has no stable id of its own. */
  readonly anonymous?: (messages: ReadonlyArray<Seed>) => Effect.Effect<ChatLocation, unknown>;
  /** For a host that keeps metadata with a chat besides its messages. */
  readonly metadata?: {
    /** Makes a character's chat with a stable id, these messages and this metadata, beside what the host has of its own. */
    readonly chat: (
      messages: ReadonlyArray<Seed>,
      metadata: Readonly<Record<string, Schema.Json>>,
    ) => Effect.Effect<ChatLocation, unknown>;
    /** Gives a key of the metadata another value, as another program would. */
    readonly set: (chat: ChatLocation, key: string, value: Schema.Json) => Effect.Effect<void, unknown>;
  };
}

export const law = Law.of<Harness>();

/** A chat whose last message is the character's. */
export const answered: ReadonlyArray<Seed> = [
  { role: "assistant", text: "Welcome." },
  { role: "user", text: "Where are we?" },
  { role: "assistant", text: "At the harbour." },
];

/** A chat whose last message is the user's. */
export const asked: ReadonlyArray<Seed> = [...answered, { role: "user", text: "And now?" }];

export const at = "2026-01-02T03:04:05.006Z";

export const commitId = (n: number): CommitId => CommitId.make(`commit_${n.toString(16).padStart(32, "0")}`);

export const runId = (n = 1): RunId => RunId.make(`run_${n.toString(16).padStart(32, "0")}`);

export interface CommitOptions {
  readonly n?: number;
  readonly run?: number;
  readonly generationType?: GenerationType;
  readonly mode?: CommitMode;
  readonly previous?: CommitReceipt;
}

/** A commit of `text` to a chat last seen at `revision`. */
export const request = (
  chat: ChatLocation,
  revision: string,
  text: string,
  { n = 1, run = 1, generationType = "normal", mode = "replace", previous }: CommitOptions = {},
): CommitRequest => ({
  commitId: commitId(n),
  chat,
  generationType,
  mode,
  text,
  characterName: "Character",
  revision,
  ...(previous === undefined ? {} : { previous }),
  metadata: {
    runId: runId(run),
    workspaceId: WorkspaceId.make("chat_00000000000000aa"),
    stableChatId: StableChatId.make("a stable chat"),
    profileId: ProfileId.make("law-writer"),
    path: "output/law.md",
    model: "law-model",
  },
  at,
});

export const texts = (seen: ReadonlyArray<{ readonly text: string }>): ReadonlyArray<string> =>
  seen.map((message) => message.text);

/** Breaks the law unless `call` fails for `reason`. */
export const refused = Effect.fnUntraced(function* <A>(
  what: string,
  call: Effect.Effect<A, ChatFault>,
  reason: ChatFaultReason["_tag"],
) {
  const fault = yield* Expectation.failsWith(what, call, "ChatFault");
  yield* Expectation.same(`${what}: reason`, fault.reason._tag, reason);
});

/** Breaks the law unless `call` is refused for `reason` and the bytes of the chat stay as they are. */
export const refusedUntouched = Effect.fnUntraced(function* <A>(
  harness: Harness,
  chat: ChatLocation,
  what: string,
  call: Effect.Effect<A, ChatFault>,
  reason: ChatFaultReason["_tag"],
) {
  const before = yield* harness.bytes(chat);
  yield* refused(what, call, reason);
  yield* Expectation.sameBytes(`${what}: the chat`, yield* harness.bytes(chat), before);
});
