/**
 * An MCP server of our own on the loopback interface: a program that the benchmarks start as a process beside them.
 *
 * It has one tool, which says back what it is told, and speaks both eras of the protocol at `/mcp`: each request for itself, and
 * sessions. It is the protocol's own library behind Node's server. It ends with the process that started it.
 */
import { randomUUID } from "node:crypto";
import * as http from "node:http";
import type { AddressInfo } from "node:net";
import { Readable } from "node:stream";
import {
  createMcpHandler,
  isLegacyRequest,
  Server,
  WebStandardStreamableHTTPServerTransport,
} from "@modelcontextprotocol/server";

const tools = [
  {
    name: "echo",
    description: "Says back the text.",
    inputSchema: {
      type: "object" as const,
      properties: { text: { type: "string", description: "The text to say back." } },
      required: ["text"],
      additionalProperties: false,
    },
    annotations: { readOnlyHint: true, openWorldHint: false },
  },
];

const makeServer = (): Server => {
  const server = new Server({ name: "bench", version: "1.0.0" }, { capabilities: { tools: {} } });
  server.setRequestHandler("tools/list", () => ({ tools }));
  server.setRequestHandler("tools/call", ({ params }) => ({
    content: [{ type: "text" as const, text: `Heard: ${String(params.arguments?.["text"])}` }],
  }));
  return server;
};

const maxSessions = 100;

const sessions = new Map<string, WebStandardStreamableHTTPServerTransport>();
const stateless = createMcpHandler(makeServer, { legacy: "reject" });

const inSession = async (request: Request): Promise<Response> => {
  const id = request.headers.get("mcp-session-id");
  const known = id === null ? undefined : sessions.get(id);
  if (known !== undefined) return known.handleRequest(request);
  if (id !== null || sessions.size >= maxSessions) return new Response("no such session", { status: 404 });
  const transport = new WebStandardStreamableHTTPServerTransport({
    sessionIdGenerator: randomUUID,
    onsessioninitialized: (opened) => void sessions.set(opened, transport),
    onsessionclosed: (closed) => void sessions.delete(closed),
  });
  await makeServer().connect(transport);
  return transport.handleRequest(request);
};

const answer = async (request: Request): Promise<Response> =>
  (await isLegacyRequest(request)) ? inSession(request) : stateless.fetch(request);

const requestOf = async (incoming: http.IncomingMessage, signal: AbortSignal): Promise<Request> => {
  const pieces: Array<Buffer> = [];
  for await (const piece of incoming) pieces.push(piece as Buffer);
  const headers = Object.entries(incoming.headers).map(([name, value]): [string, string] => [name, String(value)]);
  return new Request(`http://127.0.0.1${incoming.url ?? "/"}`, {
    method: incoming.method ?? "GET",
    headers,
    signal,
    ...(pieces.length === 0 ? {} : { body: Buffer.concat(pieces) }),
  });
};

const serve = async (incoming: http.IncomingMessage, outgoing: http.ServerResponse): Promise<void> => {
  const gone = new AbortController();
  outgoing.on("close", () => gone.abort());
  const response = await answer(await requestOf(incoming, gone.signal));
  outgoing.writeHead(response.status, Object.fromEntries(response.headers));
  if (response.body === null) return void outgoing.end();
  const body = Readable.fromWeb(response.body);
  body.on("error", () => outgoing.destroy());
  outgoing.on("close", () => body.destroy());
  outgoing.flushHeaders();
  body.pipe(outgoing);
};

const server = http.createServer((incoming, outgoing) => {
  serve(incoming, outgoing).catch(() => outgoing.destroy());
});
server.keepAliveTimeout = 60_000;
server.listen(0, "127.0.0.1", () => process.send?.((server.address() as AddressInfo).port));
process.on("disconnect", () => process.exit(0));
