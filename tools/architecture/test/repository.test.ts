import * as fs from "node:fs";
import { fileURLToPath } from "node:url";
import { assert, describe, it } from "@effect/vitest";
import { readRepository } from "../src/readRepository.ts";
import { type AllowedEntry, fromFiles } from "../src/Repository.ts";
import { rules, violations } from "../src/rules.ts";

const root = fileURLToPath(new URL("../../../", import.meta.url));
const allowed = JSON.parse(
  fs.readFileSync(new URL("../allowed.json", import.meta.url), "utf8"),
) as ReadonlyArray<AllowedEntry>;

describe("the repository keeps its architecture", () => {
  const repository = fromFiles(readRepository(root), allowed);

  it("has packages and modules to look at", () => {
    assert.isAbove(repository.packages.length, 5);
    assert.isAbove(repository.modules.size, 50);
  });

  for (const rule of rules) {
    it(`${rule.id}: ${rule.title}`, () => {
      assert.deepStrictEqual(violations(repository, [rule]), []);
    });
  }
});
