import { assert, describe, it } from "vitest";
import { barrelOf } from "../barrels.mjs";

const folder = "packages/letters";
const textOf = (...files: ReadonlyArray<string>) =>
  barrelOf(
    folder,
    files.map((file) => `${folder}/src/${file}`),
  );

describe("a generated index", () => {
  it("exports every module as a namespace, those of folders too", () => {
    assert.strictEqual(
      textOf("Letter.ts", "post/decide.ts").text,
      'export * as Letter from "./Letter.ts";\nexport * as decide from "./post/decide.ts";\n',
    );
  });

  it("leaves out itself, declarations and what is internal at any depth", () => {
    const { text } = textOf("Letter.ts", "index.ts", "Letter.d.ts", "internal/Ink.ts", "post/internal/Stamp.ts");
    assert.strictEqual(text, 'export * as Letter from "./Letter.ts";\n');
  });

  it("leaves out a module that has an entry of its own", () => {
    const files = ["packages/testkit/src/Law.ts", "packages/testkit/src/vitest.ts"];
    assert.strictEqual(barrelOf("packages/testkit", files).text, 'export * as Law from "./Law.ts";\n');
  });

  it("refuses two modules of one name and a name that cannot be exported", () => {
    assert.deepStrictEqual(textOf("a/Letter.ts", "b/Letter.ts", "new.ts", "open-chat.ts").problems, [
      "packages/letters: a/Letter.ts and b/Letter.ts would both be exported as Letter",
      "packages/letters: new.ts has no name to be exported as",
      "packages/letters: open-chat.ts has no name to be exported as",
    ]);
  });
});
