import * as Sha256 from "@cahier/domain/payload/Sha256";
import * as TextMetrics from "@cahier/domain/workspace/TextMetrics";
import { assert, describe, it } from "@effect/vitest";
import * as Schema from "effect/Schema";

describe("text that grows", () => {
  it.prop("is counted and hashed the same in pieces as whole", [Schema.Array(Schema.String)], ([given]) => {
    const pieces = given.map((piece) => piece.toWellFormed());
    const whole = pieces.join("");
    const grown = pieces.reduce(
      (end, piece) => ({ tally: TextMetrics.tally(end.tally, piece), hashing: end.hashing.with(piece) }),
      { tally: TextMetrics.nothing, hashing: Sha256.hashing("") },
    );
    assert.deepStrictEqual(
      { chars: grown.tally.chars, words: grown.tally.words, sha256: grown.hashing.digest() },
      { ...TextMetrics.measure(whole), sha256: Sha256.ofText(whole) },
    );
  });

  it("counts a word once when it is appended to", () => {
    for (const [before, added, words] of [
      ["lamp", "light", 1],
      ["lamp ", "light", 2],
      ["灯", "光", 2],
      ["e", "\u0301a", 1],
    ] as const)
      assert.strictEqual(TextMetrics.tally(TextMetrics.tally(TextMetrics.nothing, before), added).words, words);
  });

  it("leaves a digest under way as it was", () => {
    const hashing = Sha256.hashing("one");
    hashing.with("two");
    assert.strictEqual(hashing.digest(), Sha256.ofText("one"));
  });
});
