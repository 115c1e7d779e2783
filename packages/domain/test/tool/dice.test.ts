import { assert, describe, it } from "@effect/vitest";
import * as Arbitrary from "effect/Arbitrary";
import * as Result from "effect/Result";
import * as Schema from "effect/Schema";
import * as Dice from "../../src/tool/dice.ts";

describe("a dice formula", () => {
  it.each([
    ["d6", 1, 6, 0],
    ["1d20", 1, 20, 0],
    ["3d6+4", 3, 6, 4],
    ["2d10-1", 2, 10, -1],
    ["2D10", 2, 10, 0],
    ["20", 1, 20, 0],
    [" d6 ", 1, 6, 0],
    ["100d1000000+1000000", 100, 1_000_000, 1_000_000],
    ["1d1-1000000", 1, 1, -1_000_000],
  ])("%s is %i dice of %i sides with %i added", (text, count, sides, modifier) => {
    assert.deepStrictEqual(Result.getOrThrow(Dice.parse(text)), { text: text.trim(), count, sides, modifier });
  });

  it.each([
    "",
    "d",
    "0d6",
    "101d6",
    "1d0",
    "1d1000001",
    "1d6+1000001",
    "1d6-1000001",
    "1 d6",
    "1d6 + 1",
    "1d6+",
    "-1d6",
    "1d-6",
    "20+1",
    "1d6+1+1",
    "2d6d4",
    "1.5d6",
    "d6kh1",
    "９d6",
    "99999999999d6",
    "d6\nd6",
  ])("%j is refused", (text) => {
    const parsed = Dice.parse(text);
    assert.isTrue(Result.isFailure(parsed) && parsed.failure.code === "dice.invalid_formula");
  });

  it("is rolled with the given numbers", () => {
    const formula = Result.getOrThrow(Dice.parse("3d6+4"));
    assert.deepStrictEqual(Dice.roll(formula, [0, 0.5, 0.999_999]), {
      formula: "3d6+4",
      rolls: [1, 4, 6],
      modifier: 4,
      total: 15,
      min: 7,
      max: 22,
    });
  });

  const formulas = Arbitrary.map(
    Arbitrary.schema(
      Schema.Tuple([
        Schema.Literals([1, 2, 7, 100]),
        Schema.Literals([1, 2, 6, 20, 1_000_000]),
        Schema.Literals(["", "+3", "-12"]),
      ]),
    ),
    ([count, sides, modifier]) => `${count}d${sides}${modifier}`,
  );

  it.prop(
    "never leaves the faces of its dice, whatever the numbers are",
    [formulas, Schema.Array(Schema.Finite)],
    ([text, random]) => {
      const formula = Result.getOrThrow(Dice.parse(text));
      const rolled = Dice.roll(formula, random);
      assert.lengthOf(rolled.rolls, formula.count);
      for (const face of rolled.rolls) assert.isTrue(Number.isInteger(face) && face >= 1 && face <= formula.sides);
      assert.isTrue(rolled.total >= rolled.min && rolled.total <= rolled.max);
    },
  );

  it("gives every face the same share", () => {
    const formula = Result.getOrThrow(Dice.parse("1d6"));
    const faces = Array.from({ length: 600 }, (_, index) => Dice.roll(formula, [index / 600]).total);
    for (const face of [1, 2, 3, 4, 5, 6])
      assert.lengthOf(
        faces.filter((rolled) => rolled === face),
        100,
      );
  });
});
