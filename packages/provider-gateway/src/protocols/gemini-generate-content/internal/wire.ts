/**
 * The generateContent wire of Gemini, as far as this package reads or writes it.
 *
 * Responses are checked leniently and only in the fields that the fold reads; requests are written exactly.
 */
import * as Schema from "effect/Schema";
import type { RawJson } from "../../../internal/RawJson.ts";
import { isAbsentOr, isArrayOf, isObject } from "../../../internal/shape.ts";

const maybe = <S extends Schema.Constraint>(schema: S) => Schema.optionalKey(Schema.NullOr(schema));

/** A part of an answer. What is `unknown` here and below is read by type where it is used. */
export interface Part {
  readonly text?: unknown;
  readonly thought?: unknown;
  readonly functionCall?: { readonly id?: unknown; readonly name?: unknown; readonly args?: unknown } | null;
}

export interface Candidate {
  readonly index?: number | null;
  readonly content?: { readonly parts?: ReadonlyArray<Part> | null } | null;
  readonly finishReason?: unknown;
}

/** A chunk of a stream as well as a whole response: they do not differ. */
export interface Response {
  readonly candidates?: ReadonlyArray<Candidate> | null;
  readonly promptFeedback?: { readonly blockReason?: unknown } | null;
  readonly responseId?: unknown;
  readonly modelVersion?: unknown;
  readonly usageMetadata?: unknown;
}

export const isResponse = (value: unknown): value is Response =>
  isObject(value) &&
  isAbsentOr(value["candidates"], (candidates) => isArrayOf(candidates, isCandidate)) &&
  isAbsentOr(value["promptFeedback"], isObject);

const isCandidate = (value: unknown): boolean =>
  isObject(value) &&
  isAbsentOr(value["index"], Number.isFinite) &&
  isAbsentOr(
    value["content"],
    (content) => isObject(content) && isAbsentOr(content["parts"], (parts) => isArrayOf(parts, isPart)),
  );

const isPart = (value: unknown): boolean => isObject(value) && isAbsentOr(value["functionCall"], isObject);

/** Token counts. Thoughts are not among the candidates', results of Google's own tools not among the prompt's. */
export const Usage = Schema.Struct({
  promptTokenCount: maybe(Schema.Finite),
  candidatesTokenCount: maybe(Schema.Finite),
  thoughtsTokenCount: maybe(Schema.Finite),
  toolUsePromptTokenCount: maybe(Schema.Finite),
  cachedContentTokenCount: maybe(Schema.Finite),
});
export const isUsage = Schema.is(Usage);

/** One part of a request; one that came in this format, and the arguments of a call, as the text that it is. */
export type RequestPart =
  | RawJson
  | {
      readonly functionCall: { readonly name: string; readonly args: RawJson };
      readonly thoughtSignature?: string;
    }
  | { readonly text: string }
  | { readonly inlineData: { readonly mimeType: string; readonly data: string } }
  | { readonly fileData: { readonly mimeType: string; readonly fileUri: string } }
  | {
      readonly functionResponse: {
        readonly id?: string;
        readonly name: string;
        readonly response: { readonly output: string } | { readonly error: string };
      };
    };

export interface RequestGenerationConfig {
  readonly temperature?: number;
  readonly topP?: number;
  readonly maxOutputTokens?: number;
  readonly stopSequences?: ReadonlyArray<string>;
  readonly topK?: number;
  readonly frequencyPenalty?: number;
  readonly presencePenalty?: number;
  readonly seed?: number;
  readonly thinkingConfig?: RequestThinkingConfig;
}

export interface RequestThinkingConfig {
  readonly thinkingLevel?: "MINIMAL" | "LOW" | "MEDIUM" | "HIGH";
  readonly thinkingBudget?: number;
  readonly includeThoughts: boolean;
}

export interface RequestFunctionCallingConfig {
  readonly mode: "AUTO" | "ANY" | "NONE";
  readonly allowedFunctionNames?: ReadonlyArray<string>;
}
