/**
 * What the Interactions protocol wants otherwise than the canonical language says: one named function each.
 */
import type { ModelRequest } from "@cahier/domain/model/ModelRequest";
import type { Usage } from "@cahier/domain/model/ModelResponse";
import * as counts from "../../../internal/counts.ts";
import * as googleThinking from "../../../internal/googleThinking.ts";
import * as jsonText from "../../../internal/jsonText.ts";
import type { OnLoss } from "../../../internal/sessionEncoder.ts";
import { isObject, isText } from "../../../internal/shape.ts";
import * as wire from "./wire.ts";

/** The id of the call that a native step is, if it is one. */
export const callIdOf = (native: string): ReadonlyArray<string> => {
  // Most items are none, and reading all of them would cost more than the rest of a body.
  if (!native.includes("function_call")) return [];
  const step = jsonText.parse(native);
  return isObject(step) && step["type"] === "function_call" && isText(step["id"]) ? [step["id"]] : [];
};

/** A response may repeat what was asked; that goes back anyway. */
export const isEcho = ({ type }: wire.Step): boolean => type === "user_input" || type === "function_result";

/** Media are told apart by their kind; what is none of the others is a document. */
export const contentType = (mimeType: string): "image" | "audio" | "video" | "document" => {
  const kind = mimeType.split("/")[0];
  return kind === "image" || kind === "audio" || kind === "video" ? kind : "document";
};

/** The protocol has levels for all models that think, and no budget. */
export const thinkingLevel = ({ parameters }: ModelRequest, onLoss: OnLoss): googleThinking.Level | undefined => {
  const effort = parameters.reasoning?.effort;
  return effort === undefined ? undefined : googleThinking.levelOf(effort, onLoss);
};

/** The texts among contents. */
export const textsOf = (contents: unknown): ReadonlyArray<string> =>
  (Array.isArray(contents) ? (contents as ReadonlyArray<unknown>) : []).flatMap((content) =>
    isObject(content) && isText(content["text"]) ? [content["text"]] : [],
  );

/** The counts as reported, thoughts among the output; undefined where they are missing or in no known form. */
export const readUsage = (reported: unknown): Usage | undefined => {
  const usage = counts.read(reported, wire.isUsage);
  if (usage === undefined) return undefined;
  const { total_cached_tokens, total_input_tokens, total_output_tokens, total_thought_tokens } = usage;
  if (typeof total_input_tokens !== "number" && typeof total_output_tokens !== "number") return undefined;
  return {
    inputTokens: (total_input_tokens ?? 0) + (usage.total_tool_use_tokens ?? 0),
    outputTokens: (total_output_tokens ?? 0) + (total_thought_tokens ?? 0),
    ...(typeof total_cached_tokens === "number" ? { cachedTokens: total_cached_tokens } : {}),
    ...(typeof total_thought_tokens === "number" ? { reasoningTokens: total_thought_tokens } : {}),
  };
};

/** An error: as an event, as a body, as an interaction that failed. */
export const errorOf = (value: unknown): unknown => {
  if (!isObject(value)) return undefined;
  const { error, event_type, interaction } = value;
  if (isObject(error)) return error;
  if (isText(error)) return { message: error };
  if (event_type === "error") return { message: "the interaction failed" };
  const status = isObject(interaction) ? interaction["status"] : value["status"];
  return status === "failed" ? { message: "the interaction failed" } : undefined;
};
