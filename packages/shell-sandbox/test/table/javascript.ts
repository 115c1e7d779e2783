/**
 * Commands of JavaScript, and what they print.
 */
import type { Row } from "./Row.ts";

export const rows: ReadonlyArray<Row> = [
  ["js -e 'console.log(1 + 1)'", "2\n"],
  ["js -e 'console.log([1, 2, 3].map((x) => x * 2).join())'", "2,4,6\n"],
  ["js -e 'console.log(JSON.stringify({ a: [1, null] }))'", '{"a":[1,null]}\n'],
  ["js -e 'const { a, ...rest } = { a: 1, b: 2 }; console.log(rest.b)'", "2\n"],
  ["js -e 'console.log(await Promise.resolve(42))'", "42\n"],
  ['js -e \'console.log("é漢".length, "abc".at(-1), 2n ** 64n)\'', "2 c 18446744073709551616n\n"],
  ["js -e 'class A { #x = 1; get x() { return this.#x; } } console.log(new A().x)'", "1\n"],
  ["js -e 'function* g() { yield 1; yield 2; } console.log([...g()].length)'", "2\n"],
  ["js -e 'console.log(process.argv.slice(2).join())' a b", "a,b\n"],
  ["js -e 'process.exitCode = 7'; echo $?", "7\n"],
  ["js -e 'process.exit(3)'; echo $?", "3\n"],
  ["js -e 'console.error(\"wrong\")' 2>&1", "wrong\n"],
  ["js -e 'throw new Error(\"bad\")'; echo $?", "1\n"],
  ["js -e 'try { null.x } catch (error) { console.log(error.constructor.name) }'", "TypeError\n"],
  ["echo input | js -e 'process.stdout.write(process.stdin.read().toUpperCase())'", "INPUT\n"],
  ["echo 'console.log(\"from stdin\")' | js", "from stdin\n"],
  ["js skills/count/scripts/count.js output/main.md", "output/main.md 6\n"],
  ["cd output && js skills/count/scripts/count.js output/main.md", "output/main.md 6\n"],
  [
    'js -e \'import { workspace } from "@cahier/runtime"; console.log(await workspace.read("output/data.json"))\'',
    '{"name":"Ada","tags":["a","b"],"age":36}\n\n',
  ],
  [
    'js -e \'import { workspace } from "@cahier/runtime"; await workspace.write("output/new/file.txt", "made")\' && cat output/new/file.txt',
    "made",
  ],
  [
    'js -e \'import { workspace } from "@cahier/runtime"; console.log((await workspace.list("output")).map(({ path }) => path).join())\'',
    "output/data.json,output/main.md\n",
  ],
  [
    'js -e \'import { workspace } from "@cahier/runtime"; await workspace.remove("output/main.md"); console.log(await workspace.exists("output/main.md"))\'',
    "false\n",
  ],
  [
    'js -e \'import { workspace } from "@cahier/runtime"; try { await workspace.write("skills/x", "") } catch (error) { console.log(error.message) }\'',
    "Read-only file system\n",
  ],
  ["js -e 'import { context } from \"@cahier/runtime\"; console.log(context)'", "null\n"],
  ['js -e \'import { log } from "@cahier/runtime"; log("noted")\' 2>&1', "noted\n"],
  ["js -e 'import fs from \"fs\"'; echo $?", "1\n"],
  ['js -e \'setTimeout(() => console.log("later"), 5); console.log("first")\'', "first\nlater\n"],
  ["js -e 'const id = setInterval(() => { console.log(\"tick\"); clearInterval(id); }, 1)'", "tick\n"],
  [
    "js -e 'console.log(new Map([[1, { a: [true] }]]), new Set([\"x\"]), [undefined, null])'",
    'Map(1) { 1 => { a: [ true ] } } Set(1) { "x" } [ undefined, null ]\n',
  ],
  ['js -e \'console.log(/(\\d+)/.exec("a12")[1], "a-b".replaceAll("-", "+"))\'', "12 a+b\n"],
  ["js -e 'console.log(new Date(0).toISOString(), Math.max(1, 2))'", "1970-01-01T00:00:00.000Z 2\n"],
  ["js -e 'console.log(structuredClone)' 2>/dev/null; echo $?", "1\n"],
  ["js -e 'await new Promise(() => {})' 2>/dev/null; echo $?", "13\n"],
  ["js -e 'Promise.reject(new Error(\"unheard\"))' 2>/dev/null; echo $?", "1\n"],
  ["js nope.js 2>/dev/null; echo $?", "2\n"],
  ["node -e 'console.log(\"node too\")'", "node too\n"],
  [
    "printf 'export const x = 1;' > output/m.js; js -e 'import { x } from \"/output/m.js\"; console.log(x, (await import(\"./output/m.js\")).x)'",
    "1 1\n",
  ],
  [
    'js -e \'console.log([3, 1, 2].toSorted().join(), Object.groupBy([1, 2], (x) => x % 2 ? "odd" : "even").odd)\'',
    "1,2,3 [ 1 ]\n",
  ],
];
