import { assert, describe, it } from "@effect/vitest";
import { quoted, remembering } from "../../src/run/envelopeText.ts";

describe("the texts of an envelope", () => {
  it.each(["", "run_1", "2026-01-02T03:04:05.000Z", 'a "quoted" text', "back\\slash", "\n\u0000\u2028", "\uD800", "é"])(
    "are what JSON.stringify makes: %j",
    (text) => {
      assert.strictEqual(quoted(text), JSON.stringify(text));
    },
  );

  it("are made once while they repeat, and anew when another comes between", () => {
    const made: Array<string> = [];
    const ofText = remembering((text) => {
      made.push(text);
      return quoted(text);
    });
    assert.deepStrictEqual(["a", "a", "b", "a"].map(ofText), ['"a"', '"a"', '"b"', '"a"']);
    assert.deepStrictEqual(made, ["", "a", "b", "a"]);
  });
});
