/**
 * The frozen set of tools of one invocation. The prompt, the provider request, alias decoding and execution all read it.
 */
import * as Option from "effect/Option";
import * as Result from "effect/Result";
import * as Schema from "effect/Schema";
import { PolicyDecision } from "../policy/PolicyDecision.ts";
import { quote, refuse, type Refusal } from "../workspace/Refusal.ts";
import { ToolDescriptor } from "./ToolDescriptor.ts";
import type { ToolId } from "./ToolId.ts";

export const ModelAlias = Schema.String.check(Schema.isPattern(/^[A-Za-z0-9_-]{1,64}$/));

/** `policy` is what policy decided when the snapshot was frozen; without it every call may run at once. */
export const ToolBinding = Schema.Struct({
  descriptor: ToolDescriptor,
  modelAlias: ModelAlias,
  maxCalls: Schema.optionalKey(Schema.Int),
  policy: Schema.optionalKey(PolicyDecision),
});
export type ToolBinding = typeof ToolBinding.Type;

/** `maxCallsPerInvocation` counts every call that reached the gate, refused ones included. */
export const InvocationToolSnapshot = Schema.Struct({
  schemaVersion: Schema.Literal(1),
  id: Schema.String,
  bindings: Schema.Array(ToolBinding),
  maxCallsPerInvocation: Schema.Int,
});
export type InvocationToolSnapshot = typeof InvocationToolSnapshot.Type;

/** The alias of a built-in: its name with every other character than letters, digits, `_` and `-` as `_`. */
export const builtinAlias = (id: ToolId): string => id.slice(id.indexOf(":") + 1).replaceAll(/[^A-Za-z0-9_-]/g, "_");

/** The binding that the model calls `alias`, or undefined. */
export const byAlias = (snapshot: InvocationToolSnapshot, alias: string): ToolBinding | undefined =>
  snapshot.bindings.find((binding) => binding.modelAlias === alias);

/** The binding of a tool id, or undefined. */
export const byId = (snapshot: InvocationToolSnapshot, id: string): ToolBinding | undefined =>
  snapshot.bindings.find((binding) => binding.descriptor.id === id);

/** A snapshot as it may come from outside: shaped like one, with none of its rules kept yet. */
export interface SnapshotCandidate {
  readonly schemaVersion: number;
  readonly id: string;
  readonly bindings: ReadonlyArray<{
    readonly descriptor: { readonly id: string };
    readonly modelAlias: string;
    readonly maxCalls?: number;
  }>;
  readonly maxCallsPerInvocation: number;
}

export type SnapshotRefusal = Refusal<
  | "tool.snapshot_alias_empty"
  | "tool.snapshot_alias_invalid"
  | "tool.snapshot_budget_invalid"
  | "tool.snapshot_duplicate_alias"
  | "tool.snapshot_duplicate_id"
  | "tool.snapshot_id_empty"
  | "tool.snapshot_schema_unsupported"
  | "tool.snapshot_tool_budget_invalid"
>;

/** The snapshot itself, or the first rule that it breaks: its own fields first, then its bindings in their order. */
export const check = <Snapshot extends SnapshotCandidate>(
  snapshot: Snapshot,
): Result.Result<Snapshot, SnapshotRefusal> => {
  if (snapshot.schemaVersion !== 1)
    return refuse(
      "tool.snapshot_schema_unsupported",
      `The tools of this invocation have schemaVersion ${snapshot.schemaVersion}; this version reads 1.`,
    );
  if (snapshot.id === "") return refuse("tool.snapshot_id_empty", "The tools of an invocation need an id.");
  if (!isCount(snapshot.maxCallsPerInvocation))
    return refuse("tool.snapshot_budget_invalid", "An invocation needs a budget of at least one call.");
  const ids = new Set<string>();
  const aliases = new Set<string>();
  for (const { descriptor, maxCalls, modelAlias } of snapshot.bindings) {
    const { id } = descriptor;
    if (modelAlias === "") return refuse("tool.snapshot_alias_empty", `The tool ${quote(id)} has no alias.`);
    if (!isAlias(modelAlias))
      return refuse(
        "tool.snapshot_alias_invalid",
        `${quote(modelAlias)}, the alias of ${quote(id)}, has other characters than letters, digits, _ and -, or more than 64.`,
      );
    if (maxCalls !== undefined && !isCount(maxCalls))
      return refuse("tool.snapshot_tool_budget_invalid", `The tool ${quote(id)} needs a budget of at least one call.`);
    if (ids.has(id)) return refuse("tool.snapshot_duplicate_id", `The tool ${quote(id)} is bound twice.`);
    if (aliases.has(modelAlias))
      return refuse("tool.snapshot_duplicate_alias", `The alias ${quote(modelAlias)} is given twice.`);
    ids.add(id);
    aliases.add(modelAlias);
  }
  return Result.succeed(snapshot);
};

/**
 * Reads a snapshot back that this software stored and whose digest was checked: by its version and rules, without
 * walking its schemas. Undefined is text that is no snapshot at all.
 */
export const trust = (text: string): Result.Result<InvocationToolSnapshot, SnapshotRefusal> | undefined => {
  const read: unknown = Option.getOrUndefined(Option.liftThrowable(JSON.parse)(text));
  return isCandidate(read) ? check(read as InvocationToolSnapshot) : undefined;
};

const isCandidate = Schema.is(
  Schema.Struct({
    schemaVersion: Schema.Int,
    id: Schema.String,
    bindings: Schema.Array(
      Schema.Struct({ descriptor: Schema.Struct({ id: Schema.String }), modelAlias: Schema.String }),
    ),
    maxCallsPerInvocation: Schema.Int,
  }),
);

const isAlias = Schema.is(ModelAlias);

const isCount = (value: number): boolean => Number.isSafeInteger(value) && value >= 1;
