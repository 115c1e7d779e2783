/**
 * What a tool is, independent of any run: the same for built-in, MCP and extension tools.
 */
import * as Schema from "effect/Schema";
import * as Struct from "effect/Struct";
import { ToolId } from "./ToolId.ts";

/** What retry and recovery may do with a call: declared by built-ins, derived for others by `effectClassOf`. */
export const EffectClass = Schema.Literals(["pure", "internal", "idempotent", "keyed", "irreversible"]);
export type EffectClass = typeof EffectClass.Type;

export const ToolAnnotations = Schema.Struct({
  readOnly: Schema.Boolean,
  destructive: Schema.Boolean,
  idempotent: Schema.Boolean,
  openWorld: Schema.Boolean,
  cost: Schema.Literals(["none", "low", "high"]),
});
export type ToolAnnotations = typeof ToolAnnotations.Type;

/** What somebody states of a tool; what is left out is as in `unstatedAnnotations`. */
export const StatedAnnotations = ToolAnnotations.mapFields(Struct.map(Schema.optionalKey));
export type StatedAnnotations = typeof StatedAnnotations.Type;

/** What a tool is taken for that says nothing of itself: it changes something, and may not be repeated. */
export const unstatedAnnotations: ToolAnnotations = {
  readOnly: false,
  destructive: false,
  idempotent: false,
  openWorld: false,
  cost: "none",
};

export const ToolSource = Schema.Literals(["builtin", "mcp", "extension"]);
export type ToolSource = typeof ToolSource.Type;

export const Permission = Schema.Literals(["always", "ask", "deny"]);
export type Permission = typeof Permission.Type;

/** `timeoutMs` defaults to 120 000; the other limits have none unless stated. */
export const ToolBudget = Schema.Struct({
  maxCalls: Schema.optionalKey(Schema.Int),
  maxOutputTokens: Schema.optionalKey(Schema.Int),
  timeoutMs: Schema.Int,
});
export type ToolBudget = typeof ToolBudget.Type;

const JsonSchemaObject = Schema.Record(Schema.String, Schema.Json);

/**
 * `sideEffect` is a sentence about what a call does, for whoever must allow it: `{name}` stands in it for an argument,
 * `{name|words}` for the words where the argument is not given.
 */
export const ToolDescriptor = Schema.Struct({
  id: ToolId,
  title: Schema.String,
  description: Schema.String,
  inputSchema: JsonSchemaObject,
  outputSchema: Schema.optionalKey(JsonSchemaObject),
  annotations: ToolAnnotations,
  effectClass: Schema.optionalKey(EffectClass),
  sideEffect: Schema.optionalKey(Schema.String),
  source: ToolSource,
  visibility: Schema.Literals(["model", "user"]),
  permission: Permission,
  budget: ToolBudget,
});
export type ToolDescriptor = typeof ToolDescriptor.Type;

/** The declared class, else: read-only is pure, idempotent is idempotent, anything else irreversible. */
export const effectClassOf = (descriptor: Pick<ToolDescriptor, "annotations" | "effectClass">): EffectClass => {
  if (descriptor.effectClass !== undefined) return descriptor.effectClass;
  if (descriptor.annotations.readOnly) return "pure";
  return descriptor.annotations.idempotent ? "idempotent" : "irreversible";
};
