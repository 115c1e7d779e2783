/**
 * A model server on the loopback interface whose answers begin and do not end: a program that a benchmark starts beside
 * itself, so that its own memory is not counted. It ends with the process that started it.
 */
import * as http from "node:http";
import type { AddressInfo } from "node:net";
import { stream } from "./streams.ts";

const beginning = Buffer.concat(stream("openai-chat", 400, 10).chunks)
  .toString("utf8")
  .split("\n\n")
  .slice(0, 6);

const server = http.createServer((request, response) => {
  request.resume();
  request.on("end", () => {
    response.writeHead(200, { "content-type": "text/event-stream" });
    response.write(`${beginning.join("\n\n")}\n\n`);
  });
});
server.requestTimeout = 0;
server.listen(0, "127.0.0.1", 4096, () => process.send?.((server.address() as AddressInfo).port));
process.on("disconnect", () => process.exit(0));
