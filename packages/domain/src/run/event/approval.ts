/** Payloads of the events about whether a call may run: asked, allowed, denied. */
import * as Schema from "effect/Schema";
import { CallId, InvocationId } from "../../identity/Identity.ts";
import { Sha256 } from "../../payload/Sha256.ts";
import { PolicyLayer } from "../../policy/PolicyDecision.ts";
import { ToolSource } from "../../tool/ToolDescriptor.ts";

const call = { round: Schema.Int, invocationId: InvocationId, callId: CallId, toolId: Schema.String };

/**
 * What a person is shown before a call may run; when every call of the turn has passed the gate, the run waits.
 * `argumentsSha256` is the digest of the canonical arguments (`tool/canonicalArguments`): an approval is bound to it.
 * `reason` says why policy asks; `layer` and `rule` where. `sideEffects` are sentences about what the call would do.
 */
export const ToolCallAwaitingApproval = Schema.Struct({
  ...call,
  title: Schema.String,
  argumentsSummary: Schema.String,
  argumentsSha256: Sha256,
  sideEffects: Schema.Array(Schema.String),
  source: ToolSource,
  reason: Schema.String,
  layer: Schema.optionalKey(PolicyLayer),
  rule: Schema.optionalKey(Schema.String),
});

/** For how long an approval holds for further calls of the tool: for this run, or in the stored profile. */
export const Remember = Schema.Literals(["run", "profile"]);
export type Remember = typeof Remember.Type;

/**
 * A call may run. `by`: a person who was asked, an approval that the run remembers, or the patterns of an unattended
 * run. Counts only for the call that was asked about with the same arguments, and only once. `remember`: further calls
 * of the tool are not asked about in this run, or in no run of the stored profile.
 */
export const ToolCallApproved = Schema.Struct({
  ...call,
  argumentsSha256: Sha256,
  by: Schema.Literals(["user", "remembered", "unattended"]),
  reason: Schema.optionalKey(Schema.String),
  remember: Schema.optionalKey(Remember),
});

/**
 * Policy, or a person who was asked, does not let a call run; `reason` tells the model why. `layer` and `rule` are
 * stated when policy denies. A call is denied once, and never after it was allowed.
 */
export const ToolCallDenied = Schema.Struct({
  ...call,
  by: Schema.Literals(["policy", "user"]),
  layer: Schema.optionalKey(PolicyLayer),
  rule: Schema.optionalKey(Schema.String),
  reason: Schema.String,
});
