/**
 * What compatible servers do otherwise than the protocol says: one named function each.
 */
import type { GenerationParameters, ModelBinding, ModelRequest } from "@cahier/domain/model/ModelRequest";
import type { Usage } from "@cahier/domain/model/ModelResponse";
import type { GrowingText } from "../../../internal/GrowingText.ts";
import * as counts from "../../../internal/counts.ts";
import * as lostParameters from "../../../internal/lostParameters.ts";
import type { OnLoss } from "../../../internal/sessionEncoder.ts";
import * as wire from "./wire.ts";

/** A tool call while its pieces arrive. `index` is its place among the calls of the message. */
export interface CallSlot {
  readonly index: number;
  readonly wireIndex: number | undefined;
  id: string;
  name: string;
  readonly text: GrowingText;
  started: boolean;
}

/**
 * The call that a piece belongs to, undefined for a new one. By the protocol `index` decides; some servers send every
 * call at index 0 (then a different id is a different call), some send no index (then an id, or a second name, begins
 * a call and anything else continues the last one).
 */
export const slotOf = (slots: ReadonlyArray<CallSlot>, piece: wire.ToolCall): CallSlot | undefined => {
  const id = piece.id ?? "";
  if (typeof piece.index === "number") {
    const slot = slots.findLast((candidate) => candidate.wireIndex === piece.index);
    const isAnother = slot !== undefined && id !== "" && slot.id !== "" && slot.id !== id;
    return isAnother ? slots.find((candidate) => candidate.id === id) : slot;
  }
  if (id !== "") return slots.find((candidate) => candidate.id === id);
  const last = slots.at(-1);
  const name = piece.function?.name ?? "";
  return last !== undefined && name !== "" && last.name !== "" ? undefined : last;
};

/** The name so far and a piece: some servers repeat the whole name in every piece. */
export const joinName = (known: string, piece: string): string => (known === piece ? known : known + piece);

/** Argument text: an object instead of text is written out, `args` stands for `arguments`. */
export const argumentText = (piece: wire.ToolCall): string => {
  const value = piece.function?.arguments ?? piece.function?.args;
  if (typeof value === "string") return value;
  return value === undefined || value === null ? "" : JSON.stringify(value);
};

/** Content is text; Mistral sends parts, with reasoning among them; some send a JSON value for structured output. */
export const readContent = (content: unknown): { readonly text: string; readonly reasoning: string } => {
  if (typeof content === "string") return { text: content, reasoning: "" };
  if (content === undefined || content === null) return { text: "", reasoning: "" };
  if (!Array.isArray(content)) return { text: JSON.stringify(content), reasoning: "" };
  const parts = content.map(readPart);
  return { text: parts.map((part) => part.text).join(""), reasoning: parts.map((part) => part.reasoning).join("") };
};

/** `reasoning_content` (DeepSeek) or `reasoning` (OpenRouter, Ollama); a server that sends both sends the same twice. */
export const readReasoning = (content: wire.Content): string => {
  for (const field of [content.reasoning_content, content.reasoning]) {
    if (typeof field === "string" && field !== "") return field;
  }
  return "";
};

/** The counts as reported; undefined where they are missing or in no known form. Fractions are rounded up. */
export const readUsage = (reported: unknown): Usage | undefined => {
  const usage = counts.read(reported, wire.isUsage);
  if (usage === undefined) return undefined;
  const inputTokens = usage.prompt_tokens ?? undefined;
  const outputTokens = usage.completion_tokens ?? undefined;
  if (inputTokens === undefined && outputTokens === undefined) return undefined;
  const cached = usage.prompt_tokens_details?.cached_tokens ?? usage.prompt_cache_hit_tokens ?? undefined;
  const reasoning = usage.completion_tokens_details?.reasoning_tokens ?? undefined;
  return {
    inputTokens: Math.ceil(inputTokens ?? 0),
    outputTokens: Math.ceil(outputTokens ?? 0),
    ...(cached === undefined ? {} : { cachedTokens: Math.ceil(cached) }),
    ...(reasoning === undefined ? {} : { reasoningTokens: Math.ceil(reasoning) }),
  };
};

/** An error object inside a successful response: as `error`, as the whole body, or as the only element of an array. */
export const errorOf = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.length === 1 ? errorOf(value[0]) : undefined;
  if (typeof value !== "object" || value === null) return undefined;
  if (
    "error" in value &&
    value.error !== null &&
    value.error !== undefined &&
    value.error !== false &&
    value.error !== ""
  ) {
    return typeof value.error === "object" ? value.error : { message: value.error };
  }
  const isError = "object" in value && value.object === "error";
  const isBare = !("choices" in value) && "message" in value && ("code" in value || "type" in value);
  return isError || isBare ? value : undefined;
};

/** Models of OpenAI that reason refuse all of these. */
export const sampling = (
  parameters: GenerationParameters,
  isRefused: boolean,
  onLoss: OnLoss,
): Readonly<Record<string, number | ReadonlyArray<string>>> => {
  if (isRefused) {
    lostParameters.report(parameters, samplingNames, lostParameters.refused, onLoss);
    return {};
  }
  const { frequencyPenalty, presencePenalty, stop, temperature, topP } = parameters;
  return {
    ...(temperature === undefined ? {} : { temperature }),
    ...(topP === undefined ? {} : { top_p: topP }),
    ...(frequencyPenalty === undefined ? {} : { frequency_penalty: frequencyPenalty }),
    ...(presencePenalty === undefined ? {} : { presence_penalty: presencePenalty }),
    ...(stop === undefined || stop.length === 0 ? {} : { stop }),
  };
};

const samplingNames = ["temperature", "topP", "frequencyPenalty", "presencePenalty", "stop"] as const;

/** OpenRouter has one form of reasoning for all models, and `top_k`; of the others an effort is all that one can ask for. */
export const thinking = (
  parameters: GenerationParameters,
  router: "openrouter" | "nanogpt" | undefined,
  onLoss: OnLoss,
): Readonly<Record<string, unknown>> => {
  const { reasoning, topK } = parameters;
  if (router !== "openrouter") {
    lostParameters.report(parameters, ["topK", "reasoning.budgetTokens"], lostParameters.noPlace, onLoss);
    return reasoning?.effort === undefined ? {} : { reasoning_effort: reasoning.effort };
  }
  const { budgetTokens, effort } = reasoning ?? {};
  // It takes one of the two.
  if (budgetTokens !== undefined) lostParameters.report(parameters, ["reasoning.effort"], "the budget decides", onLoss);
  const asked = budgetTokens === undefined ? effort && { effort } : { max_tokens: budgetTokens };
  return { ...(topK === undefined ? {} : { top_k: topK }), ...(asked ? { reasoning: asked } : {}) };
};

/** The time for which OpenRouter is asked to keep a prompt, by marks in it: it passes them on to Claude only. */
export const markedTtl = (
  { modelId, promptCacheTtl }: ModelBinding,
  router: "openrouter" | "nanogpt" | undefined,
): ModelBinding["promptCacheTtl"] => (router === "openrouter" && isClaude(modelId) ? promptCacheTtl : undefined);

/** NanoGPT sets the marks itself. */
export const cache = (
  request: ModelRequest,
  router: "openrouter" | "nanogpt" | undefined,
  onLoss: OnLoss,
): Readonly<Record<string, unknown>> => {
  const { modelId, promptCacheTtl } = request.binding;
  if (promptCacheTtl === undefined || (router === "openrouter" && isClaude(modelId))) return {};
  if (router === "nanogpt" && isClaude(modelId)) return { cache_control: { enabled: true, ttl: promptCacheTtl } };
  lostParameters.reportCache(request, onLoss);
  return {};
};

const isClaude = (modelId: string): boolean => /claude/i.test(modelId);

const readPart = (part: unknown): { readonly text: string; readonly reasoning: string } => {
  if (typeof part === "string") return { text: part, reasoning: "" };
  if (typeof part !== "object" || part === null) return { text: "", reasoning: "" };
  const { text, thinking } = part as { readonly text?: unknown; readonly thinking?: unknown };
  if (thinking !== undefined) return { text: "", reasoning: readContent(thinking).text };
  return { text: typeof text === "string" ? text : "", reasoning: "" };
};
