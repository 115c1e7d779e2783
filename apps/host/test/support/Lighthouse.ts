/**
 * An MCP server that a test looks into, however it is reached: its tools stand as JSON in one file, read at each look, and what
 * happens to it is written as lines to another.
 */
import { appendFileSync, readFileSync } from "node:fs";
import { inputRequired, inputResponse, Server } from "@modelcontextprotocol/server";

export interface Lighthouse {
  readonly report: (line: string) => void;
  readonly make: () => Server;
}

/**
 * The tool `fail` answers with an error, `ask` asks for a day, and `wait` does not answer where `waits`; each other one says what it
 * was given, and `said`.
 */
export const of = (
  toolsFile: string,
  reportFile: string,
  { said, waits }: { readonly said: () => string; readonly waits: boolean },
): Lighthouse => {
  const report = (line: string): void => appendFileSync(reportFile, `${line}\n`);
  const make = () => {
    const server = new Server(
      { name: "lighthouse", version: "1.0.0" },
      { capabilities: { tools: {}, resources: {}, prompts: {} } },
    );
    server.setRequestHandler("tools/list", () => ({ tools: JSON.parse(readFileSync(toolsFile, "utf8")) as never }));
    server.setRequestHandler("tools/call", ({ params }, context) => {
      report(`call ${params.name} ${JSON.stringify(params.arguments)}`);
      if (params.name === "ask") return asked(context.mcpReq.inputResponses);
      if (params.name === "wait" && waits) return new Promise<never>(() => undefined);
      const text = `${params.name}: ${JSON.stringify(params.arguments)} ${said()}`;
      return { content: [{ type: "text" as const, text }], isError: params.name === "fail" };
    });
    server.setRequestHandler("resources/list", () => ({ resources: [{ uri: "light://log", name: "The log" }] }));
    server.setRequestHandler("resources/templates/list", () => ({ resourceTemplates: [] }));
    server.setRequestHandler("resources/read", ({ params }) => ({
      contents: [{ uri: params.uri, text: "The lamp\nturns." }],
    }));
    server.setRequestHandler("prompts/list", () => ({
      prompts: [{ name: "greet", description: "Greets somebody.", arguments: [{ name: "who", required: true }] }],
    }));
    server.setRequestHandler("prompts/get", ({ params }) => ({
      messages: [
        { role: "user" as const, content: { type: "text" as const, text: `Greet ${params.arguments?.["who"]}.` } },
      ],
    }));
    return server;
  };
  return { make, report };
};

/** Asks for a day, and says what it was told. */
const asked = (responses: Record<string, unknown> | undefined) => {
  if (responses === undefined) {
    const requestedSchema = {
      type: "object" as const,
      properties: { day: { type: "string" as const, description: "The day of the week" } },
      required: ["day"],
    };
    const question = inputRequired.elicit({ message: "Which day is meant?", requestedSchema });
    return inputRequired({ inputRequests: { question } });
  }
  const reply = inputResponse(responses, "question");
  const said = reply.kind === "elicit" ? `${reply.action} ${JSON.stringify(reply.content ?? {})}` : reply.kind;
  return { content: [{ type: "text" as const, text: said }] };
};
