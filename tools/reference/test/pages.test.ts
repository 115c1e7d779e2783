import * as fs from "node:fs";
import { failureCodes } from "@cahier/domain/failure/FailureCode";
import { definitions } from "@cahier/domain/run/RunEvent";
import { builtin } from "@cahier/host/composition/Tools";
import * as Effect from "effect/Effect";
import { assert, describe, it } from "vitest";
import type { Page } from "../src/Page.ts";
import { pages } from "../src/pages.ts";

const made = await pages();
const tools = await Effect.runPromise(builtin);
const textOf = (name: string): string => pageOf(name).text;
const pageOf = (name: string): Page => {
  const page = made.find(({ path }) => path === `docs/reference/${name}.md`);
  assert.isDefined(page, `there is no page ${name}`);
  return page;
};

describe("the reference pages", () => {
  it.each(["tools", "error-codes", "events"])("%s.md says what the source says", (name) => {
    const { path, text } = pageOf(name);
    const file = new URL(`../../../${path}`, import.meta.url);
    const written = fs.existsSync(file) ? fs.readFileSync(file, "utf8") : "";
    assert.isTrue(written === text, `${path} is not what the source says. Run "npm run generate".`);
  });

  it("have a place to link to for every tool, with every argument", () => {
    const text = textOf("tools");
    for (const { descriptor } of tools) {
      assert.include(text, `<a id="${descriptor.id.slice("builtin:".length)}"></a>`);
      for (const name of Object.keys(descriptor.inputSchema["properties"] ?? {})) assert.include(text, `\`${name}\``);
    }
  });

  it("have a place to link to for every code, once, with its meaning", () => {
    const text = textOf("error-codes");
    for (const [code, { meaning }] of Object.entries(failureCodes)) {
      assert.strictEqual(text.split(`<a id="${code}"></a>`).length, 2, code);
      assert.include(text, meaning);
    }
  });

  it("have a heading for every event type, with its version, its level and when it is written", () => {
    const text = textOf("events");
    for (const [type, { level, v }] of Object.entries(definitions))
      assert.include(text, `\n### ${type}\n\nVersion ${v}, level \`${level}\`. `, `${type} needs a docblock`);
  });
});
