import { assert, describe, it } from "@effect/vitest";
import { type AllowedEntry, fromFiles } from "../src/Repository.ts";
import { rules, violations } from "../src/rules.ts";
import { clean, planted } from "./planted.ts";

const repositoryWith = (
  changes: Readonly<Record<string, string | null>> = {},
  allowed: ReadonlyArray<AllowedEntry> = [],
) =>
  fromFiles(
    new Map(
      Object.entries({ ...clean, ...changes }).flatMap(([path, text]) =>
        text === null ? [] : [[path, text] as const],
      ),
    ),
    allowed,
  );

const lodash = { "packages/domain/src/Planted.ts": `import * as lodash from "lodash"; lodash;` };
const permission = { rule: "import-table", for: "domain", what: "lodash", reason: "It is pure." };

describe("each rule notices what breaks it", () => {
  it("the small repository breaks none", () => {
    assert.deepStrictEqual(violations(repositoryWith()), []);
  });

  for (const { rule: id, title, files, at } of planted) {
    it(`${id}: ${title}`, () => {
      const rule = rules.find((candidate) => candidate.id === id);
      const paths = rule?.check(repositoryWith(files)).map((violation) => violation.path);
      assert.deepStrictEqual(paths, [at]);
    });
  }

  it("every rule has a planted violation", () => {
    const covered = new Set([...planted.map(({ rule }) => rule), "allowance"]);
    assert.deepStrictEqual(
      rules.filter(({ id }) => !covered.has(id)).map(({ id }) => id),
      [],
    );
  });
});

describe("the allow-list", () => {
  it("permits what an entry names, to the package that it names", () => {
    assert.deepStrictEqual(violations(repositoryWith(lodash, [permission])), []);
    assert.isNotEmpty(violations(repositoryWith(lodash, [{ ...permission, for: "ports" }])));
  });

  it("refuses an entry without a reason", () => {
    assert.deepStrictEqual(violations(repositoryWith(lodash, [{ ...permission, reason: " " }])), [
      "tools/architecture/allowed.json allowance: import-table for domain: lodash has no reason",
    ]);
  });

  it("refuses an entry that permits nothing", () => {
    assert.deepStrictEqual(violations(repositoryWith({}, [permission])), [
      "tools/architecture/allowed.json allowance: import-table for domain: lodash permits nothing; remove it",
    ]);
  });
});

describe("what is no violation", () => {
  it("an import of types alone closes no circle of modules", () => {
    const files = {
      "packages/domain/src/A.ts": `import type { B } from "./B.ts"; export type A = B;`,
      "packages/domain/src/B.ts": `import { A } from "./A.ts"; export type B = typeof A;`,
    };
    assert.deepStrictEqual(violations(repositoryWith(files)), []);
  });

  it("a local name that hides a global is no read of the global", () => {
    const files = { "packages/domain/src/A.ts": `import * as process from "./Run.ts"; export const a = process.Run;` };
    assert.deepStrictEqual(violations(repositoryWith(files)), []);
  });

  it("a parameter that hides a global is no read of the global", () => {
    const text = `export const a = ({ process = { pid: 1 } }, [crypto], ...console) => [process.pid, crypto.at, console.at];`;
    assert.deepStrictEqual(violations(repositoryWith({ "packages/domain/src/A.ts": text })), []);
  });

  it("a program that a test starts as a process of its own runs its effect", () => {
    const text = `import * as Effect from "effect/Effect"; Effect.runFork(Effect.void);`;
    assert.deepStrictEqual(violations(repositoryWith({ "packages/domain/test/programs/crash.ts": text })), []);
  });

  it("a date made of a number is no read of the clock", () => {
    const files = { "packages/domain/src/A.ts": `export const a = (at: number) => new Date(at);` };
    assert.deepStrictEqual(violations(repositoryWith(files)), []);
  });

  it("400 lines of source and 700 of a test are within the end", () => {
    const files = {
      "packages/domain/src/A.ts": "export {};\n".repeat(400),
      "packages/domain/test/A.test.ts": "export {};\n".repeat(700),
    };
    assert.deepStrictEqual(violations(repositoryWith(files)), []);
  });
});
