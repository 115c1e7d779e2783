/**
 * Reading messages of a chat by index, as the `chat.read_messages` tool answers it.
 *
 * Owns limits, ranges and refs. Does not own which messages a run may see: callers pass its frozen prefix.
 */
import * as Result from "effect/Result";
import * as CharWindow from "../workspace/CharWindow.ts";
import { refuse, type Refusal } from "../workspace/Refusal.ts";
import * as TextMetrics from "../workspace/TextMetrics.ts";
import type { ChatMessage, ChatRole } from "./Chat.ts";
import { refOf } from "./search.ts";

/** Most messages of one read, most characters of one message, and of all together. */
export const maxMessages = 20;
export const maxMessageChars = 8000;
export const maxTotalChars = 20_000;

/** One message, whole or from the character `startChar` on (from 0), at most `maxChars`. */
export interface MessageRange {
  readonly index: number;
  readonly startChar?: number;
  readonly maxChars?: number;
}

export interface MessagePart extends CharWindow.CharWindow {
  readonly index: number;
  readonly role: ChatRole;
  readonly name: string;
  readonly sendDate?: string;
  readonly ref: string;
}

export interface MessageParts {
  readonly totalMessages: number;
  readonly messages: ReadonlyArray<MessagePart>;
}

export type MessagesRefusal = Refusal<
  "chat.invalid_message_range" | "chat.message_not_found" | "chat.read_too_large" | "tool.invalid_arguments"
>;

/**
 * The parts in the order in which they are asked for. All or nothing: one range that cannot be read refuses the read,
 * and says which and how to ask instead.
 */
export const readMessages = (
  messages: ReadonlyArray<ChatMessage>,
  ranges: ReadonlyArray<MessageRange>,
): Result.Result<MessageParts, MessagesRefusal> => {
  if (ranges.length === 0 || ranges.length > maxMessages)
    return refuse("tool.invalid_arguments", `Name 1 to ${maxMessages} messages; ${ranges.length} were named.`);
  const byIndex = new Map(messages.map((message) => [message.index, message]));
  const parts: Array<MessagePart> = [];
  let total = 0;
  for (const range of ranges) {
    const message = byIndex.get(range.index);
    if (message === undefined) return refuse("chat.message_not_found", notFound(messages, range.index));
    const part = partOf(message, range);
    if (Result.isFailure(part)) return Result.fail(part.failure);
    total += part.success.chars;
    if (total > maxTotalChars)
      return refuse(
        "chat.read_too_large",
        `The messages together are longer than ${maxTotalChars} characters; the limit is passed at message ${range.index}. Read fewer at once, or give max_chars.`,
      );
    parts.push(part.success);
  }
  return Result.succeed({ totalMessages: messages.length, messages: parts });
};

const partOf = (message: ChatMessage, range: MessageRange): Result.Result<MessagePart, MessagesRefusal> => {
  const { index, maxChars, startChar } = range;
  const total = TextMetrics.measure(message.text);
  const start = startChar ?? 0;
  if (!Number.isSafeInteger(start) || start < 0 || start >= Math.max(total.chars, 1))
    return refuse(
      "chat.invalid_message_range",
      `Message ${index} has ${total.chars} characters; start_char counts from 0 and must be below that.`,
    );
  if (maxChars !== undefined && (!Number.isSafeInteger(maxChars) || maxChars < 1 || maxChars > maxMessageChars))
    return refuse("chat.invalid_message_range", `max_chars is a whole number from 1 to ${maxMessageChars}.`);
  if (maxChars === undefined && total.chars - start > maxMessageChars)
    return refuse(
      "chat.read_too_large",
      `Message ${index} has ${total.chars} characters, and at most ${maxMessageChars} can be read at once. Read it in parts with start_char and max_chars.`,
    );
  const window = CharWindow.cut(message.text, total, start, maxChars ?? maxMessageChars);
  return Result.succeed({
    index,
    role: message.role,
    name: message.name,
    ...(message.sendDate === undefined ? {} : { sendDate: message.sendDate }),
    ...window,
    ref: window.truncated ? `${refOf(index)}:chars=${window.startChar}..${window.endChar}` : refOf(index),
  });
};

const notFound = (messages: ReadonlyArray<ChatMessage>, index: number): string => {
  const last = messages.at(-1)?.index;
  return last === undefined
    ? "The chat has no messages."
    : `There is no message ${index}; the messages are numbered 0 to ${last}.`;
};
