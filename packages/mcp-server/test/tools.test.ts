import { assert, describe, it } from "@effect/vitest";
import type { Offer } from "@cahier/mcp-server/Offer";
import * as Deferred from "effect/Deferred";
import * as Effect from "effect/Effect";
import * as TestClock from "effect/testing/TestClock";
import * as Stream from "effect/Stream";
import * as Clients from "./support/Clients.ts";
import * as Sample from "./support/Sample.ts";

const runId = Sample.lastRun;
const firstRun = Sample.firstRun;
const unknownRun = `run_${"0".repeat(32)}`;

/** Every tool that is always there: a call of it, and what it says. */
const calls: ReadonlyArray<
  readonly [name: string, given: Readonly<Record<string, unknown>>, says: ReadonlyArray<string>]
> = [
  ["list_runs", {}, [runId, firstRun, "waiting", "Seraphina/The Inn.jsonl"]],
  ["list_runs", { limit: 1 }, [runId, "go on with nextCursor"]],
  ["show_run", { runId }, ["agent inv_root", "file output/main.md: 64 bytes", "checkpoint cp_000001 at event 6"]],
  ["show_run", { runId: firstRun }, ["call call_1 of inv_root: mcp:mail/send", "cannot be taken back"]],
  ["read_run_events", { runId }, ["1  2026-11-30T12:00:00.000Z  event 1", "event 12"]],
  ["read_run_events", { runId, afterSeq: 3, limit: 2 }, ["event 4", "event 5", "go on with afterSeq 5"]],
  ["read_run_events", { runId, afterSeq: 12 }, ["no events after that"]],
  ["wait_for_run", { runId, timeoutSeconds: 1 }, [runId, "completed"]],
  ["read_run_file", { runId, path: "output/main.md" }, [Sample.story]],
  ["read_run_file", { runId, path: "output/map.png" }, ["holds 70 bytes that are no text", "(image)"]],
  ["read_run_file", { runId, path: "output/voice.mp3" }, ["(audio)"]],
  ["read_run_file", { runId, path: "output/book.pdf" }, ["(resource)"]],
  ["diff_run", { runId }, ["+The inn stood where two roads met."]],
  ["diff_run", { runId, from: "cp_000001", to: 12 }, ["+++ b/output/main.md"]],
  ["diff_run", { runId, paths: ["notes"] }, ["No file differs."]],
  ["diff_run", { runId, maxCharacters: 10 }, ["--- /dev/n", "This is not all"]],
  ["list_tools", {}, ["3 of 3 tools", "builtin:dice.roll (always): What dice.roll does."]],
  ["list_tools", { search: "WRITE workspace" }, ["1 of 1 tools", "builtin:workspace.write"]],
];

/** Calls that cannot be answered, and why they say so. */
const refusals: typeof calls = [
  ["list_runs", { limit: 0 }, ["The arguments of list_runs are wrong", '["limit"]', "between 1 and 200"]],
  ["list_runs", { cursor: "bm8" }, ["not one that list_runs gave"]],
  ["show_run", {}, ["The arguments of show_run are wrong", '["runId"]']],
  ["show_run", { runId, all: true }, ['["all"]']],
  ["show_run", { runId: "../../etc" }, ['["runId"]']],
  ["show_run", { runId: unknownRun }, [`There is no run ${unknownRun}.`, "list_runs shows those there are."]],
  ["read_run_file", { runId, path: "output/other.md" }, ["has no file output/other.md", "It has:", "output/main.md"]],
  ["read_run_file", { runId: unknownRun, path: "output/main.md" }, ["list_runs shows those there are."]],
  ["read_run_file", { runId, path: "../secrets" }, ["cannot be used", "`..`"]],
  ["read_run_file", { runId, path: "/etc/passwd" }, ["it is absolute"]],
  ["read_run_file", { runId, path: "output/..\\..\\x" }, ["`..`"]],
  ["read_run_file", { runId, path: "output/large.md" }, ["5242880 bytes", "at most 4194304 bytes"]],
  ["diff_run", { runId, paths: ["a/../../b"] }, ["`..`"]],
  ["wait_for_run", { runId, timeoutSeconds: 100_000 }, ['["timeoutSeconds"]']],
];

const withClient = (
  era: Clients.Era,
  offer: Offer = Sample.offer,
): Effect.Effect<
  Effect.Success<ReturnType<typeof Clients.http>>,
  never,
  Effect.Services<ReturnType<typeof Clients.http>>
> => Effect.flatMap(Effect.orDie(Clients.serve(offer)), (server) => Clients.http(server, era));

describe.each(Clients.eras)("the tools, in the era of %s,", (era) => {
  it.effect("are those that look at runs, files and tools, and say that they change nothing", () =>
    Effect.gen(function* () {
      const client = yield* withClient(era);
      const { tools } = yield* Effect.promise(() => client.listTools());
      assert.deepStrictEqual(
        tools.map(({ name }) => name),
        [...new Set(calls.map(([name]) => name))],
      );
      for (const { annotations, description, inputSchema, outputSchema, title } of tools) {
        assert.deepStrictEqual(annotations, {
          readOnlyHint: true,
          destructiveHint: false,
          idempotentHint: true,
          openWorldHint: false,
        });
        assert.isAbove((description ?? "").length, 40);
        assert.isString(title);
        assert.strictEqual(inputSchema["additionalProperties"], false);
        assert.strictEqual(outputSchema?.["type"], "object");
      }
    }),
  );

  it.effect("answer in words and in values that fit their output schemas", () =>
    Effect.gen(function* () {
      const client = yield* withClient(era);
      // The client checks values by the schemas of the tools that it knows.
      yield* Effect.promise(() => client.listTools());
      for (const [name, given, says] of calls) {
        const { isError, structured, text } = yield* Clients.called(client, name, given);
        assert.isFalse(isError, `${name}: ${text}`);
        assert.isObject(structured);
        for (const said of says) assert.include(text, said, name);
      }
    }),
  );

  it.effect("refuse what cannot be answered with the reason and what to do instead", () =>
    Effect.gen(function* () {
      const client = yield* withClient(era);
      for (const [name, given, says] of refusals) {
        const { isError, text } = yield* Clients.called(client, name, given);
        assert.isTrue(isError, name);
        for (const said of says) assert.include(text, said, name);
      }
      const unknown = yield* Effect.flip(
        Effect.tryPromise(() => client.callTool({ name: "delete_run", arguments: {} })),
      );
      assert.include(String(unknown.cause), "There is no tool delete_run. There are: list_runs");
    }),
  );

  it.effect("give runs page by page, each run once", () =>
    Effect.gen(function* () {
      const client = yield* withClient(era);
      const pages = yield* Effect.promise(async () => {
        const one = await client.callTool({ name: "list_runs", arguments: { limit: 1 } });
        const { nextCursor } = one.structuredContent as { readonly nextCursor: string };
        const two = await client.callTool({ name: "list_runs", arguments: { limit: 1, cursor: nextCursor } });
        return [one.structuredContent, two.structuredContent] as ReadonlyArray<{
          readonly runs: ReadonlyArray<{ readonly runId: string }>;
        }>;
      });
      assert.deepStrictEqual(
        pages.flatMap(({ runs }) => runs.map((run) => run.runId)),
        [runId, firstRun],
      );
    }),
  );

  it.effect("give a long text in parts that make it whole again", () =>
    Effect.gen(function* () {
      const client = yield* withClient(era);
      const read = (offset: number): Effect.Effect<string> =>
        Effect.flatMap(
          Clients.called(client, "read_run_file", { runId, path: "output/main.md", offset, maxCharacters: 7 }),
          ({ structured }) => {
            const { nextOffset, text } = structured as { readonly text: string; readonly nextOffset?: number };
            assert.isTrue(text.isWellFormed());
            return nextOffset === undefined
              ? Effect.succeed(text)
              : Effect.map(read(nextOffset), (rest) => text + rest);
          },
        );
      assert.strictEqual(yield* read(0), Sample.story);
    }),
  );

  it.effect("tell what happens while a run is waited for, and how it stands when the time is over", () =>
    Effect.gen(function* () {
      const follow = () =>
        Stream.concat(Stream.fromIterable(Sample.lines.map((line) => ({ ...line, seq: line.seq + 12 }))), Stream.never);
      const client = yield* withClient(era, { ...Sample.offer, runs: { ...Sample.offer.runs, follow } });
      const told: Array<unknown> = [];
      const allTold = Promise.withResolvers<void>();
      const call = client.callTool(
        { name: "wait_for_run", arguments: { runId, timeoutSeconds: 20 } },
        {
          onprogress: ({ message, progress }) => {
            if (told.push([progress, message]) === Sample.lines.length) allTold.resolve();
          },
        },
      );
      yield* Effect.promise(() => allTold.promise);
      assert.deepStrictEqual(
        told,
        Sample.lines.map(({ seq, text }) => [seq, text]),
      );
      yield* TestClock.adjust("20 seconds");
      const result = yield* Effect.promise(() => call);
      assert.include(JSON.stringify(result.structuredContent), '"timedOut":true');
      assert.include(JSON.stringify(result.content), "After 20 s the run still goes on.");
    }),
  );

  it.effect("are interrupted when whoever called gives the call up", () =>
    Effect.gen(function* () {
      const begun = yield* Deferred.make<void>();
      const interrupted = yield* Deferred.make<void>();
      const show = () =>
        Deferred.succeed(begun, undefined).pipe(
          Effect.andThen(Effect.never),
          Effect.onInterrupt(() => Deferred.succeed(interrupted, undefined)),
        );
      const client = yield* withClient(era, { ...Sample.offer, runs: { ...Sample.offer.runs, show } });
      const stop = new AbortController();
      const call = client.callTool({ name: "show_run", arguments: { runId } }, { signal: stop.signal }).then(
        () => "answered",
        () => "given up",
      );
      yield* Deferred.await(begun);
      stop.abort();
      yield* Deferred.await(interrupted);
      assert.strictEqual(yield* Effect.promise(() => call), "given up");
    }),
  );

  it.effect("tell nobody what a bug of the host says", () =>
    Effect.gen(function* () {
      const diff = () => Effect.die(new Error("the password is swordfish"));
      const client = yield* withClient(era, { ...Sample.offer, diff });
      const failed = yield* Effect.flip(
        Effect.tryPromise(() => client.callTool({ name: "diff_run", arguments: { runId } })),
      );
      assert.include(String(failed.cause), "The host failed; its own log tells why.");
      assert.notInclude(JSON.stringify([String(failed.cause), failed.cause]), "swordfish");
    }),
  );
});
