/**
 * What tools ask in the middle of their calls, as commands show it, and the command that answers.
 */
import type { Fatal } from "@cahier/domain/failure/Failure";
import { fatal } from "@cahier/domain/failure/Failure";
import type { RunId } from "@cahier/domain/identity/Identity";
import { openQuestions } from "@cahier/domain/run/openQuestions";
import type { RunState } from "@cahier/domain/run/RunState";
import * as Payloads from "@cahier/application/payload/Payloads";
import type { BlobStore } from "@cahier/ports/BlobStore";
import type { RunJournal } from "@cahier/ports/RunJournal";
import * as Effect from "effect/Effect";
import * as Schema from "effect/Schema";
import type { ParsedCommand } from "./parse.ts";
import { printable } from "./printable.ts";
import { quoted, storageWords } from "./storageOf.ts";

/** A question that waits. `schema` is the JSON Schema of an answer. */
export interface ShownQuestion {
  readonly questionId: string;
  readonly invocationId: string;
  readonly callId: string;
  readonly toolId: string;
  readonly message: string;
  readonly schema: Schema.Json;
}

/** In the order in which they were asked. */
export const questionsOf = Effect.fnUntraced(function* (
  runId: RunId,
  state: RunState,
): Effect.fn.Return<ReadonlyArray<ShownQuestion>, Fatal, BlobStore | RunJournal> {
  const payloads = yield* Payloads.make(runId);
  return yield* Effect.forEach(openQuestions(state), ({ call, invocation, question, questionId }) =>
    payloads.read(question).pipe(
      Effect.flatMap(decode),
      Effect.catchTag("SchemaError", (cause) =>
        Effect.fail(fatal("journal.corrupt", "A question does not have the form that it was stored in.", { cause })),
      ),
      Effect.map(({ message, schema }) => ({
        questionId,
        invocationId: invocation.id,
        callId: call.callId,
        toolId: call.toolId ?? call.name,
        message,
        schema,
      })),
    ),
  );
});

/** A question in lines, and the command by which it is answered. */
export const linesOfQuestion = (
  command: ParsedCommand,
  runId: RunId,
  { message, questionId, schema, toolId }: ShownQuestion,
): ReadonlyArray<string> => [
  `asks       ${printable(toolId)}: ${printable(message)}`,
  `           an answer fits ${printable(JSON.stringify(schema))}`,
  `           ${["cahier runs answer", ...storageWords(command), runId, questionId].join(" ")} --accept ${quoted("{}")}, --decline or --cancel`,
];

const decode = Schema.decodeUnknownEffect(
  Schema.fromJsonString(Schema.Struct({ message: Schema.String, schema: Schema.Json })),
);
