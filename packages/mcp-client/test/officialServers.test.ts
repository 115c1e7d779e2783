/**
 * The servers that the protocol's own people publish, as processes. Both speak the older era only. They are slow to start:
 * these tests run with `CAHIER_SLOW`, as the script `test:slow` sets it. "filesystem" has no HTTP.
 */
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { assert, describe, it } from "@effect/vitest";
import type { McpCall, McpHost, McpOutcome, McpQuestion, McpServer } from "@cahier/ports/McpGateway";
import * as Deferred from "effect/Deferred";
import * as Effect from "effect/Effect";
import * as Fiber from "effect/Fiber";
import type * as Schema from "effect/Schema";
import * as Gateway from "./support/Gateway.ts";
import * as Process from "./support/Process.ts";
import { isSlow } from "./support/slow.ts";

const require = createRequire(import.meta.url);

const programBeside = (description: string): string => join(description, "..", "dist", "index.js");

const everything = programBeside(require.resolve("@modelcontextprotocol/server-everything/package.json"));
const filesystem = programBeside(require.resolve("@modelcontextprotocol/server-filesystem/package.json"));

const overStdio = (given: ReadonlyArray<string>): McpServer => ({
  id: "official",
  endpoint: { transport: "stdio", command: process.execPath, arguments: given, environment: {} },
  protocolVersion: "auto",
  allowsSampling: true,
});

const overHttp = Effect.map(Process.onLoopback([everything, "streamableHttp"]), ({ port, kill }) => ({
  server: Gateway.http(`http://127.0.0.1:${port}/mcp`, { allowsSampling: true }),
  kill,
}));

const starts = [
  {
    transport: "stdio",
    start: Effect.succeed({ server: overStdio([everything, "stdio"]) }),
  },
  { transport: "Streamable HTTP", start: overHttp },
] as const;

const callOf = (tool: string, given: McpCall["arguments"] = {}): McpCall => ({
  tool,
  arguments: given,
  timeoutMs: 20_000,
});

const answerOf = (outcome: McpOutcome) => {
  if (outcome._tag !== "Known") return assert.fail(JSON.stringify(outcome));
  assert.isFalse(outcome.answer.isError);
  return outcome.answer;
};

const contentOf = (outcome: McpOutcome) =>
  answerOf(outcome).content as ReadonlyArray<Readonly<Record<string, unknown>>>;

const textOf = (outcome: McpOutcome): string =>
  contentOf(outcome)
    .map(({ text }) => String(text))
    .join("\n");

for (const { transport, start } of starts) {
  describe.skipIf(!isSlow)(`the official server "everything" over ${transport}`, () => {
    it.live(
      "gives its tools, resources and prompts, in the newest version that it speaks",
      () =>
        Effect.gen(function* () {
          const { server } = yield* start;
          const gateway = yield* Gateway.make();
          const { protocolVersion, tools, diagnostics, peer } = yield* gateway.discover(server);
          assert.deepStrictEqual([peer.name, protocolVersion], ["mcp-servers/everything", "2025-11-25"]);
          assert.deepStrictEqual(diagnostics, []);
          assert.includeMembers(
            tools.map(({ name }) => name),
            ["echo", "get-structured-content", "trigger-elicitation-request", "trigger-sampling-request"],
          );
          assert.isNotEmpty(yield* gateway.list(server, "resources"));
          assert.lengthOf(yield* gateway.list(server, "resourceTemplates"), 2);
          const read = yield* gateway.readResource(server, "demo://resource/dynamic/text/1");
          assert.include(JSON.stringify(read), "This is a plaintext resource");
          assert.isNotEmpty(yield* gateway.list(server, "prompts"));
          const prompt = yield* gateway.getPrompt(server, "args-prompt", { city: "Bruges" });
          assert.include(JSON.stringify(prompt), "What's weather in Bruges?");
        }),
      30_000,
    );

    it.live(
      "answers with texts, structures, images, links and resources as they are",
      () =>
        Effect.gen(function* () {
          const { server } = yield* start;
          const gateway = yield* Gateway.make();
          const call = (tool: string, given?: McpCall["arguments"]) => gateway.call(server, callOf(tool, given));
          assert.strictEqual(textOf(yield* call("echo", { message: "é\u0000🙂" })), "Echo: é\u0000🙂");
          const structured = answerOf(yield* call("get-structured-content", { location: "Chicago" }));
          assert.deepStrictEqual(structured.structuredContent, {
            temperature: 36,
            conditions: "Light rain / drizzle",
            humidity: 82,
          });
          const image = contentOf(yield* call("get-tiny-image")).find(({ type }) => type === "image");
          assert.strictEqual(image?.["mimeType"], "image/png");
          const png = Buffer.from(String(image?.["data"]), "base64");
          assert.strictEqual(png.subarray(1, 4).toString("latin1"), "PNG");
          const links = contentOf(yield* call("get-resource-links", { count: 2 })).slice(1);
          assert.deepStrictEqual(
            links.map(({ type, uri }) => [type, uri]),
            [
              ["resource_link", "demo://resource/dynamic/blob/1"],
              ["resource_link", "demo://resource/dynamic/text/2"],
            ],
          );
          const within = contentOf(yield* call("get-resource-reference", { resourceType: "Text", resourceId: 1 }));
          assert.isTrue(within.some(({ type }) => type === "resource"));
          const wrong = yield* call("get-sum", { a: "one", b: 2 });
          assert.isTrue(wrong._tag === "Known" ? wrong.answer.isError : wrong._tag === "ServerError");
        }),
      30_000,
    );

    it.live(
      "tells its progress, and a call that is given up leaves the session to the next",
      () =>
        Effect.gen(function* () {
          const { server } = yield* start;
          const gateway = yield* Gateway.make();
          const told: Array<readonly [done: number, total: number | undefined]> = [];
          const short = callOf("trigger-long-running-operation", { duration: 0.3, steps: 3 });
          const onProgress: McpCall["onProgress"] = ({ done, total }) => void told.push([done, total]);
          assert.include(textOf(yield* gateway.call(server, { ...short, onProgress })), "completed");
          assert.deepStrictEqual(told, [
            [1, 3],
            [2, 3],
            [3, 3],
          ]);
          const begun = yield* Deferred.make<void>();
          const long = callOf("trigger-long-running-operation", { duration: 600, steps: 6000 });
          const waiting = yield* Effect.forkChild(
            gateway.call(server, { ...long, onProgress: () => Deferred.doneUnsafe(begun, Effect.void) }),
          );
          yield* Deferred.await(begun);
          yield* Fiber.interrupt(waiting);
          const late = yield* gateway.call(server, { ...long, timeoutMs: 200 });
          assert.strictEqual("code" in late ? late.code : late._tag, "mcp.call_timeout");
          assert.strictEqual(textOf(yield* gateway.call(server, callOf("echo", { message: "on" }))), "Echo: on");
        }),
      30_000,
    );

    it.live(
      "asks a person and a model, and is told what they say",
      () =>
        Effect.gen(function* () {
          const { server } = yield* start;
          const gateway = yield* Gateway.make();
          const questions: Array<McpQuestion> = [];
          const requests: Array<Schema.Json> = [];
          const host: McpHost = {
            ask: (question) =>
              Effect.sync(() => {
                questions.push(question);
                return { action: "accept", content: { name: "Ada", check: true } };
              }),
            sample: (_server, request) =>
              Effect.sync(() => {
                requests.push(request);
                const content = { type: "text", text: "a model's answer" };
                return { role: "assistant", content, model: "a model", stopReason: "endTurn" };
              }),
          };
          yield* gateway.discover(server, host);
          const asked = textOf(yield* gateway.call(server, callOf("trigger-elicitation-request"), host));
          assert.include(asked, "- Name: Ada");
          assert.include(asked, "- Favorite Integer: 42");
          assert.lengthOf(questions, 1);
          const alone = textOf(yield* gateway.call(server, callOf("trigger-elicitation-request")));
          assert.include(alone, "User cancelled");
          const sampling = callOf("trigger-sampling-request", { prompt: "a prompt", maxTokens: 10 });
          assert.include(textOf(yield* gateway.call(server, sampling, host)), "a model's answer");
          assert.include(JSON.stringify(requests), "a prompt");
        }),
      30_000,
    );

    it.live(
      "is no server of the newer era",
      () =>
        Effect.gen(function* () {
          const { server } = yield* start;
          const gateway = yield* Gateway.make();
          const fault = yield* Effect.flip(gateway.discover({ ...server, protocolVersion: "2026-07-28" }));
          assert.strictEqual(fault.code, "mcp.discovery_initialize_failed");
        }),
      30_000,
    );
  });
}

describe.skipIf(!isSlow)("a server over HTTP that is killed in the middle of a call", () => {
  it.live(
    "leaves the call unknown, and a call after it unsent",
    () =>
      Effect.gen(function* () {
        const { server, kill } = yield* overHttp;
        const gateway = yield* Gateway.make();
        const begun = yield* Deferred.make<void>();
        const long = callOf("trigger-long-running-operation", { duration: 600, steps: 6000 });
        const calling = yield* Effect.forkChild(
          gateway.call(server, { ...long, onProgress: () => Deferred.doneUnsafe(begun, Effect.void) }),
        );
        yield* Deferred.await(begun);
        yield* kill;
        const outcome = yield* Fiber.join(calling);
        assert.deepStrictEqual(
          ["code" in outcome ? outcome.code : "", outcome._tag],
          ["mcp.call_response_failed", "Unknown"],
        );
        assert.strictEqual((yield* gateway.call(server, callOf("echo", { message: "x" })))._tag, "NotSent");
      }),
    30_000,
  );
});

describe.skipIf(!isSlow)('the official server "filesystem" over stdio', () => {
  it.live(
    "writes and reads in the folder that it is given, and nowhere else",
    () =>
      Effect.gen(function* () {
        const folder = yield* Effect.acquireRelease(
          Effect.promise(() => mkdtemp(join(tmpdir(), "cahier-mcp-"))),
          (made) => Effect.promise(() => rm(made, { recursive: true })),
        );
        const server = overStdio([filesystem, folder]);
        const gateway = yield* Gateway.make();
        const { tools, diagnostics, protocolVersion } = yield* gateway.discover(server);
        assert.deepStrictEqual([protocolVersion, diagnostics], ["2025-11-25", []]);
        assert.include(
          tools.map(({ name }) => name),
          "write_file",
        );
        assert.isTrue(tools.find(({ name }) => name === "read_text_file")?.annotations?.readOnlyHint);
        const path = join(folder, "note.txt");
        answerOf(yield* gateway.call(server, callOf("write_file", { path, content: "a note" })));
        assert.strictEqual(yield* Effect.promise(() => readFile(path, "utf8")), "a note");
        const read = answerOf(yield* gateway.call(server, callOf("read_text_file", { path })));
        assert.deepStrictEqual(read.structuredContent, { content: "a note" });
        const edit = { path, edits: [{ oldText: "a note", newText: "another note" }] };
        assert.include(textOf(yield* gateway.call(server, callOf("edit_file", edit))), "+another note");
        assert.include(textOf(yield* gateway.call(server, callOf("list_directory", { path: folder }))), "note.txt");
        const refused = yield* gateway.call(server, callOf("read_text_file", { path: "/etc/passwd" }));
        assert.isTrue(refused._tag === "Known" && refused.answer.isError);
        assert.deepStrictEqual(yield* gateway.list(server, "resources"), []);
        assert.deepStrictEqual(yield* gateway.list(server, "prompts"), []);
      }),
    30_000,
  );
});
