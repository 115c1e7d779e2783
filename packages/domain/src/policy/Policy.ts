/**
 * A rule file: what the platform, or a user, lays down about tools and models for every run.
 *
 * Owns the document's shape, its rules of form and its decoding. Does not own what the rules come to (`decide`,
 * `admitModel`) nor where the documents are kept.
 */
import * as Predicate from "effect/Predicate";
import * as Result from "effect/Result";
import * as Schema from "effect/Schema";
import { ModelFormat } from "../model/ModelFormat.ts";
import { writePath } from "../profile/ProfileIssue.ts";
import { validator } from "../profile/validator.ts";
import { Permission } from "../tool/ToolDescriptor.ts";
import { isPattern } from "./pattern.ts";

export const policyKind = "cahier.policy";
export const policySchemaVersion = 1;

const closed = <const Fields extends Schema.Struct.Fields>(fields: Fields): Schema.Struct<Fields> =>
  Schema.Struct(fields).annotate({
    messageUnexpectedKey: "This is not a field of a policy; remove it or correct its name.",
  });

/**
 * What holds for the tools that `tools` names (ids or patterns): a permission, whether models see them, the most calls
 * of one invocation. `reason` is shown to whoever meets the rule.
 */
export const PolicyRule = closed({
  tools: Schema.Array(Schema.String),
  permission: Schema.optionalKey(Permission),
  visible: Schema.optionalKey(Schema.Boolean),
  maxCalls: Schema.optionalKey(Schema.Finite),
  reason: Schema.optionalKey(Schema.String),
});
export type PolicyRule = typeof PolicyRule.Type;

/**
 * The only models that may be used; a list that is left out restricts nothing. An endpoint is a base URL: it allows
 * itself and every path below it.
 */
export const ModelRestriction = closed({
  sources: Schema.optionalKey(Schema.Array(Schema.String)),
  formats: Schema.optionalKey(Schema.Array(ModelFormat)),
  endpoints: Schema.optionalKey(Schema.Array(Schema.String)),
});
export type ModelRestriction = typeof ModelRestriction.Type;

/** Of several rules of one document that fit a tool, a deny wins, and else the last one that says something. */
export const Policy = closed({
  kind: Schema.Literal(policyKind),
  schemaVersion: Schema.Literal(policySchemaVersion),
  rules: Schema.Array(PolicyRule),
  models: Schema.optionalKey(ModelRestriction),
});
export type Policy = typeof Policy.Type;

/** A document without rules. */
export const empty: Policy = { kind: policyKind, schemaVersion: policySchemaVersion, rules: [] };

export type PolicyCode =
  | "policy.contract_invalid"
  | "policy.kind_invalid"
  | "policy.max_calls_invalid"
  | "policy.models_platform_only"
  | "policy.pattern_invalid"
  | "policy.rule_empty"
  | "policy.schema_unsupported";

/** One thing that is wrong; `path` is where, such as `rules[2].tools[0]`, empty for the whole. */
export interface PolicyIssue {
  readonly code: PolicyCode;
  readonly path: string;
  readonly message: string;
}

/**
 * The policy that `input` (parsed JSON) states, or everything that is wrong with it. Unknown fields are refused: a rule
 * that is misspelt would protect nobody. Only the platform's policy may restrict models.
 */
export const decode = (
  input: unknown,
  owner: "platform" | "user",
): Result.Result<Policy, ReadonlyArray<PolicyIssue>> => {
  const header = headerIssue(input);
  if (header !== undefined) return Result.fail([header]);
  const shaped = Result.mapError(validate(input), (found) =>
    found.map(({ path, message }) => issue("policy.contract_invalid", path, message)),
  );
  return Result.flatMap(shaped, (policy) => {
    const found = [...check(policy, owner)];
    return found.length === 0 ? Result.succeed(policy) : Result.fail(found);
  });
};

const validate = validator(Policy);

const issue = (code: PolicyCode, path: ReadonlyArray<string | number>, message: string): PolicyIssue => ({
  code,
  path: writePath(path),
  message,
});

const headerIssue = (input: unknown): PolicyIssue | undefined => {
  if (!Predicate.isObject(input) || Array.isArray(input))
    return issue("policy.contract_invalid", [], "A policy is a JSON object.");
  if (!("kind" in input) || input.kind !== policyKind)
    return issue("policy.kind_invalid", ["kind"], `A policy has the kind "${policyKind}".`);
  if (!("schemaVersion" in input) || input.schemaVersion !== policySchemaVersion)
    return issue(
      "policy.schema_unsupported",
      ["schemaVersion"],
      `This version reads policies of schemaVersion ${policySchemaVersion}.`,
    );
  return undefined;
};

function* check(policy: Policy, owner: "platform" | "user"): Generator<PolicyIssue> {
  if (owner === "user" && policy.models !== undefined)
    yield issue("policy.models_platform_only", ["models"], "Only the platform's policy may restrict models.");
  for (const [index, rule] of policy.rules.entries()) {
    const place = ["rules", index];
    if (rule.tools.length === 0)
      yield issue("policy.pattern_invalid", [...place, "tools"], "Name at least one tool or pattern, such as mcp/*.");
    for (const [at, pattern] of rule.tools.entries()) {
      if (isPattern(pattern)) continue;
      yield issue(
        "policy.pattern_invalid",
        [...place, "tools", at],
        `${JSON.stringify(pattern)} names no tool; write an id or a pattern, such as builtin:workspace.*, mcp/* or *.`,
      );
    }
    if (rule.maxCalls !== undefined && !(Number.isSafeInteger(rule.maxCalls) && rule.maxCalls >= 1))
      yield issue("policy.max_calls_invalid", [...place, "maxCalls"], "This must be a whole number of at least 1.");
    if (rule.permission === undefined && rule.visible === undefined && rule.maxCalls === undefined)
      yield issue("policy.rule_empty", place, "The rule says nothing: give it permission, visible or maxCalls.");
  }
}
