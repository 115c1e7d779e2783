/**
 * Thinking as the models of the Messages protocol take it: newer ones decide for themselves and are told an effort, those
 * before them are given a budget of tokens out of `max_tokens`.
 */
import { toolCallsOf } from "@cahier/domain/model/Message";
import type { ModelRequest } from "@cahier/domain/model/ModelRequest";
import * as lostParameters from "../../../internal/lostParameters.ts";
import type { OnLoss } from "../../../internal/sessionEncoder.ts";
import type { RequestThinking } from "./wire.ts";

/** How a model thinks; one that does not takes no thinking at all. */
export type Family = "adaptive" | "budget" | "none";

/** By the version in the name, with or without a date behind it. */
export const familyOf = (modelId: string): Family => {
  const version = versionOf(modelId);
  if (version === undefined) return "none";
  const { major, minor } = version;
  if (major > 4 || (major === 4 && minor >= 6)) return "adaptive";
  return major === 4 || (major === 3 && minor === 7) ? "budget" : "none";
};

/** Opus takes no sampling since 4.7, with or without thinking, nor does any model of a later generation. */
export const refusesSampling = (modelId: string): boolean => {
  const version = versionOf(modelId);
  if (version === undefined) return false;
  return version.major > 4 || (version.major === 4 && version.minor >= 7 && modelId.includes("opus"));
};

/** What is asked for; nothing where nobody asks, and where it cannot be, which is said. */
export const of = (request: ModelRequest, maxTokens: number, onLoss: OnLoss): RequestThinking => {
  const { reasoning } = request.parameters;
  const effort = reasoning?.effort;
  if (reasoning === undefined || effort === "none") return {};
  const lose = (why: string): RequestThinking => {
    lostParameters.report(request.parameters, ["reasoning.effort", "reasoning.budgetTokens"], why, onLoss);
    return {};
  };
  const family = familyOf(request.binding.modelId);
  if (family === "none") return lose("the model does not think");
  if (request.tools.length > 0 && (typeof request.toolChoice === "object" || request.toolChoice === "required")) {
    return lose("a model does not think before a call that it is made to make");
  }
  if (family === "adaptive") return adaptive(request, onLoss);
  if (isWithinTurnWithoutThoughts(request)) return lose("the turn under way began without thinking");
  if (maxTokens <= leastBudget) return lose(`there is no room for it in ${maxTokens} tokens`);
  const share = effort === undefined ? undefined : shares[effort];
  const wanted = reasoning.budgetTokens ?? (share === undefined ? undefined : Math.floor(maxTokens * share));
  if (wanted === undefined) return effort === undefined ? {} : lose("no such effort is known");
  const budget = Math.min(Math.max(wanted, leastBudget), maxTokens - 1);
  return { thinking: { type: "enabled", budget_tokens: budget } };
};

/**
 * Whether the model goes on with a turn of tool calls whose last answer holds no thoughts of this format: it came from
 * another one, or nobody asked for thoughts. A model with a budget is refused then; others begin to think where they are.
 */
const isWithinTurnWithoutThoughts = ({ messages }: ModelRequest): boolean => {
  const last = messages.findLast(({ role, parts }) => role === "assistant" || (role === "user" && parts.length > 0));
  if (last?.role !== "assistant" || toolCallsOf(last).length === 0) return false;
  return !last.parts.some((part) => part.type === "native" && part.format === format && thought.test(part.json));
};

const versionOf = (modelId: string): { readonly major: number; readonly minor: number } | undefined => {
  const match = /claude-(?:[a-z]+-)?(\d{1,2})(?:[-.](\d{1,2})(?!\d))?/.exec(modelId);
  return match === null ? undefined : { major: Number(match[1]), minor: Number(match[2] ?? 0) };
};

const format = "anthropic-messages";

/** Stands in each block that is a thought. */
const thought = /"type"\s*:\s*"(?:redacted_)?thinking"/;

/** The protocol takes no smaller budget. */
const leastBudget = 1024;

const adaptive = ({ parameters }: ModelRequest, onLoss: OnLoss): RequestThinking => {
  const { effort } = parameters.reasoning ?? {};
  lostParameters.report(parameters, ["reasoning.budgetTokens"], "the model sets its own budget", onLoss);
  const thinking = { type: "adaptive" } as const;
  if (effort === undefined) return { thinking };
  const level = efforts.find((known) => known === (effort === "minimal" ? "low" : effort));
  if (level === undefined) onLoss(lostParameters.sentence("reasoning.effort", `the protocol has no "${effort}"`));
  return level === undefined ? { thinking } : { thinking, output_config: { effort: level } };
};

const efforts = ["low", "medium", "high", "xhigh", "max"] as const;

const shares: Readonly<Record<string, number>> = {
  minimal: 0,
  low: 0.1,
  medium: 0.25,
  high: 0.5,
  xhigh: 0.8,
  max: 0.95,
};
