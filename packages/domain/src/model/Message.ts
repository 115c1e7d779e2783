/**
 * The canonical language in which a run speaks with any model: messages and their parts.
 *
 * Owns what is stored and replayed. Does not own any provider's wire format: a gateway translates.
 */
import * as Schema from "effect/Schema";
import { CallId } from "../identity/Identity.ts";

/** Ordinary text. */
export const TextPart = Schema.Struct({ type: Schema.Literal("text"), text: Schema.String });
export type TextPart = typeof TextPart.Type;

/** The model's reasoning as readable text; never sent to another format as text of the answer. */
export const ReasoningPart = Schema.Struct({ type: Schema.Literal("reasoning"), text: Schema.String });
export type ReasoningPart = typeof ReasoningPart.Type;

/**
 * A tool call as the model made it. `name` is the alias that the model sees; `arguments` is the raw text of the wire,
 * uninterpreted: `tool/ToolArguments` is the only place that reads it.
 */
export const ToolCallPart = Schema.Struct({
  type: Schema.Literal("toolCall"),
  callId: CallId,
  name: Schema.String,
  arguments: Schema.String,
});
export type ToolCallPart = typeof ToolCallPart.Type;

/** What a tool call gave, as the model sees it: content and an error mark. */
export const ToolResultPart = Schema.Struct({
  type: Schema.Literal("toolResult"),
  callId: CallId,
  name: Schema.String,
  content: Schema.String,
  isError: Schema.Boolean,
});
export type ToolResultPart = typeof ToolResultPart.Type;

/** Media as a `data:` URL or any URL that the provider accepts. */
export const MediaPart = Schema.Struct({
  type: Schema.Literal("media"),
  mimeType: Schema.String,
  value: Schema.String,
});
export type MediaPart = typeof MediaPart.Type;

/** A named resource, such as `workspace:output/main.md#L1-L4`. */
export const ResourceRefPart = Schema.Struct({ type: Schema.Literal("resourceRef"), uri: Schema.String });
export type ResourceRefPart = typeof ResourceRefPart.Type;

/**
 * One item of a provider's response as the exact JSON text received, with its provenance.
 * Replayed untouched, in order, and only to the same `format`.
 */
export const NativePart = Schema.Struct({
  type: Schema.Literal("native"),
  format: Schema.String,
  source: Schema.String,
  model: Schema.String,
  json: Schema.String,
});
export type NativePart = typeof NativePart.Type;

export const Part = Schema.Union([
  TextPart,
  ReasoningPart,
  ToolCallPart,
  ToolResultPart,
  MediaPart,
  ResourceRefPart,
  NativePart,
]);
export type Part = typeof Part.Type;

export const Role = Schema.Literals(["system", "developer", "user", "assistant", "tool"]);
export type Role = typeof Role.Type;

/** One message. Immutable: a gateway may keep what it encoded of a message by the message's identity. */
export const Message = Schema.Struct({
  role: Role,
  parts: Schema.Array(Part),
  name: Schema.optionalKey(Schema.String),
});
export type Message = typeof Message.Type;

/** A message of one text part. */
export const text = (role: Role, content: string, name?: string): Message => ({
  role,
  parts: [{ type: "text", text: content }],
  ...(name === undefined ? {} : { name }),
});

/** All text parts joined without a separator. */
export const textOf = (message: Message): string => {
  let joined = "";
  for (const part of message.parts) if (part.type === "text") joined += part.text;
  return joined;
};

/** All reasoning parts joined by a blank line. */
export const reasoningOf = (message: Message): string =>
  message.parts
    .filter((part) => part.type === "reasoning")
    .map((part) => part.text)
    .join("\n\n");

/** The tool calls of a message, in the model's order. */
export const toolCallsOf = (message: Message): ReadonlyArray<ToolCallPart> =>
  message.parts.filter((part) => part.type === "toolCall");
