import { assert, describe, it } from "@effect/vitest";
import { existsSync } from "node:fs";
import { join, resolve } from "node:path";
import { GenerationParameters } from "@cahier/domain/model/ModelRequest";
import * as Effect from "effect/Effect";
import * as Schema from "effect/Schema";
import { generationParameters } from "../src/material/generationParameters.ts";
import * as MaterialFile from "../src/material/MaterialFile.ts";
import * as PromptCase from "./support/PromptCase.ts";

const samples = join(
  process.env["CAHIER_FIXTURES"] ?? resolve(import.meta.dirname, "../../../../shared/fixtures"),
  "sillytavern",
);
const why = existsSync(samples) ? "" : " (skipped: set CAHIER_FIXTURES to the folder of the recorded fixtures)";

const isParameters = Schema.is(GenerationParameters);

describe("what a preset says of the model's answer", () => {
  it("is taken over field by field under the names of the runtime", () => {
    const found = generationParameters({
      temperature: 0.85,
      top_p: 0.9,
      top_k: 40,
      frequency_penalty: -0.25,
      presence_penalty: 0.5,
      openai_max_tokens: 1200,
      seed: 0,
      reasoning_effort: "high",
      verbosity: "low",
    });
    assert.deepStrictEqual(found, {
      temperature: 0.85,
      topP: 0.9,
      topK: 40,
      frequencyPenalty: -0.25,
      presencePenalty: 0.5,
      seed: 0,
      reasoning: { effort: "high" },
      verbosity: "low",
      maxOutputTokens: 1200,
    });
    assert.isTrue(isParameters(found));
  });

  it("is nothing where the preset leaves the choice to the model", () => {
    const undecided = { top_k: 0, seed: -1, reasoning_effort: "auto", verbosity: "auto" };
    for (const file of [{}, undecided]) assert.deepStrictEqual(generationParameters(file), {});
  });

  it("is nothing where a field is of the wrong kind", () => {
    for (const odd of [null, true, "much", [], {}, Number.POSITIVE_INFINITY]) {
      const keys = ["temperature", "top_p", "top_k", "frequency_penalty", "presence_penalty", "seed"];
      const file = Object.fromEntries([...keys, "openai_max_tokens", "verbosity"].map((key) => [key, odd]));
      assert.deepStrictEqual(generationParameters(file), {}, JSON.stringify(odd));
    }
    const fractions = { top_k: 2.5, seed: 0.5, openai_max_tokens: 10.1, reasoning_effort: 3 };
    assert.deepStrictEqual(generationParameters(fractions), {});
    assert.deepStrictEqual(generationParameters({ openai_max_tokens: 0, top_k: -1 }), {});
  });

  it("calls the smallest effort minimal, and keeps every other name", () => {
    const effortOf = (effort: string) => generationParameters({ reasoning_effort: effort }).reasoning;
    assert.deepStrictEqual(effortOf("min"), { effort: "minimal" });
    for (const effort of ["low", "medium", "high", "max", "ultra"])
      assert.deepStrictEqual(effortOf(effort), { effort });
  });

  for (const name of ["default-order", "examples-odd", "history-over-budget"]) {
    it.effect(`is read of the recorded preset ${name}`, () =>
      Effect.gen(function* () {
        const { input } = yield* PromptCase.load(name);
        assert.deepStrictEqual(input.preset.parameters, { temperature: 1, maxOutputTokens: input.preset.response });
      }),
    );
  }

  it.effect.skipIf(why !== "")(`is read of SillyTavern's own default preset${why}`, () =>
    Effect.gen(function* () {
      const { parameters } = yield* MaterialFile.readPreset(join(samples, "Default.json"));
      assert.deepStrictEqual(parameters, {
        temperature: 1,
        topP: 1,
        frequencyPenalty: 0,
        presencePenalty: 0,
        maxOutputTokens: 300,
      });
    }),
  );
});
