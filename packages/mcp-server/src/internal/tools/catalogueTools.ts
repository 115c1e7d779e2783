/** The tool that shows which tools agents may be given. It shows them only: nobody calls them through this server. */
import type { ToolDescriptor } from "@cahier/domain/tool/ToolDescriptor";
import { ToolSource } from "@cahier/domain/tool/ToolDescriptor";
import * as Effect from "effect/Effect";
import * as Schema from "effect/Schema";
import type { Offer } from "../../Offer.ts";
import { limits } from "../limits.ts";
import * as words from "../words.ts";
import { numberArgument } from "./runTools.ts";
import * as ServedTool from "./ServedTool.ts";

const ShownTool = Schema.Struct({
  id: Schema.String,
  title: Schema.String,
  description: Schema.String,
  source: ToolSource,
  permission: Schema.String.annotate({ description: "What is done with a call unless a policy says something else" }),
  readOnly: Schema.Boolean,
  destructive: Schema.Boolean,
  inputSchema: Schema.optionalKey(Schema.Record(Schema.String, Schema.Json)),
  outputSchema: Schema.optionalKey(Schema.Record(Schema.String, Schema.Json)),
});

export const make = ({ tools }: Offer): ReadonlyArray<ServedTool.ServedTool> => [
  ServedTool.make({
    name: "list_tools",
    title: "List the tools of agents",
    description:
      "The tools that agents of this host may be given: built-in ones, and those of MCP servers and extensions. They are called by agents in their runs only.",
    effects: ServedTool.reads,
    input: Schema.Struct({
      search: Schema.optionalKey(
        Schema.String.check(Schema.isMaxLength(200)).annotate({
          description: "Only tools whose id, title or description has these words",
        }),
      ),
      offset: numberArgument(0, Number.MAX_SAFE_INTEGER, "Pass so many over (default 0)"),
      limit: numberArgument(1, limits.mostPageTools, `Most tools to list (default ${limits.pageTools})`),
      schemas: Schema.optionalKey(
        Schema.Boolean.annotate({
          description: "Whether to show the schemas of arguments and results (default false)",
        }),
      ),
    }),
    output: Schema.Struct({
      total: Schema.Int,
      tools: Schema.Array(ShownTool),
      nextOffset: Schema.optionalKey(Schema.Int),
    }),
    run: Effect.fn("McpServer.list_tools")(function* (given) {
      const { limit = limits.pageTools, offset = 0, schemas = false, search = "" } = given;
      const found = (yield* tools).filter(matches(search));
      const shown = found.slice(offset, offset + limit);
      const next = offset + shown.length;
      return {
        text: words.ofTools(shown, found.length),
        structured: {
          total: found.length,
          tools: shown.map((tool) => shownOf(tool, schemas)),
          ...(next < found.length ? { nextOffset: next } : {}),
        },
      };
    }),
  }),
];

const matches = (search: string) => {
  const asked = search.toLowerCase().split(/\s+/).filter(Boolean);
  return ({ description, id, title }: ToolDescriptor): boolean => {
    const said = `${id}\n${title}\n${description}`.toLowerCase();
    return asked.every((word) => said.includes(word));
  };
};

const shownOf = (tool: ToolDescriptor, schemas: boolean): typeof ShownTool.Type => ({
  id: tool.id,
  title: tool.title,
  description: tool.description,
  source: tool.source,
  permission: tool.permission,
  readOnly: tool.annotations.readOnly,
  destructive: tool.annotations.destructive,
  ...(schemas ? { inputSchema: tool.inputSchema } : {}),
  ...(schemas && tool.outputSchema !== undefined ? { outputSchema: tool.outputSchema } : {}),
});
