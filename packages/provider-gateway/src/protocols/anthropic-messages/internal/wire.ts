/**
 * The Messages wire of Anthropic, as far as this package reads or writes it.
 *
 * Responses are checked leniently and only in the fields that the fold reads; requests are written exactly.
 */
import * as Schema from "effect/Schema";
import type { RawJson } from "../../../internal/RawJson.ts";
import { isAbsentOr, isObject, isString } from "../../../internal/shape.ts";

const maybe = <S extends Schema.Constraint>(schema: S) => Schema.optionalKey(Schema.NullOr(schema));

/** A content block. What is `unknown` here and below is read by type where it is used. */
export interface Block {
  readonly type: string;
  readonly id?: unknown;
  readonly name?: unknown;
  readonly text?: unknown;
  readonly thinking?: unknown;
}

/** A whole response, or the empty one that begins a stream. */
export interface Message {
  readonly id?: unknown;
  readonly model?: unknown;
  readonly content: ReadonlyArray<Block>;
  readonly stop_reason?: unknown;
  readonly usage?: unknown;
}

/** A piece of a block: its members besides `type` are what is new. */
export type Delta = { readonly type: string } & Readonly<Record<string, unknown>>;

/** One event of a stream, by its `type`; events of other types say nothing. */
export type Event =
  | { readonly type: "message_start"; readonly message: Message }
  | { readonly type: "content_block_start"; readonly index: number; readonly content_block: Block }
  | { readonly type: "content_block_delta"; readonly index: number; readonly delta: Delta }
  | { readonly type: "content_block_stop"; readonly index: number }
  | {
      readonly type: "message_delta";
      readonly delta?: { readonly stop_reason?: unknown } | null;
      readonly usage?: unknown;
    }
  | { readonly type: "message_stop" };

export const isMessage = (value: unknown): value is Message =>
  isObject(value) && Array.isArray(value["content"]) && value["content"].every(isTyped);

/** Whether an event of a known type has the members that the fold reads. */
export const isEvent = (value: unknown): value is Event => {
  if (!isObject(value)) return false;
  switch (value["type"]) {
    case "message_start":
      return isMessage(value["message"]);
    case "content_block_start":
      return Number.isFinite(value["index"]) && isTyped(value["content_block"]);
    case "content_block_delta":
      return Number.isFinite(value["index"]) && isTyped(value["delta"]);
    case "content_block_stop":
      return Number.isFinite(value["index"]);
    case "message_delta":
      return isAbsentOr(value["delta"], isObject);
    case "message_stop":
      return true;
    default:
      return false;
  }
};

/** Whether a value has a type that this package does not know: the protocol adds some, and asks clients to ignore them. */
export const isUnknownEvent = (value: unknown): boolean =>
  isObject(value) && isString(value["type"]) && !known.has(value["type"]);

const isTyped = (value: unknown): boolean => isObject(value) && isString(value["type"]);

const known = new Set([
  "message_start",
  "content_block_start",
  "content_block_delta",
  "content_block_stop",
  "message_delta",
  "message_stop",
]);

/** Token counts. Those of the cache are not among `input_tokens`. */
export const Usage = Schema.Struct({
  input_tokens: maybe(Schema.Finite),
  output_tokens: maybe(Schema.Finite),
  cache_creation_input_tokens: maybe(Schema.Finite),
  cache_read_input_tokens: maybe(Schema.Finite),
  output_tokens_details: maybe(Schema.Struct({ thinking_tokens: maybe(Schema.Finite) })),
});
export type Usage = typeof Usage.Type;
export const isUsage = Schema.is(Usage);

/** One content block of a request; one that came in this format, and the input of a call, as the text that it is. */
export type RequestBlock =
  | RawJson
  | { readonly type: "tool_use"; readonly id: string; readonly name: string; readonly input: RawJson }
  | { readonly type: "text"; readonly text: string }
  | { readonly type: "image"; readonly source: RequestData<ImageType> | RequestAddress }
  | { readonly type: "document"; readonly source: RequestData<"application/pdf"> | RequestAddress }
  | {
      readonly type: "tool_result";
      readonly tool_use_id: string;
      readonly content?: string;
      readonly is_error?: true;
    };

export interface RequestData<Type extends string> {
  readonly type: "base64";
  readonly media_type: Type;
  readonly data: string;
}

export interface RequestAddress {
  readonly type: "url";
  readonly url: string;
}

/** The images that the protocol takes. */
export const imageTypes = ["image/jpeg", "image/png", "image/gif", "image/webp"] as const;
export type ImageType = (typeof imageTypes)[number];

export type RequestToolChoice =
  | { readonly type: "none" }
  | { readonly type: "auto" | "any"; readonly disable_parallel_tool_use?: true }
  | { readonly type: "tool"; readonly name: string; readonly disable_parallel_tool_use?: true };

export interface RequestThinking {
  readonly thinking?: { readonly type: "enabled"; readonly budget_tokens: number } | { readonly type: "adaptive" };
  readonly output_config?: { readonly effort: "low" | "medium" | "high" | "xhigh" | "max" };
}
