/**
 * The gate that every tool call of a turn passes before the first of them runs.
 *
 * A pure decision on the invocation's frozen snapshot and its counters, in a fixed order: the turn is of this
 * snapshot, the tool is known, the turn offers it, the budgets, the argument container, its schema, policy, approval.
 * A refused call is charged too, and its refusal becomes the call's result. Does not own asking people nor remembering
 * what they answered.
 */
import * as Purse from "@cahier/domain/budget/Purse";
import { failureCodes, type FailureCode } from "@cahier/domain/failure/FailureCode";
import type { ToolCallPart } from "@cahier/domain/model/Message";
import * as Sha256 from "@cahier/domain/payload/Sha256";
import type { PolicyLayer } from "@cahier/domain/policy/PolicyDecision";
import type { InvocationState } from "@cahier/domain/run/RunState";
import { canonicalJson } from "@cahier/domain/tool/canonicalArguments";
import { maxNesting } from "@cahier/domain/tool/nesting";
import * as ToolArguments from "@cahier/domain/tool/ToolArguments";
import type { ToolSource } from "@cahier/domain/tool/ToolDescriptor";
import { byAlias, type InvocationToolSnapshot, type ToolBinding } from "@cahier/domain/tool/ToolSnapshot";
import * as ToolTurn from "@cahier/domain/tool/ToolTurn";
import * as Result from "effect/Result";
import { checkArguments } from "./checkArguments.ts";
import { argumentsSummary, sideEffects, titleOf } from "./describeCall.ts";
import { similarName } from "./similarName.ts";

export interface GateRefusal {
  readonly code: FailureCode;
  readonly message: string;
}

/** Policy said no: which layer and rule of it, and why. */
export interface GateDenial {
  readonly layer: PolicyLayer;
  readonly rule: string;
  readonly reason: string;
}

/** Somebody has to allow the call first: what they are shown, and who wants it. */
export interface GateApproval {
  readonly title: string;
  readonly argumentsSummary: string;
  readonly sideEffects: ReadonlyArray<string>;
  readonly source: ToolSource;
  readonly reason: string;
  readonly layer: PolicyLayer;
  readonly rule: string;
}

/**
 * What the gate says of one call. `binding` is absent for a name that the invocation was not given; at most one of
 * `refusal`, `denial` and `approval` is there, and a call with none of them runs. `argumentsSha256` is the digest of
 * the canonical arguments (`tool/canonicalArguments`).
 */
export interface GateVerdict {
  readonly call: ToolCallPart;
  readonly binding: ToolBinding | undefined;
  readonly argumentsSha256: Sha256.Sha256;
  readonly refusal: GateRefusal | undefined;
  readonly denial: GateDenial | undefined;
  readonly approval: GateApproval | undefined;
}

/**
 * The verdicts on all calls of one response, in the model's order, counting from what the invocation has used.
 * `cut`: the response ended by length, so its last call is incomplete whatever it looks like. Without `contract` the
 * turn offers every tool of the snapshot.
 */
export const decide = (
  snapshot: InvocationToolSnapshot,
  used: Pick<InvocationState, "callCount" | "callsPerTool">,
  calls: ReadonlyArray<ToolCallPart>,
  cut: boolean,
  contract?: ToolTurn.ToolTurnContract,
): ReadonlyArray<GateVerdict> => {
  let purse = purseOf(snapshot, used);
  return calls.map((call, index) => {
    const binding = byAlias(snapshot, call.name);
    const before = purse;
    purse = Purse.charge(before, { calls: 1, perTool: binding === undefined ? {} : { [binding.descriptor.id]: 1 } });
    const read = ToolArguments.fromRaw(call.arguments);
    const argumentsSha256 = Sha256.ofText(read._tag === "Usable" ? canonicalJson(read.value) : read.raw);
    const refusal =
      otherSnapshot(snapshot, contract) ??
      (binding === undefined ? unknown(snapshot, call) : undefined) ??
      excluded(contract, binding) ??
      overBudget(before, call, binding) ??
      (cut && index === calls.length - 1 ? cutOff() : undefined) ??
      unusable(read) ??
      unfit(binding, read);
    const denial = refusal === undefined ? denialOf(binding) : undefined;
    return {
      call,
      binding,
      argumentsSha256,
      refusal,
      denial,
      approval: refusal === undefined && denial === undefined ? approvalOf(binding, read) : undefined,
    };
  });
};

/** The first refusal that is not the model's to mend: it ends the run before anything of the turn is run. */
export const fatalRefusal = (verdicts: ReadonlyArray<GateVerdict>): GateRefusal | undefined =>
  verdicts.find(({ refusal }) => refusal !== undefined && failureCodes[refusal.code].class === "fatal")?.refusal;

const otherSnapshot = (
  snapshot: InvocationToolSnapshot,
  contract: ToolTurn.ToolTurnContract | undefined,
): GateRefusal | undefined => {
  if (contract === undefined || contract.snapshotId === snapshot.id) return undefined;
  const checked = ToolTurn.check(contract, snapshot);
  return Result.isFailure(checked) ? checked.failure : undefined;
};

const unknown = (snapshot: InvocationToolSnapshot, call: ToolCallPart): GateRefusal => {
  const names = snapshot.bindings.map((known) => known.modelAlias);
  const byToolId = snapshot.bindings.find(({ descriptor }) => descriptor.id === call.name)?.modelAlias;
  const meant = byToolId ?? similarName(call.name, names);
  return {
    code: "model.unknown_tool_call",
    message: `There is no tool ${call.name}${meant === undefined ? "." : `; did you mean ${meant}?`} Available are: ${names.join(", ")}.`,
  };
};

const excluded = (
  contract: ToolTurn.ToolTurnContract | undefined,
  binding: ToolBinding | undefined,
): GateRefusal | undefined => {
  if (contract === undefined || binding === undefined) return undefined;
  const admitted = ToolTurn.admit(contract, binding.descriptor.id);
  return Result.isFailure(admitted) ? admitted.failure : undefined;
};

/** What the invocation may still call. */
const purseOf = (
  { bindings, maxCallsPerInvocation }: InvocationToolSnapshot,
  { callCount, callsPerTool }: Pick<InvocationState, "callCount" | "callsPerTool">,
): Purse.Purse => {
  const perTool = Object.fromEntries(
    bindings.flatMap(({ descriptor, maxCalls }) => (maxCalls === undefined ? [] : [[descriptor.id, maxCalls]])),
  );
  const full = Purse.make({ calls: maxCallsPerInvocation, perTool });
  return Purse.charge(full, { calls: callCount, perTool: callsPerTool });
};

const overBudget = (
  purse: Purse.Purse,
  call: ToolCallPart,
  binding: ToolBinding | undefined,
): GateRefusal | undefined => {
  const admitted = Purse.admitCall(purse, {
    name: binding?.modelAlias ?? call.name,
    ...(binding === undefined ? {} : { id: binding.descriptor.id }),
  });
  return Result.isFailure(admitted) ? admitted.failure : undefined;
};

const cutOff = (): GateRefusal => ({
  code: "tool.invalid_arguments",
  message:
    "The answer was cut at its length limit, so this call is incomplete and was not run. Make it again, shorter.",
});

const unusable = (read: ToolArguments.ToolArguments): GateRefusal | undefined =>
  read._tag === "Usable"
    ? undefined
    : {
        code: "tool.invalid_arguments",
        message: `The arguments must be one JSON object${levelsIn(read.raw) > maxNesting ? ` of at most ${maxNesting} levels` : ""}. Given was: ${ToolArguments.preview(read.raw)}`,
      };

/** The most levels that a text can have: what opens in it. */
const levelsIn = (raw: string): number => raw.split(/[[{]/).length - 1;

const unfit = (binding: ToolBinding | undefined, read: ToolArguments.ToolArguments): GateRefusal | undefined =>
  binding === undefined || read._tag === "Unusable"
    ? undefined
    : checkArguments(binding.descriptor.inputSchema, binding.modelAlias, read.value);

/** A snapshot without policy was frozen before there was one: its calls run. */
const denialOf = (binding: ToolBinding | undefined): GateDenial | undefined => {
  if (binding?.policy === undefined || binding.policy.callable) return undefined;
  const { layer, message, rule } = binding.policy.reason;
  return { layer, rule, reason: message };
};

const approvalOf = (binding: ToolBinding | undefined, read: ToolArguments.ToolArguments): GateApproval | undefined => {
  if (binding?.policy?.approval !== true || read._tag === "Unusable") return undefined;
  const { descriptor, policy } = binding;
  return {
    title: titleOf(descriptor),
    argumentsSummary: argumentsSummary(read.value),
    sideEffects: sideEffects(descriptor, read.value),
    source: descriptor.source,
    reason: policy.reason.message,
    layer: policy.reason.layer,
    rule: policy.reason.rule,
  };
};
