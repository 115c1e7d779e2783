/**
 * What a command cannot do to the machine by way of its folders, on bubblewrap.
 */
import * as Bubblewrap from "@cahier/shell-sandbox/Bubblewrap";
import { assert, describe, it } from "@effect/vitest";
import * as Effect from "effect/Effect";
import * as fs from "node:fs";
import * as os from "node:os";
import { limits, request } from "./Requests.ts";
import { works } from "./Namespaces.ts";

const shell = Bubblewrap.make();

const reason = works ? "" : " (not run: it is not here or may not make namespaces)";

describe.skipIf(!works)(`a command of bubblewrap${reason}`, () => {
  const nest =
    "deep=$(printf 'd/%.0s' {1..1000}); cd output; for i in 1 2 3; do mkdir -p $deep; cd $deep; done; echo made";

  it.live("that nests folders too deep to be read is told as a limit, with what it had printed", () =>
    Effect.gen(function* () {
      const result = yield* shell.run(request(nest, { limits: { ...limits, files: 10_000 } }));
      assert.deepStrictEqual([result.ended, result.exitCode, result.changes], ["limit", null, []]);
      assert.include(result.notes.join(), "too deep");
      const own = fs.readdirSync(os.tmpdir()).filter((name) => name.startsWith("cahier-command-"));
      const left = own.filter((name) => fs.existsSync(`${os.tmpdir()}/${name}/view/output/d`));
      assert.deepStrictEqual(left, []);
    }),
  );

  it.live("that closes a folder so that it cannot be read is told as a limit, or read by a host that may", () =>
    Effect.gen(function* () {
      const result = yield* shell.run(request("mkdir output/a; echo x > output/a/b; chmod 000 output/a"));
      assert.strictEqual(result.ended, process.getuid?.() === 0 ? "exited" : "limit");
    }),
  );

  it.live("that makes more folders than there may be files is told as a limit", () =>
    Effect.gen(function* () {
      const result = yield* shell.run(
        request("mkdir output/{1..200}; echo made", { limits: { ...limits, files: 100 } }),
      );
      assert.deepStrictEqual([result.ended, result.changes], ["limit", []]);
      assert.include(result.notes.join(), "more than");
    }),
  );

  it.live("that fills its writable folders with files is stopped long before its time is up", () =>
    Effect.gen(function* () {
      const fill = "while :; do n=$((n + 1)); head -c 1000000 /dev/zero > output/$n; done";
      const result = yield* shell.run(request(fill));
      assert.deepStrictEqual([result.ended, result.exitCode, result.changes], ["limit", null, []]);
      assert.isBelow(result.elapsedMs, limits.timeoutMs / 2);
      assert.include(result.notes.join(), "was stopped");
    }),
  );

  it.live("that makes and removes files all the time is not stopped", () =>
    Effect.gen(function* () {
      const churn =
        "for i in {1..300}; do mkdir -p output/a/b; echo $i > output/a/b/c; rm -r output/a; done; echo kept > output/k; sleep 0.3";
      const result = yield* shell.run(request(churn));
      assert.deepStrictEqual([result.ended, result.exitCode], ["exited", 0]);
      assert.deepStrictEqual(
        result.changes.map(({ path }) => path),
        ["output/k"],
      );
    }),
  );

  it.live("has no more room in /tmp than memory, and none among the devices", () =>
    Effect.gen(function* () {
      const result = yield* shell.run(
        request(
          "for i in 1 2 3 4 5 6; do head -c 15000000 /dev/zero > /tmp/$i || break; done 2> /dev/null; du -sm /tmp | cut -f1; echo x > /dev/null && echo null; echo x 2> /dev/null > /dev/shm/x || echo none",
        ),
      );
      const [megabytes, ...rest] = result.output.text.trim().split("\n");
      assert.isAtMost(Number(megabytes), limits.memoryBytes / 1024 / 1024);
      assert.isAtLeast(Number(megabytes), 45);
      assert.deepStrictEqual(rest, ["null", "none"]);
    }),
  );

  it.live("that is stopped at any moment of its beginning is over with all of its processes", () =>
    Effect.gen(function* () {
      const forever = request("while true; do :; done");
      for (let wait = 0; wait < 20; wait += 1) {
        // Its end is the end of whatever holds its streams.
        const result = yield* shell.run(forever, Effect.sleep(wait));
        assert.deepStrictEqual([result.ended, result.changes], ["stopped", []]);
        yield* Effect.timeoutOption(shell.run(forever), wait);
      }
    }),
  );

  it.live("does not have what bubblewrap tells its host by", () =>
    Effect.gen(function* () {
      const result = yield* shell.run(request("ls -l /proc/$$/fd"));
      assert.include(result.output.text, " 0 -> /dev/null");
      assert.notMatch(result.output.text, / 4 -> /);
    }),
  );
});
