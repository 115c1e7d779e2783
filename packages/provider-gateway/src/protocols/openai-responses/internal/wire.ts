/**
 * The Responses wire of OpenAI, as far as this package reads or writes it.
 *
 * Responses are checked leniently and only in the fields that the fold reads; requests are written exactly.
 */
import * as Schema from "effect/Schema";
import type { RawJson } from "../../../internal/RawJson.ts";
import { isAbsentOr, isArrayOf, isObject, isString } from "../../../internal/shape.ts";

const maybe = <S extends Schema.Constraint>(schema: S) => Schema.optionalKey(Schema.NullOr(schema));

/** An output item. What is `unknown` here and below is read by type where it is used. */
export interface Item {
  readonly type: string;
  readonly id?: unknown;
  readonly call_id?: unknown;
  readonly name?: unknown;
  readonly arguments?: unknown;
  readonly content?: unknown;
  readonly summary?: unknown;
}

/** A whole response, or what is known of one at an event. */
export interface Response {
  readonly id?: unknown;
  readonly model?: unknown;
  readonly status?: unknown;
  readonly output?: ReadonlyArray<Item> | null;
  readonly usage?: unknown;
  readonly error?: unknown;
  readonly incomplete_details?: { readonly reason?: unknown } | null;
}

/** One event of a stream, by its `type`; of most types nothing is read. */
export interface Event {
  readonly type: string;
  readonly response?: Response | null;
  readonly item?: Item | null;
  readonly item_id?: unknown;
  readonly output_index?: number | null;
  readonly delta?: unknown;
}

export const isResponse = (value: unknown): value is Response =>
  isObject(value) &&
  isAbsentOr(value["output"], (output) => isArrayOf(output, isItem)) &&
  isAbsentOr(value["incomplete_details"], isObject);

export const isEvent = (value: unknown): value is Event =>
  isObject(value) &&
  isString(value["type"]) &&
  isAbsentOr(value["response"], isResponse) &&
  isAbsentOr(value["item"], isItem) &&
  isAbsentOr(value["output_index"], Number.isFinite);

const isItem = (value: unknown): boolean => isObject(value) && isString(value["type"]);

/** Token counts, those of the cache among the input and those of reasoning among the output. */
export const Usage = Schema.Struct({
  input_tokens: maybe(Schema.Finite),
  output_tokens: maybe(Schema.Finite),
  input_tokens_details: maybe(Schema.Struct({ cached_tokens: maybe(Schema.Finite) })),
  output_tokens_details: maybe(Schema.Struct({ reasoning_tokens: maybe(Schema.Finite) })),
});
export const isUsage = Schema.is(Usage);

/** One item of a request; one that came in this format as the text that it is. */
export type RequestItem =
  | RawJson
  | {
      readonly type: "message";
      readonly role: "developer" | "user";
      readonly content: ReadonlyArray<RequestPart>;
    }
  | {
      readonly type: "message";
      readonly role: "assistant";
      readonly content: string;
    }
  | { readonly type: "function_call"; readonly call_id: string; readonly name: string; readonly arguments: string }
  | { readonly type: "function_call_output"; readonly call_id: string; readonly output: string };

export type RequestPart =
  | { readonly type: "input_text"; readonly text: string }
  | { readonly type: "input_image"; readonly image_url: string; readonly detail: "auto" }
  | { readonly type: "input_file"; readonly filename: string; readonly file_data: string }
  | { readonly type: "input_file"; readonly file_url: string };

export type RequestToolChoice = "none" | "auto" | "required" | { readonly type: "function"; readonly name: string };
