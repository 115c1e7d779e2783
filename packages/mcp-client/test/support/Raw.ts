/** A server of the older era written out by hand, which does to requests what a test says. */
import type { ServerResponse } from "node:http";
import * as Loopback from "./Loopback.ts";

/** A request as it came over the wire. */
export interface Asked {
  readonly id: number;
  readonly method: string;
  readonly params: Readonly<Record<string, unknown>>;
}

/** Answers a request; false leaves it to the ordinary answers. */
export type Answer = (asked: Asked, response: ServerResponse, seen: Loopback.Seen) => boolean;

/** Serves `answer` before what an ordinary server does: a handshake, a session id, one tool, and echoes. */
export const serve = (answer: Answer) =>
  Loopback.serve((seen, response) => {
    const isAnswered = seen.method === "POST" && answer(JSON.parse(seen.body) as Asked, response, seen);
    if (!isAnswered) ordinarily(seen, response);
  });

/** Answers as an ordinary server does. */
export const ordinarily = (seen: Loopback.Seen, response: ServerResponse): void => {
  if (seen.method !== "POST") return void response.writeHead(seen.method === "DELETE" ? 200 : 405).end();
  const asked = JSON.parse(seen.body) as Asked;
  if (asked.id === undefined) return void response.writeHead(202).end();
  return result(response, asked.id, ordinary(asked));
};

/** Writes a result as JSON. */
export const result = (response: ServerResponse, id: unknown, value: unknown): void =>
  json(response, { jsonrpc: "2.0", id, result: value });

/** Writes JSON. */
export const json = (response: ServerResponse, value: unknown, status = 200): void => {
  response.writeHead(status, { "content-type": "application/json", "mcp-session-id": "a-session" });
  response.end(JSON.stringify(value));
};

/** Writes the head of a stream of events, and begins it. */
export const events = (response: ServerResponse, text: string): void => {
  response.writeHead(200, { "content-type": "text/event-stream" });
  response.write(text);
};

const ordinary = ({ method, params }: Asked): unknown => {
  if (method === "initialize") {
    return {
      protocolVersion: params["protocolVersion"],
      capabilities: { tools: { listChanged: true } },
      serverInfo: { name: "raw", version: "1" },
    };
  }
  if (method === "tools/list") return { tools: [{ name: "echo", inputSchema: { type: "object" } }] };
  return { content: [{ type: "text", text: "echo" }] };
};
