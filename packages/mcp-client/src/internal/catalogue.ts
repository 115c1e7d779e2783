/**
 * Reads the tools that a server states: what can be used, and what is left out and why.
 *
 * Pure but for the check of schemas that it is given. A bad tool harms no other; of tools with one name none is taken,
 * since nobody can say which is meant.
 */
import type { McpDiagnostic, McpTool } from "@cahier/ports/McpGateway";
import type * as Schema from "effect/Schema";
import { headerFault } from "./headerFault.ts";
import { isObject, type JsonObject, stringAt } from "./json.ts";
import { bytesOf, limits } from "./limits.ts";
import type { SchemaFault } from "./schemaFault.ts";

export interface Read {
  readonly tools: ReadonlyArray<McpTool>;
  readonly diagnostics: ReadonlyArray<McpDiagnostic>;
}

/** What depends on the session: whether arguments are repeated in headers. */
export interface Rules {
  readonly checkSchema: (schema: JsonObject) => SchemaFault | undefined;
  readonly repeatsInHeaders: boolean;
}

/** Reads all tools of all pages, in their order. */
export const read = (stated: ReadonlyArray<Schema.Json>, rules: Rules): Read => {
  const times = new Map<string, number>();
  for (const tool of stated) {
    const name = isObject(tool) ? stringAt(tool, "name") : undefined;
    if (name !== undefined) times.set(name, (times.get(name) ?? 0) + 1);
  }
  const single = stated.map((tool) => {
    const name = isObject(tool) ? stringAt(tool, "name") : undefined;
    return name !== undefined && (times.get(name) ?? 0) > 1 ? undefined : toolOf(tool, rules);
  });
  const repeated = [...times]
    .filter(([, count]) => count > 1)
    .map(([name, count]) =>
      diagnostic("mcp.discovery_tool_duplicate", `${count} tools have this name; none is taken`, name),
    );
  return {
    tools: single.flatMap((outcome) => (outcome?.tool === undefined ? [] : [outcome.tool])),
    diagnostics: [...single.flatMap((outcome) => outcome?.diagnostics ?? []), ...repeated],
  };
};

interface Outcome {
  readonly tool?: McpTool;
  readonly diagnostics: ReadonlyArray<McpDiagnostic>;
}

const toolOf = (stated: Schema.Json, rules: Rules): Outcome => {
  if (!isObject(stated)) return left("mcp.discovery_tool_invalid", "a tool is no object");
  const name = stringAt(stated, "name");
  if (name === undefined) return left("mcp.discovery_tool_invalid", "a tool has no name");
  if (!isName(name)) {
    const detail = `a name has 1 to ${limits.toolNameBytes} bytes; this one has ${bytesOf(name)}`;
    return left("mcp.discovery_tool_name_invalid", detail, name.slice(0, 64));
  }
  const bytes = bytesOf(JSON.stringify(stated));
  if (bytes > limits.toolBytes) {
    return left("mcp.discovery_tool_too_large", `it has ${bytes} bytes of at most ${limits.toolBytes}`, name);
  }
  const { inputSchema, outputSchema } = stated;
  if (!isObject(inputSchema)) return left("mcp.discovery_tool_invalid", "it has no input schema", name);
  if (inputSchema["type"] !== "object") {
    return left("mcp.discovery_input_schema_invalid", "the input schema is not that of an object", name);
  }
  const header = rules.repeatsInHeaders ? headerFault(inputSchema) : undefined;
  if (header !== undefined) return left("mcp.discovery_header_invalid", header, name);
  const fault = rules.checkSchema(inputSchema);
  if (fault?.kind === "remote") {
    return left("mcp.discovery_schema_reference_remote", `the input schema ${fault.detail}; nothing is fetched`, name);
  }
  if (fault !== undefined) return left("mcp.discovery_input_schema_invalid", `the input schema: ${fault.detail}`, name);
  const problem = outputSchema === undefined ? undefined : problemOf(outputSchema, rules);
  return {
    tool: {
      name,
      ...textsOf(stated),
      inputSchema,
      ...(isObject(outputSchema) && problem === undefined ? { outputSchema } : {}),
      ...annotationsOf(stated["annotations"]),
    },
    diagnostics:
      problem === undefined
        ? []
        : [
            diagnostic(
              "mcp.discovery_output_schema_dropped",
              `the output schema ${problem}; the tool is used without it`,
              name,
            ),
          ],
  };
};

/** Whether a tool may be called so. */
export const isName = (name: string): boolean => name !== "" && bytesOf(name) <= limits.toolNameBytes;

const problemOf = (schema: Schema.Json, { checkSchema }: Rules): string | undefined =>
  isObject(schema) ? checkSchema(schema)?.detail : "is no object";

const textsOf = (stated: JsonObject): Pick<McpTool, "title" | "description"> => {
  const [title, description] = [stringAt(stated, "title"), stringAt(stated, "description")];
  return { ...(title === undefined ? {} : { title }), ...(description === undefined ? {} : { description }) };
};

const hints = ["readOnlyHint", "destructiveHint", "idempotentHint", "openWorldHint"] as const;

const annotationsOf = (stated: Schema.Json | undefined): Pick<McpTool, "annotations"> => {
  if (!isObject(stated)) return {};
  const given = hints.flatMap((hint) => (typeof stated[hint] === "boolean" ? [[hint, stated[hint]] as const] : []));
  return given.length === 0 ? {} : { annotations: Object.fromEntries(given) };
};

const left = (code: string, detail: string, tool?: string): Outcome => ({
  diagnostics: [diagnostic(code, detail, tool)],
});

/** Says of a tool, or of the whole, what could not be used. */
export const diagnostic = (code: string, detail: string, tool?: string): McpDiagnostic => ({
  code,
  ...(tool === undefined ? {} : { tool }),
  detail,
});
