/**
 * What all layers of policy come to for one tool.
 *
 * Owns precedence. Layers from the highest: platform, user, plan node, profile, source, tool default. A deny in any
 * layer is final. Without one, an `ask` stands against every `always` above it, with one exception: a plan node's
 * `always` lifts its profile's `ask`. The tool's default holds where no plan node, profile or source says something:
 * platform and user only narrow. Not allowed by the profile is invisible.
 */
import type { CompleteProfile } from "../profile/CompleteProfile.ts";
import type { ToolBudget, ToolDescriptor } from "../tool/ToolDescriptor.ts";
import { matchesAny } from "./pattern.ts";
import type { PolicyRule } from "./Policy.ts";
import type { PolicyDecision, PolicyLayer, PolicyReason } from "./PolicyDecision.ts";

/** A plan node may also name the only tools that it allows, by id or pattern. */
export interface PlanLayer {
  readonly rules: ReadonlyArray<PolicyRule>;
  readonly allowedTools?: ReadonlyArray<string>;
}

/** What the layers say; a layer that is left out is silent. `source`: what a server's or extension's registration says. */
export interface PolicyLayers {
  readonly platform?: ReadonlyArray<PolicyRule>;
  readonly user?: ReadonlyArray<PolicyRule>;
  readonly plan?: PlanLayer;
  readonly profile: Pick<CompleteProfile["tools"], "allow" | "deny" | "maxCallsPerTool" | "policy" | "timeoutMs">;
  readonly source?: ReadonlyArray<PolicyRule>;
}

/** The tool of a call, as its descriptor states it. */
export type PolicySubject = Pick<
  ToolDescriptor,
  "annotations" | "budget" | "id" | "permission" | "source" | "visibility"
>;

/** What policy says of a call of `tool`. */
export const decide = (layers: PolicyLayers, tool: PolicySubject): PolicyDecision => {
  const stated = statementsOf(layers, tool);
  const hidden = hiddenBy(layers, stated, tool);
  const budget = budgetOf(layers, stated, tool);
  if (hidden !== undefined) return { visible: false, callable: false, approval: false, reason: hidden, budget };
  const { permission, reason } = permit(stated);
  return { visible: true, callable: permission !== "deny", approval: permission === "ask", reason, budget };
};

/** What one layer says of one tool. */
interface Statement {
  readonly layer: PolicyLayer;
  readonly permission?: { readonly value: "always" | "ask" | "deny"; readonly rule: string; readonly why: string };
  readonly hidden?: { readonly rule: string; readonly why: string };
  readonly maxCalls: ReadonlyArray<number>;
}

type Statements = { readonly [Layer in PolicyLayer]: Statement };

const statementsOf = (layers: PolicyLayers, tool: PolicySubject): Statements => ({
  platform: statementOf("platform", layers.platform ?? [], "rules", tool.id),
  user: statementOf("user", layers.user ?? [], "rules", tool.id),
  plan: statementOf("plan", layers.plan?.rules ?? [], "rules", tool.id),
  profile: statementOf("profile", layers.profile.policy, "tools.policy", tool.id),
  source: statementOf("source", layers.source ?? [], "rules", tool.id),
  tool: { layer: "tool", permission: defaultOf(tool), maxCalls: [] },
});

/** Of the rules that fit, a deny wins, else the last that states a permission; one `visible: false` hides. */
const statementOf = (layer: PolicyLayer, rules: ReadonlyArray<PolicyRule>, place: string, id: string): Statement => {
  const fitting = rules.flatMap((rule, index) =>
    matchesAny(rule.tools, id) ? [{ rule, place: `${place}[${index}]`, why: rule.reason ?? "" }] : [],
  );
  if (fitting.length === 0) return { layer, maxCalls: noCounts };
  const denying = fitting.find(({ rule }) => rule.permission === "deny");
  const speaking = denying ?? fitting.findLast(({ rule }) => rule.permission !== undefined);
  const hiding = fitting.find(({ rule }) => rule.visible === false);
  const value = speaking?.rule.permission;
  return {
    layer,
    ...(speaking === undefined || value === undefined
      ? {}
      : { permission: { value, rule: speaking.place, why: speaking.why } }),
    ...(hiding === undefined ? {} : { hidden: { rule: hiding.place, why: hiding.why } }),
    maxCalls: fitting.flatMap(({ rule }) => (rule.maxCalls === undefined ? [] : [rule.maxCalls])),
  };
};

const noCounts: ReadonlyArray<number> = [];

/** Tools that take something back. They ask by default, whatever their annotations say. */
const rollbacks: ReadonlySet<string> = new Set(["builtin:workspace.rollback"]);

/** What its source and annotations make of the permission that a tool declares: they turn an `always` into an `ask`. */
const defaultOf = (tool: PolicySubject): NonNullable<Statement["permission"]> => {
  const { annotations, permission, source } = tool;
  if (permission !== "always") return { value: permission, rule: "permission", why: "" };
  const ask = (rule: string, why: string) => ({ value: "ask" as const, rule, why });
  if (source === "mcp") return ask("source", "it belongs to an MCP server");
  if (source === "extension") return ask("source", "it belongs to an extension");
  if (annotations.destructive) return ask("annotations.destructive", "it can destroy something");
  if (annotations.openWorld) return ask("annotations.openWorld", "it reaches outside of this machine");
  if (annotations.cost === "high") return ask("annotations.cost", "it is expensive");
  if (rollbacks.has(tool.id)) return ask("rollback", "it takes back what was done");
  return { value: "always", rule: "permission", why: "" };
};

const descending: ReadonlyArray<PolicyLayer> = ["platform", "user", "plan", "profile", "source", "tool"];

const hiddenBy = (layers: PolicyLayers, stated: Statements, tool: PolicySubject): PolicyReason | undefined => {
  const hide = (layer: PolicyLayer, rule: string, message: string): PolicyReason => ({ layer, rule, message });
  for (const layer of descending) {
    const { hidden } = stated[layer];
    if (hidden !== undefined) return hide(layer, hidden.rule, sentence(`${named[layer]} hides this tool`, hidden.why));
    if (layer === "plan" && layers.plan?.allowedTools !== undefined && !matchesAny(layers.plan.allowedTools, tool.id))
      return hide("plan", "allowedTools", "The plan node does not allow this tool.");
    if (layer !== "profile") continue;
    if (layers.profile.deny.includes(tool.id))
      return hide("profile", "tools.deny", "The profile takes this tool away.");
    if (!layers.profile.allow.includes(tool.id))
      return hide("profile", "tools.allow", "The profile does not allow this tool.");
  }
  return tool.visibility === "user" ? hide("tool", "visibility", "This tool is for people only.") : undefined;
};

const permit = (
  stated: Statements,
): { readonly permission: "always" | "ask" | "deny"; readonly reason: PolicyReason } => {
  const says = (layer: PolicyLayer) => stated[layer].permission?.value;
  const by = (layer: PolicyLayer) => {
    const { rule = "", value = "always", why = "" } = stated[layer].permission ?? {};
    return { permission: value, reason: { layer, rule, message: sentence(`${named[layer]} ${verbs[value]}`, why) } };
  };
  const denying = descending.find((layer) => says(layer) === "deny");
  if (denying !== undefined) return by(denying);
  const lifted = (layer: PolicyLayer) => layer === "profile" && says("plan") === "always";
  const asking = aboveTool.find((layer) => says(layer) === "ask" && !lifted(layer));
  if (asking !== undefined) return by(asking);
  const isGranted = (["plan", "profile", "source"] as const).some((layer) => says(layer) === "always");
  if (!isGranted && says("tool") === "ask") return by("tool");
  return by(descending.find((layer) => says(layer) === "always") ?? "tool");
};

const aboveTool = descending.filter((layer) => layer !== "tool");

/** The least of every limit; a rule, the profile and a plan node lower what the tool declares and never raise it. */
const budgetOf = (layers: PolicyLayers, stated: Statements, tool: PolicySubject): ToolBudget => {
  const own = layers.profile.maxCallsPerTool[tool.id];
  const counts = [
    ...descending.flatMap((layer) => stated[layer].maxCalls),
    ...(own === undefined ? [] : [own]),
    ...(tool.budget.maxCalls === undefined ? [] : [tool.budget.maxCalls]),
  ];
  return {
    ...tool.budget,
    ...(counts.length === 0 ? {} : { maxCalls: Math.min(...counts) }),
    timeoutMs: Math.min(tool.budget.timeoutMs, layers.profile.timeoutMs[tool.id] ?? Number.POSITIVE_INFINITY),
  };
};

const named: { readonly [Layer in PolicyLayer]: string } = {
  platform: "The platform's policy",
  user: "The user's policy",
  plan: "The plan node",
  profile: "The profile",
  source: "The tool's source",
  tool: "The tool's default",
};

const verbs = { always: "allows this tool", ask: "asks before this tool runs", deny: "denies this tool" };

const sentence = (what: string, why: string): string => (why.trim() === "" ? `${what}.` : `${what}: ${why.trim()}`);
