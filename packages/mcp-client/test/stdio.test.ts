import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { assert, describe, it } from "@effect/vitest";
import type { McpOutcome } from "@cahier/ports/McpGateway";
import * as Effect from "effect/Effect";
import * as Fiber from "effect/Fiber";
import * as Gateway from "./support/Gateway.ts";
import { program } from "./support/program.ts";
import * as Reports from "./support/Reports.ts";
import { isSlow } from "./support/slow.ts";

const callOf = (tool: string) => ({ tool, arguments: {}, timeoutMs: 10_000 });

const textOf = (outcome: McpOutcome): string =>
  outcome._tag === "Known" ? String((outcome.answer.content[0] as { text?: string }).text) : JSON.stringify(outcome);

const isAlive = (pid: number): boolean => {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
};

describe("a server as a process", () => {
  it.live("has PATH, HOME and what is stated in its environment, and nothing else of this process", () =>
    Effect.gen(function* () {
      const gateway = yield* Gateway.make({ secrets: { KEY: "a-secret-value" } });
      const environment = { PLAIN: "plain", TOKEN: { secret: { key: "KEY" } } };
      const found = textOf(yield* gateway.call(program("rudeServer.ts", { environment }), callOf("environment")));
      const seen = JSON.parse(found) as Record<string, string>;
      assert.sameMembers(Object.keys(seen), ["PATH", "HOME", "PLAIN", "TOKEN"]);
      assert.strictEqual(seen["PLAIN"], "plain");
      assert.strictEqual(seen["TOKEN"], "[redacted]");
    }),
  );

  // It takes the whole time for closing: see `slow.ts`.
  it.live.runIf(isSlow)("ends with the gateway, with what it has started, also when it does not want to", () =>
    Effect.gen(function* () {
      const reports = Reports.make();
      const port = yield* Reports.listen(reports);
      const server = program("rudeServer.ts", { arguments: ["stays"], environment: { REPORT: String(port) } });
      const pids = yield* Effect.scoped(
        Effect.gen(function* () {
          const gateway = yield* Gateway.make();
          assert.strictEqual(textOf(yield* gateway.call(server, callOf("x"))), "done");
          const line = yield* reports.line("pids");
          const found = line.split(" ").slice(1).map(Number);
          assert.deepStrictEqual(found.map(isAlive), [true, true]);
          return found;
        }),
      );
      assert.deepStrictEqual(pids.map(isAlive), [false, false]);
    }),
  );

  it.live("that ends by itself takes with it what it has started, also what holds its output open", () =>
    Effect.gen(function* () {
      const reports = Reports.make();
      const environment = { REPORT: String(yield* Reports.listen(reports)) };
      const server = program("rudeServer.ts", { arguments: ["leaves"], environment, protocolVersion: "2025-11-25" });
      const gateway = yield* Gateway.make();
      assert.strictEqual(textOf(yield* gateway.call(server, callOf("x"))), "done");
      yield* reports.line("started");
      const outcome = yield* gateway.call(server, callOf("die"));
      assert.strictEqual("code" in outcome ? outcome.code : outcome._tag, "mcp.call_response_failed");
      yield* reports.line("over started");
    }),
  );

  it.live("that ends when it is asked about the newer protocol is started again for the older one", () =>
    Effect.gen(function* () {
      const gateway = yield* Gateway.make();
      const found = yield* gateway.discover(program("rudeServer.ts", { arguments: ["ends"] })).pipe(Effect.result);
      assert.include(JSON.stringify(found), "no such method");
      const outcome = yield* gateway.call(program("rudeServer.ts", { arguments: ["ends"] }), callOf("x"));
      assert.strictEqual(textOf(outcome), "done");
    }),
  );

  it.live("that ends in the middle of a call leaves it unknown, and is started again for the next", () =>
    Effect.gen(function* () {
      const gateway = yield* Gateway.make();
      const server = program("rudeServer.ts");
      assert.deepStrictEqual(yield* gateway.call(server, callOf("die")), {
        _tag: "Unknown",
        code: "mcp.call_response_failed",
        detail: "the program ended before it answered (exit code 1)",
      });
      assert.strictEqual(textOf(yield* gateway.call(server, callOf("x"))), "done");
    }),
  );

  it.live("that is killed in the middle of a call leaves it unknown, and nothing is asked twice of the next one", () =>
    Effect.gen(function* () {
      const reports = Reports.make();
      const port = yield* Reports.listen(reports);
      const stated = yield* Effect.acquireRelease(
        Effect.promise(async () => {
          const folder = await mkdtemp(join(tmpdir(), "cahier-mcp-"));
          await writeFile(join(folder, "stated.json"), JSON.stringify({ pages: [[]], isEndless: false }));
          return folder;
        }),
        (folder) => Effect.promise(() => rm(folder, { recursive: true })),
      );
      const environment = { STATED: join(stated, "stated.json"), REPORT: String(port) };
      const server = program("lawServer.ts", { environment, protocolVersion: "2025-11-25" });
      const gateway = yield* Gateway.make();
      const calling = yield* Effect.forkChild(gateway.call(server, { ...callOf("wait"), arguments: { text: "one" } }));
      const pid = Number((yield* reports.line("pid ")).slice("pid ".length));
      yield* reports.line("call one");
      process.kill(pid, "SIGKILL");
      const outcome = yield* Fiber.join(calling);
      assert.deepStrictEqual(
        [outcome._tag, "code" in outcome ? outcome.code : ""],
        ["Unknown", "mcp.call_response_failed"],
      );
      const next = yield* gateway.call(server, { ...callOf("echo"), arguments: { text: "two" } });
      assert.strictEqual(textOf(next), "two");
      assert.deepStrictEqual(
        reports.lines.filter((line) => line.startsWith("call ")),
        ["call one", "call two"],
      );
      assert.lengthOf(
        reports.lines.filter((line) => line.startsWith("pid ")),
        2,
      );
    }),
  );

  it.live("may write lines that are no messages, but none of more than 4 MiB", () =>
    Effect.gen(function* () {
      const gateway = yield* Gateway.make();
      const server = program("rudeServer.ts");
      assert.strictEqual(textOf(yield* gateway.call(server, callOf("noise"))), "done");
      const outcome = yield* gateway.call(server, callOf("large"));
      assert.strictEqual("code" in outcome ? outcome.code : outcome._tag, "mcp.call_response_failed");
      assert.include("detail" in outcome ? outcome.detail : "", "the server wrote a line larger than 4 MiB");
    }),
  );

  it.live("that does not come up is told with what it said, secrets left out", () =>
    Effect.gen(function* () {
      const gateway = yield* Gateway.make({ secrets: { KEY: "a-secret-value" } });
      const environment = { TOKEN: { secret: { key: "KEY" } } };
      const fault = yield* Effect.flip(
        gateway.discover(program("rudeServer.ts", { arguments: ["says"], environment })),
      );
      assert.strictEqual(fault.code, "mcp.discovery_initialize_failed");
      assert.strictEqual(
        fault.detail,
        "the program ended before it answered (exit code 3); the program said last: cannot read the token [redacted]",
      );
    }),
  );

  it.live("that says much before it ends is told with the end of that, and with no part of a secret", () =>
    Effect.gen(function* () {
      const key = `key-${"0123456789abcdef".repeat(64)}`;
      const gateway = yield* Gateway.make({ secrets: { KEY: key } });
      const environment = { TOKEN: { secret: { key: "KEY" } } };
      const fault = yield* Effect.flip(
        gateway.discover(program("rudeServer.ts", { arguments: ["says", "much"], environment })),
      );
      assert.match(fault.detail, /^the program ended before it answered \(exit code 3\); the program said last: …/);
      assert.include(fault.detail, "the last line");
      assert.notInclude(fault.detail, "abcdef");
    }),
  );

  it.live("that is killed before it answers is told with the signal", () =>
    Effect.gen(function* () {
      const gateway = yield* Gateway.make();
      const fault = yield* Effect.flip(gateway.discover(program("rudeServer.ts", { arguments: ["falls"] })));
      assert.strictEqual(fault.detail, "the program ended before it answered (SIGKILL)");
    }),
  );

  it.live("whose command there is not is told as that, and no shell looks at it", () =>
    Effect.gen(function* () {
      const gateway = yield* Gateway.make();
      const endpoint = { transport: "stdio", command: "echo hello; cat", arguments: [], environment: {} } as const;
      const fault = yield* Effect.flip(gateway.discover({ ...program("rudeServer.ts"), endpoint }));
      assert.strictEqual(fault.code, "mcp.discovery_initialize_failed");
      assert.include(fault.detail, "the command did not start (ENOENT)");
    }),
  );
});
