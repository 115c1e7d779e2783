/**
 * The corpus as TypeScript modules, in which the vendors' own types judge the bodies that the gateway makes.
 *
 * Owns which type judges which route. Values stand in the modules as literals, so that a field that the vendor's type
 * does not know is an error of the type check.
 */
import * as Effect from "effect/Effect";
import * as bodies from "./bodies.ts";
import * as corpus from "./corpus.ts";
import * as routes from "./routes.ts";

interface Judge {
  readonly route: routes.Route;
  readonly imports: string;
  readonly type: string;
}

export const judges: ReadonlyArray<Judge> = [
  {
    route: routes.openAiChat,
    imports: 'import type { ChatCompletionCreateParams } from "openai/resources/chat/completions";',
    type: "ChatCompletionCreateParams",
  },
  {
    route: routes.openAiResponses,
    imports: 'import type { ResponseCreateParams } from "openai/resources/responses/responses";',
    type: "ResponseCreateParams",
  },
  {
    route: routes.anthropicMessages,
    imports: 'import type { MessagesBody } from "../support/MessagesBody.ts";',
    type: "MessagesBody",
  },
  {
    route: routes.geminiGenerateContent,
    imports: 'import type { GenerateContentBody } from "../support/GenerateContentBody.ts";',
    type: "GenerateContentBody",
  },
  {
    route: routes.geminiInteractions,
    imports: 'import type { Interactions } from "@google/genai";',
    type: "Interactions.CreateModelInteractionParamsStreaming",
  },
];

/** The name of the module of a route, without its ending. */
export const moduleOf = (route: routes.Route): string => `${route.name}.generated`;

/** The bodies of a route by the names of their cases. A request that the gateway refuses is a defect. */
export const bodiesOf = Effect.fn("corpusModules.bodiesOf")(function* (route: routes.Route) {
  return yield* Effect.forEach(
    corpus.of(route),
    Effect.fnUntraced(function* ({ name, request, strictTools }) {
      const [{ body, fault } = {}] = yield* bodies.of([request], { strictTools });
      if (body !== undefined) return [name, body] as const;
      return yield* Effect.die(new Error(`${route.name} refuses the case ${name}: ${fault?.detail ?? "?"}`));
    }),
  );
});

/** The text of the module of a route, before it is formatted. */
export const textOf = Effect.fn("corpusModules.textOf")(function* ({ imports, route, type }: Judge) {
  const members = (yield* bodiesOf(route)).map(([name, body]) => `  ${name}: ${body},\n`).join("");
  return `/**\n * Made by \`npm run corpus\`: the bodies that the gateway makes for ${route.name}, judged by the vendor's own type.\n */\n${imports}\n\nexport const bodies = {\n${members}} satisfies Readonly<Record<string, ${type}>>;\n`;
});
