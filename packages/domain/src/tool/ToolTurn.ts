/**
 * Which tools of its snapshot an invocation offers in one turn, and whether the model must call one.
 *
 * Owns the rules between the turn and the snapshot. Does not own sending the choice to a provider.
 */
import * as Result from "effect/Result";
import * as Schema from "effect/Schema";
import { ToolChoice } from "../model/ModelRequest.ts";
import { quote, refuse, type Refusal } from "../workspace/Refusal.ts";
import { ToolId } from "./ToolId.ts";
import type { InvocationToolSnapshot } from "./ToolSnapshot.ts";

/** `tools` by ToolId; the specific tool of `choice` is a ToolId too. */
export const ToolTurnContract = Schema.Struct({
  snapshotId: Schema.String,
  tools: Schema.Array(ToolId),
  choice: ToolChoice,
});
export type ToolTurnContract = typeof ToolTurnContract.Type;

export type TurnRefusal = Refusal<
  | "tool.turn_duplicate_id"
  | "tool.turn_required_empty"
  | "tool.turn_snapshot_mismatch"
  | "tool.turn_specific_not_available"
  | "tool.turn_tool_not_in_snapshot"
>;

type Snapshot = {
  readonly id: string;
  readonly bindings: ReadonlyArray<{ readonly descriptor: { readonly id: ToolId } }>;
};

/** Every tool of the snapshot, and the model decides. */
export const everything = (snapshot: Snapshot): ToolTurnContract => ({
  snapshotId: snapshot.id,
  tools: snapshot.bindings.map(({ descriptor }) => descriptor.id),
  choice: "auto",
});

/** The contract, or the first of its rules that it breaks. */
export const check = (
  contract: ToolTurnContract,
  snapshot: Pick<InvocationToolSnapshot, "id" | "bindings">,
): Result.Result<ToolTurnContract, TurnRefusal> => {
  const { choice, snapshotId, tools } = contract;
  if (snapshotId !== snapshot.id)
    return refuse(
      "tool.turn_snapshot_mismatch",
      `The turn was made for the tools ${quote(snapshotId)}, and the invocation has ${quote(snapshot.id)}.`,
    );
  const known = new Set<string>(snapshot.bindings.map(({ descriptor }) => descriptor.id));
  const offered = new Set<string>();
  for (const id of tools) {
    if (offered.has(id)) return refuse("tool.turn_duplicate_id", `The turn offers ${quote(id)} twice.`);
    if (!known.has(id))
      return refuse("tool.turn_tool_not_in_snapshot", `The turn offers ${quote(id)}, which the invocation has not.`);
    offered.add(id);
  }
  if (choice === "required" && tools.length === 0)
    return refuse("tool.turn_required_empty", "The turn requires a tool call and offers no tool.");
  if (typeof choice === "object" && !offered.has(choice.specific))
    return refuse(
      "tool.turn_specific_not_available",
      `The turn requires ${quote(choice.specific)}, which it does not offer.`,
    );
  return Result.succeed(contract);
};

/** Whether the model may call this tool in this turn. */
export const admit = (
  contract: ToolTurnContract,
  toolId: ToolId,
): Result.Result<void, Refusal<"model.tool_choice_violation">> => {
  const { choice, tools } = contract;
  if (choice === "none")
    return refuse("model.tool_choice_violation", `The model called ${quote(toolId)} in a turn without tool calls.`);
  if (typeof choice === "object" && choice.specific !== toolId)
    return refuse(
      "model.tool_choice_violation",
      `The model called ${quote(toolId)} where only ${quote(choice.specific)} was allowed.`,
    );
  if (!tools.includes(toolId))
    return refuse("model.tool_choice_violation", `The model called ${quote(toolId)}, which this turn does not offer.`);
  return Result.void;
};
