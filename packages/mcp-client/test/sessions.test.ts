import { assert, describe, it } from "@effect/vitest";
import type { McpHost } from "@cahier/ports/McpGateway";
import { createMcpHandler } from "@modelcontextprotocol/server";
import * as Deferred from "effect/Deferred";
import * as Effect from "effect/Effect";
import * as Fiber from "effect/Fiber";
import * as TestClock from "effect/testing/TestClock";
import * as Gateway from "./support/Gateway.ts";
import * as LawServer from "./support/LawServer.ts";
import * as Loopback from "./support/Loopback.ts";
import * as Raw from "./support/Raw.ts";
import * as Reports from "./support/Reports.ts";
import * as Sessioned from "./support/Sessioned.ts";

const stated = { pages: [[{ name: "echo", inputSchema: { type: "object" } }]], isEndless: false };

const factoryOf = (reports: Reports.Reports) => LawServer.make(stated, reports.report, () => "");

const callOf = (tool: string, text = "x") => ({ tool, arguments: { text }, timeoutMs: 10_000 });

const methodsOf = (requests: ReadonlyArray<Loopback.Seen>) =>
  requests.flatMap(({ body }) => (body === "" ? [] : [(JSON.parse(body) as { method?: string }).method ?? "reply"]));

describe("sessions", () => {
  it.live("are one for each server, also for calls at the same time", () =>
    Effect.gen(function* () {
      const sessioned = Sessioned.handler(factoryOf(Reports.make()));
      const { url } = yield* Loopback.serveWeb(sessioned.fetch);
      const gateway = yield* Gateway.make();
      const server = Gateway.http(url);
      yield* Effect.forEach(Array.from({ length: 10 }), () => gateway.call(server, callOf("echo")), {
        concurrency: "unbounded",
      });
      yield* gateway.discover(server);
      assert.strictEqual(sessioned.count(), 1);
    }),
  );

  it.live("that the server has forgotten are opened anew, and the call that found out is made there", () =>
    Effect.gen(function* () {
      const reports = Reports.make();
      const sessioned = Sessioned.handler(factoryOf(reports));
      const { url } = yield* Loopback.serveWeb(sessioned.fetch);
      const gateway = yield* Gateway.make();
      const server = Gateway.http(url);
      yield* gateway.call(server, callOf("echo", "one"));
      sessioned.forget();
      const outcome = yield* gateway.call(server, callOf("echo", "two"));
      assert.strictEqual(outcome._tag, "Known");
      sessioned.forget();
      assert.lengthOf((yield* gateway.discover(server)).tools, 1);
      assert.deepStrictEqual(reports.lines, ["call one", "call two"]);
    }),
  );

  it.live("of a server that knows none are tried twice, then the call is not sent", () =>
    Effect.gen(function* () {
      const { url } = yield* Raw.serve((asked, response) => {
        if (asked.method !== "tools/call") return false;
        response.writeHead(404).end();
        return true;
      });
      const gateway = yield* Gateway.make();
      const outcome = yield* gateway.call(Gateway.http(url, { protocolVersion: "2025-11-25" }), callOf("echo"));
      assert.deepStrictEqual(outcome, {
        _tag: "NotSent",
        code: "mcp.call_not_queued",
        detail: "the server does not know the session any more",
      });
    }),
  );

  it.live("survive a restart of the server: the next call opens another", () =>
    Effect.gen(function* () {
      const gateway = yield* Gateway.make();
      const first = yield* Effect.scoped(
        Effect.gen(function* () {
          const { url, port } = yield* Loopback.serveWeb(Sessioned.handler(factoryOf(Reports.make())).fetch);
          assert.strictEqual((yield* gateway.call(Gateway.http(url), callOf("echo")))._tag, "Known");
          return { url, port };
        }),
      );
      const server = Gateway.http(first.url);
      const outcome = yield* gateway.call(server, callOf("echo"));
      assert.strictEqual("code" in outcome ? outcome.code : outcome._tag, "mcp.call_not_queued");
      yield* Loopback.serveWeb(Sessioned.handler(factoryOf(Reports.make())).fetch, first.port);
      assert.strictEqual((yield* gateway.call(server, callOf("echo")))._tag, "Known");
    }),
  );

  it.live("are another when the server is stated otherwise", () =>
    Effect.gen(function* () {
      const { url, requests } = yield* Raw.serve(() => false);
      const gateway = yield* Gateway.make();
      const server = Gateway.http(url, { protocolVersion: "2025-11-25" });
      yield* gateway.call(server, callOf("echo"));
      yield* gateway.call(
        Gateway.http(url, { protocolVersion: "2025-11-25", headers: { "x-team": "b" } }),
        callOf("echo"),
      );
      assert.lengthOf(
        methodsOf(requests).filter((method) => method === "initialize"),
        2,
      );
      assert.lengthOf(
        requests.filter(({ method }) => method === "DELETE"),
        1,
      );
    }),
  );

  it.effect("that nothing uses are ended after the time for it", () =>
    Effect.gen(function* () {
      const ended = yield* Deferred.make<void>();
      const { url } = yield* Loopback.serveWeb((request) => {
        if (request.method === "DELETE") Deferred.doneUnsafe(ended, Effect.void);
        return sessioned.fetch(request);
      });
      const sessioned = Sessioned.handler(factoryOf(Reports.make()));
      const gateway = yield* Gateway.make({ idle: "1 minutes" });
      yield* gateway.call(Gateway.http(url), callOf("echo"));
      yield* TestClock.adjust("59 seconds");
      assert.isFalse(yield* Deferred.isDone(ended));
      yield* TestClock.adjust("1 seconds");
      yield* Deferred.await(ended);
    }),
  );

  it.live("tell which host of theirs that lists have changed, in both eras", () =>
    Effect.gen(function* () {
      const gateway = yield* Gateway.make();
      const changedWith = (told: Deferred.Deferred<string>): McpHost => ({
        listChanged: (serverId, list) => Deferred.doneUnsafe(told, Effect.succeed(`${serverId} ${list}`)),
      });
      const modern = createMcpHandler(factoryOf(Reports.make()));
      const listening = yield* Deferred.make<void>();
      const newer = yield* Loopback.serveWeb(async (request) => {
        const isListen = (await request.clone().text()).includes("subscriptions/listen");
        const response = await modern.fetch(request);
        if (isListen) Deferred.doneUnsafe(listening, Effect.void);
        return response;
      });
      const toldOfNewer = yield* Deferred.make<string>();
      yield* gateway.discover(Gateway.http(newer.url), changedWith(toldOfNewer));
      yield* Deferred.await(listening);
      modern.notify.toolsChanged();
      assert.strictEqual(yield* Deferred.await(toldOfNewer), "server tools");

      const older = yield* Raw.serve((asked, response) => {
        if (asked.method !== "tools/call") return false;
        Raw.events(response, `data: {"jsonrpc":"2.0","method":"notifications/tools/list_changed"}\n\n`);
        response.end(`data: ${JSON.stringify({ jsonrpc: "2.0", id: asked.id, result: { content: [] } })}\n\n`);
        return true;
      });
      const toldOfOlder = yield* Deferred.make<string>();
      const server = Gateway.http(older.url, { id: "older", protocolVersion: "2025-06-18" });
      yield* gateway.call(server, callOf("echo"), changedWith(toldOfOlder));
      assert.strictEqual(yield* Deferred.await(toldOfOlder), "older tools");
    }),
  );
});

describe("calls", () => {
  it.live("with arguments of more than 256 KiB, or of a tool that can have no such name, are not sent", () =>
    Effect.gen(function* () {
      const { url, requests } = yield* Raw.serve(() => false);
      const gateway = yield* Gateway.make();
      const server = Gateway.http(url, { protocolVersion: "2025-11-25" });
      const large = { tool: "echo", arguments: { text: "é".repeat(128 * 1024) }, timeoutMs: 1000 };
      const outcomes = [
        yield* gateway.call(server, large),
        yield* gateway.call(server, { tool: "", arguments: {}, timeoutMs: 1000 }),
      ];
      assert.deepStrictEqual(
        outcomes.map((outcome) => ("code" in outcome ? [outcome._tag, outcome.code] : [outcome._tag])),
        [
          ["NotSent", "mcp.call_arguments_too_large"],
          ["NotSent", "mcp.call_tool_unavailable"],
        ],
      );
      assert.lengthOf(requests, 0);
    }),
  );

  it.live("that were not sent before their time was over are not sent later", () =>
    Effect.gen(function* () {
      const reached = yield* Deferred.make<() => void>();
      const { url, requests } = yield* Raw.serve((asked, response, seen) => {
        if (asked.method !== "initialize" || seen.headers["x-slow"] === undefined) return false;
        const serverInfo = { name: "raw", version: "1" };
        const answer = { protocolVersion: "2025-11-25", capabilities: { tools: {} }, serverInfo };
        Deferred.doneUnsafe(
          reached,
          Effect.succeed(() => Raw.result(response, asked.id, answer)),
        );
        return true;
      });
      const gateway = yield* Gateway.make();
      const server = Gateway.http(url, { protocolVersion: "2025-11-25", headers: { "x-slow": "1" } });
      const calling = yield* Effect.forkChild(gateway.call(server, { ...callOf("echo", "late"), timeoutMs: 300 }));
      const proceed = yield* Deferred.await(reached);
      const outcome = yield* Fiber.join(calling);
      assert.strictEqual("code" in outcome ? outcome.code : outcome._tag, "mcp.call_initialize_timeout");
      proceed();
      yield* gateway.call(server, callOf("echo", "next"));
      const calls = requests.filter(({ body }) => body.includes("tools/call"));
      assert.lengthOf(calls, 1);
      assert.include(calls[0]?.body ?? "", "next");
    }),
  );

  it.live("that are closed before anything of them was written are not sent", () =>
    Effect.gen(function* () {
      const reports = Reports.make();
      const { url } = yield* Loopback.serveWeb(createMcpHandler(factoryOf(reports)).fetch);
      const gateway = yield* Gateway.make();
      const server = Gateway.http(url);
      yield* gateway.call(server, callOf("echo", "first"));
      const calling = yield* Effect.forkChild(gateway.call(server, callOf("echo", "second")), {
        startImmediately: true,
      });
      yield* gateway.close(server.id);
      assert.deepStrictEqual(yield* Fiber.join(calling), {
        _tag: "NotSent",
        code: "mcp.call_cancelled_before_send",
        detail: "the connection was closed on this side",
      });
      yield* gateway.call(server, callOf("echo", "third"));
      assert.deepStrictEqual(reports.lines, ["call first", "call third"]);
    }),
  );

  it.live("of a name that no tool can have are not sent", () =>
    Effect.gen(function* () {
      const { url, requests } = yield* Raw.serve(() => false);
      const gateway = yield* Gateway.make();
      for (const name of ["", "n".repeat(257), "é".repeat(129)]) {
        const outcome = yield* gateway.call(Gateway.http(url), callOf(name));
        assert.strictEqual("code" in outcome ? outcome.code : outcome._tag, "mcp.call_tool_unavailable");
      }
      assert.lengthOf(requests, 0);
    }),
  );
});

describe("progress", () => {
  it.live("is only what the server says of it", () =>
    Effect.gen(function* () {
      const { url } = yield* Loopback.serveWeb(createMcpHandler(factoryOf(Reports.make())).fetch);
      const gateway = yield* Gateway.make();
      const told: Array<unknown> = [];
      const call = { ...callOf("ask"), onProgress: (progress: unknown) => void told.push(progress) };
      const outcome = yield* gateway.call(Gateway.http(url), call, {
        ask: () => Effect.succeed({ action: "decline" }),
      });
      assert.strictEqual(outcome._tag, "Known");
      assert.deepStrictEqual(told, []);
    }),
  );
});

describe("secrets", () => {
  const key = "sk-cahier-test-0123456789";
  const headers = { authorization: { secret: { key: "TOKEN" } }, "x-plain": "plain" };
  const secrets = { TOKEN: `Bearer ${key}` };

  it.live("are sent, and repeated by no outcome or fault of a server that echoes them", () =>
    Effect.gen(function* () {
      const base64 = Buffer.from(key).toString("base64");
      const { url, requests } = yield* Raw.serve((asked, response, seen) => {
        const said = `you are ${String(seen.headers.authorization)} or ${base64}`;
        if (asked.method === "tools/list")
          Raw.json(response, { jsonrpc: "2.0", id: asked.id, error: { code: 1, message: said } });
        else if (asked.method === "tools/call" && asked.params["name"] === "http") response.writeHead(500).end(said);
        else if (asked.method === "tools/call" && asked.params["name"] === "error") {
          Raw.json(response, {
            jsonrpc: "2.0",
            id: asked.id,
            error: { code: 1, message: said, data: { [key]: said } },
          });
        } else if (asked.method === "tools/call")
          Raw.result(response, asked.id, { content: [{ type: "text", text: said }] });
        else return false;
        return true;
      });
      const gateway = yield* Gateway.make({ secrets });
      const server = Gateway.http(url, { protocolVersion: "2025-11-25", headers });
      const texts = [
        JSON.stringify(yield* Effect.flip(gateway.discover(server))),
        ...(yield* Effect.forEach(["http", "error", "echo"], (tool) => gateway.call(server, callOf(tool)))).map(
          (outcome) => JSON.stringify(outcome),
        ),
      ];
      assert.strictEqual(requests.at(-1)?.headers.authorization, `Bearer ${key}`);
      assert.strictEqual(requests.at(-1)?.headers["x-plain"], "plain");
      for (const text of texts) {
        assert.notInclude(text, key);
        assert.notInclude(text, base64);
        assert.include(text, "[redacted]");
      }
    }),
  );

  it.live("that are absent, or that no header can hold, are named and not sent", () =>
    Effect.gen(function* () {
      const { url, requests } = yield* Raw.serve(() => false);
      const absent = yield* Gateway.make();
      const fault = yield* Effect.flip(absent.discover(Gateway.http(url, { headers })));
      assert.strictEqual(fault.code, "mcp.discovery_initialize_failed");
      assert.strictEqual(fault.detail, "the secret TOKEN, which authorization refers to, has no value");
      const unfit = yield* Gateway.make({ secrets: { TOKEN: `${key}\n` } });
      const refused = yield* Effect.flip(unfit.discover(Gateway.http(url, { headers })));
      assert.strictEqual(refused.detail, 'the header "authorization" cannot be sent as it is');
      assert.lengthOf(requests, 0);
    }),
  );
});

describe("requests for resources and prompts", () => {
  it.live("fail with the code of what went wrong", () =>
    Effect.gen(function* () {
      const { url } = yield* Raw.serve((asked, response) => {
        if (asked.method === "initialize") {
          const capabilities = { resources: {}, prompts: {} };
          const serverInfo = { name: "raw", version: "1" };
          Raw.result(response, asked.id, { protocolVersion: "2025-11-25", capabilities, serverInfo });
        } else if (asked.method === "resources/list")
          Raw.result(response, asked.id, { resources: [], nextCursor: "same" });
        else if (asked.method === "prompts/get")
          Raw.json(response, { jsonrpc: "2.0", id: asked.id, error: { code: -1, message: "no" } });
        else if (asked.method === "resources/read") response.destroy();
        else return false;
        return true;
      });
      const gateway = yield* Gateway.make();
      const server = Gateway.http(url, { protocolVersion: "2025-11-25" });
      const faults = [
        yield* Effect.flip(gateway.list(server, "resources")),
        yield* Effect.flip(gateway.getPrompt(server, "greet", {})),
        yield* Effect.flip(gateway.readResource(server, "a:b")),
      ];
      assert.deepStrictEqual(
        faults.map(({ code }) => code),
        ["mcp.request_list_too_long", "mcp.request_server_error", "mcp.request_failed"],
      );
    }),
  );

  it.effect("are answered within a minute, by a server that is ready within half of one", () =>
    Effect.gen(function* () {
      for (const [method, wait, code] of [
        ["initialize", "30 seconds", "mcp.request_initialize_timeout"],
        ["prompts/get", "60 seconds", "mcp.request_timeout"],
      ] as const) {
        const reached = yield* Deferred.make<void>();
        const { url } = yield* Raw.serve((asked, response) => {
          if (asked.method === method) {
            Deferred.doneUnsafe(reached, Effect.void);
            return true;
          }
          if (asked.method !== "initialize") return false;
          const serverInfo = { name: "raw", version: "1" };
          Raw.result(response, asked.id, { protocolVersion: "2025-11-25", capabilities: { prompts: {} }, serverInfo });
          return true;
        });
        const gateway = yield* Gateway.make();
        const server = Gateway.http(url, { protocolVersion: "2025-11-25" });
        const asking = yield* Effect.forkChild(Effect.flip(gateway.getPrompt(server, "greet", {})));
        yield* Deferred.await(reached);
        yield* TestClock.adjust(wait);
        assert.strictEqual((yield* Fiber.join(asking)).code, code);
      }
    }),
  );
});
