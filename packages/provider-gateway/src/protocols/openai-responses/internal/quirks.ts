/**
 * What the Responses protocol, its models and its imitators want otherwise than the canonical language says.
 */
import type { GenerationParameters } from "@cahier/domain/model/ModelRequest";
import type { FinishReason, Usage } from "@cahier/domain/model/ModelResponse";
import * as counts from "../../../internal/counts.ts";
import * as jsonText from "../../../internal/jsonText.ts";
import * as lostParameters from "../../../internal/lostParameters.ts";
import * as openAiModels from "../../../internal/openAiModels.ts";
import type { OnLoss } from "../../../internal/sessionEncoder.ts";
import { isObject, isString, isText } from "../../../internal/shape.ts";
import * as wire from "./wire.ts";

/** Ids of calls that the protocol takes. */
export const callIdPattern = /^[\s\S]{1,64}$/;

/** The id of the call that a native item is, if it is one. */
export const callIdOf = (native: string): ReadonlyArray<string> => {
  // Most items are none, and reading all of them would cost more than the rest of a body.
  if (!native.includes("function_call")) return [];
  const item = jsonText.parse(native);
  return isObject(item) && item["type"] === "function_call" && isText(item["call_id"]) ? [item["call_id"]] : [];
};

/** Models that reason refuse sampling. */
export const sampling = (
  modelId: string,
  parameters: GenerationParameters,
  onLoss: OnLoss,
): { readonly temperature?: number; readonly top_p?: number } => {
  if (openAiModels.reasons(openAiModels.routedName(modelId) ?? modelId)) {
    lostParameters.report(parameters, ["temperature", "topP"], lostParameters.refused, onLoss);
    return {};
  }
  const { temperature, topP } = parameters;
  return {
    ...(temperature === undefined ? {} : { temperature }),
    ...(topP === undefined ? {} : { top_p: topP }),
  };
};

/** The text of a message item; a refusal is text too. */
export const readMessage = (item: wire.Item): { readonly text: string; readonly isRefusal: boolean } => {
  const parts = objectsOf(item.content);
  const texts = parts.map((part) => (part["type"] === "refusal" ? part["refusal"] : part["text"])).filter(isString);
  return { text: texts.join(""), isRefusal: parts.some((part) => part["type"] === "refusal") };
};

/** The summaries of reasoning; of imitators that show it all, all of it. */
export const readReasoning = (item: wire.Item): ReadonlyArray<string> => {
  const summaries = textsOf(item.summary);
  return summaries.length > 0 ? summaries : textsOf(item.content);
};

/** Arguments are text by the protocol; an object is written out. */
export const argumentText = ({ arguments: raw }: wire.Item): string => {
  if (isString(raw)) return raw;
  return raw === undefined || raw === null ? "" : JSON.stringify(raw);
};

/** Why a whole response ended, calls aside. */
export const finishOf = ({ incomplete_details, status }: wire.Response): FinishReason => {
  if (status !== "incomplete") return status === "cancelled" ? "other" : "stop";
  if (incomplete_details?.reason === "max_output_tokens") return "length";
  return incomplete_details?.reason === "content_filter" ? "refusal" : "other";
};

/** Whether an event ends a response, in whichever way; an end that failed is an error before it is this. */
export const isEnd = ({ type }: wire.Event): boolean => ends.has(type);

/** The response that an event ends: its own status decides, and the event's name where it has none. */
export const endedBy = ({ response, type }: wire.Event): wire.Response => ({
  ...response,
  status: response?.status ?? ends.get(type),
});

/** The counts as reported; undefined where they are missing or in no known form. */
export const readUsage = (reported: unknown): Usage | undefined => {
  const usage = counts.read(reported, wire.isUsage);
  if (usage === undefined) return undefined;
  const { input_tokens, input_tokens_details, output_tokens, output_tokens_details } = usage;
  if (typeof input_tokens !== "number" && typeof output_tokens !== "number") return undefined;
  const cached = input_tokens_details?.cached_tokens;
  const reasoning = output_tokens_details?.reasoning_tokens;
  return {
    inputTokens: Math.ceil(input_tokens ?? 0),
    outputTokens: Math.ceil(output_tokens ?? 0),
    ...(typeof cached === "number" ? { cachedTokens: Math.ceil(cached) } : {}),
    ...(typeof reasoning === "number" ? { reasoningTokens: Math.ceil(reasoning) } : {}),
  };
};

/** An error: as an event, as a response that failed, as `error` of a body that is no response, as text. */
export const errorOf = (value: unknown): unknown => {
  if (!isObject(value)) return undefined;
  const { error, response, type } = value;
  if (type === "response.failed" || (isString(type) && ends.has(type))) {
    const ended = isObject(response) ? response : {};
    const told = isObject(ended["error"]) ? ended["error"] : undefined;
    const isFailed = type === "response.failed" || ended["status"] === "failed";
    if (isFailed) return told ?? failed;
    if (told !== undefined && !isText(ended["status"])) return told;
  }
  // On a socket the status, which HTTP would have, stands beside the error.
  const status = value["status"] ?? value["status_code"];
  if (isObject(error)) return type === "error" && Number.isInteger(status) ? { status, ...error } : error;
  if (isText(error)) return { message: error };
  if (type === "error") return value;
  return status === "failed" ? failed : undefined;
};

const failed = { message: "the response failed" };

/** The events that end a response, with the status that each stands for. */
const ends: ReadonlyMap<string, string> = new Map([
  ["response.completed", "completed"],
  ["response.done", "completed"],
  ["response.incomplete", "incomplete"],
  ["response.cancelled", "cancelled"],
]);

const objectsOf = (value: unknown): ReadonlyArray<Readonly<Record<string, unknown>>> =>
  Array.isArray(value) ? value.filter(isObject) : [];

const textsOf = (value: unknown): ReadonlyArray<string> =>
  objectsOf(value).flatMap((part) => (isText(part["text"]) ? [part["text"]] : []));
