/**
 * What tools ask people in the middle of their calls.
 *
 * Owns putting a question and its answer on the record, and telling the tool. A question lives as long as the call that asks it:
 * when its process dies, both are over. Does not own how a host shows a question.
 */
import { type Fatal, fatal } from "@cahier/domain/failure/Failure";
import type { CallState } from "@cahier/domain/run/RunState";
import { draft } from "@cahier/domain/run/RunEvent";
import { type OpenQuestion, type QuestionAnswer, questionOf } from "@cahier/domain/run/openQuestions";
import { quote } from "@cahier/domain/workspace/Refusal";
import type { SourceQuestion, SourceReply } from "@cahier/ports/ToolSource";
import * as Deferred from "effect/Deferred";
import * as Effect from "effect/Effect";
import * as Predicate from "effect/Predicate";
import * as Result from "effect/Result";
import * as Schema from "effect/Schema";
import * as Semaphore from "effect/Semaphore";
import { cutText } from "../payload/cutText.ts";
import type { Payloads } from "../payload/Payloads.ts";
import { describeErrors } from "../tool/checkArguments.ts";
import { compileSchema, type JsonSchema } from "../tool/compileSchema.ts";
import * as paths from "./paths.ts";
import type { RunWriter } from "./RunWriter.ts";

export interface Questions {
  /**
   * What one call asks with, the same function for the whole of it: puts a question and waits for its answer. Several at once wait
   * for each other. Where nobody attends the run, the schema is none, or the call has asked `mostQuestions`, the answer is `cancel`.
   */
  readonly askerOf: (asking: Asking) => (question: SourceQuestion) => Effect.Effect<SourceReply>;
  /**
   * Answers a question that waits. `agent.question_not_found`, also for one that its tool has given up or whose process has died,
   * and `agent.question_answer_invalid` change nothing.
   */
  readonly answer: (answer: QuestionAnswer, requestId?: string) => Effect.Effect<void, Fatal>;
}

/** Whose call asks. */
export interface Asking {
  readonly invocationId: OpenQuestion["invocation"]["id"];
  readonly round: number;
  readonly call: CallState;
}

/** How many questions of one call are put; what it asks beyond that is answered `cancel`, without a record. */
export const mostQuestions = 20;

interface Terms {
  readonly writer: RunWriter;
  readonly payloads: Payloads;
  readonly nextHex: () => string;
  /** Whether somebody is there who could answer. */
  readonly isAttended: boolean;
}

/** The questions of one run. */
export const make = ({ isAttended, nextHex, payloads, writer }: Terms): Questions => {
  const waiting = new Map<string, Deferred.Deferred<SourceReply>>();

  const put = Effect.fn("Questions.ask")(function* (
    { call, invocationId, round }: Asking,
    question: SourceQuestion,
  ): Effect.fn.Return<SourceReply> {
    const questionId = `question_${nextHex()}`;
    const reply = yield* Deferred.make<SourceReply>();
    const base = { round, invocationId, callId: call.callId, toolId: call.toolId ?? call.name, questionId };
    const written = Effect.gen(function* () {
      const text = JSON.stringify({ message: question.message.toWellFormed(), schema: question.schema });
      const stored = yield* payloads.store(paths.question(questionId), text);
      writer.record(
        draft("tool_question_asked", invocationId, {
          ...base,
          message: cutText(question.message, longestMessageBytes),
          question: stored,
        }),
      );
      if (isAttended) waiting.set(questionId, reply);
      else
        writer.record(draft("tool_question_answered", invocationId, { ...base, action: "cancel", by: "unattended" }));
      yield* writer.flush;
    });
    // A journal that fails ends the run at its next append; until then the tool is told nothing.
    const isPut = yield* Effect.isSuccess(writer.exclusively(written));
    if (!isAttended || !isPut) return cancelled;
    return yield* Effect.ensuring(
      Deferred.await(reply),
      Effect.sync(() => waiting.delete(questionId)),
    );
  });

  const askerOf: Questions["askerOf"] = (asking) => {
    // The state of a call has room for one question.
    const oneByOne = Semaphore.makeUnsafe(1);
    const asked = { count: 0 };
    return (question) =>
      Effect.suspend(() => {
        if (asked.count >= mostQuestions || Result.isFailure(schemaOf(question.schema)))
          return Effect.succeed(cancelled);
        asked.count += 1;
        return oneByOne.withPermit(put(asking, question));
      });
  };

  const answer: Questions["answer"] = Effect.fn("Questions.answer")(function* (given, requestId) {
    const reply = yield* writer.exclusively(
      Effect.gen(function* () {
        const { call, invocation, question, round } = yield* Effect.fromResult(
          Result.mapError(questionOf(writer.state(), given), ({ code, message }) => fatal(code, message)),
        );
        const found = waiting.get(given.questionId);
        if (found === undefined)
          return yield* fatal(
            "agent.question_not_found",
            `Nobody waits for an answer to ${quote(given.questionId)} any more: its tool has given the question up.`,
          );
        const said = yield* replyOf(given, yield* payloads.read(question));
        const content =
          said.action === "accept"
            ? { content: yield* payloads.store(paths.questionAnswer(given.questionId), JSON.stringify(said.content)) }
            : {};
        writer.record({
          ...draft("tool_question_answered", invocation.id, {
            round,
            invocationId: invocation.id,
            callId: call.callId,
            toolId: call.toolId ?? call.name,
            questionId: given.questionId,
            action: said.action,
            by: "user",
            ...content,
          }),
          ...(requestId === undefined ? {} : { requestId }),
        });
        yield* writer.flush;
        return Effect.sync(() => Deferred.doneUnsafe(found, Effect.succeed(said)));
      }),
    );
    yield* reply;
  });

  return { askerOf, answer };
};

const cancelled: SourceReply = { action: "cancel" };

/** How much of a question its event shows, in bytes of UTF-8. */
const longestMessageBytes = 2048;

const schemaOf = (schema: unknown) =>
  Predicate.isObject(schema) && !Array.isArray(schema)
    ? Result.map(compileSchema(schema as JsonSchema), (compiled) => ({ compiled, schema: schema as JsonSchema }))
    : Result.fail("It is not an object.");

const decodeQuestion = Schema.decodeUnknownEffect(
  Schema.fromJsonString(Schema.Struct({ message: Schema.String, schema: Schema.Json })),
);

const replyOf = Effect.fnUntraced(function* (
  { action, content = {} }: QuestionAnswer,
  question: string,
): Effect.fn.Return<SourceReply, Fatal> {
  if (action !== "accept") return { action };
  const { schema } = yield* Effect.mapError(decodeQuestion(question), (cause) =>
    fatal("journal.corrupt", "The question does not have the form that it was stored in.", { cause }),
  );
  const asked = schemaOf(schema);
  if (Result.isSuccess(asked) && !asked.success.compiled.fits(content))
    return yield* fatal(
      "agent.question_answer_invalid",
      `The answer does not fit what is asked. ${describeErrors(asked.success.schema, content, asked.success.compiled.errors(content)).join(" ")}`,
    );
  return { action, content };
});
