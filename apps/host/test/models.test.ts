/**
 * Which model a command line means, by its words and the environment.
 */
import { assert, describe, it } from "@effect/vitest";
import * as Effect from "effect/Effect";
import * as Models from "../src/composition/Models.ts";

const local = "http://127.0.0.1:11434/v1";

describe("the model that is called", () => {
  for (const [title, model, environment, expected] of [
    ["is OpenAI's where its key alone is set", undefined, { OPENAI_API_KEY: "k" }, ["openai", "gpt-4o-mini"]],
    [
      "is that of the vendor whose models are called so",
      "claude-opus-4-1",
      { OPENAI_API_KEY: "k", ANTHROPIC_API_KEY: "k" },
      ["anthropic", "claude-opus-4-1"],
    ],
    [
      "is that of the vendor whose model the environment names",
      undefined,
      { OPENAI_API_KEY: "k", GEMINI_API_KEY: "k", GEMINI_MODEL: "gemini-3-pro" },
      ["gemini", "gemini-3-pro"],
    ],
    [
      "is the named server's, whatever it is called: no vendor gets what is meant for it",
      "gemini-nano",
      { OPENAI_BASE_URL: local, GEMINI_API_KEY: "k", ANTHROPIC_API_KEY: "k" },
      ["custom", "gemini-nano"],
    ],
  ] as const)
    it.effect(title, () =>
      Effect.gen(function* () {
        const binding = yield* Models.bindingOf({ model }, environment);
        assert.deepStrictEqual([binding.source, binding.modelId], [...expected]);
        if (binding.source === "custom") assert.strictEqual(binding.baseUrl, local);
        assert.strictEqual(binding.network, binding.source === "custom" ? "private" : undefined);
      }),
    );
});
