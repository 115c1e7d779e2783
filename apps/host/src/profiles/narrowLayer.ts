/**
 * What a preset or a card may say of the profile that an agent runs with.
 *
 * Both are files of strangers: what they say may narrow what the user's profile gives, or be words for the agent, and grants
 * nothing. Owns which fields they may state and how far. Does not own where the layer lies among others (`ProfileLayer`).
 */
import type { CompleteProfile } from "@cahier/domain/profile/CompleteProfile";
import { writePath } from "@cahier/domain/profile/ProfileIssue";
import type { PartialProfile } from "@cahier/domain/profile/ProfileLayer";
import * as Predicate from "effect/Predicate";

/** A field that was not taken; `path` as in a profile, `why` a clause. */
export interface Dropped {
  readonly path: string;
  readonly why: string;
}

/** The layer without what it may not say. */
export interface NarrowedLayer {
  readonly layer: PartialProfile;
  readonly dropped: ReadonlyArray<Dropped>;
}

/**
 * What of `layer` narrows `within`, the profile as it is without the layer, or is words for the agent. Whatever is not known to
 * narrow is dropped, fields that later versions add included.
 */
export const narrowLayer = (layer: PartialProfile, within: CompleteProfile): NarrowedLayer => {
  const { kept, dropped } = narrowed(layer, within, rules, []);
  const policy = layer.tools?.policy === undefined ? undefined : policyOf(layer.tools.policy, within);
  return {
    layer: {
      ...kept,
      ...(policy === undefined ? {} : { tools: { ...kept["tools"], policy: policy.rules } }),
    },
    dropped: [...dropped, ...(policy?.dropped ?? [])],
  };
};

type JsonObject = { readonly [key: string]: unknown };

/** Why a value is not taken; undefined for one that is. `held` is what stands there without it. */
type Rule = (stated: unknown, held: unknown) => string | undefined;

interface Rules {
  readonly [key: string]: Rule | Rules;
}

const isObject = (value: unknown): value is JsonObject => Predicate.isObject(value) && !Array.isArray(value);

const free: Rule = () => undefined;

const atMost: Rule = (stated, held) =>
  held === undefined || (typeof stated === "number" && typeof held === "number" && stated <= held)
    ? undefined
    : `it may be no more than ${JSON.stringify(held)}`;

/** Every value of a record, by its key. */
const eachAtMost: Rule = (stated, held) => {
  const wrong = Object.entries(isObject(stated) ? stated : {}).find(
    ([key, value]) => atMost(value, isObject(held) && Object.hasOwn(held, key) ? held[key] : undefined) !== undefined,
  );
  return wrong === undefined ? undefined : `"${wrong[0]}" may be no more than it is`;
};

/** What is off stays off. */
const onlyOff: Rule = (stated, held) =>
  stated === false || held === true ? undefined : "it would switch on what is off";

const only =
  (word: string): Rule =>
  (stated, held) =>
    stated === word || stated === held ? undefined : `it may be "${word}" only`;

/** A part of the list that stands there, in which `all` is everything. */
const partOf =
  (all?: string): Rule =>
  (stated, held) => {
    const [names, given] = [namesIn(stated), namesIn(held)];
    const extra = all !== undefined && given.includes(all) ? undefined : names.find((name) => !given.includes(name));
    return extra === undefined ? undefined : `${JSON.stringify(extra)} would be given, and is not there`;
  };

const namesIn = (value: unknown): ReadonlyArray<unknown> => (Array.isArray(value) ? value : []);

/** -1 is the whole history. */
const noMoreMessages: Rule = (stated, held) => {
  const [count, most] = [Number(stated), Number(held)];
  return most < 0 || (count >= 0 && count <= most) ? undefined : `it may show no more than ${most}`;
};

/** The fields that a layer may state. `tools.policy` is apart: its rules are looked at one by one. */
const rules: Rules = {
  kind: free,
  schemaVersion: free,
  id: free,
  run: {
    resume: only("manual"),
    modelRetry: { maxRetries: atMost },
    driftRecovery: { maxAttempts: atMost },
    repetition: { warnAt: atMost, endAt: atMost },
    budget: { tokens: atMost, cost: atMost, wallMs: atMost },
  },
  context: {
    initialChatHistoryMessages: noMoreMessages,
    includeActivatedWorldInfo: onlyOff,
    hydrateRecentWrites: free,
    toolResults: { visible: onlyOff, form: free, budgetTokens: atMost, order: free },
    windowTokens: atMost,
  },
  delegation: {
    canDelegate: onlyOff,
    canHandoff: onlyOff,
    callable: onlyOff,
    allowAsSubagent: onlyOff,
    allowAsHandoffTarget: onlyOff,
    allowNestedDelegation: onlyOff,
    allowedCallers: partOf("*"),
    maxConcurrentInvocations: atMost,
    maxInvocationsPerRun: atMost,
    resultBudgetTokens: atMost,
    maxHandoffDepth: atMost,
    maxDepth: atMost,
    taskTimeoutMs: atMost,
  },
  instructions: { agentSystemPrompt: free, language: free },
  tools: {
    allow: partOf(),
    deny: free,
    maxRounds: atMost,
    maxCallsPerRun: atMost,
    maxCallsPerTool: eachAtMost,
    unadvertisedTool: only("fail"),
    onDenied: only("fail"),
    externalResultInlineCharLimit: atMost,
    timeoutMs: eachAtMost,
  },
  skills: { visible: partOf("*"), deny: free, maxReadCharsPerCall: atMost, maxReadCharsPerRun: atMost },
  workspace: { visibleRoots: partOf(), writableRoots: partOf() },
};

const elsewhere = "only the profile of whoever starts the run says that";

const narrowed = (
  stated: JsonObject,
  held: JsonObject,
  known: Rules,
  path: ReadonlyArray<string>,
): { readonly kept: { readonly [key: string]: JsonObject }; readonly dropped: ReadonlyArray<Dropped> } => {
  const kept = new Map<string, unknown>();
  const dropped: Array<Dropped> = [];
  for (const [key, value] of Object.entries(stated)) {
    const here = [...path, key];
    if (here.join(".") === "tools.policy") continue;
    const rule = Object.hasOwn(known, key) ? known[key] : undefined;
    const there = Object.hasOwn(held, key) ? held[key] : undefined;
    if (rule === undefined) dropped.push({ path: writePath(here), why: elsewhere });
    else if (typeof rule === "function") {
      const why = rule(value, there);
      if (why === undefined) kept.set(key, value);
      else dropped.push({ path: writePath(here), why });
    } else if (isObject(value)) {
      const below = narrowed(value, isObject(there) ? there : {}, rule, here);
      if (Object.keys(below.kept).length > 0) kept.set(key, below.kept);
      dropped.push(...below.dropped);
    } else dropped.push({ path: writePath(here), why: elsewhere });
  }
  return { kept: Object.fromEntries(kept) as { readonly [key: string]: JsonObject }, dropped };
};

type Policy = CompleteProfile["tools"]["policy"];

/** Rules that ask or deny, behind those that stand there: a list of a layer would take their place. */
const policyOf = (
  stated: Policy,
  within: CompleteProfile,
): { readonly rules: Policy; readonly dropped: ReadonlyArray<Dropped> } => ({
  rules: [...within.tools.policy, ...stated.filter(({ permission }) => permission !== "always")],
  dropped: stated.flatMap(({ permission }, index) =>
    permission === "always"
      ? [{ path: writePath(["tools", "policy", index]), why: "it would allow what is asked about" }]
      : [],
  ),
});
