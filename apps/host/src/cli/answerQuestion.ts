/**
 * `cahier runs answer`: what a tool asks in the middle of its call, answered from any process.
 */
import type { Fatal } from "@cahier/domain/failure/Failure";
import type { QuestionAnswer } from "@cahier/domain/run/openQuestions";
import { parseRunId } from "@cahier/application/run/RunReader";
import { Runs } from "@cahier/application/run/Runs";
import * as Effect from "effect/Effect";
import * as Option from "effect/Option";
import * as Schema from "effect/Schema";
import * as Runtime from "../composition/Runtime.ts";
import * as Output from "./Output.ts";
import { has, invalid, type ParsedCommand, valueOf } from "./parse.ts";
import { stoppable } from "./stoppable.ts";
import { storageOf } from "./storageOf.ts";

/** Answers a question; the process that carries the run on tells the tool. */
export const answerQuestion = Effect.fn("cli.answerQuestion")(function* (
  command: ParsedCommand,
): Effect.fn.Return<number, Fatal> {
  const [run = "", questionId = ""] = command.positionals;
  const runId = yield* parseRunId(run);
  const answer = { questionId, ...(yield* saidIn(command)) };
  const work = Effect.gen(function* () {
    const runs = yield* Runs;
    yield* runs.answer(runId, answer);
    yield* has(command, "json")
      ? Output.json({ runId, ...answer })
      : Output.line("The tool is told, and the run goes on with it.");
    return 0;
  });
  return yield* stoppable(command, work).pipe(
    Effect.provide(Runtime.layer({ storage: storageOf(command), callsModels: false })),
    Effect.scoped,
  );
});

const saidIn = Effect.fnUntraced(function* (
  command: ParsedCommand,
): Effect.fn.Return<Omit<QuestionAnswer, "questionId">, Fatal> {
  const accepted = valueOf(command, "accept");
  const ways = [accepted !== undefined, has(command, "decline"), has(command, "cancel")].filter(Boolean).length;
  if (ways !== 1) return yield* invalid('"runs answer" takes one of --accept JSON, --decline and --cancel.');
  if (accepted === undefined) return { action: has(command, "decline") ? "decline" : "cancel" };
  const content = Option.getOrUndefined(decodeContent(accepted));
  if (content === undefined)
    return yield* invalid(`--accept takes a JSON object, such as '{"day":"Monday"}'; "runs show" says which.`);
  return { action: "accept", content };
});

const decodeContent = Schema.decodeUnknownOption(Schema.fromJsonString(Schema.Record(Schema.String, Schema.Json)));
