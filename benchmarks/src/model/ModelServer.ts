/**
 * A model server of our own on the loopback interface: a program that the benchmarks start as a process beside them.
 *
 * It speaks streamed Chat Completions. Owns what the model "says", by the address that it is asked under
 * (`/<session>/<kind>/<rounds>/v1/chat/completions`), and what it counts of each session
 * (`GET /<session>`). It takes in requests without looking into them: what a real server does with them is not the
 * caller's cost. It ends with the process that started it.
 */
import * as http from "node:http";
import type { AddressInfo } from "node:net";
import { type ConversationKind, reply } from "./replies.ts";

/** What a session has asked so far; `first` is its first request body. */
export interface Session {
  requests: number;
  bytes: number;
  first: string;
}

const maxSessions = 10_000;
const maxBodyBytes = 64 * 1024 * 1024;

const sessions = new Map<string, Session>();

const sessionOf = (name: string): Session => {
  const known = sessions.get(name);
  if (known !== undefined) return known;
  if (sessions.size >= maxSessions) throw new Error("too many sessions");
  const made = { requests: 0, bytes: 0, first: "" };
  sessions.set(name, made);
  return made;
};

const answer = (request: http.IncomingMessage, response: http.ServerResponse): void => {
  const [, name = "", kind = "", rounds = "0"] = (request.url ?? "/").split("/");
  const session = sessionOf(name);
  if (request.method === "GET") {
    response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify(session));
    return;
  }
  const first: Array<Buffer> = [];
  let bytes = 0;
  request.on("data", (chunk: Buffer) => {
    bytes += chunk.length;
    if (session.requests === 0) first.push(chunk);
    if (bytes > maxBodyBytes) request.destroy();
  });
  request.on("end", () => {
    if (session.requests === 0) session.first = Buffer.concat(first).toString("utf8");
    const body = reply(kind as ConversationKind, session.requests, Number(rounds));
    session.requests += 1;
    session.bytes += bytes;
    response.writeHead(200, { "content-type": "text/event-stream" }).end(body);
  });
};

const server = http.createServer(answer);
server.keepAliveTimeout = 60_000;
server.listen(0, "127.0.0.1", () => process.send?.((server.address() as AddressInfo).port));
process.on("disconnect", () => process.exit(0));
