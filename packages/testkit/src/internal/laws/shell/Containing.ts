/**
 * Laws of Shell about what a command cannot reach and cannot harm.
 */
import * as Effect from "effect/Effect";
import * as Fiber from "effect/Fiber";
import * as Expectation from "../../../Expectation.ts";
import * as Law from "../../../Law.ts";
import type { ShellHarness } from "../../../laws/ShellLaws.ts";
import * as commands from "./commands.ts";

const law = Law.of<ShellHarness>();

export const containing: ReadonlyArray<Law.Law<ShellHarness>> = [
  law({
    id: "SHL-21",
    title: "only what is below the writable folders can be changed; a command that tries more fails and goes on",
    *check(harness) {
      const shell = yield* harness.open;
      for (const attempt of [
        "echo x > skills/plan/new.md",
        "echo x > skills/plan/SKILL.md",
        "echo x >> skills/plan/SKILL.md",
        "rm skills/plan/SKILL.md",
        "mv skills/plan output/plan",
        "mkdir skills/other",
        "touch tool-results/x",
        "cp output/main.md skills/plan/main.md",
        "echo x > new-at-the-root",
      ]) {
        const result = yield* shell.run(commands.request(`${attempt} && echo possible; cat skills/plan/SKILL.md`));
        yield* Expectation.same(`output of ${attempt}`, result.output.text, "a skill\n");
        yield* Expectation.isTrue(result.errorOutput.text.length > 0, `${attempt} fails without a word`);
        const outside = result.changes.filter(({ path }) => !path.startsWith("output/"));
        yield* Expectation.same(`changes of ${attempt}`, outside, []);
      }
    },
  }),
  law({
    id: "SHL-22",
    title: "a symbolic link leads nowhere that a command could not go itself, and is no change",
    *check(harness) {
      const shell = yield* harness.open;
      const { path, secret } = yield* harness.bait;
      const result = yield* shell.run(
        commands.request(
          [
            `ln -s ${path} output/bait; cat output/bait`,
            "ln -s ../../../../etc output/etc; cat output/etc/passwd",
            "ln -s ../skills/plan output/plan; echo x > output/plan/SKILL.md; echo x > output/plan/new.md",
            "ln -s loop output/loop; cat output/loop",
            "cat skills/plan/SKILL.md",
          ].join("\n"),
        ),
      );
      yield* Expectation.same("output", result.output.text, "a skill\n");
      yield* Expectation.isTrue(!result.errorOutput.text.includes(secret), "the secret is in the error output");
      yield* Expectation.same("changes", commands.changed(result), []);
    },
  }),
  law({
    id: "SHL-23",
    title: "a command reads no file of the host and nothing of its environment",
    *check(harness) {
      const shell = yield* harness.open;
      const { path, secret, variable } = yield* harness.bait;
      const result = yield* shell.run(
        commands.request(
          [
            `cat ${path}; cat ../../../../../..${path}; cat /proc/self/root${path}; head /proc/1/environ /proc/self/environ`,
            `env; echo "[$${variable}]"; cat /etc/shadow /etc/hostname; ls /home /root`,
          ].join("\n"),
        ),
      );
      const all = `${result.output.text}${result.errorOutput.text}`;
      yield* Expectation.isTrue(!all.includes(secret), "the secret of the host is in what the command printed");
      yield* Expectation.isTrue(result.output.text.includes("[]\n"), "the variable of the host has a value");
    },
  }),
  law({
    id: "SHL-24",
    title: "a command reaches nothing by a network",
    *check(harness) {
      const shell = yield* harness.open;
      const { port, visits } = yield* harness.bait;
      const result = yield* shell.run(
        commands.request(
          `(echo hello > /dev/tcp/127.0.0.1/${port}) && echo open; curl -s http://127.0.0.1:${port}/ && echo open`,
        ),
      );
      yield* Expectation.isTrue(!result.output.text.includes("open"), "a connection was open");
      yield* Expectation.same("visits", yield* visits, 0);
    },
  }),
  law({
    id: "SHL-25",
    title: "a command that takes all that it can get ends, and harms no other",
    *check(harness) {
      const shell = yield* harness.open;
      const limits = { ...commands.limits, timeoutMs: 2_000 };
      for (const command of [
        "while true; do :; done",
        "x=xxxxxxxx; while true; do x=$x$x; done",
        "f() { f | f; }; f",
        "f() { f; f; }; f",
      ]) {
        const bomb = yield* Effect.forkChild(shell.run(commands.request(command, { limits })), {
          startImmediately: true,
        });
        const other = yield* Expectation.within("another command", shell.run(commands.request("echo well")));
        yield* Expectation.same("another command's output", other.output.text, "well\n");
        const result = yield* Expectation.within(command, Fiber.join(bomb));
        yield* Expectation.isTrue(
          result.ended !== "exited" || result.exitCode !== 0,
          `${command} is told to have succeeded`,
        );
        const next = yield* Expectation.within("the next command", shell.run(commands.request("echo next")));
        yield* Expectation.same("the next command's output", next.output.text, "next\n");
      }
    },
  }),
  law({
    id: "SHL-26",
    title: "the caller goes on while commands run",
    *check(harness) {
      const shell = yield* harness.open;
      const limits = { ...commands.limits, timeoutMs: 600 };
      const busy = yield* Effect.forkChild(shell.run(commands.request("while true; do :; done", { limits })), {
        startImmediately: true,
      });
      const turns = { count: 0 };
      const counting = Effect.forever(
        Effect.andThen(
          Effect.sleep("10 millis"),
          Effect.sync(() => (turns.count += 1)),
        ),
      );
      const counter = yield* Effect.forkChild(counting, { startImmediately: true });
      yield* Fiber.join(busy);
      yield* Fiber.interrupt(counter);
      yield* Expectation.isTrue(turns.count >= 15, `the caller had ${turns.count} turns in 600 ms`);
    },
  }),
];
