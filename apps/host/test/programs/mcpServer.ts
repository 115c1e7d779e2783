/**
 * An MCP server as a process, which a test looks into: its tools stand as JSON in the file of its first argument, read at
 * each look, and what happens to it is written as lines to the file of the second.
 */
import { appendFileSync, readFileSync } from "node:fs";
import { Server } from "@modelcontextprotocol/server";
import { serveStdio } from "@modelcontextprotocol/server/stdio";

const [, , toolsFile = "", reportFile = ""] = process.argv;
const report = (line: string): void => appendFileSync(reportFile, `${line}\n`);

report(`pid ${process.pid}`);
serveStdio(() => {
  const server = new Server(
    { name: "lighthouse", version: "1.0.0" },
    { capabilities: { tools: {}, resources: {}, prompts: {} } },
  );
  server.setRequestHandler("tools/list", () => ({ tools: JSON.parse(readFileSync(toolsFile, "utf8")) as never }));
  server.setRequestHandler("tools/call", ({ params }) => {
    report(`call ${params.name} ${JSON.stringify(params.arguments)}`);
    if (params.name === "wait") return new Promise<never>(() => undefined);
    const text = `${params.name}: ${JSON.stringify(params.arguments)} ${process.env["GREETING"] ?? ""}`;
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
});
