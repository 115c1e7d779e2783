/**
 * Tools as a server may state them, for the laws of discovery.
 */
import type * as Schema from "effect/Schema";

/** A tool that can be used, with all that a tool may state. */
export const toolOf = (name: string) => ({
  name,
  title: `The tool ${name}`,
  description: `Does ${name}.`,
  inputSchema: { type: "object", properties: { text: { type: "string" } }, required: ["text"] },
  outputSchema: { type: "object", properties: { said: { type: "string" } } },
  annotations: { readOnlyHint: true, idempotentHint: false },
});

/** Tools that cannot be used as they are, and what is said of each. */
export const bad: ReadonlyArray<readonly [tool: Schema.Json, code: string]> = [
  [{ ...toolOf("nameless"), name: 7 }, "mcp.discovery_tool_invalid"],
  [{ name: "schemaless" }, "mcp.discovery_tool_invalid"],
  [toolOf("n".repeat(300)), "mcp.discovery_tool_name_invalid"],
  [{ ...toolOf("large"), description: "x".repeat(256 * 1024) }, "mcp.discovery_tool_too_large"],
  [{ ...toolOf("array"), inputSchema: { type: "array" } }, "mcp.discovery_input_schema_invalid"],
  [
    { ...toolOf("wrong"), inputSchema: { type: "object", properties: { a: { type: "wat" } } } },
    "mcp.discovery_input_schema_invalid",
  ],
  [
    {
      ...toolOf("remote"),
      inputSchema: { type: "object", properties: { a: { $ref: "https://example.invalid/a" } } },
    },
    "mcp.discovery_schema_reference_remote",
  ],
  [{ ...toolOf("loose"), outputSchema: { type: 7 } }, "mcp.discovery_output_schema_dropped"],
  [toolOf("twice"), "mcp.discovery_tool_duplicate"],
];
