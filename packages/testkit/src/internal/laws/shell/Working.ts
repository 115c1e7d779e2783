/**
 * Laws of Shell about commands that do what they should.
 */
import * as Effect from "effect/Effect";
import * as Expectation from "../../../Expectation.ts";
import * as Law from "../../../Law.ts";
import type { ShellHarness } from "../../../laws/ShellLaws.ts";
import * as commands from "./commands.ts";

const law = Law.of<ShellHarness>();

/** A program of each language that prints 3, by the name that shells give the language. */
const programs: Readonly<Record<string, string>> = {
  jq: "jq -n '1 + 2'",
  python: "python3 -c 'print(1 + 2)'",
  js: "js -e 'console.log(1 + 2)'",
};

export const working: ReadonlyArray<Law.Law<ShellHarness>> = [
  law({
    id: "SHL-01",
    title: "a command's output, error output and exit code are told apart",
    *check(harness) {
      const shell = yield* harness.open;
      const result = yield* shell.run(commands.request("echo out; echo wrong >&2; exit 7"));
      yield* Expectation.same("result", commands.said(result), {
        ended: "exited",
        exitCode: 7,
        output: "out\n",
        errorOutput: "wrong\n",
      });
      const piped = yield* shell.run(
        commands.request("printf 'b\\na\\n' | sort | tr a-z A-Z > output/s; cat output/s && ! false"),
      );
      yield* Expectation.same("exit code and output of a pipe", [piped.exitCode, piped.output.text], [0, "A\nB\n"]);
    },
  }),
  law({
    id: "SHL-02",
    title: "a command sees the files and folders that it is given, from its folder",
    *check(harness) {
      const shell = yield* harness.open;
      const result = yield* shell.run(
        commands.request(
          "cat main.md ../skills/plan/SKILL.md; ls; test -d ../tool-results && test -d ../scratch && pwd",
          {
            workdir: "output",
          },
        ),
      );
      yield* Expectation.same("output", result.output.text, "one\ntwo\na skill\nmain.md\nnotes\n/output\n");
    },
  }),
  law({
    id: "SHL-03",
    title: "bytes go in and come out as they are",
    *check(harness) {
      const shell = yield* harness.open;
      const all = Uint8Array.from({ length: 1024 }, (_, index) => (index * 7) % 256);
      const result = yield* shell.run(
        commands.request("cp output/a output/b; cat output/a output/a > output/c", {
          files: [{ path: "output/a", bytes: all }],
        }),
      );
      const [copy, twice] = result.changes;
      yield* Expectation.same("paths", [copy?.path, twice?.path, result.changes.length], ["output/b", "output/c", 2]);
      yield* Expectation.sameBytes("copy", copy?.bytes ?? new Uint8Array(), all);
      yield* Expectation.sameBytes("twice", twice?.bytes ?? new Uint8Array(), Uint8Array.from([...all, ...all]));
    },
  }),
  law({
    id: "SHL-04",
    title: "what a command has made, changed, moved and removed is told, and nothing else",
    *check(harness) {
      const shell = yield* harness.open;
      const result = yield* shell.run(
        commands.request(
          [
            "echo three >> output/main.md",
            "mkdir -p output/deep/er && echo new > output/deep/er/new.md",
            "mv output/notes/first.md scratch/moved.md",
            "echo same > output/kept; rm output/kept",
            "cat skills/plan/SKILL.md > /dev/null; echo gone > /tmp/x",
          ].join("\n"),
        ),
      );
      yield* Expectation.same("exit code", result.exitCode, 0);
      yield* Expectation.same("changes", commands.changed(result), [
        ["output/deep/er/new.md", "new\n"],
        ["output/main.md", "one\ntwo\nthree\n"],
        ["output/notes/first.md", null],
        ["scratch/moved.md", "a note\n"],
      ]);
      const rewritten = yield* shell.run(commands.request("cp output/main.md /tmp/m; cat /tmp/m > output/main.md"));
      yield* Expectation.same("changes of a file that was written as it was", commands.changed(rewritten), []);
    },
  }),
  law({
    id: "SHL-05",
    title: "what a command did before it failed is told with its failure",
    *check(harness) {
      const shell = yield* harness.open;
      const result = yield* shell.run(commands.request("echo done > output/done; cat output/absent"));
      yield* Expectation.same("ended and exit code", [result.ended, result.exitCode], ["exited", 1]);
      yield* Expectation.same("changes", commands.changed(result), [["output/done", "done\n"]]);
    },
  }),
  law({
    id: "SHL-06",
    title: "each command has an environment of its own",
    *check(harness) {
      const shell = yield* harness.open;
      const first = "export LEFT=behind; left() { :; }; cd output; echo x > left; echo x > /tmp/left";
      for (let round = 0; round < 4; round++) yield* shell.run(commands.request(first));
      const second = yield* shell.run(
        commands.request('echo "[$LEFT]"; pwd; type left > /dev/null 2>&1 || echo none; ls output; ls /tmp/left'),
      );
      yield* Expectation.same("output", second.output.text, "[]\n/\nnone\nmain.md\nnotes\n");
    },
  }),
  law({
    id: "SHL-07",
    title: "commands that run at once do not see each other",
    *check(harness) {
      const shell = yield* harness.open;
      const results = yield* Effect.all(
        Array.from({ length: 6 }, (_, index) =>
          shell.run(commands.request(`echo ${index} > output/mine; sleep 0.05; cat output/mine; ls output`)),
        ),
        { concurrency: "unbounded" },
      );
      yield* Expectation.same(
        "outputs",
        results.map((result) => result.output.text),
        results.map((_, index) => `${index}\nmain.md\nmine\nnotes\n`),
      );
    },
  }),
  law({
    id: "SHL-08",
    title: "every language that a shell names runs",
    *check(harness) {
      const shell = yield* harness.open;
      for (const language of shell.languages) {
        const program = programs[language];
        yield* Expectation.isTrue(program !== undefined, `no law knows the language ${language}`);
        const result = yield* shell.run(commands.request(program ?? ""));
        yield* Expectation.same(`output of ${language}`, result.output.text, "3\n");
      }
    },
  }),
];
