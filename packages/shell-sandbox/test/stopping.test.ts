/**
 * Commands that are told to stop, and what becomes of the process that they run on.
 */
import type { Shell } from "@cahier/ports/Shell";
import * as JustBash from "@cahier/shell-sandbox/JustBash";
import { assert, describe, it } from "@effect/vitest";
import * as Deferred from "effect/Deferred";
import * as Effect from "effect/Effect";
import * as Fiber from "effect/Fiber";
import { changesOf, request } from "./Requests.ts";
import * as TemporaryFolder from "./TemporaryFolder.ts";

const entry = new URL("processes/unwell.ts", import.meta.url);

/** A shell of one process that is ready. */
const opened = Effect.fnUntraced(function* (options: JustBash.Options = {}) {
  const shell = yield* JustBash.make({ ...options, processes: 1 });
  yield* shell.run(request("echo ready; js -e 0; python -c 0"));
  return shell;
});

/** Told to stop after so long that it has begun on any machine that is not very busy; on one that is, it is given more time. */
const stopped = Effect.fnUntraced(function* (shell: Shell["Service"], goesOn: string) {
  const command = request(`echo before; echo kept > output/kept; ${goesOn}`);
  const first = yield* shell.run(command, Effect.sleep(100));
  return first.output.text === "" ? yield* shell.run(command, Effect.sleep(2000)) : first;
});

const onOneProcess = (goesOn: ReadonlyArray<string>) =>
  Effect.scoped(
    Effect.gen(function* () {
      const temporary = yield* TemporaryFolder.own;
      const shell = yield* opened();
      const before = TemporaryFolder.children(temporary);
      for (const command of goesOn) {
        const result = yield* stopped(shell, command);
        assert.deepStrictEqual(
          [result.ended, result.exitCode, result.notes],
          ["stopped", null, ["The command was stopped because its work was given up."]],
          command,
        );
        assert.match(result.output.text, /^before\n/, command);
        assert.deepStrictEqual(changesOf(result), { "output/kept": "kept\n" }, command);
        assert.strictEqual(result.errorOutput.text, "", command);
      }
      assert.deepStrictEqual(TemporaryFolder.children(temporary), before);
    }),
  );

describe("a command that is told to stop keeps its process, what it had printed and what it had changed", () => {
  it.live("in bash and what it runs", () =>
    onOneProcess([
      "while :; do :; done",
      "while :; do echo x; done | while read -r x; do :; done",
      "sleep 100",
      "awk 'BEGIN { while (1); }'",
      "echo a | sed ':a;ba'",
      "jq -n 'last(repeat(1))'",
    ]),
  );

  it.live("in JavaScript, however long one turn of its loop takes", () =>
    onOneProcess([
      "js -e 'for (;;);'",
      "js -e 'for (;;) JSON.stringify({ a: 1 });'",
      "js -e 'const turn = () => Promise.resolve().then(turn); await turn();'",
      "js -e 'await new Promise(() => setTimeout(() => {}, 1e8));'",
      "js -e 'await new Promise(() => setInterval(() => {}, 1));'",
      'js -e \'/(a+)+$/.test("a".repeat(40) + "b");\'',
    ]),
  );

  it.live("in Python that prints now and then", () =>
    onOneProcess(["python -c 'n = 0\nwhile True:\n    n = n + 1\n    if n % 10000 == 0: print(n)'"]),
  );
});

describe("a command that is told to stop and cannot hear it", () => {
  it.live("is killed with its process, has changed nothing, and says so; another process takes the next one", () =>
    Effect.scoped(
      Effect.gen(function* () {
        const temporary = yield* TemporaryFolder.own;
        const shell = yield* opened({ entry });
        const [[before] = []] = TemporaryFolder.children(temporary);
        const result = yield* shell.run(request("never answer"), Effect.void);
        assert.deepStrictEqual(
          [result.ended, result.exitCode, result.output.text, result.changes],
          ["stopped", null, "", []],
        );
        assert.deepStrictEqual(result.notes, [
          "The command was stopped because its work was given up. It could not be asked what it had done: its output is lost, and no file has changed.",
        ]);
        assert.strictEqual((yield* shell.run(request("anything"))).output.text, "well");
        const [[after] = [], ...others] = TemporaryFolder.children(temporary);
        assert.notStrictEqual(after, before);
        assert.lengthOf(others, 0);
      }),
    ),
  );

  it.live("because it waits for a process is not begun, and says so", () =>
    Effect.scoped(
      Effect.gen(function* () {
        const shell = yield* opened({ entry });
        const stop = yield* Deferred.make<void>();
        const first = yield* Effect.forkChild(shell.run(request("never answer"), Deferred.await(stop)), {
          startImmediately: true,
        });
        const waiting = yield* shell.run(request("anything"), Effect.void);
        assert.deepStrictEqual(
          [waiting.ended, waiting.changes, waiting.notes],
          ["stopped", [], ["The command was not begun because its work was given up."]],
        );
        yield* Deferred.succeed(stop, undefined);
        assert.strictEqual((yield* Fiber.join(first)).ended, "stopped");
      }),
    ),
  );
});

describe("a command that ends as it is told to stop", () => {
  it.live("is told as it ended, on a process that stays as it was", () =>
    Effect.scoped(
      Effect.gen(function* () {
        const shell = yield* opened({ entry });
        const before = yield* shell.run(request("say who it is"));
        const result = yield* shell.run(request("answer when told to stop"), Effect.void);
        assert.deepStrictEqual([result.ended, result.exitCode, result.output.text], ["exited", 0, "its own"]);
        const after = yield* shell.run(request("say who it is"), Effect.never);
        assert.match(after.output.text, /^\d+ $/);
        assert.strictEqual(after.output.text, before.output.text);
      }),
    ),
  );

  it.live("and whose process dies of it is told as crashed", () =>
    Effect.scoped(
      Effect.gen(function* () {
        const shell = yield* opened({ entry });
        assert.strictEqual((yield* shell.run(request("die when told to stop"), Effect.void)).ended, "crashed");
      }),
    ),
  );

  it.live("is one of the two, at whatever moment it is told so", () =>
    Effect.scoped(
      Effect.gen(function* () {
        const temporary = yield* TemporaryFolder.own;
        const shell = yield* opened();
        const before = TemporaryFolder.children(temporary);
        for (let wait = 0; wait < 12; wait += 1) {
          const result = yield* shell.run(request("echo done; echo done > output/done"), Effect.sleep(wait));
          if (result.ended === "exited") {
            assert.deepStrictEqual([result.exitCode, result.output.text], [0, "done\n"]);
            assert.deepStrictEqual(changesOf(result), { "output/done": "done\n" });
          } else assert.deepStrictEqual([result.ended, result.exitCode], ["stopped", null]);
          assert.deepStrictEqual(TemporaryFolder.children(temporary), before);
        }
      }),
    ),
  );

  it.live("does not wait any longer for what would have told it", () =>
    Effect.scoped(
      Effect.gen(function* () {
        const shell = yield* opened();
        const left = yield* Deferred.make<void>();
        const stop = Effect.onInterrupt(Effect.never, () => Deferred.succeed(left, undefined));
        assert.strictEqual((yield* shell.run(request("echo done"), stop)).ended, "exited");
        assert.isTrue(yield* Deferred.isDone(left));
      }),
    ),
  );
});
