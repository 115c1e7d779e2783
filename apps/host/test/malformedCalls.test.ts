/**
 * What a model can get wrong about a tool call, and what comes of it: a foreign fake server speaks, the run answers.
 *
 * Whatever the model sent, the next request pairs every call with exactly one result, in the order of the calls, and
 * says the arguments of every call as an object.
 */
import type { ServerResponse } from "node:http";
import { LLMock } from "@copilotkit/aimock";
import { readEvents } from "@cahier/application/run/RunReader";
import { startRunFromChat } from "@cahier/application/run/startRun";
import type { Tool } from "@cahier/application/tool/Tool";
import * as ToolId from "@cahier/domain/tool/ToolId";
import type { ToolSource } from "@cahier/domain/tool/ToolDescriptor";
import { afterAll, assert, describe, it } from "@effect/vitest";
import * as Effect from "effect/Effect";
import * as Models from "../src/composition/Models.ts";
import * as Runtime from "../src/composition/Runtime.ts";
import * as Storage from "../src/composition/Storage.ts";
import * as Place from "./support/Place.ts";

/** A call as the server sends it. Without `arguments` the field is absent; `id: null` leaves the id out. */
interface SentCall {
  readonly name: string;
  readonly arguments?: string | null;
  readonly id?: string | null;
}

/** What becomes of one call: its code, undefined when it ran; what the model reads; its arguments in the next request. */
interface Outcome {
  readonly code?: string;
  readonly says?: RegExp;
  readonly replayed: string;
}

/** `outcomes`, one a call in order, where the run goes on; `fails` where it ends at once, with that code. */
interface Row {
  readonly title: string;
  readonly calls: ReadonlyArray<SentCall>;
  readonly outcomes?: ReadonlyArray<Outcome>;
  readonly fails?: string;
  /** How many calls began to run before the run failed. */
  readonly started?: number;
}

const list = "workspace_list_files";
const write = "workspace_write_file";

const runs = (replayed: string): ReadonlyArray<Outcome> => [{ replayed }];
const refused = (code: string, says: RegExp, replayed: string): ReadonlyArray<Outcome> => [{ code, says, replayed }];

const [invalid, unknown] = ["tool.invalid_arguments", "model.unknown_tool_call"];
const wrongType = '{"path":7,"content":"x"}';

// prettier-ignore
const table: ReadonlyArray<Row> = [
  // What stands for no arguments is the empty object, and so it is said again.
  { title: "absent arguments are none", calls: [{ name: list }], outcomes: runs("{}") },
  { title: "empty text is no arguments", calls: [{ name: list, arguments: "" }], outcomes: runs("{}") },
  { title: "null is no arguments", calls: [{ name: list, arguments: null }], outcomes: runs("{}") },
  { title: "the text null is no arguments", calls: [{ name: list, arguments: "null" }], outcomes: runs("{}") },
  { title: "the string null is no arguments", calls: [{ name: list, arguments: '"null"' }], outcomes: runs("{}") },
  { title: "the empty object is no arguments", calls: [{ name: list, arguments: "{}" }], outcomes: runs("{}") },
  { title: "the string {} is no arguments", calls: [{ name: list, arguments: '"{}"' }], outcomes: runs("{}") },
  // An object in a string is that object.
  { title: "an object in a string is taken out of it", calls: [{ name: list, arguments: JSON.stringify('{"path":"output"}') }], outcomes: runs('{"path":"output"}') },
  { title: "an object in a string in a string is taken out of both", calls: [{ name: list, arguments: JSON.stringify(JSON.stringify('{"path":"output"}')) }], outcomes: runs('{"path":"output"}') },
  // Anything else is not run and not repaired; the model reads what it sent, and the provider an empty object.
  { title: "an object that is cut off comes back", calls: [{ name: write, arguments: '{"path":"output/main.md","content":"The ferry' }], outcomes: refused(invalid, /one JSON object.*The ferry/, "{}") },
  { title: "a list comes back", calls: [{ name: list, arguments: '["output"]' }], outcomes: refused(invalid, /one JSON object.*\["output"\]/, "{}") },
  { title: "a number comes back", calls: [{ name: list, arguments: "7" }], outcomes: refused(invalid, /one JSON object.*7/, "{}") },
  { title: "a word comes back", calls: [{ name: list, arguments: "output" }], outcomes: refused(invalid, /one JSON object.*output/, "{}") },
  // An object that does not fit is an object: it is said again as it was.
  { title: "a wrong type comes back with its path", calls: [{ name: write, arguments: wrongType }], outcomes: refused(invalid, /path/, wrongType) },
  // Tools that the invocation does not have.
  { title: "an unknown tool comes back with the names that there are", calls: [{ name: "summon_ferry", arguments: '{"at":"dawn"}' }], outcomes: refused(unknown, /summon_ferry.*workspace_list_files/s, '{"at":"dawn"}') },
  { title: "a tool that the profile hides is an unknown one", calls: [{ name: "workspace_apply_patch", arguments: "{}" }], outcomes: refused(unknown, /workspace_list_files/, "{}") },
  // Ids: without them no result can be paired, so nothing runs.
  { title: "two calls with one id end the run before anything runs", calls: [{ name: list, arguments: "{}", id: "same" }, { name: list, arguments: "{}", id: "same" }], fails: "model.invalid_tool_call" },
  { title: "a call without an id ends the run before anything runs", calls: [{ name: list, arguments: "{}", id: null }], fails: "model.invalid_tool_call" },
  // Tools that throw.
  { title: "a built-in tool that throws ends the run: it is a bug", calls: [{ name: "test_throw", arguments: "{}" }], fails: "tool.executor_failed", started: 1 },
  { title: "an MCP tool that throws is answered with an error", calls: [{ name: "mcp__notes__throw", arguments: "{}" }], outcomes: refused("mcp.server_error", /broke off: TypeError: cannot read/, "{}") },
  { title: "an extension's tool that throws is answered with an error", calls: [{ name: "throw", arguments: "{}" }], outcomes: refused("extension.tool_error", /broke off: TypeError: cannot read/, "{}") },
  // More than one call: all pass the gate, then they run one after the other.
  { title: "a slow call is answered before a fast one that comes after it", calls: [{ name: "mcp__notes__slow", arguments: "{}" }, { name: "mcp__notes__fast", arguments: "{}" }], outcomes: [{ says: /^slow, alone$/, replayed: "{}" }, { says: /^fast, alone$/, replayed: "{}" }] },
  { title: "a bad call between good ones takes nothing from them", calls: [{ name: list, arguments: "" }, { name: list, arguments: "[" }, { name: "nothing" }, { name: list, arguments: "null" }], outcomes: [...runs("{}"), ...refused(invalid, /\[/, "{}"), ...refused(unknown, /nothing/, "{}"), ...runs("{}")] },
];

/** How many of the tools that follow are running. */
const running = { now: 0 };

/** Says whether it was alone from its beginning to its end, which comes after so many turns of the event loop. */
const patient =
  (name: string, turns: number): Tool["run"] =>
  () =>
    Effect.gen(function* () {
      const alone = [(running.now += 1)];
      for (let turn = 0; turn < turns; turn += 1)
        alone.push(
          yield* Effect.promise(() => new Promise<number>((resolve) => setImmediate(() => resolve(running.now)))),
        );
      running.now -= 1;
      const content = `${name}, ${alone.every((count) => count === 1) ? "alone" : "together with another"}`;
      return { _tag: "Done" as const, content };
    });

const throwing: Tool["run"] = () =>
  Effect.sync(() => {
    throw new TypeError("cannot read properties of undefined");
  });

const tool = (id: string, source: ToolSource, run: Tool["run"]): Tool => ({
  descriptor: {
    id: ToolId.ToolId.make(id),
    title: id,
    description: "A tool of a test.",
    inputSchema: { type: "object", properties: {}, additionalProperties: false },
    annotations: { readOnly: true, destructive: false, idempotent: true, openWorld: false, cost: "none" },
    source,
    visibility: "model",
    permission: "always",
    budget: { timeoutMs: 120_000 },
  },
  run,
});

const tools: ReadonlyArray<Tool> = [
  tool("builtin:test.throw", "builtin", throwing),
  tool("mcp/notes:throw", "mcp", throwing),
  tool("mcp/notes:slow", "mcp", patient("slow", 50)),
  tool("mcp/notes:fast", "mcp", patient("fast", 0)),
  tool("extension/quills:throw", "extension", throwing),
];

const profileOf = (stream: boolean) => ({
  kind: "cahier.agentProfile",
  schemaVersion: 1,
  id: "careless",
  displayName: "Careless",
  run: { presentation: "foreground", stream, modelRetry: { maxRetries: 0, intervalMs: 1 } },
  tools: {
    maxRounds: 10,
    allow: [
      ...["list_files", "write_file", "commit", "finish"].map((name) => `builtin:workspace.${name}`),
      ...tools.map(({ descriptor }) => descriptor.id),
    ],
    policy: [{ tools: ["mcp/*", "extension/*"], permission: "always" }],
  },
});

const ending: ReadonlyArray<SentCall> = [
  { name: write, arguments: JSON.stringify({ path: "output/main.md", content: "The end." }) },
  { name: "workspace_commit", arguments: "{}" },
  { name: "workspace_finish", arguments: "{}" },
];

/** What a request says of earlier turns. */
interface SeenMessage {
  readonly role: string;
  readonly content?: unknown;
  readonly tool_call_id?: string;
  readonly tool_calls?: ReadonlyArray<{
    readonly id: string;
    readonly function: { readonly name: string; readonly arguments: string };
  }>;
}

const idOf = (call: SentCall, turn: number, index: number): string => call.id ?? `call_${turn}_${index}`;

/** The turn that a request asks for: the row's calls first, then the end of the run. */
const turnOf = (row: Row, messages: ReadonlyArray<SeenMessage>): readonly [number, ReadonlyArray<SentCall>] => {
  const turn = messages.filter((message) => message.tool_calls !== undefined).length;
  return [turn, turn === 0 ? row.calls : ending];
};

/** A server for one row. It builds no call without id or arguments, so those are written by a handler of our own. */
const serve = Effect.fnUntraced(function* (row: Row) {
  const mock = yield* Effect.acquireRelease(
    Effect.promise(async () => {
      const server = new LLMock({ port: 0, host: "127.0.0.1", chunkSize: 7 });
      await server.start();
      return server;
    }),
    (server) => Effect.promise(() => server.stop()),
  );
  const seen: Array<ReadonlyArray<SeenMessage>> = [];
  const isUsual = row.calls.every((call) => typeof call.arguments === "string" && call.id !== null);
  if (isUsual) {
    mock.on({ predicate: () => true }, (request) => {
      seen.push(request.messages);
      const [turn, calls] = turnOf(row, request.messages);
      return {
        toolCalls: calls.map((call, index) => ({
          name: call.name,
          arguments: call.arguments ?? "",
          id: idOf(call, turn, index),
        })),
      };
    });
    return { baseUrl: `${mock.url}/v1`, seen };
  }
  mock.mount("/raw", {
    handleRequest: async (request, response) => {
      const chunks = await request.toArray();
      const body = JSON.parse(Buffer.concat(chunks as ReadonlyArray<Uint8Array>).toString()) as {
        readonly messages: ReadonlyArray<SeenMessage>;
        readonly stream?: boolean;
      };
      seen.push(body.messages);
      answerRaw(response, ...turnOf(row, body.messages), body.stream === true);
      return true;
    },
  });
  return { baseUrl: `${mock.url}/raw/v1`, seen };
});

const answerRaw = (response: ServerResponse, turn: number, calls: ReadonlyArray<SentCall>, stream: boolean): void => {
  const sent = calls.map((call, index) => ({
    ...(stream ? { index } : {}),
    ...(call.id === null ? {} : { id: idOf(call, turn, index) }),
    type: "function",
    function: { name: call.name, ...("arguments" in call ? { arguments: call.arguments } : {}) },
  }));
  const said = { role: "assistant", content: null, tool_calls: sent };
  const choice = { index: 0, finish_reason: "tool_calls" };
  if (!stream) {
    const body = { id: "r", model: "fake-1", choices: [{ ...choice, message: said }] };
    response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify(body));
    return;
  }
  const chunk = (change: object) => `data: ${JSON.stringify({ id: "r", model: "fake-1", choices: [change] })}\n\n`;
  response.writeHead(200, { "content-type": "text/event-stream" });
  response.end(
    `${chunk({ index: 0, delta: said, finish_reason: null })}${chunk({ ...choice, delta: {} })}data: [DONE]\n\n`,
  );
};

/** Plays one row to its end; gives what the server was sent, and the closing event of every call. */
const play = Effect.fnUntraced(function* (row: Row, stream: boolean) {
  const place = yield* Effect.promise(() => Place.make());
  const { baseUrl, seen } = yield* serve(row);
  const played = Effect.gen(function* () {
    const handle = yield* startRunFromChat({
      chat: { location: place.chat },
      binding: yield* Models.bindingOf({ model: "fake-1" }, { OPENAI_BASE_URL: baseUrl }),
      profile: { document: profileOf(stream) },
    });
    const outcome = yield* handle.outcome;
    const { events } = yield* readEvents(handle.runId, { limit: 500 });
    return { outcome, events, seen, place };
  });
  return yield* Effect.provide(played, Runtime.layer({ storage: Storage.choose({ data: place.data }, {}), tools }));
}, Effect.scoped);

afterAll(Place.removeAll);

describe("a tool call that is not as it should be", () => {
  for (const row of table)
    for (const way of ["streamed", "whole"] as const)
      it.live(`${row.title} (${way})`, () =>
        Effect.gen(function* () {
          const { events, outcome, place, seen } = yield* play(row, way === "streamed");
          const closed = events
            .filter(({ type }) => type === "tool_call_completed" || type === "tool_call_failed")
            .map(({ payload }) => payload as { readonly callId: string; readonly errorCode?: string });
          const started = events.filter(({ type }) => type === "tool_call_started").length;

          if (row.fails !== undefined) {
            assert.deepStrictEqual([outcome.status, outcome.error?.code], ["failed", row.fails]);
            assert.deepStrictEqual([seen.length, started, closed.length], [1, row.started ?? 0, 0]);
            assert.strictEqual(place.chatText(), Place.chatText);
            return;
          }

          assert.deepStrictEqual([outcome.status, outcome.error], ["completed", undefined]);
          const ids = row.calls.map((call, index) => idOf(call, 0, index));
          const expected = row.outcomes ?? [];
          assert.deepStrictEqual(
            closed.slice(0, ids.length).map(({ callId, errorCode }) => [callId, errorCode]),
            ids.map((id, index) => [id, expected[index]?.code]),
          );
          const messages = seen[1] ?? [];
          const asked = messages.findIndex((message) => message.tool_calls !== undefined);
          assert.deepStrictEqual(
            messages[asked]?.tool_calls?.map((call) => [call.id, call.function.name, call.function.arguments]),
            row.calls.map((call, index) => [ids[index], call.name, expected[index]?.replayed]),
          );
          const answers = messages.slice(asked + 1);
          assert.deepStrictEqual(
            answers.map((message) => [message.role, message.tool_call_id]),
            ids.map((id) => ["tool", id]),
          );
          answers.forEach(({ content }, index) => assert.match(String(content), expected[index]?.says ?? /./s));
          assert.strictEqual(place.messages().at(-1)?.mes, "The end.");
        }),
      );
});
