/**
 * A question of a tool on a terminal: its fields one after the other, and what the user fills in.
 *
 * Owns the words and reading the answer. Does not own whether an answer fits: the run holds it to the schema.
 */
import type { Fatal } from "@cahier/domain/failure/Failure";
import type { QuestionAnswer } from "@cahier/domain/run/openQuestions";
import * as Effect from "effect/Effect";
import * as Option from "effect/Option";
import * as Predicate from "effect/Predicate";
import * as Schema from "effect/Schema";
import type { ShownQuestion } from "./openQuestions.ts";
import * as Output from "./Output.ts";
import { printable } from "./printable.ts";
import type { TypedLines } from "./TypedLines.ts";

/**
 * Asks until the answer is taken, declined or cancelled; false at the end of the input. A tool is somebody else's code, and
 * the user is told so.
 */
export const askQuestion = Effect.fnUntraced(function* (
  question: ShownQuestion,
  typed: TypedLines,
  take: (answer: QuestionAnswer) => Effect.Effect<void, Fatal>,
): Effect.fn.Return<boolean> {
  const { message, questionId, schema, toolId } = question;
  yield* say([
    "",
    `A tool asks you something in the middle of its call (${printable(toolId)}):`,
    ...message.split("\n").map((line) => `  ${printable(line)}`),
    "  What you fill in goes to the tool and stays in the run's journal: no passwords and no keys.",
    "  At any field: /decline says no, /cancel leaves it open.",
  ]);
  for (;;) {
    const said = yield* filledIn(fieldsOf(schema), typed);
    if (said === undefined) return false;
    const taken = yield* Effect.result(take({ questionId, ...said }));
    if (taken._tag === "Success") return true;
    yield* Output.complain(taken.failure.message, taken.failure.reason.code);
    if (taken.failure.reason.code !== "agent.question_answer_invalid") return true;
  }
});

interface Field {
  readonly name: string;
  readonly type: string;
  readonly isRequired: boolean;
  readonly about: string;
}

const decodeForm = Schema.decodeUnknownOption(
  Schema.Struct({
    properties: Schema.optionalKey(Schema.Record(Schema.String, Schema.Json)),
    required: Schema.optionalKey(Schema.Array(Schema.String)),
  }),
);

const noForm: NonNullable<Option.Option.Value<ReturnType<typeof decodeForm>>> = {};

const fieldsOf = (schema: Schema.Json): ReadonlyArray<Field> => {
  const { properties = {}, required = [] } = Option.getOrElse(decodeForm(schema), () => noForm);
  return Object.entries(properties).map(([name, stated]) => {
    const { description, enum: choices, title, type } = Predicate.isObject(stated) ? stated : {};
    const about = [title, description, Array.isArray(choices) ? `one of ${choices.join(", ")}` : undefined];
    return {
      name,
      type: typeof type === "string" ? type : "string",
      isRequired: required.includes(name),
      about: about.filter((part) => typeof part === "string").join("; "),
    };
  });
};

const filledIn = Effect.fnUntraced(function* (
  fields: ReadonlyArray<Field>,
  typed: TypedLines,
): Effect.fn.Return<Omit<QuestionAnswer, "questionId"> | undefined> {
  const content: Record<string, Schema.Json> = {};
  const asked = fields.length === 0 ? [confirmation] : fields;
  for (const field of asked) {
    const { about, isRequired, name, type } = field;
    const hints = [typeNames.get(type) ?? type, isRequired ? "required" : "empty for none", about].filter(
      (part) => part !== "",
    );
    yield* Output.raw(`  ${printable(name)} (${printable(hints.join(", "))}): `);
    const line = yield* typed.nextLine;
    if (line === undefined) return undefined;
    const text = line.trim();
    if (text === "/decline") return { action: "decline" };
    if (text === "/cancel") return { action: "cancel" };
    if (text !== "" && field !== confirmation) content[name] = valueOf(type, text);
  }
  return { action: "accept", content };
});

/** A question without fields wants to be accepted or not. */
const confirmation: Field = { name: "Enter to accept", type: "", isRequired: false, about: "" };

const typeNames: ReadonlyMap<string, string> = new Map([
  ["string", "text"],
  ["boolean", "yes or no"],
  ["integer", "a whole number"],
]);

/** What somebody typed for a field of a type; what does not fit goes as it is, and is refused with the reason. */
const valueOf = (type: string, text: string): Schema.Json => {
  if (type === "boolean") return /^(?:y|yes|true)$/i.test(text) ? true : /^(?:n|no|false)$/i.test(text) ? false : text;
  if (type === "number" || type === "integer") return Number.isFinite(Number(text)) ? Number(text) : text;
  if (type === "array") return text.split(",").map((part) => part.trim());
  return text;
};

const say = (lines: ReadonlyArray<string>): Effect.Effect<void> =>
  Effect.forEach(lines, Output.line, { discard: true });
