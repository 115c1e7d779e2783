import { assert, describe, it } from "@effect/vitest";
import * as StdioServer from "@cahier/mcp-server/StdioServer";
import * as Deferred from "effect/Deferred";
import * as Effect from "effect/Effect";
import * as Fiber from "effect/Fiber";
import { PassThrough } from "node:stream";
import * as Clients from "./support/Clients.ts";
import * as Sample from "./support/Sample.ts";

const runId = Sample.lastRun;

describe.each(Clients.eras)("a server as a process, in the era of %s,", (era) => {
  it.live(
    "has the same tools and resources, takes 10 MB of arguments with a reason, and tells nothing of its environment",
    () =>
      Effect.gen(function* () {
        const secret = "swordfish-of-the-host";
        const client = yield* Clients.stdio(era, { HOST_SECRET: secret });
        const said: Array<unknown> = [];
        const { tools } = yield* Effect.promise(() => client.listTools());
        assert.lengthOf(tools, 7);
        const read = yield* Clients.called(client, "read_run_file", { runId, path: "output/main.md" });
        assert.strictEqual(read.text, Sample.story);
        const large = yield* Clients.called(client, "list_tools", { search: "x".repeat(10_000_000) });
        assert.isTrue(large.isError);
        assert.include(large.text, "The arguments have 10000013 characters; at most 1048576 are read.");
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

const message = (id: number, method: string, params: object) =>
  `${JSON.stringify({ jsonrpc: "2.0", id, method, params })}\n`;

const opening = message(1, "initialize", {
  protocolVersion: "2025-11-25",
  capabilities: {},
  clientInfo: { name: "a test", version: "1.0.0" },
});

describe("a server on streams", () => {
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
      input.write("x".repeat(17 * 1024 * 1024));
      yield* Fiber.join(server);
    }),
  );
});
