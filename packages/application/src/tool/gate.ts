/**
 * The gate that every tool call of a turn passes before the first of them runs.
 *
 * A pure decision on the invocation's frozen snapshot and its counters, in a fixed order: known tool, budgets,
 * argument container. A refused call is charged too, and its refusal becomes the call's result.
 */
import type { ToolCallPart } from "@cahier/domain/model/Message";
import type { FailureCode } from "@cahier/domain/failure/FailureCode";
import type { InvocationState } from "@cahier/domain/run/RunState";
import * as ToolArguments from "@cahier/domain/tool/ToolArguments";
import { byAlias, type InvocationToolSnapshot, type ToolBinding } from "@cahier/domain/tool/ToolSnapshot";

export interface GateRefusal {
  readonly code: FailureCode;
  readonly message: string;
}

/** What the gate says of one call; `binding` is absent for a name that the invocation was not given. */
export interface GateVerdict {
  readonly call: ToolCallPart;
  readonly binding: ToolBinding | undefined;
  readonly refusal: GateRefusal | undefined;
}

/**
 * The verdicts on all calls of one response, in the model's order, counting from what the invocation has used.
 * `cut`: the response ended by length, so its last call is incomplete whatever it looks like.
 */
export const decide = (
  snapshot: InvocationToolSnapshot,
  used: Pick<InvocationState, "callCount" | "callsPerTool">,
  calls: ReadonlyArray<ToolCallPart>,
  cut: boolean,
): ReadonlyArray<GateVerdict> => {
  const perTool: Record<string, number> = { ...used.callsPerTool };
  return calls.map((call, index) => {
    const binding = byAlias(snapshot, call.name);
    const total = used.callCount + index + 1;
    if (binding !== undefined) perTool[binding.descriptor.id] = (perTool[binding.descriptor.id] ?? 0) + 1;
    const refusal =
      unknown(snapshot, call, binding) ??
      overBudget(snapshot, binding, total, perTool) ??
      (cut && index === calls.length - 1 ? cutOff() : undefined) ??
      unusable(call);
    return { call, binding, refusal };
  });
};

const unknown = (
  snapshot: InvocationToolSnapshot,
  call: ToolCallPart,
  binding: ToolBinding | undefined,
): GateRefusal | undefined =>
  binding === undefined
    ? {
        code: "model.unknown_tool_call",
        message: `There is no tool ${call.name}. Available are: ${snapshot.bindings.map((known) => known.modelAlias).join(", ")}.`,
      }
    : undefined;

const overBudget = (
  snapshot: InvocationToolSnapshot,
  binding: ToolBinding | undefined,
  total: number,
  perTool: Readonly<Record<string, number>>,
): GateRefusal | undefined => {
  if (total > snapshot.maxCallsPerInvocation)
    return {
      code: "agent.tool_budget_exhausted",
      message: `All ${snapshot.maxCallsPerInvocation} tool calls are used up. No further call will run.`,
    };
  if (binding?.maxCalls !== undefined && (perTool[binding.descriptor.id] ?? 0) > binding.maxCalls)
    return {
      code: "agent.tool_budget_exhausted",
      message: `All ${binding.maxCalls} calls of ${binding.modelAlias} are used up. Go on with the other tools.`,
    };
  return undefined;
};

const cutOff = (): GateRefusal => ({
  code: "tool.invalid_arguments",
  message:
    "The answer was cut at its length limit, so this call is incomplete and was not run. Make it again, shorter.",
});

const unusable = (call: ToolCallPart): GateRefusal | undefined => {
  const read = ToolArguments.fromRaw(call.arguments);
  return read._tag === "Usable"
    ? undefined
    : {
        code: "tool.invalid_arguments",
        message: `The arguments must be one JSON object. Given was: ${ToolArguments.preview(read.raw)}`,
      };
};
