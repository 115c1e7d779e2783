/**
 * Scripts that mean harm: each ends, none harms the process that asks or a command beside it.
 */
import type { ShellResult } from "@cahier/ports/Shell";
import * as JustBash from "@cahier/shell-sandbox/JustBash";
import { assert, describe, it } from "@effect/vitest";
import * as Duration from "effect/Duration";
import * as Effect from "effect/Effect";
import * as Fiber from "effect/Fiber";
import { changesOf, limits, request } from "./Requests.ts";
import * as SharedShell from "./SharedShell.ts";
import * as TemporaryFolder from "./TemporaryFolder.ts";

const shared = SharedShell.make();

const timeoutMs = 600;

const run = Effect.fnUntraced(function* (command: string, memoryBytes = limits.memoryBytes) {
  const shell = yield* shared.open;
  return yield* shell.run(request(command, { limits: { ...limits, timeoutMs, memoryBytes } }));
});

const js = (code: string): string => `js - <<'PROGRAM'\n${code}\nPROGRAM`;
const python = (code: string): string => `python3 - <<'PROGRAM'\n${code}\nPROGRAM`;

/** All of them take a minute: every third is run unless `CAHIER_SLOW` is set, as the script `test:slow` does. */
const all = process.env["CAHIER_SLOW"] !== undefined;

/** Each has to end without success, by itself or by force. */
const bombs: ReadonlyArray<readonly [title: string, command: string]> = [
  ["recursion", "f() { f; }; f"],
  ["recursive pipes", "f() { f | f; }; f"],
  ["background recursion", "f() { f & f; }; f"],
  ["a fork bomb", ":(){ :|:& };:"],
  ["substitution within substitution", 'f() { echo "$(f)"; }; f'],
  ["a script that runs itself", "echo 'bash output/self' > output/self; bash output/self"],
  ["a function by eval", 'f=\'eval "$f"\'; eval "$f"'],
  ["an endless loop", "while :; do :; done"],
  ["an endless loop in a pipe", "while :; do echo x; done | while read -r x; do :; done"],
  ["endless output", "while :; do echo xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx; done"],
  ["a string that doubles", "x=xxxxxxxx; while :; do x=$x$x; done"],
  ["an array that grows", "a=(1 2 3 4 5 6 7 8); while :; do a+=(${a[@]}); done"],
  ["braces", "echo {1..1000}{1..1000}{1..1000}{1..1000}"],
  ["a wide format", "printf '%1000000000d' 1"],
  ["an endless awk", "awk 'BEGIN { while (1) x = x \"xxxxxxxxxxxxxxxx\" }'"],
  ["an endless sed", "sed ':a;s/$/x/;ba' <<< x"],
  ["jq that calls itself", "jq -n 'def f: f; f'"],
  ["jq that calls itself and grows", "jq -n 'def f: [., f]; f'"],
  ["jq with a large range", "jq -n '[range(1e9)]'"],
  ["jq that repeats", "jq -n '[repeat(1)]'"],
  ["jq with a string that doubles", "jq -n 'reduce range(100) as $i (\"xxxxxxxx\"; . + .)'"],
  ["a JavaScript loop", js("for (;;);")],
  ["a JavaScript loop that catches", js("for (;;) try { for (;;); } catch {}")],
  ["JavaScript promises without end", js("const next = () => Promise.resolve().then(next); await next();")],
  ["JavaScript timers without end", js("setInterval(() => {}, 0);")],
  ["JavaScript recursion", js("const f = () => f() + 1; f();")],
  ["JavaScript memory", js("const all = []; for (;;) all.push(new Array(1000).fill({}));")],
  ["a JavaScript string that doubles", js("let x = 'xxxxxxxx'; for (;;) x += x;")],
  ["a large JavaScript buffer", js("new Uint8Array(4e9);")],
  ["a slow JavaScript expression", js("/^(a+)+$/.test('a'.repeat(60) + 'b');")],
  ["deep JavaScript JSON", js("JSON.parse('['.repeat(5e6));")],
  ["endless JavaScript output", js("for (;;) console.log('x'.repeat(1000));")],
  ["JavaScript that ends in a loop", js("process.exitCode = 0; queueMicrotask = null; while (true) { process.exit }")],
  ["a Python loop", python("while True: pass")],
  [
    "a Python loop that catches",
    python("while True:\n    try:\n        while True: pass\n    except BaseException: pass"),
  ],
  ["Python recursion", python("def f(): return f() + 1\nf()")],
  ["a Python list that doubles", python("x = [0]\nwhile True: x = x + x")],
  ["a large Python integer", python("print(2 ** 10 ** 12)")],
  ["a large Python string", python("x = 'x' * 10 ** 12")],
  ["endless Python output", python("while True: print('x' * 1000)")],
  ["a Python file that grows", python("f = open('output/big', 'a')\nwhile True: f.write('x' * 100000)")],
];

describe("a hostile script ends, and its caller is well", () => {
  for (const [title, command] of bombs.filter((_, index) => all || index % 3 === 0)) {
    it.live(title, () =>
      Effect.gen(function* () {
        const before = process.memoryUsage().rss;
        const result = yield* run(command);
        assert.isTrue(
          result.ended !== "exited" || result.exitCode !== 0,
          JSON.stringify({ ...result, changes: [] }).slice(0, 300),
        );
        assert.isBelow(result.elapsedMs, timeoutMs * 1.2 + 250);
        assert.isBelow(process.memoryUsage().rss - before, 64 * 1024 * 1024);
        const next = yield* run("echo well");
        assert.strictEqual(next.output.text, "well\n");
      }),
    );
  }
});

for (const command of ["jq -n '[repeat(1)]'", "sleep 60 | jq ."]) {
  it.live(`"${command}" that is stopped says so in its notes, and no error of its input`, () =>
    Effect.gen(function* () {
      const result = yield* run(`echo own >&2; ${command}`);
      assert.deepStrictEqual([result.ended, result.errorOutput.text], ["timeout", "own\n"]);
      assert.deepStrictEqual(result.notes, ["The command was stopped because its time of 0.6 seconds was up."]);
    }),
  );
}

describe("a hostile script gets nothing", () => {
  const shows = (title: string, command: string, expected: (result: ShellResult) => void) =>
    it.live(title, () => Effect.map(run(command), expected));
  const prints = (title: string, command: string, output: string) =>
    shows(title, command, (result) => assert.strictEqual(result.output.text, output));

  prints("no account of the host", "cat /etc/passwd ../../../../etc/passwd /etc/shadow 2> /dev/null", "");
  prints("no process of the host", "echo $$ $PPID; cat /proc/self/environ /proc/1/cmdline 2> /dev/null", "1 0\n");
  prints("no device", "cat /dev/mem /dev/sda /dev/random /dev/tty 2> /dev/null; ls /dev/shm 2> /dev/null", "");
  prints(
    "no program of the host",
    "/usr/bin/env ls /usr/local 2> /dev/null; /bin/uname -a 2> /dev/null; uname 2> /dev/null",
    "",
  );
  prints("no other user", "sudo id 2> /dev/null; su 2> /dev/null; whoami", "user\n");
  prints(
    "no Node from JavaScript",
    js(
      "console.log([typeof require, typeof process.binding, typeof process.mainModule, typeof Deno, typeof fetch, typeof WebAssembly, typeof Worker].join());",
    ),
    "undefined,undefined,undefined,undefined,undefined,undefined,undefined\n",
  );
  prints(
    "no host object by a constructor",
    js(
      [
        "const reach = (value) => value.constructor.constructor('return typeof process.version + typeof globalThis.process.kill')();",
        "console.log(reach(console.log), reach(process), reach([]));",
      ].join("\n"),
    ),
    "undefinedundefined undefinedundefined undefinedundefined\n",
  );
  prints(
    "no host object by an error",
    js(
      [
        'import { workspace } from "@cahier/runtime";',
        "try { await workspace.read({ toString() { throw 1 } }) } catch (error) { console.log(error instanceof Error) }",
        "try { await workspace.read('nope') } catch (error) { console.log(error instanceof Error, typeof error.constructor.constructor('return process.version')()) }",
      ].join("\n"),
    ),
    "true\ntrue undefined\n",
  );
  prints(
    "no module of Node",
    js(
      'for (const name of ["fs", "node:fs", "child_process", "just-bash"]) await import(name).catch(() => console.log("no"));',
    ),
    "no\nno\nno\nno\n",
  );
  prints(
    "no file of the host by a JavaScript module",
    js('await import("/etc/passwd").catch(() => console.log("no"));'),
    "no\n",
  );
  prints(
    "no module of Python's that reaches out",
    python("try:\n    import subprocess\nexcept ModuleNotFoundError:\n    print('no')"),
    "no\n",
  );
  prints(
    "no file of the host by a Python path",
    python(
      "for path in ['/etc/passwd', '../../../../etc/passwd', '/proc/self/environ', '/tmp/../etc/passwd']:\n    try:\n        open(path)\n        print('open', path)\n    except OSError:\n        pass",
    ),
    "",
  );
  shows(
    "no place for what is written to devices",
    "echo x > /dev/null; echo x > /dev/sda; echo x > /proc/self/mem",
    (result) => {
      assert.deepStrictEqual(changesOf(result), {});
      assert.isAbove(result.errorOutput.text.length, 0);
    },
  );
});

describe("a hostile script leaves nothing", () => {
  const afterwards = (title: string, attack: string, question: string, answer: string) =>
    it.live(title, () =>
      Effect.gen(function* () {
        // Both processes have had the attack.
        yield* Effect.all([run(attack), run(attack), run(attack)], { concurrency: "unbounded" });
        const results = yield* Effect.all([run(question), run(question), run(question)], { concurrency: "unbounded" });
        assert.deepStrictEqual(
          results.map(({ output }) => output.text),
          [answer, answer, answer],
        );
      }),
    );

  afterwards(
    "in the prototypes of JavaScript",
    js('Object.prototype.polluted = "yes"; Array.prototype.map = null; globalThis.left = 1; ({}).__proto__.x = 1;'),
    js("console.log({}.polluted, [1].map(String).join(), typeof left);"),
    "undefined 1 undefined\n",
  );
  afterwards(
    "in the prototypes of jq",
    `jq -c '. + {"__proto__": {"polluted": 1}} | .constructor.prototype.x = 1' <<< '{"__proto__": {"polluted": 1}}'; declare -A __proto__; __proto__[polluted]=1; export constructor=x`,
    "jq -c '.polluted' <<< '{}'; echo ${polluted-unset}",
    "null\nunset\n",
  );
  afterwards(
    "in timers",
    js("setTimeout(() => console.log('late'), 10); process.exit(0);"),
    "sleep 0.05; echo only",
    "only\n",
  );
  afterwards("in the background", "(sleep 1; echo late > output/late) & exit", "ls output", "data.json\nmain.md\n");
  afterwards(
    "in Python",
    python("import json, sys\njson.dumps = None\n"),
    python("import json\nprint(json.dumps(1))"),
    "1\n",
  );

  it.live("in the folder for temporary files of the host", () =>
    Effect.scoped(
      Effect.gen(function* () {
        const temporary = yield* TemporaryFolder.own;
        const shell = yield* JustBash.make({ processes: 1 });
        yield* shell.run(request(python("for n in range(200):\n    open('output/' + str(n), 'w').write('x')")));
        assert.deepStrictEqual(
          TemporaryFolder.children(temporary).map(([, held]) => held),
          [[]],
        );
      }),
    ),
  );
});

it.live("100,000 files are refused before they are there", () =>
  Effect.gen(function* () {
    const shell = yield* shared.open;
    const result = yield* shell.run(request("for i in {1..100000}; do echo $i > output/$i; done"));
    assert.strictEqual(result.ended, "limit");
    assert.isAtMost(result.changes.length, limits.files);
  }),
);

it.live("a command beside a hostile one keeps its pace", () =>
  Effect.gen(function* () {
    const shell = yield* shared.open;
    const steps = Effect.forEach(Array.from({ length: 10 }), () => shell.run(request("echo step")), { discard: true });
    const took = Effect.map(Effect.timed(steps), ([duration]) => Duration.toMillis(duration));
    yield* steps;
    const rounds = yield* Effect.forEach([1, 2, 3], () =>
      Effect.gen(function* () {
        const alone = yield* took;
        const hostile = yield* Effect.forkChild(run("while :; do :; done"), { startImmediately: true });
        const beside = yield* took;
        yield* Fiber.interrupt(hostile);
        return { alone, beside };
      }),
    );
    // The best of some rounds: other tests make use of the machine too.
    const alone = Math.min(...rounds.map((round) => round.alone));
    const beside = Math.min(...rounds.map((round) => round.beside));
    assert.isBelow(beside, alone * 4 + 200);
  }),
);

it.live("the processes end with the tests", () => shared.close);
