import { assert, describe, it } from "@effect/vitest";
import * as Effect from "effect/Effect";
import * as corpusModules from "../src/corpusModules.ts";
import * as anthropicMessages from "./generated/anthropic-messages.generated.ts";
import * as geminiGenerateContent from "./generated/gemini-generate-content.generated.ts";
import * as geminiInteractions from "./generated/gemini-interactions.generated.ts";
import * as openAiChat from "./generated/openai-chat.generated.ts";
import * as openAiResponses from "./generated/openai-responses.generated.ts";

/** The modules that the type check has judged. */
const judged: Readonly<Record<string, Readonly<Record<string, unknown>>>> = {
  "anthropic-messages": anthropicMessages.bodies,
  "gemini-generate-content": geminiGenerateContent.bodies,
  "gemini-interactions": geminiInteractions.bodies,
  "openai-chat": openAiChat.bodies,
  "openai-responses": openAiResponses.bodies,
};

describe("the bodies that the vendors' types take", () => {
  for (const { route } of corpusModules.judges) {
    it.effect(`are those that the gateway makes for ${route.name} (npm run corpus writes them anew)`, () =>
      Effect.gen(function* () {
        const made = yield* corpusModules.bodiesOf(route);
        const bodies = Object.fromEntries(made.map(([name, body]): [string, unknown] => [name, JSON.parse(body)]));
        assert.deepStrictEqual(bodies, judged[route.name]);
      }),
    );
  }
});
