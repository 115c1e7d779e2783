/**
 * The other end of the extension benchmark: a program that the benchmark starts as a process beside it.
 *
 * Connects twice, to the addresses that it is given: as an extension with a tool that says back its text, and as a bare peer that
 * says back whatever it is sent. Says so once both are there, and ends with the process that started it.
 */
import { type BridgeSocket, fromWebSocket } from "@cahier/host-api/extension/BridgeSocket";
import * as ExtensionClient from "@cahier/host-api/extension/ExtensionClient";
import { once } from "node:events";
import { WebSocket } from "ws";

const [, , bridge = "", bare = "", token = ""] = process.argv;

const open = (url: string): Promise<BridgeSocket> =>
  new Promise((resolve, reject) => {
    const socket = new WebSocket(url);
    const connection = fromWebSocket(socket);
    socket.on("open", () => resolve(connection));
    socket.on("error", reject);
  });

const client = ExtensionClient.connect({ url: bridge, token, open });
await client.register(
  {
    extensionId: "bench",
    name: "echo",
    description: "Says back the text.",
    inputSchema: { type: "object", properties: { text: { type: "string" } }, required: ["text"] },
    contexts: ["chat"],
    annotations: { readOnly: true, idempotent: true },
  },
  ({ text }) => text,
);

const socket = new WebSocket(bare);
socket.on("message", (told, isBinary) => socket.send(told, { binary: isBinary }));
await once(socket, "open");

process.send?.("there");
process.on("disconnect", () => process.exit(0));
