/**
 * Writes the corpus into `test/generated`; the formatter runs over it afterwards (`npm run corpus` does both).
 */
import { mkdirSync, writeFileSync } from "node:fs";
import { resolve } from "node:path";
import * as Effect from "effect/Effect";
import * as corpusModules from "./corpusModules.ts";

const folder = resolve(import.meta.dirname, "../test/generated");

const program = Effect.gen(function* () {
  mkdirSync(folder, { recursive: true });
  for (const judge of corpusModules.judges) {
    const text = yield* corpusModules.textOf(judge);
    writeFileSync(resolve(folder, `${corpusModules.moduleOf(judge.route)}.ts`), text);
  }
});

await Effect.runPromise(program);
