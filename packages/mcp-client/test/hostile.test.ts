import type { ServerResponse } from "node:http";
import { assert, describe, it } from "@effect/vitest";
import type { McpOutcome } from "@cahier/ports/McpGateway";
import * as Effect from "effect/Effect";
import * as Gateway from "./support/Gateway.ts";
import * as Raw from "./support/Raw.ts";
import { isSlow } from "./support/slow.ts";

interface Case {
  readonly what: string;
  readonly does: (response: ServerResponse, id: number) => void;
  readonly outcome: string;
  readonly detail?: string;
}

const megabytes = (count: number) => "x".repeat(count * 1024 * 1024);

const textResult = (text: string) => ({ content: [{ type: "text", text }] });

const raw = (response: ServerResponse, type: string, body: string, status = 200) =>
  response.writeHead(status, { "content-type": type }).end(body);

const failed = "Unknown mcp.call_response_failed";

const cases: ReadonlyArray<Case> = [
  {
    what: "an answer to another request",
    does: (response) => Raw.result(response, 4711, textResult("no")),
    outcome: failed,
    detail: "the response holds no answer to the request",
  },
  {
    what: "an answer to another request in a stream that ends",
    does: (response) => {
      Raw.events(response, `data: {"jsonrpc":"2.0","id":4711,"result":{}}\n\n`);
      response.end();
    },
    outcome: failed,
    detail: "the connection ended before the answer",
  },
  { what: "a page of HTML", does: (response) => raw(response, "text/html", "<h1>It works!</h1>"), outcome: failed },
  {
    what: "garbage",
    does: (response) => raw(response, "application/json", '{"jsonrpc": "2.0", "id"'),
    outcome: failed,
  },
  {
    what: "JSON that is no message",
    does: (response) => raw(response, "application/json", '"hello"'),
    outcome: failed,
  },
  { what: "an empty acceptance", does: (response) => response.writeHead(202).end(), outcome: failed },
  {
    what: "a result of 10 MB",
    does: (response, id) => Raw.result(response, id, textResult(megabytes(10))),
    outcome: failed,
    detail: "the response is larger than 4 MiB",
  },
  {
    what: "an event of 10 MB",
    does: (response, id) => {
      const message = JSON.stringify({ jsonrpc: "2.0", id, result: textResult(megabytes(10)) });
      Raw.events(response, `data: ${message}\n\n`);
    },
    outcome: failed,
    detail: "the response is larger than 4 MiB",
  },
  { what: "a connection that is cut", does: (response) => response.destroy(), outcome: failed },
  {
    what: "a connection that is cut within the response",
    does: (response) => {
      response.writeHead(200, { "content-type": "application/json", "content-length": "100" });
      response.write('{"jsonrpc":', () => response.destroy());
    },
    outcome: failed,
  },
  { what: "no head at all", does: () => undefined, outcome: "Unknown mcp.call_timeout" },
  {
    what: "a stream that never says anything",
    does: (response) => Raw.events(response, ": hello\n\n"),
    outcome: "Unknown mcp.call_timeout",
  },
  {
    what: "a failure of HTTP",
    does: (response) => raw(response, "text/plain", "oops", 500),
    outcome: failed,
    detail: "the server answered with HTTP 500: oops",
  },
  {
    what: "a refusal by HTTP",
    does: (response) => raw(response, "text/plain", "", 401),
    outcome: failed,
    detail: "the server answered with HTTP 401",
  },
  {
    what: "an error of the protocol with a failure of HTTP",
    does: (response, id) => Raw.json(response, { jsonrpc: "2.0", id, error: { code: -32_603, message: "no" } }, 500),
    outcome: "ServerError -32603",
  },
  {
    what: "a redirect to a metadata service",
    does: (response) => response.writeHead(307, { location: "http://169.254.169.254/latest" }).end(),
    outcome: failed,
    detail:
      "Redirect to http://169.254.169.254/latest not followed; use that URL as the endpoint if it is the intended server",
  },
  {
    what: "a redirect in a circle",
    does: (response) => response.writeHead(307, { location: "/mcp" }).end(),
    outcome: failed,
  },
  {
    what: "an answer that is nested a million times",
    does: (response, id) => {
      const deep = "[".repeat(1_000_000) + "]".repeat(1_000_000);
      raw(response, "application/json", `{"jsonrpc":"2.0","id":${id},"result":{"content":${deep}}}`);
    },
    outcome: failed,
    detail: "the answer is nested too deeply",
  },
  {
    what: "a failure of HTTP with an error that is nested a hundred thousand times",
    does: (response) => {
      const deep = "[".repeat(100_000) + "]".repeat(100_000);
      raw(response, "application/json", `{"error":{"code":1,"message":"no","data":${deep}}}`, 500);
    },
    outcome: failed,
  },
  { what: "a result that is none", does: (response, id) => Raw.result(response, id, {}), outcome: "Unsupported" },
  {
    what: "a content of numbers",
    does: (response, id) => Raw.result(response, id, { content: [1, 2] }),
    outcome: "Unsupported",
  },
  {
    what: "a content of a kind that nobody knows",
    does: (response, id) => Raw.result(response, id, { content: [{ type: "hologram", of: 1 }] }),
    outcome: "Known",
  },
  {
    what: "a structured content alone",
    does: (response, id) => Raw.result(response, id, { structuredContent: [1] }),
    outcome: "Known",
  },
];

const told = (outcome: McpOutcome): string => ("code" in outcome ? `${outcome._tag} ${outcome.code}` : outcome._tag);

// Every third of them, or all: see `slow.ts`.
describe("a server that answers a call with", () => {
  for (const { what, does, outcome, detail } of cases.filter((_, index) => isSlow || index % 3 === 0)) {
    it.live(`${what} gives ${outcome}, and the next call goes on`, () =>
      Effect.gen(function* () {
        const { url } = yield* Raw.serve((asked, response) => {
          if (asked.method !== "tools/call" || asked.params["name"] !== "bad") return false;
          does(response, asked.id);
          return true;
        });
        const gateway = yield* Gateway.make();
        const server = Gateway.http(url, { protocolVersion: "2025-11-25" });
        const timeoutMs = outcome.endsWith("timeout") ? 200 : 10_000;
        const found = yield* gateway.call(server, { tool: "bad", arguments: {}, timeoutMs });
        assert.strictEqual(told(found), outcome, JSON.stringify(found).slice(0, 300));
        if (detail !== undefined) assert.strictEqual("detail" in found ? found.detail : undefined, detail);
        const next = yield* gateway.call(server, { tool: "echo", arguments: {}, timeoutMs: 10_000 });
        assert.strictEqual(next._tag, "Known", JSON.stringify(next));
      }),
    );
  }
});
