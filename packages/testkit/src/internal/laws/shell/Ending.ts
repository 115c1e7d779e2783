/**
 * Laws of Shell about how commands end that would not by themselves, and about requests that are refused.
 */
import type { Shell } from "@cahier/ports/Shell";
import * as Clock from "effect/Clock";
import type * as Duration from "effect/Duration";
import * as Effect from "effect/Effect";
import * as Fiber from "effect/Fiber";
import * as Expectation from "../../../Expectation.ts";
import * as Law from "../../../Law.ts";
import type { ShellHarness } from "../../../laws/ShellLaws.ts";
import * as commands from "./commands.ts";

const law = Law.of<ShellHarness>();

const forever = "while true; do :; done";

export const ending: ReadonlyArray<Law.Law<ShellHarness>> = [
  law({
    id: "SHL-11",
    title: "a command whose time is up ends then, with what it had printed and changed",
    *check(harness) {
      const shell = yield* harness.open;
      const result = yield* shell.run(
        commands.request(`echo before; echo kept > output/kept; ${forever}`, {
          limits: { ...commands.limits, timeoutMs: 1_000 },
        }),
      );
      yield* Expectation.same("ended and exit code", [result.ended, result.exitCode], ["timeout", null]);
      yield* Expectation.same("output", result.output.text, "before\n");
      yield* Expectation.same("changes", commands.changed(result), [["output/kept", "kept\n"]]);
      yield* Expectation.isTrue(result.notes.length > 0, "no note says that the time was up");
      yield* Expectation.isTrue(
        result.elapsedMs >= 900 && result.elapsedMs < 2_500,
        `it took ${result.elapsedMs} ms of 1000`,
      );
    },
  }),
  law({
    id: "SHL-12",
    title: "a stream that is longer than it may be keeps its beginning, in whole characters, and is told to be cut",
    *check(harness) {
      const shell = yield* harness.open;
      const command = "i=0; while [ $i -lt 300 ]; do echo 'äöü€'; echo 'ß' >&2; i=$((i+1)); done";
      const whole = "äöü€\n".repeat(300);
      for (const outputBytes of [1_000, 1_001, 1_003, 1_007]) {
        const result = yield* shell.run(commands.request(command, { limits: { ...commands.limits, outputBytes } }));
        const length = commands.bytes(result.output.text).length;
        yield* Expectation.isTrue(whole.startsWith(result.output.text), "the output is not the beginning");
        yield* Expectation.isTrue(
          length <= outputBytes && length > outputBytes - 4,
          `${length} bytes of ${outputBytes}`,
        );
        yield* Expectation.same("cut", [result.output.truncated, result.errorOutput.truncated], [true, false]);
        yield* Expectation.isTrue(result.notes.length > 0, "no note says that the output was cut");
      }
    },
  }),
  law({
    id: "SHL-13",
    title: "a command that makes more files or bytes than there may be ends by its limit, and keeps to it",
    *check(harness) {
      const shell = yield* harness.open;
      const small = { ...commands.limits, files: 50, bytes: 100_000 };
      const many = "i=0; while [ $i -lt 300 ]; do echo $i > output/f$i; i=$((i+1)); done";
      const large = "printf '%70000s' x > output/a; printf '%70000s' x > output/b";
      for (const command of [many, large]) {
        const result = yield* shell.run(commands.request(command, { limits: small }));
        yield* Expectation.same("ended and exit code", [result.ended, result.exitCode], ["limit", null]);
        yield* Expectation.isTrue(result.notes.length > 0, "no note names the limit");
        const size = result.changes.reduce((sum, change) => sum + (change.bytes?.length ?? 0), 0);
        yield* Expectation.isTrue(result.changes.length <= 50 && size <= 100_000, "the changes exceed the limit");
      }
    },
  }),
  law({
    id: "SHL-14",
    title: "what cannot be run is refused, and says why",
    *check(harness) {
      const shell = yield* harness.open;
      const long = yield* Expectation.failsWith(
        "a command of more than 128 KiB",
        shell.run(commands.request(`: ${"x".repeat(128 * 1024)}`)),
        "ShellFault",
      );
      yield* Expectation.same("kind", long.kind, "commandTooLong");
      for (const workdir of ["output/absent", "out", "output/main.md"]) {
        const lost = yield* Expectation.failsWith(
          workdir,
          shell.run(commands.request("pwd", { workdir })),
          "ShellFault",
        );
        yield* Expectation.same("kind", lost.kind, "workdirMissing");
      }
      for (const few of [{ files: 2 }, { bytes: 10 }]) {
        const crowded = yield* Expectation.failsWith(
          "more files than there may be",
          shell.run(commands.request("pwd", { limits: { ...commands.limits, ...few } })),
          "ShellFault",
        );
        yield* Expectation.same("kind", crowded.kind, "tooManyFiles");
      }
    },
  }),
  law({
    id: "SHL-15",
    title: "a command that is interrupted ends within a second, and the next one runs",
    *check(harness) {
      const shell = yield* harness.open;
      yield* shell.run(commands.request("echo warm"));
      const fibers = yield* Effect.forEach([1, 2, 3], () =>
        Effect.forkChild(shell.run(commands.request(forever)), { startImmediately: true }),
      );
      yield* Effect.sleep("100 millis");
      const before = yield* Clock.currentTimeMillis;
      yield* Fiber.interruptAll(fibers);
      const took = (yield* Clock.currentTimeMillis) - before;
      yield* Expectation.isTrue(took < 1_000, `interrupting took ${took} ms`);
      const next = yield* Expectation.within("the next command", shell.run(commands.request("echo next")));
      yield* Expectation.same("next output", next.output.text, "next\n");
    },
  }),
  law({
    id: "SHL-27",
    title: "a command that is told to stop ends, with what it had printed and changed, and the next one runs",
    *check(harness) {
      const shell = yield* harness.open;
      yield* shell.run(commands.request("echo warm"));
      const languages = shell.languages.includes("js") ? ["js -e 'for (;;);'"] : [];
      for (const goesOn of [forever, "sleep 100", ...languages]) {
        const result = yield* stoppedInTheMiddle(shell, goesOn);
        yield* Expectation.same("ended and exit code", [result.ended, result.exitCode], ["stopped", null]);
        yield* Expectation.same("output", result.output.text, "before\n");
        yield* Expectation.same("changes", commands.changed(result), [["output/kept", "kept\n"]]);
        yield* Expectation.isTrue(result.notes.length > 0, "no note says that it was stopped");
      }
      const stopped = yield* shell.run(commands.request(forever), Effect.void);
      yield* Expectation.same("one that is stopped as it begins", stopped.ended, "stopped");
      const next = yield* shell.run(commands.request("echo next"), Effect.never);
      yield* Expectation.same("next output", next.output.text, "next\n");
    },
  }),
];

/** How a command ends that is told to stop once it goes on for ever: later, should it not have come so far on a busy machine. */
const stoppedInTheMiddle = Effect.fnUntraced(function* (shell: Shell["Service"], goesOn: string) {
  const command = commands.request(`echo before; echo kept > output/kept; ${goesOn}`);
  const ask = (wait: Duration.Input) =>
    Expectation.within("a command that was told to stop", shell.run(command, Effect.sleep(wait)));
  const first = yield* ask("200 millis");
  return first.output.text === "" ? yield* ask("2 seconds") : first;
});
