/**
 * An agent's profile as it is written and stored: prompt, model, permissions, budgets and output of one kind of agent.
 *
 * Owns the document's shape and its decoding. Does not own defaults (`withDefaults`), rules (`checkProfile`) nor what
 * a run freezes (`resolveProfile`). Whatever may be left out is optional here; unknown fields are refused.
 */
import * as Predicate from "effect/Predicate";
import * as Result from "effect/Result";
import * as Schema from "effect/Schema";
import { issue, type ProfileIssue } from "./ProfileIssue.ts";
import * as Parts from "./ProfileParts.ts";
import { validator } from "./validator.ts";

const optional = Schema.optionalKey;
const { closed } = Parts;

/** Every field but `kind`, `schemaVersion` and `id` may be left out; what then holds, `withDefaults` says. */
export const Profile = closed({
  kind: Schema.Literal(Parts.profileKind),
  schemaVersion: Schema.Literal(Parts.profileSchemaVersion),
  id: Schema.String,
  displayName: optional(Schema.String),
  description: optional(Schema.String),
  preset: optional(
    closed({
      mode: optional(Parts.PresetMode),
      ref: optional(Parts.PresetRef),
      required: optional(Schema.Boolean),
      reasoningEffort: optional(Schema.String),
    }),
  ),
  model: optional(
    closed({
      mode: optional(Parts.ModelMode),
      connectionRef: optional(Schema.String),
      modelId: optional(Schema.String),
    }),
  ),
  run: optional(
    closed({
      presentation: optional(Parts.Presentation),
      directRunnable: optional(Schema.Boolean),
      stream: optional(Schema.Boolean),
      resume: optional(Parts.ResumeMode),
      modelRetry: optional(closed({ maxRetries: optional(Schema.Finite), intervalMs: optional(Schema.Finite) })),
      driftRecovery: optional(closed({ maxAttempts: optional(Schema.Finite) })),
      repetition: optional(closed({ warnAt: optional(Schema.Finite), endAt: optional(Schema.Finite) })),
      budget: optional(Parts.RunBudget),
    }),
  ),
  context: optional(
    closed({
      initialChatHistoryMessages: optional(Schema.Finite),
      includeActivatedWorldInfo: optional(Schema.Boolean),
      hydrateRecentWrites: optional(Schema.Finite),
      toolResults: optional(
        closed({
          visible: optional(Schema.Boolean),
          form: optional(Parts.ToolResultForm),
          budgetTokens: optional(Schema.Finite),
          order: optional(Parts.ToolResultOrder),
        }),
      ),
      windowTokens: optional(Schema.Finite),
    }),
  ),
  delegation: optional(
    closed({
      canDelegate: optional(Schema.Boolean),
      canHandoff: optional(Schema.Boolean),
      callable: optional(Schema.Boolean),
      allowAsSubagent: optional(Schema.Boolean),
      allowAsHandoffTarget: optional(Schema.Boolean),
      allowNestedDelegation: optional(Schema.Boolean),
      allowedCallers: optional(Schema.Array(Schema.String)),
      descriptionForAgents: optional(Schema.String),
      maxConcurrentInvocations: optional(Schema.Finite),
      maxInvocationsPerRun: optional(Schema.Finite),
      resultBudgetTokens: optional(Schema.Finite),
      maxHandoffDepth: optional(Schema.Finite),
      maxDepth: optional(Schema.Finite),
      taskTimeoutMs: optional(Schema.Finite),
    }),
  ),
  instructions: optional(
    closed({
      agentSystemPrompt: optional(Schema.NullOr(Schema.String)),
      language: optional(Parts.Language),
    }),
  ),
  tools: optional(
    closed({
      allow: optional(Schema.Array(Schema.String)),
      deny: optional(Schema.Array(Schema.String)),
      toolDescriptions: optional(Schema.Record(Schema.String, Parts.ToolDescription)),
      policy: optional(Schema.Array(Parts.ToolPolicy)),
      maxRounds: optional(Schema.Finite),
      maxCallsPerRun: optional(Schema.Finite),
      maxCallsPerTool: optional(Schema.Record(Schema.String, Schema.Finite)),
      unadvertisedTool: optional(Parts.CallRefusal),
      onDenied: optional(Parts.CallRefusal),
      externalResultInlineCharLimit: optional(Schema.Finite),
      timeoutMs: optional(Schema.Record(Schema.String, Schema.Finite)),
    }),
  ),
  skills: optional(
    closed({
      visible: optional(Schema.Array(Schema.String)),
      deny: optional(Schema.Array(Schema.String)),
      maxReadCharsPerCall: optional(Schema.Finite),
      maxReadCharsPerRun: optional(Schema.Finite),
    }),
  ),
  workspace: optional(
    closed({
      visibleRoots: optional(Schema.Array(Schema.String)),
      writableRoots: optional(Schema.Array(Schema.String)),
    }),
  ),
  plan: optional(
    closed({
      mode: optional(Schema.String),
      nodes: optional(Schema.Array(Schema.Json)),
      beta: optional(Schema.Boolean),
    }),
  ),
  output: optional(closed({ artifacts: optional(Schema.Array(Parts.Artifact)) })),
});
export type Profile = typeof Profile.Type;

/**
 * The profile that `input` (parsed JSON) states, or everything that is wrong with its shape: another kind, a schema
 * version that this runtime does not know, unknown fields, values of another type. Says nothing about rules.
 */
export const decode = (input: unknown): Result.Result<Profile, ReadonlyArray<ProfileIssue>> => {
  const header = headerIssue(input);
  if (header !== undefined) return Result.fail([header]);
  return Result.mapError(validate(input), (found) =>
    found.map(({ path, message }) => issue("agent.profile_contract_invalid", path, message)),
  );
};

const validate = validator(Profile);

/** What is wrong with kind and version, which come before all else: a document of another kind has other fields. */
export const headerIssue = (input: unknown): ProfileIssue | undefined => {
  if (!Predicate.isObject(input) || Array.isArray(input)) {
    return issue("agent.profile_contract_invalid", [], "A profile is a JSON object.");
  }
  if (!("kind" in input) || input.kind !== Parts.profileKind) {
    return issue("agent.profile_kind_invalid", ["kind"], `A profile has the kind "${Parts.profileKind}".`);
  }
  if (!("schemaVersion" in input) || input.schemaVersion !== Parts.profileSchemaVersion) {
    return issue(
      "agent.profile_schema_unsupported",
      ["schemaVersion"],
      `This version reads profiles of schemaVersion ${Parts.profileSchemaVersion}.`,
    );
  }
  return undefined;
};
