/**
 * What policy says of one tool in one invocation, and who said it.
 */
import * as Schema from "effect/Schema";
import { ToolBudget } from "../tool/ToolDescriptor.ts";

/** The layers, highest first. */
export const PolicyLayer = Schema.Literals(["platform", "user", "plan", "profile", "source", "tool"]);
export type PolicyLayer = typeof PolicyLayer.Type;

/**
 * The layer that decided and where in it: `rule` is a place such as `rules[2]` or `tools.allow`. `message` is a
 * sentence for people and models.
 */
export const PolicyReason = Schema.Struct({ layer: PolicyLayer, rule: Schema.String, message: Schema.String });
export type PolicyReason = typeof PolicyReason.Type;

/**
 * `visible`: the model is told of the tool. `callable`: a call may run, at once or, with `approval`, after somebody
 * allowed it. Invisible means not callable, and not callable means no approval can help. `budget` is the least that
 * any layer allows.
 */
export const PolicyDecision = Schema.Struct({
  visible: Schema.Boolean,
  callable: Schema.Boolean,
  approval: Schema.Boolean,
  reason: PolicyReason,
  budget: ToolBudget,
});
export type PolicyDecision = typeof PolicyDecision.Type;
