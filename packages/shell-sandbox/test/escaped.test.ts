/**
 * What JavaScript finds in the child's own realm, should a command ever come out of its interpreter.
 */
import { assert, describe, it } from "@effect/vitest";
import * as Effect from "effect/Effect";
import * as fs from "node:fs";
import * as os from "node:os";
import * as nodePath from "node:path";
import { getCommandNames } from "just-bash";
import * as Bait from "./Bait.ts";
import { request } from "./Requests.ts";
import * as SharedShell from "./SharedShell.ts";

const shared = SharedShell.make({ entry: new URL("processes/escaped.ts", import.meta.url), processes: 1 });

const run = Effect.fnUntraced(function* (command: string) {
  const shell = yield* shared.open;
  return (yield* shell.run(request(command))).output.text;
});

const escaped = (code: string) => run(`escaped: ${code}`);

const read = (path: string): string =>
  `return (await import("node:fs")).readFileSync(${JSON.stringify(path)}, "utf8");`;

/** Node's own refusal, that of `lockIn`, and a global that is gone. */
const refused = /Access to this API has been restricted|not possible in the process of a shell|is not defined/;

const isRefused = (title: string, code: string) =>
  it.live(title, () => Effect.map(escaped(code), (text) => assert.match(text, refused)));

describe("code that has come out of its interpreter", () => {
  it.live("runs in a child that runs commands as ever", () =>
    Effect.gen(function* () {
      assert.strictEqual(yield* escaped("return 1 + 1;"), "got 2");
      assert.strictEqual(
        yield* run("echo shell; js -e 'console.log(1)'; python -c 'print(2)'; jq -n 3"),
        "shell\n1\n2\n3\n",
      );
      assert.match(yield* escaped(read(nodePath.join(import.meta.dirname, "../package.json"))), /^got \{/);
    }),
  );

  it.live("runs in a child that still finds everything its commands load when they are first used", () =>
    Effect.gen(function* () {
      const names = getCommandNames().filter((name) => name !== "sleep");
      const text = yield* run(`for name in ${names.join(" ")}; do $name --help < /dev/null 2>&1; done`);
      assert.include(text, "sha256sum");
      assert.notMatch(text, refused);
    }),
  );

  it.live("reads no file of this machine but those that the child is made of", () =>
    Effect.scoped(
      Effect.gen(function* () {
        const home = yield* Effect.acquireRelease(
          Effect.sync(() => fs.mkdtempSync(nodePath.join(os.homedir(), ".cahier-escaped-"))),
          (path) => Effect.sync(() => fs.rmSync(path, { recursive: true })),
        );
        const ofUser = nodePath.join(home, "secret");
        fs.writeFileSync(ofUser, "secret");
        const bait = yield* Bait.make;
        const repository = nodePath.join(import.meta.dirname, "../../../package.json");
        for (const path of ["/etc/passwd", "/proc/self/environ", ofUser, bait.path, repository]) {
          assert.match(yield* escaped(read(path)), /Access to this API has been restricted/, path);
        }
      }),
    ),
  );

  it.live("reaches no server of this machine", () =>
    Effect.scoped(
      Effect.gen(function* () {
        const bait = yield* Bait.make;
        const ways = [
          `await fetch("http://127.0.0.1:${bait.port}");`,
          `new WebSocket("ws://127.0.0.1:${bait.port}");`,
          `(await import("node:net")).connect(${bait.port}, "127.0.0.1");`,
          `(await import("net")).connect(${bait.port}, "127.0.0.1");`,
          `process.getBuiltinModule("net").connect(${bait.port}, "127.0.0.1");`,
          `(await import("node:module")).createRequire("/x.js")("net").connect(${bait.port}, "127.0.0.1");`,
          `(await import("node:module")).default._load("node:net").connect(${bait.port}, "127.0.0.1");`,
          `process._getActiveHandles()[0].connect(${bait.port}, "127.0.0.1");`,
          `new (process._getActiveHandles()[0].constructor)().connect(${bait.port}, "127.0.0.1");`,
          `new (process._getActiveHandles()[0]._handle.constructor)(0).connect({}, "/socket");`,
        ];
        for (const way of ways) assert.match(yield* escaped(way), refused, way);
        assert.strictEqual(yield* bait.visits, 0);
      }),
    ),
  );

  for (const name of [
    "net",
    "tls",
    "dns",
    "dns/promises",
    "dgram",
    "http",
    "https",
    "http2",
    "inspector",
    "child_process",
  ]) {
    isRefused(`does not import ${name}`, `await import("node:${name}");`);
  }
  isRefused("does not import a module that loads native code", 'await import("node:sqlite");');
  isRefused(
    "puts no loader of its own before the child's",
    '(await import("node:module")).registerHooks({ resolve: () => ({ url: "node:net", shortCircuit: true }) });',
  );
  isRefused("starts no thread", 'new (await import("node:worker_threads")).Worker("1", { eval: true });');
  isRefused("becomes no other program", 'process.execve("/usr/bin/true", [], {});');
  isRefused("loads no native code", "process.dlopen({ exports: {} }, process.argv[2] + '/x.node');");
  isRefused(
    "loads no native code by its ending",
    "const name = process.argv[2] + '/x.node'; (await import('node:fs')).writeFileSync(name, 'x'); (await import('node:module')).createRequire('/x.js')(name);",
  );
  const python = JSON.stringify(import.meta.resolve("@pydantic/monty"));
  isRefused("opens no folder by the library of Python", `new (await import(${python})).MountDir("/", "/etc");`);
  isRefused(
    "comes to no library by the child's own modules",
    `await import(${JSON.stringify(new URL("../src/internal/child/pythonFiles.ts", import.meta.url).href)});`,
  );
  it.live("finds no native code that is loaded", () =>
    Effect.map(
      escaped(
        'const { cache } = (await import("node:module")).createRequire("/x.js"); return Object.keys(cache).filter((path) => path.endsWith(".node")).length;',
      ),
      (text) => assert.strictEqual(text, "got 0"),
    ),
  );
  isRefused("stops no other process", "process.kill(process.ppid, 0);");
  isRefused("reaches nothing of Node's inside", 'process.binding("tcp_wrap");');
  isRefused(
    "writes nowhere but in its own folder",
    'return (await import("node:fs")).writeFileSync(process.argv[1], "");',
  );

  it.live("is refused the same after other commands have run", () =>
    Effect.gen(function* () {
      yield* run("echo x | sort; js -e 'import(\"fs\")'; f() { f; }; f");
      assert.match(yield* escaped('await import("node:net");'), refused);
      assert.match(yield* escaped("process.kill(process.ppid, 0);"), refused);
      assert.match(yield* escaped(read("/etc/passwd")), refused);
    }),
  );
});

it.live("the process ends with the tests", () => shared.close);
