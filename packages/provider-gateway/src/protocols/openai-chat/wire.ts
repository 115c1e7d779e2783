/**
 * The Chat Completions wire, as far as this package reads or writes it.
 *
 * Responses are checked leniently and only in the fields that the fold reads; requests are written exactly.
 */
import * as Schema from "effect/Schema";

const maybe = <S extends Schema.Constraint>(schema: S) => Schema.optionalKey(Schema.NullOr(schema));

/** A tool call, whole or a piece of one. `arguments` is text by the protocol and whatever else in practice. */
export const ToolCall = Schema.Struct({
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

/** A message, or a piece of one. What is `Unknown` here is read by type where it is used. */
export const Content = Schema.Struct({
  content: Schema.optionalKey(Schema.Unknown),
  refusal: Schema.optionalKey(Schema.Unknown),
  reasoning_content: Schema.optionalKey(Schema.Unknown),
  reasoning: Schema.optionalKey(Schema.Unknown),
  tool_calls: maybe(Schema.Array(ToolCall)),
  function_call: Schema.optionalKey(Schema.Unknown),
});
export type Content = typeof Content.Type;

export const Choice = Schema.Struct({
  index: maybe(Schema.Finite),
  delta: maybe(Content),
  message: maybe(Content),
  finish_reason: Schema.optionalKey(Schema.Unknown),
});
export type Choice = typeof Choice.Type;

/** A chunk of a stream as well as a whole response: they differ in `delta` and `message`. */
export const Completion = Schema.Struct({
  id: Schema.optionalKey(Schema.Unknown),
  model: Schema.optionalKey(Schema.Unknown),
  choices: maybe(Schema.Array(Choice)),
  usage: Schema.optionalKey(Schema.Unknown),
  error: Schema.optionalKey(Schema.Unknown),
});
export type Completion = typeof Completion.Type;
export const isCompletion = Schema.is(Completion);

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
  | {
      readonly role: "assistant";
      readonly content: RequestContent | null;
      readonly name?: string;
      readonly reasoning_content?: string;
      readonly tool_calls?: ReadonlyArray<{
        readonly id: string;
        readonly type: "function";
        readonly function: { readonly name: string; readonly arguments: string };
      }>;
    }
  | { readonly role: "tool"; readonly tool_call_id: string; readonly content: string };

export type RequestContent = string | ReadonlyArray<RequestPart>;
export type RequestPart =
  | { readonly type: "text"; readonly text: string }
  | { readonly type: "image_url"; readonly image_url: { readonly url: string } }
  | { readonly type: "input_audio"; readonly input_audio: { readonly data: string; readonly format: string } }
  | { readonly type: "file"; readonly file: { readonly file_data: string } };
