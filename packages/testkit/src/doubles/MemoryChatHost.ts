/**
 * A correct ChatHost in memory that records what is asked of it: the chat of application tests.
 *
 * Owns chats as plain objects that views share, and the rules of the port. Does not own any file format. Every call is
 * one synchronous step, so commits are applied one after the other by themselves.
 */
import type { ChatMessage, ChatRole, FrozenChat, GenerationType } from "@cahier/domain/chat/Chat";
import { type CommitId, StableChatId } from "@cahier/domain/identity/Identity";
import {
  ChatFault,
  type ChatFaultReason,
  ChatHost,
  type ChatLocation,
  type CommitMetadata,
  type CommitReceipt,
  type CommitRequest,
} from "@cahier/ports/ChatHost";
import * as Effect from "effect/Effect";
import * as Layer from "effect/Layer";
import type * as Schema from "effect/Schema";

/** One message; `swipes[swipe]` is its text when it has alternatives. */
export interface MemoryMessage {
  readonly id: string;
  readonly role: ChatRole;
  readonly name: string;
  readonly hidden: boolean;
  readonly swipes: Array<string>;
  swipe: number;
  agent: (CommitMetadata & { readonly commitId: CommitId }) | null;
  state: Readonly<Record<string, Schema.Json>> | null;
}

/**
 * One chat. `changes` counts every change, from inside or outside, and is its revision. `metadata` is what is kept with the chat
 * besides its messages, null where it has none; withdrawing a message leaves it as it is.
 */
export interface MemoryChat {
  readonly stableChatId: string | null;
  readonly userName: string;
  readonly characterName: string;
  readonly messages: Array<MemoryMessage>;
  readonly commits: Map<CommitId, Applied>;
  metadata: Metadata | null;
  changes: number;
}

type Metadata = Readonly<Record<string, Schema.Json>>;

interface Applied {
  readonly receipt: CommitReceipt;
  readonly message: MemoryMessage;
  /** The swipe that the commit made, or null when it made the message. */
  readonly swipe: number | null;
}

export interface Call {
  readonly operation: "freeze" | "appendUserMessage" | "commit" | "lookup" | "capture" | "withdraw" | "writeMetadata";
  readonly location: string;
  readonly commitId?: CommitId;
}

/** Chats by location, and every call in order. */
export interface Storage {
  readonly chats: Map<string, MemoryChat>;
  readonly calls: Array<Call>;
}

/** What a message of a new chat is made of. */
export interface Seed {
  readonly role: ChatRole;
  readonly text: string;
  readonly hidden?: boolean;
}

/** A storage object without chats. */
export const makeStorage = (): Storage => ({ chats: new Map(), calls: [] });

/** Puts a chat at `location`. `stableChatId` null makes one that has none, and so does `metadata`. */
export const addChat = (
  storage: Storage,
  location: string,
  seeds: ReadonlyArray<Seed>,
  stableChatId: string | null = `stable ${location}`,
  metadata: Metadata | null = null,
): ChatLocation => {
  const chat: MemoryChat = {
    stableChatId,
    userName: "User",
    characterName: "Character",
    messages: [],
    commits: new Map(),
    metadata,
    changes: 0,
  };
  for (const seed of seeds) say(chat, seed.role, seed.text, seed.hidden ?? false);
  storage.chats.set(location, chat);
  return { location };
};

/** Adds a message as another program would; the chat has moved then. Does nothing where there is no chat. */
export const disturb = (storage: Storage, location: string, text: string): void => {
  const chat = storage.chats.get(location);
  if (chat !== undefined) say(chat, "user", text, false);
};

/** Gives keys of the metadata other values as another program would; the chat has moved then. Does nothing where there is no chat. */
export const annotate = (storage: Storage, location: string, values: Metadata): void => {
  const chat = storage.chats.get(location);
  if (chat === undefined) return;
  chat.metadata = { ...chat.metadata, ...values };
  chat.changes += 1;
};

/** The text of a message as a reader of the chat sees it. */
export const textOf = (message: MemoryMessage): string => message.swipes[message.swipe] ?? "";

/** A view of `storage`. continue, quiet and impersonate are refused. */
export const make = (storage: Storage = makeStorage()): ChatHost["Service"] => {
  const open = Effect.fnUntraced(function* (operation: Call["operation"], at: ChatLocation, commitId?: CommitId) {
    storage.calls.push({ operation, location: at.location, ...(commitId === undefined ? {} : { commitId }) });
    const chat = storage.chats.get(at.location);
    if (chat === undefined) return yield* fault({ _tag: "Missing" }, `There is no chat at ${at.location}.`);
    return chat;
  });

  /** The chat, the commit that a receipt names, and the fault of whoever saw another state. */
  const openApplied = Effect.fnUntraced(function* (
    operation: Call["operation"],
    at: ChatLocation,
    receipt: CommitReceipt,
    revision: string,
  ) {
    const chat = yield* open(operation, at, receipt.commitId);
    yield* requireRevision(chat, revision);
    const applied = chat.commits.get(receipt.commitId);
    if (applied === undefined) return yield* fault({ _tag: "Refused" }, `The chat has no commit ${receipt.commitId}.`);
    return { chat, applied };
  });

  return {
    freeze: Effect.fnUntraced(function* (at, generationType) {
      const chat = yield* open("freeze", at);
      yield* requireSupported(generationType);
      const stableChatId = chat.stableChatId ?? at.chatId;
      if (stableChatId === undefined) {
        return yield* fault({ _tag: "StableIdMissing" }, "The chat has no stable id: give one.");
      }
      if (generationType !== "normal") yield* requireTarget(chat);
      return frozen(chat, at, stableChatId, generationType);
    }),

    appendUserMessage: Effect.fnUntraced(function* (at, message) {
      const chat = yield* open("appendUserMessage", at);
      yield* requireRevision(chat, message.revision);
      say(chat, "user", message.text, false);
      return revisionOf(chat);
    }),

    commit: Effect.fnUntraced(function* (request) {
      const chat = yield* open("commit", request.chat, request.commitId);
      yield* requireSupported(request.generationType);
      const before = chat.commits.get(request.commitId);
      if (before !== undefined) return before.receipt;
      yield* requireRevision(chat, request.revision);
      const target = yield* place(chat, request);
      target.message.agent = { ...request.metadata, commitId: request.commitId };
      if (request.chatState !== undefined) chat.metadata = { ...chat.metadata, ...request.chatState };
      chat.changes += 1;
      const receipt: CommitReceipt = {
        commitId: request.commitId,
        messageId: target.swipe === null ? target.message.id : `${target.message.id}.${target.swipe}`,
        messageIndex: chat.messages.indexOf(target.message),
        revision: revisionOf(chat),
      };
      chat.commits.set(request.commitId, { ...target, receipt });
      return receipt;
    }),

    lookup: (at, commitId) =>
      Effect.map(open("lookup", at, commitId), (chat) => chat.commits.get(commitId)?.receipt ?? null),

    capture: Effect.fnUntraced(function* (at, message, revision) {
      if (message !== "last")
        return JSON.stringify((yield* openApplied("capture", at, message, revision)).applied.message);
      const chat = yield* open("capture", at);
      yield* requireRevision(chat, revision);
      return JSON.stringify(chat.messages.at(-1));
    }),

    withdraw: Effect.fnUntraced(function* (at, receipt, revision, replaced) {
      const { applied, chat } = yield* openApplied("withdraw", at, receipt, revision);
      if (replaced === undefined) takeOut(chat, applied);
      else chat.messages.splice(chat.messages.indexOf(applied.message), 1, putBack(chat, replaced));
      for (const [commitId, other] of chat.commits) {
        if (other.message === applied.message && other.swipe === applied.swipe) chat.commits.delete(commitId);
      }
      chat.changes += 1;
      return revisionOf(chat);
    }),

    writeMetadata: Effect.fnUntraced(function* (at, receipt, revision, metadata) {
      const { applied, chat } = yield* openApplied("writeMetadata", at, receipt, revision);
      applied.message.state = metadata;
      chat.changes += 1;
      return revisionOf(chat);
    }),
  };
};

/** A host over `storage`, which the test keeps to look into it. */
export const layer = (storage: Storage): Layer.Layer<ChatHost> => Layer.sync(ChatHost, () => make(storage));

const fault = (reason: ChatFaultReason, detail: string): ChatFault => new ChatFault({ reason, detail });

const revisionOf = (chat: MemoryChat): string => `revision ${chat.changes}`;

const requireRevision = (chat: MemoryChat, revision: string): Effect.Effect<void, ChatFault> =>
  revision === revisionOf(chat)
    ? Effect.void
    : Effect.fail(fault({ _tag: "Moved" }, `The chat is at ${revisionOf(chat)}, not at ${revision}.`));

const requireSupported = (generationType: GenerationType): Effect.Effect<void, ChatFault> =>
  generationType === "normal" || generationType === "swipe" || generationType === "regenerate"
    ? Effect.void
    : Effect.fail(fault({ _tag: "GenerationTypeUnsupported", generationType }, `${generationType} is not supported.`));

const requireTarget = (chat: MemoryChat): Effect.Effect<MemoryMessage, ChatFault> => {
  const last = chat.messages.at(-1);
  return last?.role === "assistant"
    ? Effect.succeed(last)
    : Effect.fail(fault({ _tag: "TargetInvalid" }, "The last message is not the character's."));
};

const say = (chat: MemoryChat, role: ChatRole, text: string, hidden: boolean): MemoryMessage => {
  chat.changes += 1;
  const message: MemoryMessage = {
    id: `message_${chat.changes}`,
    role,
    name: role === "user" ? chat.userName : chat.characterName,
    hidden,
    swipes: [text],
    swipe: 0,
    agent: null,
    state: null,
  };
  chat.messages.push(message);
  return message;
};

/** The message that `capture` gave; commits that made it are of it again. */
const putBack = (chat: MemoryChat, captured: string): MemoryMessage => {
  const message = JSON.parse(captured) as MemoryMessage;
  for (const [commitId, applied] of chat.commits)
    if (applied.message.id === message.id) chat.commits.set(commitId, { ...applied, message });
  return message;
};

/** Makes a withdrawn message again, with another text in the swipe that it shows. */
const remake = Effect.fnUntraced(function* (chat: MemoryChat, request: CommitRequest, captured: string) {
  if (request.generationType !== "normal") {
    yield* requireTarget(chat);
    chat.messages.pop();
  }
  const message = putBack(chat, captured);
  message.swipes[message.swipe] = request.text;
  chat.messages.push(message);
  return { message, swipe: request.generationType === "swipe" ? message.swipe : null };
});

const place = Effect.fnUntraced(function* (chat: MemoryChat, request: CommitRequest) {
  if (request.message !== undefined) return yield* remake(chat, request, request.message);
  if (request.previous !== undefined) {
    const previous = chat.commits.get(request.previous.commitId);
    if (previous === undefined) {
      return yield* fault({ _tag: "Refused" }, `The chat has no commit ${request.previous.commitId}.`);
    }
    const swipe = previous.swipe ?? previous.message.swipe;
    const published = request.mode === "append" ? (previous.message.swipes[swipe] ?? "") : "";
    previous.message.swipes[swipe] = published + request.text;
    return { message: previous.message, swipe: previous.swipe };
  }
  if (request.generationType === "normal") {
    return { message: say(chat, "assistant", request.text, false), swipe: null };
  }
  const target = yield* requireTarget(chat);
  if (request.generationType === "swipe") {
    target.swipe = target.swipes.push(request.text) - 1;
    // What was left in the message belongs to the swipe that is not shown any more.
    target.state = null;
    return { message: target, swipe: target.swipe };
  }
  chat.messages.pop();
  return { message: say(chat, "assistant", request.text, false), swipe: null };
});

const takeOut = (chat: MemoryChat, applied: Applied): void => {
  if (applied.swipe === null) {
    chat.messages.splice(chat.messages.indexOf(applied.message), 1);
    return;
  }
  applied.message.swipes.splice(applied.swipe, 1);
  applied.message.swipe = applied.message.swipes.length - 1;
};

const frozen = (
  chat: MemoryChat,
  at: ChatLocation,
  stableChatId: string,
  generationType: GenerationType,
): FrozenChat => ({
  ref:
    at.groupId === undefined
      ? { kind: "character", characterId: chat.characterName, fileName: at.location }
      : { kind: "group", chatId: at.groupId },
  stableChatId: StableChatId.make(stableChatId),
  userName: chat.userName,
  characterName: chat.characterName,
  messages: (generationType === "normal" ? chat.messages : chat.messages.slice(0, -1)).map(
    (message, index): ChatMessage => ({
      index,
      role: message.role,
      name: message.name,
      text: textOf(message),
      hidden: message.hidden,
      ...(message.agent === null ? {} : { agent: { persistStateStatus: "not_committed", ...message.state } }),
    }),
  ),
  revision: revisionOf(chat),
  ...(chat.metadata === null ? {} : { metadata: chat.metadata }),
});
