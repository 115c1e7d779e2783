/**
 * Carries one run on in a scope: its loop, its inbox, and letting go at the end.
 */
import { type Fatal, fatal } from "@cahier/domain/failure/Failure";
import { type InvocationId, rootInvocation, type RunId } from "@cahier/domain/identity/Identity";
import { draft } from "@cahier/domain/run/RunEvent";
import type { QuestionAnswer } from "@cahier/domain/run/openQuestions";
import type { RunState } from "@cahier/domain/run/RunState";
import { isTerminal } from "@cahier/domain/run/RunStatus";
import type { BlobStore } from "@cahier/ports/BlobStore";
import { DocumentStore } from "@cahier/ports/DocumentStore";
import { RunJournal } from "@cahier/ports/RunJournal";
import * as Cause from "effect/Cause";
import * as Effect from "effect/Effect";
import * as Exit from "effect/Exit";
import * as Fiber from "effect/Fiber";
import * as Option from "effect/Option";
import type * as Scope from "effect/Scope";
import type { QueuedGuidance, SubmittedGuidance } from "@cahier/domain/guidance/Guidance";
import type { ApprovalAnswer } from "@cahier/domain/run/decideApproval";
import type { Tools } from "../tool/Tools.ts";
import { recordDecision } from "./answerApproval.ts";
import * as PromptAssemblies from "../prompt/PromptAssemblies.ts";
import * as Inbox from "./Inbox.ts";
import { mirrorRun } from "./mirrorRun.ts";
import type { Ownership } from "./Ownership.ts";
import type { RunContext, RunResources } from "./RunContext.ts";
import * as RunLoop from "./RunLoop.ts";
import { releaseRun } from "./releaseRun.ts";
import { takeGuidance } from "./takeGuidance.ts";
import { outcomeOf, type RunOutcome } from "./RunOutcome.ts";

/** A run that this process carries on. */
export interface RunHandle {
  readonly runId: RunId;
  /** Waits for the end. Never fails: what stopped the run is in the outcome. */
  readonly outcome: Effect.Effect<RunOutcome>;
  /** The run as it stands now, with what is recorded and not yet appended. */
  readonly state: () => RunState;
  /** Tells the agent in the foreground something before its next request. */
  readonly submitGuidance: (guidance: SubmittedGuidance) => Effect.Effect<QueuedGuidance, Fatal>;
  /** The same; gives no more than the id under which it is on record. */
  readonly guide: (guidance: SubmittedGuidance) => Effect.Effect<string, Fatal>;
  /**
   * Answers a call that awaits approval while others go on working: its agent goes on at once. False when the run is being let
   * go: it is answered like any other that waits then.
   */
  readonly decide: (answer: ApprovalAnswer) => Effect.Effect<boolean, Fatal>;
  /** Answers what a tool asks in the middle of its call; refusals change nothing. */
  readonly answer: (answer: QuestionAnswer) => Effect.Effect<void, Fatal>;
  /** Asks the run to stop and waits until it has. An intent, not a failure; idempotent. */
  readonly cancel: Effect.Effect<RunOutcome>;
}

/**
 * Starts the loop. A cancel interrupts whatever it waits for and lets it write down its end; closing the scope
 * interrupts it without an end, so that the run can be resumed. `onCancel` is called before the first, `letGo` has run when the
 * outcome is known.
 */
export const supervise = Effect.fnUntraced(function* (
  resources: RunResources,
  loaded: RunContext | undefined,
  scope: Scope.Scope,
  { letGo, onCancel }: { readonly letGo: Effect.Effect<void>; readonly onCancel: () => void },
): Effect.fn.Return<RunHandle, never, RunJournal | BlobStore | DocumentStore | Ownership | Tools> {
  const services = yield* Effect.context<RunJournal | BlobStore | DocumentStore | Tools>();
  const journal = yield* RunJournal;
  const documents = yield* DocumentStore;
  const { runId, state } = resources.writer;
  const foreground = (): InvocationId => state().foreground ?? rootInvocation;
  const request = { asked: false, id: undefined as string | undefined };
  const at = { tell: (): void => undefined };
  const loop = yield* Effect.forkIn(
    RunLoop.run(resources, loaded, (crew) => {
      at.tell = crew.tell;
    }),
    scope,
  );

  const takeDecision = (answer: ApprovalAnswer, requestId?: string): Effect.Effect<boolean, Fatal> =>
    resources.writer
      .exclusively(
        Effect.suspend(() => {
          const isLetGo = request.asked || state().owner === null || isTerminal(state().status);
          if (isLetGo) return Effect.succeed(false);
          return recordDecision(resources.writer, answer, requestId).pipe(
            Effect.andThen(resources.writer.flush),
            Effect.as(true),
            Effect.provideContext(services),
          );
        }),
      )
      .pipe(Effect.tap(() => Effect.sync(() => at.tell())));

  const stop = (requestId?: string): Effect.Effect<void> =>
    Effect.suspend(() => {
      if (request.asked) return Effect.void;
      request.asked = true;
      onCancel();
      request.id = requestId;
      return Fiber.interrupt(loop);
    });

  const inbox = yield* Effect.forkIn(watchInbox(documents, resources, { stop, takeDecision }), scope);

  const ending = Effect.gen(function* () {
    const ended = yield* Fiber.await(loop);
    const exit = request.asked && Exit.isFailure(ended) ? yield* endCancelled(resources, loaded, request.id) : ended;
    const stopped = failureOf(exit);
    yield* Fiber.interrupt(inbox);
    if (isTerminal(state().status)) {
      yield* Inbox.clear(documents, runId);
      yield* PromptAssemblies.clear(documents, runId);
    }
    yield* resources.gateway.closeSession(`${runId}:${foreground()}`);
    if (stopped !== undefined) yield* releaseRun(runId, stopped);
    yield* journal.release(runId);
    // The tree for people is a projection: that it could not be written takes nothing from the run.
    yield* mirrorRun(runId).pipe(
      Effect.catch((failure) => Effect.logWarning(`The readable tree of ${runId} is not whole: ${failure.message}`)),
    );
    return outcomeOf(runId, state(), stopped);
  });
  const outcome = Fiber.join(yield* Effect.forkIn(Effect.ensuring(ending, letGo), scope));
  const submitGuidance: RunHandle["submitGuidance"] = (guidance) =>
    request.asked ? Effect.fail(isStopping()) : takeGuidance(resources, guidance);
  const guide: RunHandle["guide"] = (guidance) => Effect.map(submitGuidance(guidance), ({ guidanceId }) => guidanceId);
  return {
    runId,
    outcome,
    state,
    submitGuidance,
    guide,
    decide: takeDecision,
    answer: resources.questions.answer,
    cancel: Effect.andThen(stop(), outcome),
  };
});

const isStopping = (): Fatal =>
  fatal("agent.guidance_run_not_accepting", "The run takes nothing more: it is being cancelled.");

/** A request that will not be taken, however often it is found. */
const isRefusal = ({ reason }: Fatal): boolean => reason.code.startsWith("agent.");

/** Lets the interrupted loop write its end: the intent first, then whatever `nextStep` says of a cancelled run. */
const endCancelled = (resources: RunResources, loaded: RunContext | undefined, requestId: string | undefined) =>
  Effect.suspend(() => {
    const { writer } = resources;
    if (!isTerminal(writer.state().status))
      writer.record({
        ...draft("run_cancel_requested", writer.state().foreground ?? rootInvocation, {}),
        ...(requestId === undefined ? {} : { requestId }),
      });
    return Effect.exit(RunLoop.run(resources, loaded));
  });

/** What stopped the loop short of an end; a loop that was only interrupted can be resumed and has no failure. */
const failureOf = (exit: Exit.Exit<void, Fatal>): Fatal | undefined => {
  if (Exit.isSuccess(exit) || Cause.hasInterruptsOnly(exit.cause)) return undefined;
  return Option.getOrElse(Cause.findErrorOption(exit.cause), () =>
    fatal("agent.internal_error", `This is a bug of Cahier. ${Cause.pretty(exit.cause)}`),
  );
};

/**
 * Looks into the inbox until the run is asked to stop. What people have said is recorded once, however often it is found
 * there; what is not taken is answered with the reason.
 */
const watchInbox = Effect.fnUntraced(function* (
  documents: DocumentStore["Service"],
  resources: RunResources,
  {
    stop,
    takeDecision,
  }: {
    readonly stop: (requestId: string) => Effect.Effect<void>;
    readonly takeDecision: (answer: ApprovalAnswer, requestId: string) => Effect.Effect<boolean, Fatal>;
  },
): Effect.fn.Return<void> {
  const { runId } = resources.writer;
  const taking = (
    request: Exclude<Inbox.InboxRequest, { readonly kind: "cancel" }>,
    requestId: string,
  ): Effect.Effect<unknown, Fatal> => {
    switch (request.kind) {
      case "decision":
        return takeDecision(request, requestId);
      case "answer":
        return resources.questions.answer(request, requestId);
      case "guidance":
        return takeGuidance(resources, request, requestId);
      default:
        return request satisfies never;
    }
  };
  for (;;) {
    yield* Effect.sleep(Inbox.pollIntervalMs);
    // An inbox that cannot be read now is read again at the next turn.
    const found = yield* Inbox.waiting(documents, runId).pipe(Effect.orElseSucceed(() => []));
    for (const { request, requestId } of found) {
      if (request.kind === "cancel") return yield* stop(requestId);
      yield* taking(request, requestId).pipe(
        Effect.andThen(documents.remove(Inbox.collectionOf(runId), requestId)),
        Effect.catchTag("Fatal", (failure) =>
          isRefusal(failure) ? Inbox.refuse(documents, runId, requestId, failure) : Effect.void,
        ),
        // What could not be taken, or answered, for other reasons is found again.
        Effect.ignore,
      );
    }
  }
});
