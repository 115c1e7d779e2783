/**
 * What a fork costs: the model server and the bell that a tool rings count who asks them.
 */
import { createServer, type IncomingMessage } from "node:http";
import { once } from "node:events";
import type { AddressInfo } from "node:net";
import { text as wholeText } from "node:stream/consumers";
import { afterAll, assert, describe, it } from "@effect/vitest";
import { forkRun } from "@cahier/application/fork/forkRun";
import { readEvents } from "@cahier/application/run/RunReader";
import { startRunFromChat } from "@cahier/application/run/startRun";
import type { Tool } from "@cahier/application/tool/Tool";
import { ToolId } from "@cahier/domain/tool/ToolId";
import * as Effect from "effect/Effect";
import * as Runtime from "../src/composition/Runtime.ts";
import * as Place from "./support/Place.ts";

afterAll(Place.removeAll);

/** A model over HTTP that drafts, rings, commits and ends, and the bell; `asked` and `rung` count requests. */
const serve = Effect.acquireRelease(
  Effect.promise(async () => {
    const counts = { asked: 0, rung: 0 };
    const server = createServer((request, response) => {
      if (request.url === "/bell") counts.rung += 1;
      else counts.asked += 1;
      void answerTo(request).then((body) =>
        response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify(body)),
      );
    });
    server.listen(0, "127.0.0.1");
    await once(server, "listening");
    return { counts, server, address: `http://127.0.0.1:${(server.address() as AddressInfo).port}` };
  }),
  ({ server }) => Effect.promise(async () => void (server.closeAllConnections(), server.close())),
);

const calls = [
  { name: "workspace_write_file", arguments: { path: "output/main.md", content: "The bell." } },
  { name: "ring", arguments: {} },
  { name: "workspace_commit", arguments: {} },
  { name: "workspace_finish", arguments: {} },
];

const answerTo = async (request: IncomingMessage): Promise<unknown> => {
  if (request.url === "/bell") return {};
  const { messages, tools } = JSON.parse(await wholeText(request)) as {
    readonly messages: ReadonlyArray<{ role: string }>;
    readonly tools: ReadonlyArray<{ function: { name: string } }>;
  };
  const answered = messages.filter(({ role }) => role === "tool").length;
  const call = calls[answered];
  if (call === undefined) throw new Error("the model was asked once too often");
  const toolCall = {
    id: `call_${answered}`,
    type: "function",
    function: {
      // A tool from outside has a name that the runtime makes.
      name: tools.find(({ function: { name } }) => name.includes(call.name))?.function.name,
      arguments: JSON.stringify(call.arguments),
    },
  };
  return {
    id: `response_${answered}`,
    model: "fake",
    choices: [
      { index: 0, finish_reason: "tool_calls", message: { role: "assistant", content: null, tool_calls: [toolCall] } },
    ],
    usage: { prompt_tokens: 10, completion_tokens: 5, total_tokens: 15 },
  };
};

/** A tool that reaches outside and cannot be taken back. */
const bell = (address: string): Tool => ({
  descriptor: {
    id: ToolId.make("extension/bell:ring"),
    title: "Ring the bell",
    description: "Rings the bell.",
    inputSchema: { type: "object", properties: {}, additionalProperties: false },
    annotations: { readOnly: false, destructive: false, idempotent: false, openWorld: true, cost: "none" },
    effectClass: "irreversible",
    sideEffect: "Rings the bell.",
    source: "extension",
    visibility: "model",
    permission: "always",
    budget: { timeoutMs: 10_000 },
  },
  run: () =>
    Effect.as(
      Effect.promise(() => fetch(`${address}/bell`, { method: "POST" })),
      { _tag: "Done", content: "It rings." },
    ),
});

const profile = {
  kind: "cahier.agentProfile",
  schemaVersion: 1,
  id: "ringer",
  displayName: "Ringer",
  run: { presentation: "background", stream: false },
  tools: {
    maxRounds: 10,
    maxCallsPerRun: 10,
    allow: [...["write_file", "commit", "finish"].map((name) => `builtin:workspace.${name}`), "extension/bell:ring"],
  },
};

const otherModel = {
  source: "scripted",
  format: "scripted",
  modelId: "script",
  script: JSON.stringify(Place.script(Place.finish())),
} as const;

describe("a fork with another model", () => {
  it.live("makes no call of what it shares, to the model or to a tool, wherever the run is forked", () =>
    Effect.gen(function* () {
      const place = yield* Effect.promise(() => Place.make());
      const { address, counts } = yield* serve;
      const storage = Effect.succeed({ kind: "files" as const, directory: place.data });
      yield* Effect.gen(function* () {
        const run = yield* startRunFromChat({
          chat: { location: place.chat },
          binding: { source: "custom", format: "openai-chat", modelId: "fake", baseUrl: `${address}/v1` },
          profile: { document: profile },
          approve: ["extension/bell:ring"],
        });
        assert.strictEqual((yield* run.outcome).status, "completed");
        assert.deepStrictEqual(counts, { asked: calls.length, rung: 1 });
        const { events } = yield* readEvents(run.runId, { limit: 500 });
        const ringing = events.filter(({ payload }) => (payload as { callId?: string }).callId === "call_1");
        const [first, last] = [ringing[0]?.seq ?? 0, ringing.at(-1)?.seq ?? 0];
        const forked: Array<string> = [];
        for (const { seq } of events) {
          const before = counts.rung;
          const fork = yield* Effect.option(
            forkRun(run.runId, seq, { model: otherModel, approve: ["extension/bell:ring"] }),
          );
          if (fork._tag === "None") continue;
          const { status } = yield* fork.value.outcome;
          forked.push(status);
          assert.strictEqual(counts.asked, calls.length, `the model was asked for a fork at ${seq}`);
          // Between the model's wish and the bell's answer the call is the fork's own to make, at most once.
          const shared = fork.value.forkedFrom.seq;
          const most = shared >= first && shared < last ? 1 : 0;
          assert.isAtMost(counts.rung - before, most, `the bell rang for a fork at ${seq}`);
        }
        assert.isAtLeast(forked.length, 20);
        assert.deepStrictEqual(new Set(forked), new Set(["completed"]));
      }).pipe(Effect.provide(Runtime.layer({ storage, tools: [bell(address)] })), Effect.scoped);
    }).pipe(Effect.scoped),
  );
});
