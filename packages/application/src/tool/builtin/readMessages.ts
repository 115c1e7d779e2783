/** `chat.read_messages`: messages of the chat by number, whole or in part. */
import * as Messages from "@cahier/domain/chat/readMessages";
import * as Effect from "effect/Effect";
import * as Schema from "effect/Schema";
import { admit, defineTool } from "../defineTool.ts";
import { chatMessages } from "./chatMessages.ts";

const optionalInt = (description: string) => Schema.optionalKey(Schema.Int.annotate({ description }));

export const readMessages = defineTool({
  name: "chat.read_messages",
  title: "Read messages",
  description: `Reads messages of the chat by their numbers, as the chat was when this work began. A message of up to ${Messages.maxMessageChars} characters is read whole, a longer one in parts; together at most ${Messages.maxTotalChars} characters.`,
  parameters: Schema.Struct({
    messages: Schema.Array(
      Schema.Struct({
        index: Schema.Int.annotate({ description: "The message's number, from 0." }),
        start_char: optionalInt("First character, from 0."),
        max_chars: optionalInt(`Characters to read, up to ${Messages.maxMessageChars}.`),
      }),
    )
      .check(Schema.isMinLength(1), Schema.isMaxLength(Messages.maxMessages))
      .annotate({ description: `What to read: 1 to ${Messages.maxMessages} messages.` }),
  }),
  annotations: { readOnly: true, idempotent: true },
  effectClass: "pure",
  run: Effect.fnUntraced(function* (parameters, context) {
    const { messages, totalMessages } = yield* admit(
      Messages.readMessages(
        yield* chatMessages(context),
        parameters.messages.map(({ index, max_chars, start_char }) => ({
          index,
          ...(start_char === undefined ? {} : { startChar: start_char }),
          ...(max_chars === undefined ? {} : { maxChars: max_chars }),
        })),
      ),
    );
    return {
      _tag: "Done" as const,
      content: messages.map(show).join("\n\n"),
      structured: { totalMessages, messages: messages.map((message) => ({ ...message })) },
      resourceRefs: messages.map(({ ref }) => ref),
    };
  }),
});

const show = (part: Messages.MessagePart): string => {
  const { chars, endChar, index, name, role, sendDate, startChar, text, totalChars, truncated, words } = part;
  const when = sendDate === undefined ? "" : `, ${sendDate}`;
  const size = truncated ? `characters ${startChar}-${endChar} of ${totalChars}` : `${chars} characters`;
  return `Message ${index} (${role}, ${name}${when}; ${size}, ${words} words):\n${text}`;
};
