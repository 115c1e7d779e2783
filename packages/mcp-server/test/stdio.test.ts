import { assert, describe, it } from "@effect/vitest";
import * as StdioServer from "@cahier/mcp-server/StdioServer";
import * as Deferred from "effect/Deferred";
import * as Effect from "effect/Effect";
import * as Fiber from "effect/Fiber";
import { PassThrough } from "node:stream";
import * as Clients from "./support/Clients.ts";
import * as Sample from "./support/Sample.ts";

const runId = Sample.lastRun;

/** Larger than what is read. */
const sizes = { "2025-11-25": 10_000_000, "2026-07-28": 2_000_000 } as const;

describe.each(Clients.eras)("a server as a process, in the era of %s,", (era) => {
  it.live(
    "has the same tools and resources, refuses large arguments with the reason, and tells nothing of its environment",
    () =>
      Effect.gen(function* () {
        const secret = "swordfish-of-the-host";
        const client = yield* Clients.stdio(era, { HOST_SECRET: secret });
        const said: Array<unknown> = [];
        const { tools } = yield* Effect.promise(() => client.listTools());
        assert.lengthOf(tools, 7);
        const read = yield* Clients.called(client, "read_run_file", { runId, path: "output/main.md" });
        assert.strictEqual(read.text, Sample.story);
        const large = yield* Clients.called(client, "list_tools", { search: "x".repeat(sizes[era]) });
        assert.isTrue(large.isError);
        assert.include(large.text, `The arguments have ${sizes[era] + 13} characters; at most 1048576 are read.`);
        const failed = yield* Effect.flip(
          Effect.tryPromise(() => client.callTool({ name: "diff_run", arguments: { runId } })),
        );
        assert.include(String(failed.cause), "The host failed; its own log tells why.");
        const { resources } = yield* Effect.promise(() => client.listResources());
        assert.lengthOf(resources, 2);
        said.push(tools, read, large, String(failed.cause), failed.cause, resources, client.getServerVersion());
        assert.notInclude(JSON.stringify(said), secret);
        assert.notInclude(JSON.stringify(said), process.env["HOME"] ?? "/root");
      }),
  );
});

/** Streams in place of those of a process. */
const streams = () => ({ input: new PassThrough(), output: new PassThrough() });

const lineOf = (output: PassThrough): Effect.Effect<string> =>
  Effect.callback((resume) => {
    output.once("data", (chunk: Buffer) => resume(Effect.succeed(chunk.toString("utf8"))));
  });

const linesOf = (output: PassThrough, count: number): Effect.Effect<ReadonlyArray<string>> =>
  Effect.callback((resume) => {
    const said: Array<string> = [];
    output.on("data", (chunk: Buffer) => {
      said.push(chunk.toString("utf8"));
      const lines = said.join("").split("\n");
      if (lines.length > count) resume(Effect.succeed(lines.slice(0, count)));
    });
  });

const message = (id: number, method: string, params: object) =>
  `${JSON.stringify({ jsonrpc: "2.0", id, method, params })}\n`;

const opening = message(1, "initialize", {
  protocolVersion: "2025-11-25",
  capabilities: {},
  clientInfo: { name: "a test", version: "1.0.0" },
});

describe("a server on streams", () => {
  it.effect("reads messages that come in pieces, several at once, or both", () =>
    Effect.gen(function* () {
      const { input, output } = streams();
      const server = yield* Effect.forkChild(StdioServer.run(Sample.offer, { input, output }), {
        startImmediately: true,
      });
      const pings = [2, 3, 4].map((id) => message(id, "ping", {})).join("");
      const answers = yield* Effect.forkChild(linesOf(output, 4), { startImmediately: true });
      const sent = Buffer.from(opening + pings);
      for (let from = 0; from < sent.length; from += 40) input.write(sent.subarray(from, from + 40));
      const ids = (yield* Fiber.join(answers)).map((line) => (JSON.parse(line) as { readonly id: number }).id);
      assert.deepStrictEqual(ids, [1, 2, 3, 4]);
      yield* Fiber.interrupt(server);
      assert.isTrue(input.destroyed);
    }),
  );

  it.effect("ends when the client closes its end, and interrupts what it still waits for", () =>
    Effect.gen(function* () {
      const begun = yield* Deferred.make<void>();
      const interrupted = yield* Deferred.make<void>();
      const show = () =>
        Deferred.succeed(begun, undefined).pipe(
          Effect.andThen(Effect.never),
          Effect.onInterrupt(() => Deferred.succeed(interrupted, undefined)),
        );
      const { input, output } = streams();
      const offer = { ...Sample.offer, runs: { ...Sample.offer.runs, show } };
      const server = yield* Effect.forkChild(StdioServer.run(offer, { input, output }), { startImmediately: true });
      const opened = yield* Effect.forkChild(lineOf(output), { startImmediately: true });
      input.write(opening);
      assert.include(yield* Fiber.join(opened), '"protocolVersion":"2025-11-25"');
      input.write(message(2, "tools/call", { name: "show_run", arguments: { runId } }));
      yield* Deferred.await(begun);
      input.end();
      yield* Fiber.join(server);
      yield* Deferred.await(interrupted);
    }),
  );

  it.effect("passes over lines that are no messages, and ends at one that is larger than 16 MiB", () =>
    Effect.gen(function* () {
      const { input, output } = streams();
      const server = yield* Effect.forkChild(StdioServer.run(Sample.offer, { input, output }), {
        startImmediately: true,
      });
      const opened = yield* Effect.forkChild(lineOf(output), { startImmediately: true });
      input.write("hello\n{}\n[1]\n");
      input.write(opening);
      assert.include(yield* Fiber.join(opened), '"serverInfo"');
      for (let index = 0; index < 17; index += 1) input.write("x".repeat(1024 * 1024));
      yield* Fiber.join(server);
      assert.isTrue(input.destroyed);
    }),
  );
});
