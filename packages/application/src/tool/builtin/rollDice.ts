/** `dice.roll`: chance, on record. */
import * as Dice from "@cahier/domain/tool/dice";
import * as Effect from "effect/Effect";
import * as Schema from "effect/Schema";
import { admit, defineTool } from "../defineTool.ts";
import { Randomness } from "../Randomness.ts";

export const rollDice = defineTool({
  name: "dice.roll",
  title: "Roll dice",
  description:
    "Rolls dice by a formula and gives each die and the total. What fell is on record and never rolled again.",
  parameters: Schema.Struct({
    formula: Schema.String.annotate({
      description: `NdS, NdS+M or NdS-M without spaces, such as d6, 1d20 or 3d6+4. Up to ${Dice.maxDice} dice of up to ${Dice.maxSides} sides.`,
    }),
  }),
  annotations: { readOnly: true },
  // Whoever is interrupted before the roll is on record rolls once: nobody has seen what fell before.
  effectClass: "internal",
  sideEffect: "Rolls {formula} and puts what falls on record.",
  run: Effect.fnUntraced(function* ({ formula }) {
    const { next } = yield* Randomness;
    const parsed = yield* admit(Dice.parse(formula));
    const roll = Dice.roll(parsed, Array.from({ length: parsed.count }, next));
    return {
      _tag: "Done" as const,
      content: `${roll.formula}: ${roll.rolls.join(" + ")}${signed(roll.modifier)} = ${roll.total} (it can be ${roll.min} to ${roll.max}).`,
      structured: { ...roll },
    };
  }),
});

const signed = (modifier: number): string =>
  modifier === 0 ? "" : modifier > 0 ? ` + ${modifier}` : ` - ${-modifier}`;
