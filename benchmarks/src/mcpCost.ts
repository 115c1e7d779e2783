/**
 * What tools of MCP servers cost: the way of a call, in both eras of the protocol, and preparing many tools of many servers.
 */
import * as fs from "node:fs";
import * as path from "node:path";
import { callCost } from "./mcp/callCost.ts";
import { preparationCost } from "./mcp/preparationCost.ts";
import { makeFolder } from "./measure/folder.ts";
import { startProgram } from "./measure/startProgram.ts";
import { print } from "./measure/Table.ts";
import { writeChat } from "./runtime/chatFile.ts";

const folder = makeFolder("mcp");
const chatFile = writeChat(path.join(folder, "chat.jsonl"));
const server = startProgram(new URL("./mcp/EchoServer.ts", import.meta.url));
const url = `http://127.0.0.1:${String(await server.heard())}/mcp`;
const rows = [
  ...(await callCost(url, "2026-07-28", chatFile)),
  ...(await callCost(url, "2025-11-25", chatFile)),
  ...(await preparationCost()),
];
print(
  "MCP: time on the wall, then processor time of this process",
  "ours: a call in a run, through gate, records and gateway, storage in memory, the run without calls taken off; the catalogue of all servers and the tools of an invocation; beside: the protocol's own client on the same server, JSON of what a model is told.",
  rows,
);
server.stop();
fs.rmSync(folder, { recursive: true, force: true });
