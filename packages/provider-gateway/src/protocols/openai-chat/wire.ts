/**
 * The Chat Completions wire, as far as this package reads or writes it.
 *
 * Responses are checked leniently and only in the fields that the fold reads; requests are written exactly.
 */
import * as Schema from "effect/Schema";

const maybe = <S extends Schema.Constraint>(schema: S) => Schema.optionalKey(Schema.NullOr(schema));

/** A tool call, whole or a piece of one. `arguments` is text by the protocol and whatever else in practice. */
const ToolCall = Schema.Struct({
  index: maybe(Schema.Finite),
  id: maybe(Schema.String),
  function: maybe(
    Schema.Struct({
      name: maybe(Schema.String),
      arguments: Schema.optionalKey(Schema.Unknown),
      args: Schema.optionalKey(Schema.Unknown),
    }),
  ),
});
export type ToolCall = typeof ToolCall.Type;

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

/** Checks the structure only: fields that may be anything cost time in a check that runs for every chunk. */
export const isCompletion = (value: unknown): value is Completion => hasStructure(value);

const Structured = Schema.Struct({ tool_calls: maybe(Schema.Array(ToolCall)) });
const hasStructure = Schema.is(
  Schema.Struct({
    choices: maybe(
      Schema.Array(
        Schema.Struct({ index: maybe(Schema.Finite), delta: maybe(Structured), message: maybe(Structured) }),
      ),
    ),
  }),
);

/** Token counts; the cache count of DeepSeek stands beside those of OpenAI. */
export const Usage = Schema.Struct({
  prompt_tokens: maybe(Schema.Finite),
  completion_tokens: maybe(Schema.Finite),
  prompt_tokens_details: maybe(Schema.Struct({ cached_tokens: maybe(Schema.Finite) })),
  completion_tokens_details: maybe(Schema.Struct({ reasoning_tokens: maybe(Schema.Finite) })),
  prompt_cache_hit_tokens: maybe(Schema.Finite),
});
export const isUsage = Schema.is(Usage);

/** One message of a request. */
export type RequestMessage =
  | { readonly role: "system" | "developer" | "user"; readonly content: RequestContent; readonly name?: string }
  | RequestAssistant
  | { readonly role: "tool"; readonly tool_call_id: string; readonly content: string };

export interface RequestAssistant {
  readonly role: "assistant";
  readonly content: RequestContent | null;
  readonly name?: string;
  readonly reasoning_content?: string;
  readonly reasoning_details?: ReadonlyArray<Readonly<Record<string, unknown>>>;
  readonly tool_calls?: ReadonlyArray<{
    readonly id: string;
    readonly type: "function";
    readonly function: { readonly name: string; readonly arguments: string };
  }>;
}

export type RequestContent = string | ReadonlyArray<RequestPart>;
export type RequestPart =
  | { readonly type: "text"; readonly text: string }
  | { readonly type: "image_url"; readonly image_url: { readonly url: string } }
  | { readonly type: "input_audio"; readonly input_audio: { readonly data: string; readonly format: string } }
  | { readonly type: "file"; readonly file: { readonly file_data: string } };
