/**
 * Somebody at the terminal while a run goes on: what is typed is told to its agent, answers a call that waits while other
 * agents work, or what a tool asks in the middle of its call.
 *
 * Owns which of them a line is. Does not own the questions (`askAboutCalls`, `askQuestion`) nor a run in which nobody works any more.
 */
import type { Fatal } from "@cahier/domain/failure/Failure";
import { matchesAny } from "@cahier/domain/policy/pattern";
import { activeInvocations } from "@cahier/domain/run/activeInvocations";
import { type AwaitingCall, awaitingCalls } from "@cahier/domain/run/RunState";
import { subscribe } from "@cahier/application/run/RunReader";
import type { CarryOnOptions, Runs } from "@cahier/application/run/Runs";
import type { RunHandle } from "@cahier/application/run/supervise";
import type { BlobStore } from "@cahier/ports/BlobStore";
import type { HostProcess } from "@cahier/ports/HostProcess";
import type { RunJournal } from "@cahier/ports/RunJournal";
import * as Effect from "effect/Effect";
import * as Stream from "effect/Stream";
import { askAbout, type GoesOn } from "./askAboutCalls.ts";
import { askQuestion } from "./askQuestion.ts";
import { questionsOf } from "./openQuestions.ts";
import * as Output from "./Output.ts";
import type { TypedLines } from "./TypedLines.ts";

/** `isAsking`: a question stands that is answered even when the run comes to rest meanwhile. */
export interface Attention {
  readonly isAsking: () => boolean;
  /**
   * Goes on until nobody can be asked or told anything more, and gives the run that an answer has taken up again; `isLeft`: the
   * user has left a question without an answer.
   */
  readonly attending: Effect.Effect<Attended, never, BlobStore | HostProcess | RunJournal | Runs>;
}

export interface Attended {
  readonly goesOn?: GoesOn;
  readonly isLeft: boolean;
}

/** Attention to a run from after `afterSeq`. An answer or a word that is not taken is complained of, and the run goes on. */
export const attend = (handle: RunHandle, afterSeq: number, options: CarryOnOptions, typed: TypedLines): Attention => {
  const state = { isAsking: false };

  const answer = Effect.fnUntraced(function* (asked: AwaitingCall, count: number) {
    state.isAsking = true;
    const taken = yield* Effect.result(askAbout(handle.state(), asked, `1 of ${count}`, options, typed));
    state.isAsking = false;
    if (taken._tag === "Failure") yield* complain(taken.failure);
    else if (taken.success === undefined) return { isLeft: true };
    else if (taken.success.handle !== undefined && !isSame(taken.success.handle, handle))
      return { isLeft: false, goesOn: { handle: taken.success.handle, afterSeq: taken.success.afterSeq } };
    return activeInvocations(handle.state()).length === 0 ? { isLeft: false } : undefined;
  });

  const listening = Effect.gen(function* () {
    for (;;) {
      const [question] = yield* questionsOf(handle.runId, handle.state()).pipe(
        Effect.catch((failure) => Effect.as(complain(failure), [])),
      );
      if (question !== undefined) {
        state.isAsking = true;
        const isHeard = yield* askQuestion(question, typed, handle.answer);
        state.isAsking = false;
        if (!isHeard) return { isLeft: false };
        continue;
      }
      const [asked, ...others] = questions(handle, options);
      if (asked !== undefined) {
        const attended: Attended | undefined = yield* answer(asked, others.length + 1);
        if (attended !== undefined) return attended;
        continue;
      }
      const heard = yield* typed.next;
      if (heard === undefined) return { isLeft: false };
      if (heard._tag === "Line" && heard.text.trim() !== "")
        yield* handle.guide({ text: heard.text }).pipe(Effect.asVoid, Effect.catch(complain));
    }
  });

  const stirring = subscribe(handle.runId, afterSeq).pipe(
    Stream.filter(({ type }) => type === "tool_call_awaiting_approval" || type === "tool_question_asked"),
    Stream.runForEach(() => typed.stir),
    // A journal that cannot be followed is told of by whoever carries the run on.
    Effect.ignore,
  );

  return {
    isAsking: () => state.isAsking,
    attending: Effect.scoped(Effect.andThen(Effect.forkScoped(stirring), listening)),
  };
};

/** A run that is carried on once may be held more than once; its state is not. */
const isSame = (one: RunHandle, other: RunHandle): boolean => one.state === other.state;

/** The calls that people are to decide while others work. Those that wait when nobody does are asked about at rest. */
const questions = (handle: RunHandle, { approve = [] }: CarryOnOptions): ReadonlyArray<AwaitingCall> => {
  const state = handle.state();
  return activeInvocations(state).length === 0
    ? []
    : awaitingCalls(state).filter(
        ({ call }) => call.approval !== null && (call.toolId === null || !matchesAny(approve, call.toolId)),
      );
};

const complain = ({ message, reason }: Fatal): Effect.Effect<void> => Output.complain(message, reason.code);
