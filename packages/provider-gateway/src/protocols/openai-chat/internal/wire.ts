/**
 * The Chat Completions wire, as far as this package reads or writes it.
 *
 * Responses are checked leniently and only in the fields that the fold reads; requests are written exactly.
 */
import * as Schema from "effect/Schema";
import type { RawJson } from "../../../internal/RawJson.ts";
import { isAbsentOr, isArrayOf, isObject, isString } from "../../../internal/shape.ts";

const maybe = <S extends Schema.Constraint>(schema: S) => Schema.optionalKey(Schema.NullOr(schema));

/** A tool call, whole or a piece of one. `arguments` is text by the protocol and whatever else in practice. */
export interface ToolCall {
  readonly index?: number | null;
  readonly id?: string | null;
  readonly function?: { readonly name?: string | null; readonly arguments?: unknown; readonly args?: unknown } | null;
}

/** A message, or a piece of one. What is `unknown` here and below is read by type where it is used. */
export interface Content {
  readonly content?: unknown;
  readonly refusal?: unknown;
  readonly reasoning_content?: unknown;
  readonly reasoning?: unknown;
  readonly reasoning_details?: unknown;
  readonly tool_calls?: ReadonlyArray<ToolCall> | null;
  readonly function_call?: unknown;
}

export interface Choice {
  readonly index?: number | null;
  readonly delta?: Content | null;
  readonly message?: Content | null;
  readonly finish_reason?: unknown;
}

/** A chunk of a stream as well as a whole response: they differ in `delta` and `message`. */
export interface Completion {
  readonly id?: unknown;
  readonly model?: unknown;
  readonly choices?: ReadonlyArray<Choice> | null;
  readonly usage?: unknown;
}

/**
 * Checks the structure only, and by hand: it runs for every chunk, where a compiled schema costs as much as the parse.
 */
export const isCompletion = (value: unknown): value is Completion =>
  isObject(value) && isAbsentOr(value["choices"], (choices) => isArrayOf(choices, isChoice));

const isChoice = (value: unknown): boolean =>
  isObject(value) &&
  isAbsentOr(value["index"], Number.isFinite) &&
  isAbsentOr(value["delta"], hasToolCalls) &&
  isAbsentOr(value["message"], hasToolCalls);

const hasToolCalls = (value: unknown): boolean =>
  isObject(value) && isAbsentOr(value["tool_calls"], (calls) => isArrayOf(calls, isToolCall));

const isToolCall = (value: unknown): boolean =>
  isObject(value) &&
  isAbsentOr(value["index"], Number.isFinite) &&
  isAbsentOr(value["id"], isString) &&
  isAbsentOr(value["function"], (called) => isObject(called) && isAbsentOr(called["name"], isString));

/** Token counts; the cache count of DeepSeek stands beside those of OpenAI. */
export const Usage = Schema.Struct({
  prompt_tokens: maybe(Schema.Finite),
  completion_tokens: maybe(Schema.Finite),
  prompt_tokens_details: maybe(Schema.Struct({ cached_tokens: maybe(Schema.Finite) })),
  completion_tokens_details: maybe(Schema.Struct({ reasoning_tokens: maybe(Schema.Finite) })),
  prompt_cache_hit_tokens: maybe(Schema.Finite),
});
export const isUsage = Schema.is(Usage);

/** One message of a request. Only users send anything but text. */
export type RequestMessage =
  | { readonly role: "system" | "developer"; readonly content: RequestText; readonly name?: string }
  | { readonly role: "user"; readonly content: string | ReadonlyArray<RequestPart>; readonly name?: string }
  | RequestAssistant
  | { readonly role: "tool"; readonly tool_call_id: string; readonly content: string };

export interface RequestAssistant {
  readonly role: "assistant";
  readonly content: RequestText | null;
  readonly name?: string;
  readonly reasoning_content?: string;
  readonly tool_calls?: ReadonlyArray<RequestCall>;
  readonly reasoning_details?: ReadonlyArray<RawJson>;
}

export interface RequestCall {
  readonly id: string;
  readonly type: "function";
  readonly function: { readonly name: string; readonly arguments: string };
}

export interface RequestTextPart {
  readonly type: "text";
  readonly text: string;
}
export type RequestText = string | ReadonlyArray<RequestTextPart>;

export type RequestPart =
  | RequestTextPart
  | { readonly type: "image_url"; readonly image_url: { readonly url: string } }
  | { readonly type: "input_audio"; readonly input_audio: { readonly data: string; readonly format: "wav" | "mp3" } }
  | { readonly type: "file"; readonly file: { readonly filename: string; readonly file_data: string } };
