/**
 * A gateway to servers that are not there: each states tools with its own words, and answers nothing.
 */
import { McpFault, McpGateway, type McpTool } from "@cahier/ports/McpGateway";
import * as Effect from "effect/Effect";
import * as Layer from "effect/Layer";
import { prose } from "../model/prose.ts";

/** A gateway whose servers have so many tools each. */
export const layer = (toolsEach: number): Layer.Layer<McpGateway> => {
  const tools = Array.from({ length: toolsEach }, (_, number) => toolOf(number));
  return Layer.succeed(
    McpGateway,
    McpGateway.of({
      discover: () =>
        Effect.sync(() => ({
          peer: { name: "stated", version: "1.0.0" },
          protocolVersion: "2026-07-28",
          // As from the wire: no two answers share a value.
          tools: structuredClone(tools),
          diagnostics: [],
        })),
      call: () => Effect.succeed({ _tag: "NotSent", code: "mcp.call_not_queued", detail: "nobody is there" }),
      list: () => Effect.succeed([]),
      readResource: () => nothing,
      getPrompt: () => nothing,
      close: () => Effect.void,
    }),
  );
};

const nothing = Effect.fail(new McpFault({ code: "mcp.request_failed", detail: "nobody is there" }));

const toolOf = (number: number): McpTool => ({
  name: `look_up_${number}`,
  title: `Look up ${number}`,
  description: prose(number, 300),
  inputSchema: {
    type: "object",
    properties: {
      query: { type: "string", description: prose(number + 1, 80) },
      limit: { type: "integer", minimum: 1, maximum: 100, description: "How many at most." },
      where: { type: "array", items: { type: "string" }, description: prose(number + 2, 60) },
    },
    required: ["query"],
    additionalProperties: false,
  },
  annotations: { readOnlyHint: true },
});
