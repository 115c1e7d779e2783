/**
 * What a call of an extension's tool takes, through the registry and the bridge to another process and back, beside a bare message
 * over a WebSocket of the same kind to the same process.
 */
import * as ExtensionRegistry from "@cahier/application/extension/ExtensionRegistry";
import { CallId, rootInvocation, RunId } from "@cahier/domain/identity/Identity";
import type { JsonObject } from "@cahier/domain/tool/ToolArguments";
import { ToolId } from "@cahier/domain/tool/ToolId";
import * as BridgeSession from "@cahier/host-api/extension/BridgeSession";
import { maxMessageBytes } from "@cahier/host-api/extension/BridgeLimits";
import { fromWebSocket } from "@cahier/host-api/extension/BridgeSocket";
import type { SourceCall } from "@cahier/ports/ToolSource";
import * as Effect from "effect/Effect";
import * as Redacted from "effect/Redacted";
import { once } from "node:events";
import type { AddressInfo } from "node:net";
import { type WebSocket, WebSocketServer } from "ws";
import { isShort } from "./measure/isShort.ts";
import { median } from "./measure/median.ts";
import { pairs } from "./measure/pairs.ts";
import { startProgram } from "./measure/startProgram.ts";
import { print, type Row, spreadOf } from "./measure/Table.ts";
import { prose } from "./model/prose.ts";

const { measured, warmUps } = isShort ? { warmUps: 20, measured: 21 } : { warmUps: 40, measured: 61 };

const token = "the token of a benchmark";

const listen = async (): Promise<{ readonly server: WebSocketServer; readonly url: string }> => {
  const server = new WebSocketServer({ host: "127.0.0.1", port: 0, maxPayload: maxMessageBytes });
  await once(server, "listening");
  return { server, url: `ws://127.0.0.1:${(server.address() as AddressInfo).port}` };
};

const registry = ExtensionRegistry.make();
const bridge = await listen();
const bare = await listen();
const sessions: Array<Promise<void>> = [];
bridge.server.on("connection", (socket) => {
  const session = BridgeSession.serve(registry, fromWebSocket(socket), { token: Redacted.make(token) });
  sessions.push(Effect.runPromise(session));
});
const connected = once(bare.server, "connection");
const peer = startProgram(new URL("./extension/ExtensionPeer.ts", import.meta.url), [bridge.url, bare.url, token]);
const ready = peer.heard();
const [bareSocket] = (await connected) as [WebSocket];
await ready;

const callOf = (given: JsonObject): SourceCall => ({
  toolId: ToolId.make("extension/bench:echo"),
  arguments: given,
  runId: RunId.make(`run_${"0".repeat(32)}`),
  invocationId: rootInvocation,
  callId: CallId.make("call of a model"),
  key: "call_1",
  scene: "chat",
  timeoutMs: 20_000,
  ask: () => Effect.succeed({ action: "cancel" }),
  sample: () => Effect.fail({ code: "tool.denied", message: "No model is asked here." }),
});

/** `times` calls one after the other. */
const compare = async (what: string, text: string, times: number): Promise<Row> => {
  const call = callOf({ text });
  const payload = JSON.stringify({ text });
  const found = await pairs(
    {
      ours: async () => {
        for (let time = 0; time < times; time += 1) {
          // oxlint-disable-next-line no-await-in-loop -- what is measured happens one after the other.
          const outcome = await Effect.runPromise(registry.source.call(call));
          if (outcome._tag !== "Answered" || outcome.content !== text)
            throw new Error(`the extension answered ${JSON.stringify(outcome)}`);
        }
      },
      theirs: async () => {
        for (let time = 0; time < times; time += 1) {
          const answered = once(bareSocket, "message");
          bareSocket.send(payload);
          // oxlint-disable-next-line no-await-in-loop -- what is measured happens one after the other.
          const [told] = (await answered) as [Buffer];
          if (told.toString("utf8") !== payload) throw new Error("the bare peer says something else than it was told");
        }
      },
    },
    warmUps,
    measured,
  );
  const ratios = found.map((pair) => pair.ours.wall / pair.theirs.wall);
  const processor = found.map((pair) => pair.ours.cpu / pair.theirs.cpu);
  const milliseconds = (side: "ours" | "theirs"): string =>
    `${(median(found.map((pair) => pair[side].wall)) / times).toFixed(3)} ms, ${(median(found.map((pair) => pair[side].cpu)) / times).toFixed(3)} ms`;
  return {
    what,
    ours: milliseconds("ours"),
    theirs: `${milliseconds("theirs")} (${median(processor).toFixed(2)}x)`,
    value: median(ratios),
    limit: 3,
    spread: spreadOf(ratios),
  };
};

const rows = [
  await compare("a call with a line of text", "The tide comes back before the bell.", 100),
  await compare("a call with 64 KiB of text", prose(3, 64 * 1024), 20),
];
print(
  "Extension tools: time on the wall of a round trip, then processor time of this process",
  "ours: registry and bridge, acknowledged and checked; beside: a bare message of the same arguments over ws to the same process, said back.",
  rows,
);
peer.stop();
await Promise.all(sessions);
for (const { server } of [bridge, bare]) server.close();
