/**
 * The Interactions wire of Gemini, as far as this package reads or writes it.
 *
 * Responses are checked leniently and only in the fields that the fold reads; requests are written exactly.
 */
import * as Schema from "effect/Schema";
import type { RawJson } from "../../../internal/RawJson.ts";
import { isAbsentOr, isArrayOf, isObject, isString } from "../../../internal/shape.ts";

const maybe = <S extends Schema.Constraint>(schema: S) => Schema.optionalKey(Schema.NullOr(schema));

/** A step of the model. What is `unknown` here and below is read by type where it is used. */
export interface Step {
  readonly type: string;
  readonly id?: unknown;
  readonly name?: unknown;
  readonly content?: unknown;
  readonly summary?: unknown;
}

/** A whole interaction, or what is known of one at an event. */
export interface Interaction {
  readonly id?: unknown;
  readonly model?: unknown;
  readonly status?: unknown;
  readonly steps?: ReadonlyArray<Step> | null;
  readonly usage?: unknown;
}

/** A piece of a step. */
export type Delta = { readonly type: string } & Readonly<Record<string, unknown>>;

/** One event of a stream, by its `event_type`; of most types nothing is read. */
export interface Event {
  readonly event_type: string;
  readonly interaction?: Interaction | null;
  readonly index?: number | null;
  readonly step?: Step | null;
  readonly delta?: Delta | null;
}

export const isInteraction = (value: unknown): value is Interaction =>
  isObject(value) && isAbsentOr(value["steps"], (steps) => isArrayOf(steps, isTyped));

export const isEvent = (value: unknown): value is Event =>
  isObject(value) &&
  isString(value["event_type"]) &&
  isAbsentOr(value["interaction"], isInteraction) &&
  isAbsentOr(value["index"], Number.isFinite) &&
  isAbsentOr(value["step"], isTyped) &&
  isAbsentOr(value["delta"], isTyped);

const isTyped = (value: unknown): boolean => isObject(value) && isString(value["type"]);

/** Token counts. Thoughts are not among the output, results of Google's own tools not among the input. */
export const Usage = Schema.Struct({
  total_input_tokens: maybe(Schema.Finite),
  total_output_tokens: maybe(Schema.Finite),
  total_thought_tokens: maybe(Schema.Finite),
  total_cached_tokens: maybe(Schema.Finite),
  total_tool_use_tokens: maybe(Schema.Finite),
});
export const isUsage = Schema.is(Usage);

/** One step of a request; one that came in this format, and the arguments of a call, as the text that it is. */
export type RequestStep =
  | RawJson
  | { readonly type: "function_call"; readonly id: string; readonly name: string; readonly arguments: RawJson }
  | { readonly type: "user_input" | "model_output"; readonly content: ReadonlyArray<RequestContent> }
  | {
      readonly type: "function_result";
      readonly call_id: string;
      readonly name: string;
      readonly result: string;
      readonly is_error?: true;
    };

export type RequestContent =
  | { readonly type: "text"; readonly text: string }
  | {
      readonly type: "image" | "audio" | "video" | "document";
      readonly mime_type: string;
      readonly data?: string;
      readonly uri?: string;
    };

export interface RequestGenerationConfig {
  readonly temperature?: number;
  readonly max_output_tokens?: number;
  readonly stop_sequences?: ReadonlyArray<string>;
  readonly seed?: number;
  readonly thinking_level?: "minimal" | "low" | "medium" | "high";
  readonly thinking_summaries?: "auto";
  readonly tool_choice?: RequestToolChoice;
}

export type RequestToolChoice =
  | "auto"
  | "any"
  | "none"
  | { readonly allowed_tools: { readonly mode: "any"; readonly tools: ReadonlyArray<string> } };
