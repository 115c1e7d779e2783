import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { assert, describe, it } from "@effect/vitest";
import type { McpHost, McpOutcome, McpServer } from "@cahier/ports/McpGateway";
import { createMcpHandler } from "@modelcontextprotocol/server";
import * as Deferred from "effect/Deferred";
import * as Effect from "effect/Effect";
import * as Fiber from "effect/Fiber";
import type * as Scope from "effect/Scope";
import * as Gateway from "./support/Gateway.ts";
import * as LawServer from "./support/LawServer.ts";
import * as Loopback from "./support/Loopback.ts";
import { program } from "./support/program.ts";
import * as Reports from "./support/Reports.ts";
import * as Sessioned from "./support/Sessioned.ts";

const callOf = (tool: string, text = "x") => ({ tool, arguments: { text }, timeoutMs: 10_000 });

const textOf = (outcome: McpOutcome): string =>
  outcome._tag === "Known" ? String((outcome.answer.content[0] as { text?: string }).text) : JSON.stringify(outcome);

/** A host that meets everything, and what it was asked. */
const willing = () => {
  const asked: Array<string> = [];
  const host: McpHost = {
    ask: ({ message }) => {
      asked.push(message);
      return Effect.succeed({ action: "accept", content: {} });
    },
    sample: () => {
      asked.push("model");
      return Effect.succeed({ role: "assistant", content: { type: "text", text: "yes" }, model: "model" });
    },
  };
  return { asked, host };
};

/** A process of the older protocol, whose questions do not say of which call they are, and what it has seen. */
const rude = Effect.gen(function* () {
  const reports = Reports.make();
  const environment = { REPORT: String(yield* Reports.listen(reports)) };
  const server = program("rudeServer.ts", { environment, allowsSampling: true, protocolVersion: "2025-11-25" });
  return { server, reports };
});

describe("a question that does not say of which call it is", () => {
  it.live("is put to the host of the only call under way", () =>
    Effect.gen(function* () {
      const { server } = yield* rude;
      const gateway = yield* Gateway.make();
      const { host, asked } = willing();
      assert.strictEqual(textOf(yield* gateway.call(server, callOf("ask"), host)), "accept model");
      assert.deepStrictEqual(asked, ["who?", "model"]);
    }),
  );

  for (const [what, hasHost] of [
    ["another call with a host", true],
    ["another call without one", false],
  ] as const) {
    it.live(`is cancelled beside ${what}, and a model refused, rather than put to the wrong one`, () =>
      Effect.gen(function* () {
        const { server, reports } = yield* rude;
        const gateway = yield* Gateway.make();
        const [first, second] = [willing(), willing()];
        const holding = yield* Effect.forkChild(gateway.call(server, callOf("hold"), hasHost ? first.host : undefined));
        yield* reports.line("call hold");
        const outcome = yield* gateway.call(server, callOf("ask"), second.host);
        assert.strictEqual(textOf(outcome), "cancel refused");
        assert.strictEqual(textOf(yield* Fiber.join(holding)), "cancel refused");
        assert.deepStrictEqual([first.asked, second.asked], [[], []]);
        assert.strictEqual(textOf(yield* gateway.call(server, callOf("ask"), second.host)), "accept model");
      }),
    );
  }
});

const factory = LawServer.make(
  { pages: [[]], isEndless: false },
  () => undefined,
  () => "",
);

const overHttp = (fetch: (request: Request) => Promise<Response>) =>
  Effect.map(Loopback.serveWeb(fetch), ({ url }) => Gateway.http(url));

const overStdio = Effect.gen(function* () {
  const folder = yield* Effect.acquireRelease(
    Effect.promise(() => mkdtemp(join(tmpdir(), "cahier-mcp-"))),
    (made) => Effect.promise(() => rm(made, { recursive: true })),
  );
  const file = join(folder, "stated.json");
  yield* Effect.promise(() => writeFile(file, JSON.stringify({ pages: [[]], isEndless: false })));
  const environment = { STATED: file, REPORT: String(yield* Reports.listen(Reports.make())) };
  return program("lawServer.ts", { environment, protocolVersion: "2026-07-28" });
});

const telling: ReadonlyArray<readonly [name: string, server: Effect.Effect<McpServer, never, Scope.Scope>]> = [
  ["in the stream of its call", overHttp(Sessioned.handler(factory).fetch)],
  ["in the newer protocol", overHttp(createMcpHandler(factory).fetch)],
  ["in the newer protocol over stdio", overStdio],
];

describe("a question that comes", () => {
  for (const [where, start] of telling) {
    it.live(`${where} is put to the host of that call, whatever else is under way`, () =>
      Effect.gen(function* () {
        const server = yield* start;
        const gateway = yield* Gateway.make();
        const both = yield* Deferred.make<void>();
        const asked: Array<string> = [];
        const call = (name: string) =>
          gateway.call(server, callOf("ask", `for ${name}`), {
            ask: ({ message }) => {
              asked.push(`${name} is asked ${message}`);
              if (asked.length === 2) Deferred.doneUnsafe(both, Effect.void);
              return Effect.as(Deferred.await(both), { action: "accept", content: { name } } as const);
            },
          });
        const outcomes = yield* Effect.forEach(["Ada", "Bob"], call, { concurrency: 2 });
        assert.deepStrictEqual(outcomes.map(textOf), ['accept {"name":"Ada"}', 'accept {"name":"Bob"}']);
        assert.sameMembers(asked, ["Ada is asked for Ada", "Bob is asked for Bob"]);
      }),
    );
  }
});
