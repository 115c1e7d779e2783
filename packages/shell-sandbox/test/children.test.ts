/**
 * What becomes of commands and of the shell when a child is not well.
 */
import * as JustBash from "@cahier/shell-sandbox/JustBash";
import { assert, describe, it } from "@effect/vitest";
import * as Effect from "effect/Effect";
import { limits, request } from "./Requests.ts";

const entry = new URL("processes/unwell.ts", import.meta.url);

const open = JustBash.make({ entry, processes: 1, heapBytes: 64 * 1024 * 1024 });

const short = { ...limits, timeoutMs: 500 };

describe("a child that is not well", () => {
  for (const [command, ended] of [
    ["die", "crashed"],
    ["fill the heap", "crashed"],
    ["answer nonsense", "crashed"],
    ["announce too much", "crashed"],
    ["never answer", "timeout"],
  ] as const) {
    it.live(
      `and has to "${command}" is told as ${ended}, has changed nothing, and is replaced`,
      () =>
        Effect.scoped(
          Effect.gen(function* () {
            const shell = yield* open;
            const time = ended === "timeout" ? short : limits;
            const result = yield* shell.run(request(command, { limits: time }));
            assert.deepStrictEqual([result.ended, result.exitCode, result.changes], [ended, null, []]);
            assert.isNotEmpty(result.notes);
            const next = yield* shell.run(request("anything"));
            assert.strictEqual(next.output.text, "well");
          }),
        ),
      30_000,
    );
  }

  it.live("and fails is a fault of the shell with its reason", () =>
    Effect.scoped(
      Effect.gen(function* () {
        const fault = yield* Effect.flip((yield* open).run(request("fail")));
        assert.deepStrictEqual([fault.kind, fault.detail], ["internal", "a reason"]);
      }),
    ),
  );

  it.live("and answers another command first is not believed", () =>
    Effect.scoped(
      Effect.gen(function* () {
        const result = yield* (yield* open).run(request("answer another"));
        assert.strictEqual(result.output.text, "its own");
      }),
    ),
  );

  it.live("and cannot start is a fault of every command", () =>
    Effect.scoped(
      Effect.gen(function* () {
        const shell = yield* JustBash.make({ entry: new URL("processes/none.ts", import.meta.url), processes: 1 });
        const fault = yield* Effect.flip(shell.run(request("echo")));
        assert.strictEqual(fault.kind, "unavailable");
      }),
    ),
  );
});
