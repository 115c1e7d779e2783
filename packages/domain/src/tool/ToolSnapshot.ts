/**
 * The frozen set of tools of one invocation. The prompt, the provider request, alias decoding and execution all read it.
 */
import * as Schema from "effect/Schema";
import { ToolDescriptor } from "./ToolDescriptor.ts";
import type { ToolId } from "./ToolId.ts";

export const ModelAlias = Schema.String.check(Schema.isPattern(/^[A-Za-z0-9_-]{1,64}$/));

export const ToolBinding = Schema.Struct({
  descriptor: ToolDescriptor,
  modelAlias: ModelAlias,
  maxCalls: Schema.optionalKey(Schema.Int),
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
