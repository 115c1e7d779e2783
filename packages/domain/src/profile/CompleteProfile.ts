/**
 * A profile in which every default stands written out: what rules are checked on and what a run works with.
 *
 * Owns the complete shape. Does not own the defaults (`withDefaults`). A field that is still optional has no default:
 * its absence means "none" or "decided by the model or the preset".
 */
import * as Schema from "effect/Schema";
import * as Parts from "./ProfileParts.ts";

const optional = Schema.optionalKey;

export const Preset = Schema.Struct({
  mode: Parts.PresetMode,
  ref: optional(Parts.PresetRef),
  required: Schema.Boolean,
  reasoningEffort: optional(Schema.String),
});

export const Model = Schema.Struct({
  mode: Parts.ModelMode,
  connectionRef: optional(Schema.String),
  modelId: optional(Schema.String),
});

/** `intervalMs` is in milliseconds. `repetition`: equal calls in a row before a warning and before the end. */
export const Run = Schema.Struct({
  presentation: Parts.Presentation,
  directRunnable: Schema.Boolean,
  stream: Schema.Boolean,
  resume: Parts.ResumeMode,
  modelRetry: Schema.Struct({ maxRetries: Schema.Finite, intervalMs: Schema.Finite }),
  driftRecovery: Schema.Struct({ maxAttempts: Schema.Finite }),
  repetition: Schema.Struct({ warnAt: Schema.Finite, endAt: Schema.Finite }),
  budget: Parts.RunBudget,
});

/** `initialChatHistoryMessages`: -1 the whole history, 0 none, n the last n. `hydrateRecentWrites` counts rounds. */
export const Context = Schema.Struct({
  initialChatHistoryMessages: Schema.Finite,
  includeActivatedWorldInfo: Schema.Boolean,
  hydrateRecentWrites: Schema.Finite,
  toolResults: Schema.Struct({
    visible: Schema.Boolean,
    form: Parts.ToolResultForm,
    budgetTokens: optional(Schema.Finite),
    order: optional(Parts.ToolResultOrder),
  }),
  windowTokens: optional(Schema.Finite),
});

/**
 * Limits hold for what the profile's agent gives to others; `maxDepth` is how many delegations deep it may do so, and
 * `allowNestedDelegation` whether it may while it works on a task itself. `taskTimeoutMs` is in milliseconds.
 * `resultBudgetTokens` is kept for documents that have it and decides nothing.
 */
export const Delegation = Schema.Struct({
  canDelegate: Schema.Boolean,
  canHandoff: Schema.Boolean,
  callable: Schema.Boolean,
  allowAsSubagent: Schema.Boolean,
  allowAsHandoffTarget: Schema.Boolean,
  allowNestedDelegation: Schema.Boolean,
  allowedCallers: Schema.Array(Schema.String),
  descriptionForAgents: optional(Schema.String),
  maxConcurrentInvocations: Schema.Finite,
  maxInvocationsPerRun: Schema.Finite,
  resultBudgetTokens: Schema.Finite,
  maxHandoffDepth: Schema.Finite,
  maxDepth: Schema.Finite,
  taskTimeoutMs: Schema.Finite,
});

/** Without `agentSystemPrompt` the generated one stands; with it the generated one is replaced whole. */
export const Instructions = Schema.Struct({
  agentSystemPrompt: optional(Schema.String),
  language: Parts.Language,
});

/** Tools by ToolId; the order of `allow` is the order in which the model sees them, and `deny` wins. */
export const Tools = Schema.Struct({
  allow: Schema.Array(Schema.String),
  deny: Schema.Array(Schema.String),
  toolDescriptions: Schema.Record(Schema.String, Parts.ToolDescription),
  policy: Schema.Array(Parts.ToolPolicy),
  maxRounds: Schema.Finite,
  maxCallsPerRun: Schema.Finite,
  maxCallsPerTool: Schema.Record(Schema.String, Schema.Finite),
  unadvertisedTool: Parts.CallRefusal,
  onDenied: Parts.CallRefusal,
  externalResultInlineCharLimit: Schema.Finite,
  timeoutMs: Schema.Record(Schema.String, Schema.Finite),
});

/** Skills by name; `*` is every one. Budgets are in characters. */
export const Skills = Schema.Struct({
  visible: Schema.Array(Schema.String),
  deny: Schema.Array(Schema.String),
  maxReadCharsPerCall: Schema.Finite,
  maxReadCharsPerRun: Schema.Finite,
});

export const Workspace = Schema.Struct({
  visibleRoots: Schema.Array(Schema.String),
  writableRoots: Schema.Array(Schema.String),
});

export const Plan = Schema.Struct({ mode: Schema.String, nodes: Schema.Array(Schema.Json), beta: Schema.Boolean });

/** All sections; `output` is apart because a resolved profile says more about it. */
export const sections = {
  kind: Schema.Literal(Parts.profileKind),
  schemaVersion: Schema.Literal(Parts.profileSchemaVersion),
  id: Schema.String,
  displayName: Schema.String,
  description: optional(Schema.String),
  preset: Preset,
  model: Model,
  run: Run,
  context: Context,
  delegation: Delegation,
  instructions: Instructions,
  tools: Tools,
  skills: Skills,
  workspace: Workspace,
  plan: Plan,
};

export const CompleteProfile = Schema.Struct({
  ...sections,
  output: Schema.Struct({ artifacts: Schema.Array(Parts.Artifact) }),
});
export type CompleteProfile = typeof CompleteProfile.Type;

/** The tools that the model may see: allowed and not denied, in the order of `allow`, each once. */
export const visibleTools = (profile: Pick<CompleteProfile, "tools">): ReadonlyArray<string> => {
  const denied = new Set(profile.tools.deny);
  return [...new Set(profile.tools.allow)].filter((tool) => !denied.has(tool));
};
