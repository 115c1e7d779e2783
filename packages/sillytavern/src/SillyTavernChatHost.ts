/**
 * The chat host over SillyTavern's own files: reads a chat, and commits to it by editing one line.
 *
 * Owns the order of commits to one chat over all processes of a machine, and that a chat which changed is left alone. Does
 * not own when to commit, nor a SillyTavern that has the chat open: it shows a commit after it loads the chat again.
 *
 * A chat's metadata is `chat_metadata` of the file's header, of a character's chat as of a group's. A commit's `chatState` is
 * written there with the message, in one replacement of the file. A group chat that an older SillyTavern wrote has no header:
 * it has no metadata, and a `chatState` for it goes nowhere, since only SillyTavern knows what else its header is to say.
 * Withdrawing a message leaves the metadata as it is: what has happened in the chat since may rest on it.
 */
import { basename, dirname, resolve } from "node:path";
import type { ChatMessage, ChatRef } from "@cahier/domain/chat/Chat";
import { StableChatId } from "@cahier/domain/identity/Identity";
import * as ChatHost from "@cahier/ports/ChatHost";
import * as Effect from "effect/Effect";
import * as Layer from "effect/Layer";
import * as Schema from "effect/Schema";
import * as ChatFile from "./chat/ChatFile.ts";
import * as AgentMetadata from "./chat/internal/AgentMetadata.ts";
import * as Change from "./chat/internal/Change.ts";
import * as ChatLock from "./chat/internal/ChatLock.ts";
import * as Disk from "./chat/internal/Disk.ts";
import * as Place from "./chat/internal/Place.ts";
import * as Target from "./chat/internal/Target.ts";
import * as ChatRecord from "./material/ChatRecord.ts";

/** What the caller knows better than the chat file. */
export interface Options {
  /** The character's id, such as its card's file name. Default: the name in the chat, else the chat's folder. */
  readonly characterId?: string;
  /** The character's name. Default: the name in the header, else of the last message that is not the user's. */
  readonly characterName?: string;
  /** Default: the name in the header, else of the user's last message, else `User`. */
  readonly userName?: string;
  /** How long a commit waits for another process that commits to the same chat. Default 10 000. */
  readonly lockPatienceMs?: number;
}

/** The host. `location` is the path of a `.jsonl` file. */
export const make = (options: Options = {}): ChatHost.ChatHost["Service"] => {
  const patience = options.lockPatienceMs ?? 10_000;

  /** Reads, decides and writes while nobody else can; gives the decision with the new revision. */
  const exchange = <A extends { readonly bytes: Uint8Array }>(
    chat: ChatHost.ChatLocation,
    revision: string,
    decide: (file: ChatFile.ChatFile) => Effect.Effect<A, ChatHost.ChatFault>,
  ) =>
    Effect.gen(function* () {
      const file = yield* load(chat);
      if (file.revision !== revision) return yield* Disk.moved();
      return yield* publish(chat, file, yield* decide(file));
    }).pipe((work) => ChatLock.hold(pathOf(chat), patience, work));

  return {
    freeze: Effect.fn("SillyTavernChatHost.freeze")(function* (chat, generationType) {
      const type = yield* Target.supported(generationType);
      const file = yield* load(chat);
      const messages = yield* ChatFile.messages(file);
      const stableChatId = yield* stableIdOf(chat, file);
      const targets = yield* Target.count(messages, type, chat.groupId !== undefined);
      const names = namesIn(chat, file, messages, options);
      const metadata = ChatFile.frozenMetadata(file);
      return {
        ref: refOf(chat, names.characterId),
        stableChatId,
        userName: names.userName,
        characterName: names.characterName,
        messages: messages.slice(0, messages.length - targets).map((message, index) => ({
          index,
          role: message.isUser ? ("user" as const) : ("assistant" as const),
          name: message.name,
          text: message.text,
          hidden: message.isSystem,
          ...(message.sendDate === null ? {} : { sendDate: message.sendDate }),
          ...agentOf(message),
          metadata: ChatRecord.lineMetadata(ChatRecord.line(message.fields)),
        })),
        revision: file.revision,
        ...(metadata === null ? {} : { metadata }),
      };
    }),

    appendUserMessage: Effect.fn("SillyTavernChatHost.appendUserMessage")(function* (chat, message) {
      const done = yield* exchange(
        chat,
        message.revision,
        Effect.fnUntraced(function* (file) {
          const messages = yield* ChatFile.messages(file);
          const name = namesIn(chat, file, messages, options).userName;
          return { bytes: Change.userMessage(file, { name, text: message.text, at: message.at }) };
        }),
      );
      return done.revision;
    }),

    commit: Effect.fn("SillyTavernChatHost.commit")(function* (request) {
      const type = yield* Target.supported(request.generationType);
      const applied = Effect.gen(function* () {
        const file = yield* load(request.chat);
        const place = Place.find(file, request.commitId);
        if (place !== null) return receiptOf(request.commitId, file, place);
        if (file.revision !== request.revision) return yield* Disk.moved();
        const done = yield* publish(request.chat, file, yield* Change.commit(file, request, type));
        return {
          commitId: request.commitId,
          messageId: done.change.messageId,
          messageIndex: done.change.messageIndex,
          revision: done.revision,
        };
      });
      return yield* ChatLock.hold(pathOf(request.chat), patience, applied);
    }),

    lookup: Effect.fn("SillyTavernChatHost.lookup")(function* (chat, commitId) {
      const file = yield* load(chat);
      const place = Place.find(file, commitId);
      return place === null ? null : receiptOf(commitId, file, place);
    }),

    capture: Effect.fn("SillyTavernChatHost.capture")(function* (chat, message, revision) {
      const file = yield* load(chat);
      if (file.revision !== revision) return yield* Disk.moved();
      return yield* Change.capture(file, message);
    }),

    withdraw: Effect.fn("SillyTavernChatHost.withdraw")(function* (chat, receipt, revision, replaced) {
      const decide = (file: ChatFile.ChatFile) =>
        Effect.map(Change.withdraw(file, receipt, replaced), (bytes) => ({ bytes }));
      return (yield* exchange(chat, revision, decide)).revision;
    }),

    writeMetadata: Effect.fn("SillyTavernChatHost.writeMetadata")(function* (chat, receipt, revision, metadata) {
      const decide = (file: ChatFile.ChatFile) =>
        Effect.map(Change.writeMetadata(file, receipt, metadata), (bytes) => ({ bytes }));
      return (yield* exchange(chat, revision, decide)).revision;
    }),
  };
};

/** The host as a layer. */
export const layer = (options: Options = {}): Layer.Layer<ChatHost.ChatHost> =>
  Layer.succeed(ChatHost.ChatHost, make(options));

const pathOf = (chat: ChatHost.ChatLocation): string => resolve(chat.location);

const load = Effect.fnUntraced(function* (chat: ChatHost.ChatLocation) {
  const bytes = yield* Disk.read(pathOf(chat));
  return yield* ChatFile.open(bytes, { group: chat.groupId !== undefined });
});

const publish = Effect.fnUntraced(function* <A extends { readonly bytes: Uint8Array }>(
  chat: ChatHost.ChatLocation,
  file: ChatFile.ChatFile,
  change: A,
) {
  yield* Disk.replace(pathOf(chat), file.bytes, change.bytes);
  return { change, revision: ChatFile.revisionOf(change.bytes) };
});

const receiptOf = (
  commitId: ChatHost.CommitReceipt["commitId"],
  file: ChatFile.ChatFile,
  place: Place.Place,
): ChatHost.CommitReceipt => ({
  commitId,
  messageId: place.messageId,
  messageIndex: place.index,
  revision: file.revision,
});

const agentOf = (message: ChatFile.StoredMessage): Pick<ChatMessage, "agent"> => {
  const agent = AgentMetadata.stateOf(message.fields);
  return agent === undefined ? {} : { agent };
};

/** A group is known by its chat id, a character's chat by what SillyTavern wrote into the header. */
const stableIdOf = Effect.fnUntraced(function* (chat: ChatHost.ChatLocation, file: ChatFile.ChatFile) {
  const found: unknown = chat.groupId ?? ChatFile.metadata(file)["integrity"] ?? chat.chatId;
  if (found === undefined) {
    return yield* new ChatHost.ChatFault({
      reason: { _tag: "StableIdMissing" },
      detail: "The chat's header has no chat_metadata.integrity. Open and save it in SillyTavern, or name a chat id.",
    });
  }
  if (isStableId(found)) return found;
  return yield* new ChatHost.ChatFault({
    reason: { _tag: "StableIdInvalid" },
    detail:
      "The chat's stable id is not a text of 1 to 512 characters. Repair chat_metadata.integrity in the header, or name another id.",
  });
});

const isStableId = Schema.is(StableChatId);

const refOf = (chat: ChatHost.ChatLocation, characterId: string): ChatRef =>
  chat.groupId === undefined
    ? { kind: "character", characterId, fileName: basename(pathOf(chat), ".jsonl") }
    : { kind: "group", chatId: chat.groupId };

const namesIn = (
  chat: ChatHost.ChatLocation,
  file: ChatFile.ChatFile,
  messages: ReadonlyArray<ChatFile.StoredMessage>,
  options: Options,
): { readonly characterId: string; readonly characterName: string; readonly userName: string } => {
  const spoken = (isUser: boolean): string | undefined =>
    messages.findLast((message) => message.isUser === isUser && message.name !== "")?.name;
  const characterName =
    options.characterName ?? named(file, "character_name") ?? spoken(false) ?? basename(dirname(pathOf(chat)));
  return {
    characterName,
    characterId: options.characterId ?? characterName,
    userName: options.userName ?? named(file, "user_name") ?? spoken(true) ?? "User",
  };
};

/** SillyTavern 1.19 writes `unused` where older ones wrote a name. */
const named = (file: ChatFile.ChatFile, key: string): string | undefined => {
  const found = file.header?.[key];
  return typeof found === "string" && found !== "" && found !== "unused" ? found : undefined;
};
