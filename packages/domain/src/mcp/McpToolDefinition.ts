/**
 * What an MCP server says that a tool is: what a person looks at before they permit it.
 */
import * as Schema from "effect/Schema";
import * as Struct from "effect/Struct";

const optional = Schema.optionalKey;
const JsonSchemaObject = Schema.Record(Schema.String, Schema.Json);

/** What the server says of the effects of a tool. They are hints: nothing makes a server tell the truth. */
export const McpToolHints = Schema.Struct({
  readOnlyHint: optional(Schema.Boolean),
  destructiveHint: optional(Schema.Boolean),
  idempotentHint: optional(Schema.Boolean),
  openWorldHint: optional(Schema.Boolean),
});
export type McpToolHints = typeof McpToolHints.Type;

/** A tool in all parts that may mislead whoever permits it; the name is not one of them, for it is what is permitted. */
export const McpToolDefinition = Schema.Struct({
  title: optional(Schema.String),
  description: optional(Schema.String),
  inputSchema: JsonSchemaObject,
  outputSchema: optional(JsonSchemaObject),
  annotations: optional(McpToolHints),
});
export type McpToolDefinition = typeof McpToolDefinition.Type;

/** A tool under its server's own name. */
export const McpToolStated = Schema.Struct({ name: Schema.String, ...McpToolDefinition.fields });
export type McpToolStated = typeof McpToolStated.Type;

/** The definition of a tool, without its name. */
export const definitionOf = (tool: McpToolStated): McpToolDefinition => Struct.omit(tool, ["name"]);
