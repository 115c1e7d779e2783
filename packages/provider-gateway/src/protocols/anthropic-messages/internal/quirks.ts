/**
 * What the Messages protocol and its models want otherwise than the canonical language says: one named function each.
 */
import type { GenerationParameters, ToolDefinition } from "@cahier/domain/model/ModelRequest";
import type { Usage } from "@cahier/domain/model/ModelResponse";
import * as counts from "../../../internal/counts.ts";
import * as jsonText from "../../../internal/jsonText.ts";
import * as lostParameters from "../../../internal/lostParameters.ts";
import * as reason from "../../../internal/reason.ts";
import type { OnLoss } from "../../../internal/sessionEncoder.ts";
import { isObject, isText } from "../../../internal/shape.ts";
import { refusesSampling } from "./thinking.ts";
import * as wire from "./wire.ts";

/** Ids of calls that the protocol takes. */
export const callIdPattern = /^[a-zA-Z0-9_-]+$/;

/** The id of the call that a native block is, if it is one. */
export const callIdOf = (native: string): ReadonlyArray<string> => {
  // Most items are none, and reading all of them would cost more than the rest of a body.
  if (!native.includes("tool_use")) return [];
  const block = jsonText.parse(native);
  return isObject(block) && block["type"] === "tool_use" && isText(block["id"]) ? [block["id"]] : [];
};

/** Models answer with blank text blocks, and the protocol refuses them when they come back. */
export const isRefusedBlock = (native: string): boolean => {
  if (!blankText.test(native)) return false;
  const block = jsonText.parse(native);
  return (
    isObject(block) && block["type"] === "text" && typeof block["text"] === "string" && block["text"].trim() === ""
  );
};

/**
 * `max_tokens` where nobody has set it: the protocol demands one, and a model refuses more than it has. Without a stream
 * more than 21333 is refused for the time that it would take.
 */
export const defaultOutputLimit = (modelId: string, isStreamed: boolean): number => {
  const limit = limits.find(([models]) => models.test(modelId))?.[1] ?? 32_000;
  return isStreamed ? limit : Math.min(limit, 21_333);
};

/** A model that thinks takes no sampling, and the newest take none at all. The highest temperature is 1. Models since Claude 4 take one of temperature and `top_p`; the temperature decides. */
export const sampling = (
  modelId: string,
  parameters: GenerationParameters,
  thinks: boolean,
  onLoss: OnLoss,
): { readonly temperature?: number; readonly top_p?: number; readonly top_k?: number } => {
  const { temperature, topK, topP } = parameters;
  if (thinks) {
    lostParameters.report(parameters, ["temperature", "topP", "topK"], "a model that thinks does not take it", onLoss);
    return {};
  }
  if (refusesSampling(modelId)) {
    lostParameters.report(parameters, ["temperature", "topP", "topK"], lostParameters.refused, onLoss);
    return {};
  }
  const isOld = /claude-(?:2|3|instant)/.test(modelId);
  const dropsTopP = temperature !== undefined && topP !== undefined && !isOld;
  if (temperature !== undefined && temperature > 1)
    onLoss("The setting temperature was sent as 1: the protocol has no higher one.");
  if (dropsTopP) onLoss(lostParameters.sentence("topP", "the model takes one of temperature and topP"));
  return {
    ...(temperature === undefined ? {} : { temperature: Math.min(temperature, 1) }),
    ...(topP === undefined || dropsTopP ? {} : { top_p: topP }),
    ...(topK === undefined ? {} : { top_k: topK }),
  };
};

/** Blank stop sequences are refused. */
export const stopSequences = (
  stop: GenerationParameters["stop"],
  onLoss: OnLoss,
): { readonly stop_sequences?: ReadonlyArray<string> } => {
  const taken = (stop ?? []).filter((sequence) => sequence.trim() !== "");
  if (taken.length < (stop?.length ?? 0)) onLoss("Blank stop sequences were not sent: the protocol refuses them.");
  return taken.length === 0 ? {} : { stop_sequences: taken };
};

/**
 * The schema of a tool without what is refused: `$schema` and `$id` of schemas (a property may be called so), and
 * alternatives at the root, which must be an object.
 */
export const inputSchema = (
  { inputSchema: schema, name }: ToolDefinition,
  onLoss: OnLoss,
): Readonly<Record<string, unknown>> => {
  const kept = withoutIdentity(schema);
  const root = Object.entries(isObject(kept) ? kept : {}).filter(([keyword]) => {
    if (!rootAlternatives.has(keyword)) return true;
    onLoss(lostParameters.schema(name, `${keyword} is left out (at /)`));
    return false;
  });
  return { ...Object.fromEntries(root), type: "object" };
};

/** The counts so far and those of another event: each names some of them, and always the total so far. */
export const joinUsage = (known: wire.Usage, reported: unknown): wire.Usage => {
  const usage = counts.read(reported, wire.isUsage);
  if (usage === undefined) return known;
  const said = Object.fromEntries(Object.entries(usage).filter(([, value]) => value !== null && value !== undefined));
  return { ...known, ...said };
};

/** The counts as reported, those of the cache among the input; undefined where there are none. */
export const readUsage = (usage: wire.Usage): Usage | undefined => {
  const { cache_creation_input_tokens, cache_read_input_tokens, input_tokens, output_tokens } = usage;
  if (input_tokens === undefined && output_tokens === undefined) return undefined;
  const thinking = usage.output_tokens_details?.thinking_tokens;
  return {
    inputTokens: Math.ceil((input_tokens ?? 0) + (cache_creation_input_tokens ?? 0) + (cache_read_input_tokens ?? 0)),
    outputTokens: Math.ceil(output_tokens ?? 0),
    ...(typeof cache_read_input_tokens === "number" ? { cachedTokens: Math.ceil(cache_read_input_tokens) } : {}),
    ...(typeof thinking === "number" ? { reasoningTokens: Math.ceil(thinking) } : {}),
  };
};

/** An error inside a successful response: `{"type":"error","error":{…}}`, or what proxies make of it. */
export const errorOf = (value: unknown): unknown => {
  if (!isObject(value)) return undefined;
  const { error, type } = value;
  if (error !== undefined && error !== null && error !== "") return isObject(error) ? error : { message: error };
  return type === "error" ? value : undefined;
};

/** An overload inside a stream is what is the status 529 before one. */
export const statusOf = (error: unknown): number => {
  const type = isObject(error) && isText(error["type"]) ? error["type"] : "";
  return statuses[type] ?? reason.statusOfError(error);
};

const blankText = /"text"\s*:\s*"(?:\s|\\[nrt])*"/;

const limits: ReadonlyArray<readonly [RegExp, number]> = [
  [/claude-(?:2|instant|3-(?:opus|sonnet|haiku))/, 4096],
  [/claude-3-5/, 8192],
];

const statuses: Readonly<Record<string, number>> = {
  api_error: 500,
  overloaded_error: 529,
  request_too_large: 413,
};

const rootAlternatives = new Set(["allOf", "anyOf", "oneOf"]);

/** Positions in which a schema stands are walked; everything else (properties' names, examples, enums) is data. */
const withoutIdentity = (schema: unknown): unknown => {
  if (!isObject(schema)) return schema;
  return Object.fromEntries(
    Object.entries(schema).flatMap(([keyword, value]) => {
      if (keyword === "$schema" || keyword === "$id") return [];
      if (schemaMaps.has(keyword) && isObject(value)) {
        return [[keyword, Object.fromEntries(Object.entries(value).map(([name, of]) => [name, withoutIdentity(of)]))]];
      }
      if (schemaPlaces.has(keyword)) {
        return [[keyword, Array.isArray(value) ? value.map(withoutIdentity) : withoutIdentity(value)]];
      }
      return [[keyword, value]];
    }),
  );
};

const schemaMaps = new Set(["properties", "patternProperties", "$defs", "definitions", "dependentSchemas"]);

const schemaPlaces = new Set([
  "additionalProperties",
  "allOf",
  "anyOf",
  "contains",
  "else",
  "if",
  "items",
  "not",
  "oneOf",
  "prefixItems",
  "propertyNames",
  "then",
  "unevaluatedItems",
  "unevaluatedProperties",
]);
