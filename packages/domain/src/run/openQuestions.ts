/**
 * What tools wait to be told in the middle of their calls, and a person's answer to one.
 */
import * as Schema from "effect/Schema";
import { quote, refuse, type Refusal } from "../workspace/Refusal.ts";
import * as Result from "effect/Result";
import type { CallState, QuestionState } from "./CallState.ts";
import type { InvocationState, RunState } from "./RunState.ts";
import { isTerminal } from "./RunStatus.ts";

/** An answer. `content` is there with `accept` only, and fits the schema of the question. */
export const QuestionAnswer = Schema.Struct({
  questionId: Schema.String,
  action: Schema.Literals(["accept", "decline", "cancel"]),
  content: Schema.optionalKey(Schema.Record(Schema.String, Schema.Json)),
});
export type QuestionAnswer = typeof QuestionAnswer.Type;

/** A question that waits. */
export interface OpenQuestion extends QuestionState {
  readonly invocation: InvocationState;
  readonly round: number;
  readonly call: CallState;
}

/** Every question that waits, oldest first. One whose process has died is gone with its call. */
export const openQuestions = (state: RunState): ReadonlyArray<OpenQuestion> =>
  (isTerminal(state.status) ? [] : Object.values(state.invocations))
    .flatMap((invocation) =>
      (invocation.turn?.calls ?? []).flatMap((call) =>
        call.question === null ? [] : [{ ...call.question, invocation, round: invocation.turn?.round ?? 0, call }],
      ),
    )
    .toSorted((one, other) => one.askedSeq - other.askedSeq);

/** The question that an answer is for, or why there is none. */
export const questionOf = (
  state: RunState,
  { questionId }: Pick<QuestionAnswer, "questionId">,
): Result.Result<OpenQuestion, Refusal<"agent.question_not_found">> => {
  const open = openQuestions(state);
  const found = open.find((one) => one.questionId === questionId);
  if (found !== undefined) return Result.succeed(found);
  return refuse(
    "agent.question_not_found",
    `No tool waits for an answer to ${quote(questionId)}: it was answered, or its call has ended. ${
      open.length === 0
        ? "Nothing else is asked at the moment."
        : `Asked at the moment: ${open.map((one) => one.questionId).join(", ")}.`
    }`,
  );
};
