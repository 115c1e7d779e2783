/** Canonical requests by chance, the same in every run. */
import * as Messages from "@cahier/domain/model/Message";
import type { Message, Part } from "@cahier/domain/model/Message";
import type { ModelRequest } from "@cahier/domain/model/ModelRequest";
import * as Arbitrary from "effect/Arbitrary";
import * as Effect from "effect/Effect";
import * as Schema from "effect/Schema";
import { answer, call, delegate, file, finish, image, readFile, request, said } from "../../src/request.ts";
import type { Route } from "../../src/routes.ts";

/** `count` requests of a route, each a session of its own. */
export const of = (route: Route, count: number, seed: number): Effect.Effect<ReadonlyArray<ModelRequest>> =>
  Arbitrary.sampleEffect(Arbitrary.schema(Plan), { count, seed }).pipe(
    Effect.orDie,
    Effect.map((plans) => plans.map((plan, index) => requestOf(route, plan, index))),
  );

const between = (minimum: number, maximum: number) => Schema.Int.check(Schema.isBetween({ minimum, maximum }));
const Tenths = (minimum: number, maximum: number) => Schema.Literals(steps(minimum, maximum));
const steps = (minimum: number, maximum: number): ReadonlyArray<number> =>
  Array.from({ length: (maximum - minimum) * 4 + 1 }, (_, index) => minimum + index / 4);

const Text = Schema.Union([
  Schema.String.check(Schema.isMaxLength(20)),
  Schema.Literals(["", " ", "\n", "Go.", 'Grüße 🙂 "\\', "\u2028\u0007"]),
]);

const Input = Schema.TaggedStruct("Input", {
  parts: Schema.Array(
    Schema.Union([Schema.Struct({ text: Text }), Schema.Literals(["image", "file", "resource"])]),
  ).check(Schema.isMinLength(1), Schema.isMaxLength(3)),
});

const Spoken = Schema.TaggedStruct("Spoken", { text: Text, isReasoned: Schema.Boolean });

const Call = Schema.Struct({
  id: Schema.Union([
    Schema.String.check(Schema.isMinLength(1)),
    Schema.Literals(["call_1", "toolu_1", "x".repeat(90)]),
  ]),
  raw: Schema.Literals(['{"path":"a.md"}', "{}", "", "{", "null", '"{\\"path\\":1}"', '{"deep":{"a":[1,null,true]}}']),
  result: Text,
  isError: Schema.Boolean,
});
const Round = Schema.TaggedStruct("Round", {
  calls: Schema.Array(Call).check(Schema.isMinLength(1), Schema.isMaxLength(3)),
});

const Plan = Schema.Struct({
  isInstructed: Schema.Boolean,
  turns: Schema.Array(Schema.Union([Input, Spoken, Round])).check(Schema.isMaxLength(5)),
  hasManyTools: Schema.Boolean,
  toolChoice: Schema.Literals(["auto", "none", "required", "specific"]),
  stream: Schema.Boolean,
  parameters: Schema.Struct({
    temperature: Schema.optionalKey(Tenths(0, 1)),
    topP: Schema.optionalKey(Schema.Literals([0.25, 0.5, 1])),
    topK: Schema.optionalKey(between(1, 64)),
    frequencyPenalty: Schema.optionalKey(Tenths(-2, 2)),
    presencePenalty: Schema.optionalKey(Tenths(-2, 2)),
    seed: Schema.optionalKey(between(0, 1_000_000)),
    reasoning: Schema.optionalKey(
      Schema.Union([
        Schema.Struct({ effort: Schema.Literals(["low", "medium", "high"]) }),
        Schema.Struct({ budgetTokens: between(1024, 2000) }),
      ]),
    ),
    verbosity: Schema.optionalKey(Schema.Literals(["low", "medium", "high"])),
    parallelToolCalls: Schema.optionalKey(Schema.Boolean),
    maxOutputTokens: Schema.optionalKey(between(2048, 30_000)),
    stop: Schema.optionalKey(Schema.Array(Schema.Literals(["END", "STOP"])).check(Schema.isMaxLength(2))),
  }),
});
type Plan = typeof Plan.Type;

const requestOf = (route: Route, plan: Plan, index: number): ModelRequest =>
  request(route, {
    sessionId: `run_${index}:inv_root`,
    messages: [
      ...(plan.isInstructed ? [Messages.text("system", "Be kind.")] : []),
      Messages.text("user", "Begin."),
      ...plan.turns.flatMap(messagesOf),
    ],
    tools: plan.hasManyTools ? [readFile, delegate, finish] : [readFile],
    toolChoice: plan.toolChoice === "specific" ? { specific: readFile.name } : plan.toolChoice,
    parameters: plan.parameters,
    stream: plan.stream,
  });

const messagesOf = (turn: Plan["turns"][number]): ReadonlyArray<Message> => {
  switch (turn._tag) {
    case "Input":
      return [{ role: "user", parts: turn.parts.map(partOf) }];
    case "Spoken":
      return [
        said(...(turn.isReasoned ? [{ type: "reasoning" as const, text: "I thought." }] : []), {
          type: "text",
          text: turn.text,
        }),
      ];
    case "Round": {
      const ids = turn.calls.map(({ id }) => id);
      const calls = turn.calls.filter(({ id }, index) => ids.indexOf(id) === index);
      return [
        said(...calls.map(({ id, raw }) => call(id, readFile.name, raw))),
        ...calls.map(({ id, isError, result }) => answer(id, readFile.name, result, isError)),
      ];
    }
  }
};

const partOf = (part: (typeof Input.Type)["parts"][number]): Part => {
  if (typeof part === "object") return { type: "text", text: part.text };
  if (part === "resource") return { type: "resourceRef", uri: "workspace:output/main.md#L1-L4" };
  return part === "image" ? image : file;
};
