/**
 * What generateContent and its models want otherwise than the canonical language says: one named function each.
 */
import type { Usage } from "@cahier/domain/model/ModelResponse";
import * as counts from "../../../internal/counts.ts";
import * as googleThinking from "../../../internal/googleThinking.ts";
import * as jsonText from "../../../internal/jsonText.ts";
import { isObject, isText } from "../../../internal/shape.ts";
import * as wire from "./wire.ts";

/** In what models differ. */
export interface Model {
  readonly takesInstructions: boolean;
  readonly takesTools: boolean;
  /** Calls without a signature are refused. */
  readonly needsSignatures: boolean;
}

/** Gemma takes neither instructions nor tools; Gemini 3 wants a signature with each call. */
export const modelOf = (modelId: string): Model => {
  const isGemma = /(?:^|\/)gemma/.test(modelId);
  return {
    takesInstructions: !isGemma,
    takesTools: !isGemma,
    needsSignatures: googleThinking.isLevelled(modelId),
  };
};

/** Stands for the signature of a call that another model made. */
export const skippedSignature = "skip_thought_signature_validator";

/** The server gives calls an id only sometimes; it pairs by name and order, and only this side needs one. */
export const ownCallId = (position: number, index: number): string => `call_${position}_${index}`;

/** The call that a native part is, if it is one. */
export const callOf = (native: string): ReadonlyArray<{ readonly id: unknown }> => {
  // Most parts are none, and reading all of them would cost more than the rest of a body.
  if (!native.includes("functionCall")) return [];
  const part = jsonText.parse(native);
  return isObject(part) && isObject(part["functionCall"]) ? [{ id: part["functionCall"]["id"] }] : [];
};

/** Empty text comes at the end of streams, and is refused when it comes back, unless a signature is with it. */
export const isRefusedPart = (native: string): boolean => {
  if (!emptyText.test(native)) return false;
  const part = jsonText.parse(native);
  return isObject(part) && isPlainText(part) && part["text"] === "";
};

const emptyText = /"text"\s*:\s*""/;

/** Whether a part is text, or a thought, and nothing else. */
export const isPlainText = (part: object): boolean =>
  Object.keys(part).every((name) => name === "text" || name === "thought");

/** Thoughts are shown wherever there are some. */
export const thinkingConfig = (thinking: googleThinking.Thinking): wire.RequestThinkingConfig =>
  "level" in thinking
    ? { thinkingLevel: levels[thinking.level], includeThoughts: true }
    : { thinkingBudget: thinking.budget, includeThoughts: thinking.budget !== 0 };

const levels = { minimal: "MINIMAL", low: "LOW", medium: "MEDIUM", high: "HIGH" } as const;

/** What a writer asks for is the writer's business. */
export const safetyOff = [
  "HARM_CATEGORY_HARASSMENT",
  "HARM_CATEGORY_HATE_SPEECH",
  "HARM_CATEGORY_SEXUALLY_EXPLICIT",
  "HARM_CATEGORY_DANGEROUS_CONTENT",
  "HARM_CATEGORY_CIVIC_INTEGRITY",
].map((category) => ({ category, threshold: "OFF" }));

/** The counts as reported, thoughts among the output; undefined where they are missing or in no known form. */
export const readUsage = (reported: unknown): Usage | undefined => {
  const usage = counts.read(reported, wire.isUsage);
  if (usage === undefined) return undefined;
  const { cachedContentTokenCount, candidatesTokenCount, promptTokenCount, thoughtsTokenCount } = usage;
  if (typeof promptTokenCount !== "number" && typeof candidatesTokenCount !== "number") return undefined;
  return {
    inputTokens: (promptTokenCount ?? 0) + (usage.toolUsePromptTokenCount ?? 0),
    outputTokens: (candidatesTokenCount ?? 0) + (thoughtsTokenCount ?? 0),
    ...(typeof cachedContentTokenCount === "number" ? { cachedTokens: cachedContentTokenCount } : {}),
    ...(typeof thoughtsTokenCount === "number" ? { reasoningTokens: thoughtsTokenCount } : {}),
  };
};

/** An error object inside a successful response, also as the only element of an array. */
export const errorOf = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(errorOf).find((error) => error !== undefined);
  if (!isObject(value)) return undefined;
  const { error } = value;
  if (error === undefined || error === null || error === "") return undefined;
  return isObject(error) ? error : { message: isText(error) ? error : JSON.stringify(error) };
};
