/**
 * What a commit, its taking back and its metadata make of a chat file's bytes.
 *
 * Owns the decision which line changes and how. Does not own disk, lock and revision: the bytes given are the newest.
 */
import * as ChatHost from "@cahier/ports/ChatHost";
import * as Effect from "effect/Effect";
import type * as Schema from "effect/Schema";
import * as AgentMetadata from "./AgentMetadata.ts";
import * as ChatFile from "../ChatFile.ts";
import * as ChatLines from "./ChatLines.ts";
import * as HeaderText from "./HeaderText.ts";
import { isArray, isObject, isValueOnOneLine, type JsonObject, parseObject } from "./json.ts";
import * as JsonText from "./JsonText.ts";
import * as MessageText from "./MessageText.ts";
import * as Place from "./Place.ts";
import * as Swipe from "./Swipe.ts";
import * as Target from "./Target.ts";

/** The bytes afterwards, and where the text stands in them. */
export interface Change {
  readonly bytes: Uint8Array;
  readonly messageIndex: number;
  readonly messageId: string;
}

/**
 * A commit: a new message or swipe, or with `previous` another text for the one that the run made; with `message` that one is
 * put back first. With `chatState` the header says it too; a chat without a header has no place for it, and it goes nowhere.
 */
export const commit = Effect.fnUntraced(function* (
  file: ChatFile.ChatFile,
  request: ChatHost.CommitRequest,
  type: Target.Supported,
) {
  const change = yield* changed(file, request, type);
  const { chatState } = request;
  if (chatState === undefined || file.headerLine === null) return change;
  const header = HeaderText.withState(yield* ChatFile.editable(file, file.headerLine), chatState);
  // The header is before everything that has changed, so its line is where it was.
  return { ...change, bytes: ChatLines.replace(change.bytes, file.headerLine, header) };
});

/** A line that the user says, at the end. */
export const userMessage = (
  file: ChatFile.ChatFile,
  message: { readonly name: string; readonly text: string; readonly at: string },
): Uint8Array =>
  ChatLines.append(
    file.bytes,
    MessageText.user({ ...message, avatar: avatarOf(file, { name: message.name, isUser: true }) }),
  );

/** The text of a message's line. Fails with `Malformed` where it is no UTF-8, and with `Refused` where there is no such message. */
export const capture = Effect.fnUntraced(function* (file: ChatFile.ChatFile, message: ChatHost.CommitReceipt | "last") {
  if (message !== "last") return (yield* placeOf(file, message)).lineText;
  const line = file.lines.at(-1);
  return line === undefined ? yield* refused("The chat has no message.") : yield* ChatFile.editable(file, line);
});

/**
 * Takes the commit's swipe out, or its whole message where that has no other swipe; `replaced` takes the place of the message.
 * Fails with `Refused` where the chat does not have it.
 */
export const withdraw = Effect.fnUntraced(function* (
  file: ChatFile.ChatFile,
  receipt: ChatHost.CommitReceipt,
  replaced?: string,
) {
  const place = yield* placeOf(file, receipt);
  if (replaced !== undefined) return ChatLines.replace(file.bytes, place.line, yield* captured(replaced));
  const swipes = place.fields["swipes"];
  if (place.swipe === null || !isArray(swipes) || swipes.length < 2) return ChatLines.remove(file.bytes, place.line);
  const rollback = Place.agent(place)["rollback"];
  const previous = isObject(rollback) && rollback["strategy"] === "deleteSwipe" ? rollback["previous"] : undefined;
  return ChatLines.replace(file.bytes, place.line, Swipe.take(place.lineText, place.swipe, previous));
});

/** Sets members of the commit's metadata; those that commits themselves write are refused. */
export const writeMetadata = Effect.fnUntraced(function* (
  file: ChatFile.ChatFile,
  receipt: ChatHost.CommitReceipt,
  metadata: Readonly<Record<string, Schema.Json>>,
) {
  const taken = Object.keys(metadata).filter((key) => AgentMetadata.reserved.has(key));
  if (taken.length > 0)
    return yield* refused(`Only a commit writes ${taken.join(", ")}. Use other names for state metadata.`);
  const place = yield* placeOf(file, receipt);
  const line = setAgent(place.lineText, place, Object.entries(metadata));
  return ChatLines.replace(file.bytes, place.line, line);
});

const changed = Effect.fnUntraced(function* (
  file: ChatFile.ChatFile,
  request: ChatHost.CommitRequest,
  type: Target.Supported,
) {
  if (request.message !== undefined) return yield* remake(file, request, request.message, type);
  if (request.previous !== undefined) return yield* update(file, request, request.previous);
  const last = yield* Effect.forEach(file.lines.slice(-2), (line) => ChatFile.messageAt(file, line));
  const group = request.chat.groupId !== undefined;
  const target = (yield* Target.count(last, type, group)) === 0 ? undefined : file.lines.at(-1);
  if (type === "swipe" && target !== undefined) return yield* swipe(file, request, target);
  const line = MessageText.assistant({
    name: request.characterName,
    text: request.text,
    at: request.at,
    extra: {
      ...generation(request),
      ...(group ? { gen_id: Date.parse(request.at) } : {}),
      cahier: { agent: AgentMetadata.first(request, { strategy: "deleteMessage", swipeId: 0 }) },
    },
    avatar: group ? avatarOf(file, { name: request.characterName, isUser: false }) : {},
  });
  return {
    bytes: target === undefined ? ChatLines.append(file.bytes, line) : ChatLines.replace(file.bytes, target, line),
    messageIndex: file.lines.length - (target === undefined ? 0 : 1),
    messageId: request.commitId,
  } satisfies Change;
});

const swipe = Effect.fnUntraced(function* (
  file: ChatFile.ChatFile,
  request: ChatHost.CommitRequest,
  target: ChatLines.LineSpan,
) {
  const { name } = yield* ChatFile.messageAt(file, target);
  if (request.chat.groupId !== undefined && name !== request.characterName) {
    return yield* new ChatHost.ChatFault({
      reason: { _tag: "GroupUnsupported", feature: "swipe by another speaker" },
      detail: `A swipe of ${name}'s message is spoken by ${name}. Let that character write it, or use a normal run.`,
    });
  }
  const line = Swipe.add(yield* ChatFile.editable(file, target), {
    text: request.text,
    at: request.at,
    pristine: file.lines.length === 1 && ChatFile.metadata(file)["tainted"] !== true,
    extra: (rollback) => ({ ...generation(request), cahier: { agent: AgentMetadata.first(request, rollback) } }),
  });
  return {
    bytes: ChatLines.replace(file.bytes, target, line),
    messageIndex: file.lines.length - 1,
    messageId: request.commitId,
  } satisfies Change;
});

const update = Effect.fnUntraced(function* (
  file: ChatFile.ChatFile,
  request: ChatHost.CommitRequest,
  previous: ChatHost.CommitReceipt,
) {
  const place = yield* placeOf(file, previous);
  const agent = Place.agent(place);
  const text = JSON.stringify(request.mode === "append" ? Place.text(place) + request.text : request.text);
  const shown = place.shown ? JsonText.set(place.lineText, ["mes"], text) : place.lineText;
  const said = place.swipe === null ? shown : JsonText.set(shown, ["swipes", place.swipe], text);
  const count = (isArray(agent["commits"]) ? agent["commits"].length : 0) + 1;
  const numbered = setAgent(said, place, [
    ["commitId", request.commitId],
    ["commitSeq", count],
  ]);
  const listed = pushAgent(numbered, place, "commits", AgentMetadata.entry(request, count));
  const line = AgentMetadata.hasArtifact(agent, request.metadata.path)
    ? listed
    : pushAgent(listed, place, "artifacts", { path: request.metadata.path });
  return {
    bytes: ChatLines.replace(file.bytes, place.line, line),
    messageIndex: place.index,
    messageId: place.messageId,
  } satisfies Change;
});

/** The line that was taken out, where it was, with the commit as one more of its run. */
const remake = Effect.fnUntraced(function* (
  file: ChatFile.ChatFile,
  request: ChatHost.CommitRequest,
  message: string,
  type: Target.Supported,
) {
  const line = yield* captured(message);
  const last = yield* Effect.forEach(file.lines.slice(-2), (span) => ChatFile.messageAt(file, span));
  const group = request.chat.groupId !== undefined;
  const target = (yield* Target.count(last, type, group)) === 0 ? undefined : file.lines.at(-1);
  const bytes = target === undefined ? ChatLines.append(file.bytes, line) : ChatLines.replace(file.bytes, target, line);
  const there = yield* ChatFile.open(bytes, { group });
  const { previous } = request;
  return previous === undefined
    ? yield* refused("Say which commit made the message that is put back.")
    : yield* update(there, request, previous);
});

const captured = (message: string): Effect.Effect<string, ChatHost.ChatFault> =>
  isValueOnOneLine(message) && parseObject(message) !== null
    ? Effect.succeed(message)
    : Effect.fail(refused("What is to be put back is no message of a chat file. The chat is as it was."));

const placeOf = Effect.fnUntraced(function* (file: ChatFile.ChatFile, receipt: ChatHost.CommitReceipt) {
  const place = Place.find(file, receipt.commitId);
  if (place !== null) return place;
  return yield* refused("The chat no longer has the message of this run. Start a new run to write another.");
});

const refused = (detail: string): ChatHost.ChatFault => new ChatHost.ChatFault({ reason: { _tag: "Refused" }, detail });

const generation = (request: ChatHost.CommitRequest): JsonObject =>
  request.metadata.model === "" ? {} : { model: request.metadata.model };

const setAgent = (text: string, place: Place.Place, entries: ReadonlyArray<readonly [string, unknown]>): string =>
  Place.extras(place).reduce(
    (line, extra) =>
      entries.reduce(
        (edited, [key, value]) => JsonText.set(edited, [...extra, ...AgentMetadata.path, key], JSON.stringify(value)),
        line,
      ),
    text,
  );

const pushAgent = (text: string, place: Place.Place, key: string, value: JsonObject): string =>
  Place.extras(place).reduce(
    (line, extra) => JsonText.push(line, [...extra, ...AgentMetadata.path, key], JSON.stringify(value)),
    text,
  );

/** What SillyTavern shows a speaker by, from the last message that the speaker has in the chat. */
const avatarOf = (
  file: ChatFile.ChatFile,
  speaker: { readonly name: string; readonly isUser: boolean },
): JsonObject => {
  for (const line of file.lines.toReversed()) {
    const text = ChatLines.text(file.bytes, line);
    const fields = text.includes("_avatar") ? parseObject(text) : null;
    if (fields?.["name"] !== speaker.name || (fields["is_user"] === true) !== speaker.isUser) continue;
    const keys = speaker.isUser ? ["force_avatar"] : ["force_avatar", "original_avatar"];
    return Object.fromEntries(keys.flatMap((key) => (typeof fields[key] === "string" ? [[key, fields[key]]] : [])));
  }
  return {};
};
