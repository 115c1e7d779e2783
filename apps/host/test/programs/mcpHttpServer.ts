/**
 * An MCP server as a process that is reached over HTTP: the file of its tools, that of its report, the port and whether the tool
 * `wait` does not answer (`waits`) are its arguments. It says the port, which others may listen at beside it, and repeats the
 * `authorization` that it was sent wherever it can. It ends when its input does.
 */
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { Readable } from "node:stream";
import { createMcpHandler } from "@modelcontextprotocol/server";
import * as Lighthouse from "../support/Lighthouse.ts";

const [, , toolsFile = "", reportFile = "", port = "0", waits = ""] = process.argv;
const heard = { authorization: "" };
const { make } = Lighthouse.of(toolsFile, reportFile, {
  said: () => heard.authorization,
  waits: waits === "waits",
});
const handler = createMcpHandler(make);

const server = createServer((incoming, response) => {
  const pieces: Array<Buffer> = [];
  response.on("error", () => undefined);
  incoming.on("data", (piece: Buffer) => pieces.push(piece));
  incoming.on("end", () => {
    heard.authorization = incoming.headers.authorization ?? "";
    const headers = Object.entries(incoming.headers).map(([name, value]): [string, string] => [name, String(value)]);
    const body = Buffer.concat(pieces).toString("utf8");
    const request = new Request(`http://127.0.0.1${incoming.url}`, {
      method: incoming.method ?? "GET",
      headers,
      ...(body === "" ? {} : { body }),
    });
    void handler.fetch(request).then((answer) => {
      response.writeHead(answer.status, { ...Object.fromEntries(answer.headers), "x-echo": heard.authorization });
      if (answer.body === null) return response.end();
      response.flushHeaders();
      return Readable.fromWeb(answer.body).pipe(response);
    });
  });
});

process.stdin.resume().on("end", () => process.exit(0));
server.listen({ port: Number(port), host: "127.0.0.1", reusePort: true }, () => {
  process.stdout.write(`port ${(server.address() as AddressInfo).port}\n`);
});
