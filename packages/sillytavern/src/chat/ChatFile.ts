/**
 * A chat file of SillyTavern 1.19 as it is read: a header line, then one message a line.
 *
 * Owns what the lines mean and when a file is not a chat. Unknown fields are passed over, never refused. Does not own
 * writing.
 */
import { createHash } from "node:crypto";
import * as ChatHost from "@cahier/ports/ChatHost";
import * as Effect from "effect/Effect";
import * as Schema from "effect/Schema";
import * as ChatLines from "./internal/ChatLines.ts";
import { describeFlaw } from "./internal/describeFlaw.ts";
import { isObject, type JsonObject, parseObject } from "./internal/json.ts";

/** `lines` are those of the messages, `headerLine` is before them. A group chat of an older SillyTavern has no header. */
export interface ChatFile {
  readonly bytes: Uint8Array;
  /** SHA-256 of the bytes, lower-case hex. */
  readonly revision: string;
  readonly header: JsonObject | null;
  readonly headerLine: ChatLines.LineSpan | null;
  readonly lines: ReadonlyArray<ChatLines.LineSpan>;
}

/** A message as far as a run needs it. `fields` is the whole line. */
export interface StoredMessage {
  readonly name: string;
  readonly isUser: boolean;
  readonly isSystem: boolean;
  readonly text: string;
  readonly sendDate: string | null;
  readonly fields: JsonObject;
}

/** The revision of a file with these bytes. */
export const revisionOf = (bytes: Uint8Array): string => createHash("sha256").update(bytes).digest("hex");

/** Finds header and lines; only the first line is parsed. Fails with `Malformed` where there is no header. */
export const open = Effect.fnUntraced(function* (bytes: Uint8Array, options: { readonly group: boolean }) {
  const [first, ...rest] = ChatLines.spans(bytes);
  if (first === undefined) {
    return yield* malformed(
      "The chat file is empty. Give a chat that SillyTavern has saved, or restore a backup of it.",
    );
  }
  const header = parseObject(ChatLines.text(bytes, first));
  if (header === null) {
    return yield* malformed(
      `Line ${first.number} of the chat is not a JSON object. Give a .jsonl chat file of SillyTavern, or restore a backup of it.`,
      first.number,
    );
  }
  const file = { bytes, revision: revisionOf(bytes) };
  if (isHeader(header)) return { ...file, header, headerLine: first, lines: rest } satisfies ChatFile;
  if (options.group && "mes" in header) {
    return { ...file, header: null, headerLine: null, lines: [first, ...rest] } satisfies ChatFile;
  }
  return yield* malformed(
    `Line ${first.number} of the chat is not the header line that SillyTavern writes first. Open and save the chat in SillyTavern, or restore a backup of it.`,
    first.number,
  );
});

/** All messages in order; fails with `Malformed` and the line that is none. */
export const messages = Effect.fnUntraced(function* (file: ChatFile) {
  const found: Array<StoredMessage> = [];
  for (const line of file.lines) {
    const fields = parseObject(ChatLines.text(file.bytes, line));
    if (fields === null) return yield* malformedLine(file, line);
    found.push(message(fields));
  }
  return found;
});

/** The message on one line. */
export const messageAt = Effect.fnUntraced(function* (file: ChatFile, line: ChatLines.LineSpan) {
  const fields = parseObject(ChatLines.text(file.bytes, line));
  return fields === null ? yield* malformedLine(file, line) : message(fields);
});

/** The text of a line that is to be edited; fails with `Malformed` where it is no UTF-8, since an edit would change it. */
export const editable = Effect.fnUntraced(function* (file: ChatFile, line: ChatLines.LineSpan) {
  const text = ChatLines.exactText(file.bytes, line);
  if (text !== null) return text;
  return yield* malformed(
    `Line ${line.number} of the chat is not UTF-8 and cannot be edited. Open and save the chat in SillyTavern.`,
    line.number,
  );
});

/** The chat's metadata of the header; empty where it has none. */
export const metadata = (file: ChatFile): JsonObject => metadataIn(file) ?? {};

/** The chat's metadata as a run keeps it; null where the header has none. What holds a number beyond all bounds is left out. */
export const frozenMetadata = (file: ChatFile): Readonly<Record<string, Schema.Json>> | null => {
  const found = metadataIn(file);
  if (found === null) return null;
  return Object.fromEntries(Object.entries(found).filter((entry): entry is [string, Schema.Json] => isJson(entry[1])));
};

const metadataIn = (file: ChatFile): JsonObject | null => {
  const found = file.header?.["chat_metadata"];
  return isObject(found) ? found : null;
};

const isJson = Schema.is(Schema.Json);

const isHeader = (fields: JsonObject): boolean =>
  !("mes" in fields) && ["chat_metadata", "user_name", "character_name"].some((key) => key in fields);

const message = (fields: JsonObject): StoredMessage => {
  const sendDate = fields["send_date"];
  return {
    name: stringOf(fields["name"]),
    isUser: fields["is_user"] === true,
    isSystem: fields["is_system"] === true,
    text: stringOf(fields["mes"]),
    sendDate: typeof sendDate === "string" || typeof sendDate === "number" ? String(sendDate) : null,
    fields,
  };
};

const stringOf = (value: unknown): string => (typeof value === "string" ? value : "");

const malformedLine = (file: ChatFile, line: ChatLines.LineSpan): ChatHost.ChatFault =>
  malformed(`Line ${line.number} of the chat ${describeFlaw(ChatLines.text(file.bytes, line))}`, line.number);

const malformed = (detail: string, line?: number): ChatHost.ChatFault =>
  new ChatHost.ChatFault({ reason: { _tag: "Malformed", ...(line === undefined ? {} : { line }) }, detail });
