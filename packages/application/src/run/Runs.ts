/**
 * The runs that this process carries on, and asking for the end of any run.
 *
 * Owns which runs are carried on here. Does not own admission (`startRun`), claims (`claimRun`) nor what a run does
 * next (`RunLoop`).
 */
import { type Fatal, fatal } from "@cahier/domain/failure/Failure";
import { acknowledge, type QueuedGuidance, type SubmittedGuidance } from "@cahier/domain/guidance/Guidance";
import type { InvocationId, RunId } from "@cahier/domain/identity/Identity";
import type { ApprovalAnswer } from "@cahier/domain/run/decideApproval";
import { draft } from "@cahier/domain/run/RunEvent";
import { type QuestionAnswer, questionOf } from "@cahier/domain/run/openQuestions";
import type { RunState } from "@cahier/domain/run/RunState";
import { taskOf } from "@cahier/domain/run/tasks";
import { isTerminal } from "@cahier/domain/run/RunStatus";
import { quote } from "@cahier/domain/workspace/Refusal";
import type { BlobStore } from "@cahier/ports/BlobStore";
import { ChatHost } from "@cahier/ports/ChatHost";
import { DocumentStore } from "@cahier/ports/DocumentStore";
import { ModelGateway } from "@cahier/ports/ModelGateway";
import { PromptAssembler } from "@cahier/ports/PromptAssembler";
import { RunJournal } from "@cahier/ports/RunJournal";
import * as Context from "effect/Context";
import * as Effect from "effect/Effect";
import * as Layer from "effect/Layer";
import * as Option from "effect/Option";
import * as Result from "effect/Result";
import * as Agents from "../delegation/Agents.ts";
import * as Identifiers from "../identity/Identifiers.ts";
import * as Payloads from "../payload/Payloads.ts";
import * as States from "../persist/States.ts";
import * as RunSkills from "../skill/RunSkills.ts";
import { settleRollback } from "../rollback/settleRollback.ts";
import { Tools } from "../tool/Tools.ts";
import * as WorkspaceFiles from "../workspace/WorkspaceFiles.ts";
import { answerApproval, decided } from "./answerApproval.ts";
import { chatOf } from "./chatOf.ts";
import { claimRun, foregroundOf } from "./claimRun.ts";
import * as Elsewhere from "./Elsewhere.ts";
import * as Inbox from "./Inbox.ts";
import { loadWritable } from "./loadState.ts";
import { Ownership } from "./Ownership.ts";
import { changeStatus, type OnModelDelta, type OnToolProgress, type RunResources } from "./RunContext.ts";
import { contextOf } from "./RunLoop.ts";
import { outcomeOf, type RunOutcome } from "./RunOutcome.ts";
import * as Questions from "./Questions.ts";
import type { RunWriter } from "./RunWriter.ts";
import { guidanceIdOf, leaveGuidance, requireAdmitted } from "./takeGuidance.ts";
import { type RunHandle, supervise } from "./supervise.ts";

type RunRequirements = RunJournal | BlobStore | ChatHost | DocumentStore | Ownership | Tools;

/**
 * How a process carries a run on. `approve`: patterns of tools whose calls are allowed without asking anybody. `isAttended`:
 * somebody is there who sees what tools ask and answers; without it they are told at once that nobody does.
 */
export interface CarryOnOptions {
  readonly isAttended?: boolean;
  readonly onDelta?: OnModelDelta;
  readonly onProgress?: OnToolProgress;
  readonly approve?: ReadonlyArray<string>;
}

export class Runs extends Context.Service<
  Runs,
  {
    /** Carries on a run that this process owns and whose admission is appended. */
    readonly carryOn: (writer: RunWriter, options?: CarryOnOptions) => Effect.Effect<RunHandle, Fatal>;
    /** Claims a run that nobody living owns and carries it on from where its journal ends. */
    readonly resume: (runId: RunId, options?: CarryOnOptions) => Effect.Effect<RunHandle, Fatal>;
    /**
     * Answers one call that awaits approval, and carries the run on when that was the last one; otherwise the run waits
     * on, or is carried on by another process, and there is no handle. Agents that work meanwhile go on working. An answer counts once, and only for the arguments that it was given for:
     * `agent.approval_{not_found,already_decided,arguments_changed}` change nothing.
     */
    readonly decide: (
      runId: RunId,
      answer: ApprovalAnswer,
      options?: CarryOnOptions,
    ) => Effect.Effect<RunHandle | undefined, Fatal>;
    /**
     * Answers what a tool asks in the middle of its call, wherever the run is carried on. `agent.question_not_found` and
     * `agent.question_answer_invalid` change nothing.
     */
    readonly answer: (runId: RunId, answer: QuestionAnswer) => Effect.Effect<void, Fatal>;
    /**
     * Ends a run wherever it is carried on: here, by another living process through its inbox, or by claiming it.
     * A run that has ended stays as it is. Gives the outcome once it has ended. A process that has the run and does not
     * answer within ten seconds is `agent.host_timeout`; nothing is asked of it any more then.
     */
    readonly cancel: (runId: RunId) => Effect.Effect<RunOutcome, Fatal>;
    /**
     * Tells the agent in the foreground something before its next request, wherever the run is carried on; a run that nobody
     * carries on keeps it until it is taken up. The request that is under way stays as it is, and so does the chat. What is
     * not taken is refused with an `agent.guidance_…` code and changes nothing.
     */
    readonly submitGuidance: (runId: RunId, guidance: SubmittedGuidance) => Effect.Effect<QueuedGuidance, Fatal>;
    /** The same; gives no more than the id under which it is on record. */
    readonly guide: (runId: RunId, guidance: SubmittedGuidance) => Effect.Effect<string, Fatal>;
  }
>()("@cahier/application/run/Runs") {}

export const layer = Layer.effect(
  Runs,
  Effect.gen(function* () {
    const journal = yield* RunJournal;
    const documents = yield* DocumentStore;
    const gateway = yield* ModelGateway;
    const chatHost = yield* ChatHost;
    const assembler = Option.getOrUndefined(yield* Effect.serviceOption(PromptAssembler));
    const ownership = yield* Ownership;
    const elsewhere = yield* Elsewhere.make;
    const states = yield* States.make;
    const agents = yield* Agents.make;
    const skills = yield* RunSkills.make;
    const tools = yield* Tools;
    const { next } = yield* Identifiers.Identifiers;
    const scope = yield* Effect.scope;
    const services = yield* Effect.context<RunRequirements>();
    const handles = new Map<RunId, RunHandle>();

    const carryOn: Runs["Service"]["carryOn"] = Effect.fn("Runs.carryOn")(
      function* (writer, options = {}) {
        yield* settleRollback(writer).pipe(Effect.catchIf(isOfChat, () => Effect.void));
        const payloads = yield* Payloads.make(writer.runId);
        const here = { ended: false };
        const letGo = Effect.sync(() => {
          here.ended = true;
          handles.delete(writer.runId);
          ownership.letGo(writer.runId);
        });
        const cancelled = { isAsked: false };
        const resources: RunResources = {
          writer,
          payloads,
          files: WorkspaceFiles.make(payloads),
          tools,
          agents,
          skills,
          documents,
          assembler,
          chat: yield* chatOf(writer.state()),
          gateway,
          chatHost,
          states,
          approve: options.approve ?? [],
          questions: Questions.make({ writer, payloads, nextHex: next, isAttended: options.isAttended === true }),
          onDelta: options.onDelta ?? ignore,
          onProgress: options.onProgress,
          isCancelled: () => cancelled.isAsked,
          nextHex: next,
        };
        // A successor that is not ready yet is made ready as its first step.
        const foreground = foregroundOf(writer);
        const loaded = isPrepared(writer.state(), foreground) ? yield* contextOf(resources, foreground) : undefined;
        const handle = yield* supervise(resources, loaded, scope, {
          letGo,
          onCancel: () => void (cancelled.isAsked = true),
        });
        if (!here.ended) handles.set(writer.runId, handle);
        return handle;
      },
      (carrying, writer) => Effect.onError(carrying, () => Effect.sync(() => ownership.letGo(writer.runId))),
      Effect.provideContext(services),
    );

    const resume: Runs["Service"]["resume"] = Effect.fn("Runs.resume")(function* (runId, options) {
      const running = handles.get(runId);
      if (running !== undefined) return running;
      const writer = yield* claimRun(runId);
      const { status, invocations } = writer.state();
      const invocationId = foregroundOf(writer);
      changeStatus(writer, invocationId, "interrupted", "the process that carried it on is gone");
      writer.record(
        draft("run_resumed", invocationId, { previousStatus: status, unknownCalls: irreversibleCalls(invocations) }),
      );
      yield* writer.flush;
      return yield* carryOn(writer, options);
    }, Effect.provideContext(services));

    const decide: Runs["Service"]["decide"] = Effect.fn("Runs.decide")(function* (runId, answer, options) {
      const running = handles.get(runId);
      if (running !== undefined) {
        if (yield* running.decide(answer)) return running;
        yield* running.outcome;
      } else if (yield* decidedElsewhere(runId, answer)) return undefined;
      const writer = yield* answerApproval(runId, answer);
      return writer === undefined ? undefined : yield* carryOn(writer, options);
    }, Effect.provideContext(services));

    /** Asks a living owner to take the answer; false where there is none, or it lets the run go meanwhile. */
    const decidedElsewhere = Effect.fnUntraced(function* (
      runId: RunId,
      answer: ApprovalAnswer,
    ): Effect.fn.Return<boolean, Fatal> {
      const { state } = yield* loadWritable(journal, runId);
      yield* decided(state, answer);
      if (!(yield* elsewhere.isCarriedOn(runId, state))) return false;
      return (yield* elsewhere.request(runId, state, { kind: "decision", ...answer })) !== undefined;
    });

    const answer: Runs["Service"]["answer"] = Effect.fn("Runs.answer")(function* (runId, given) {
      const running = handles.get(runId);
      if (running !== undefined) return yield* running.answer(given);
      const { state } = yield* loadWritable(journal, runId);
      yield* Effect.fromResult(Result.mapError(questionOf(state, given), ({ code, message }) => fatal(code, message)));
      // Whoever asked is gone with its process, and so is the call: there is nobody to be told.
      if (!(yield* elsewhere.isCarriedOn(runId, state))) return yield* nobodyAsks(given);
      const taken = yield* elsewhere.request(runId, state, { kind: "answer", ...given });
      if (taken === undefined) return yield* nobodyAsks(given);
    });

    const claimAndCancel = Effect.fnUntraced(function* (runId: RunId) {
      const writer = yield* claimRun(runId);
      const [request] = yield* Inbox.waiting(documents, runId).pipe(Effect.orElseSucceed(() => []));
      writer.record({
        ...draft("run_cancel_requested", foregroundOf(writer), {}),
        ...(request === undefined ? {} : { requestId: request.requestId }),
      });
      const handle = yield* carryOn(writer);
      return yield* handle.outcome;
    });

    const cancelElsewhere = Effect.fnUntraced(function* (
      runId: RunId,
    ): Effect.fn.Return<RunOutcome, Fatal, RunRequirements> {
      const { state } = yield* loadWritable(journal, runId);
      if (isTerminal(state.status)) return outcomeOf(runId, state);
      if (!(yield* elsewhere.isCarriedOn(runId, state))) return yield* claimAndCancel(runId);
      // Whoever had it may have let it go, or died, short of an end.
      yield* elsewhere.stop(runId, state);
      return yield* cancelElsewhere(runId);
    });

    const cancel: Runs["Service"]["cancel"] = Effect.fn("Runs.cancel")(function* (runId) {
      const running = handles.get(runId);
      return yield* running === undefined ? cancelElsewhere(runId) : running.cancel;
    }, Effect.provideContext(services));

    const guideElsewhere = Effect.fnUntraced(function* (
      runId: RunId,
      guidance: SubmittedGuidance,
    ): Effect.fn.Return<QueuedGuidance, Fatal, RunRequirements> {
      const { state } = yield* loadWritable(journal, runId);
      yield* requireAdmitted(state, guidance);
      if (!(yield* elsewhere.isCarriedOn(runId, state))) return yield* leaveGuidance(runId, guidance);
      const requestId = yield* elsewhere.request(runId, state, { kind: "guidance", ...guidance });
      // One that has let the run go has left it to whoever takes it up.
      const present = (yield* loadWritable(journal, runId)).state;
      if (requestId === undefined) return yield* notTaken(present);
      return acknowledge(present, guidanceIdOf(requestId), guidance);
    });

    const submitGuidance: Runs["Service"]["submitGuidance"] = Effect.fn("Runs.guide")(function* (runId, guidance) {
      const running = handles.get(runId);
      return yield* running === undefined ? guideElsewhere(runId, guidance) : running.submitGuidance(guidance);
    }, Effect.provideContext(services));

    const guide: Runs["Service"]["guide"] = (runId, guidance) =>
      Effect.map(submitGuidance(runId, guidance), ({ guidanceId }) => guidanceId);

    return Runs.of({ carryOn, resume, decide, answer, cancel, submitGuidance, guide });
  }),
);

/** A rollback that the chat did not take is over; the run goes on with the message as it is. */
const isOfChat = ({ reason }: Fatal): boolean =>
  reason.code === "chat.conflict" || reason.code === "agent.chat_commit_failed";

/** Whether what the invocation works with is on record; one that was given a task is made ready later. */
const isPrepared = (state: RunState, id: InvocationId): boolean =>
  state.invocations[id]?.context !== null || taskOf(state, id) === undefined;

/** The run ended, or its agent finished, before it was taken. */
const notTaken = (state: RunState): Fatal =>
  fatal("agent.guidance_run_not_accepting", `The run takes nothing more: it is ${state.status}.`);

/** The question is over with its call, or with the process that made it. */
const nobodyAsks = ({ questionId }: QuestionAnswer): Fatal =>
  fatal("agent.question_not_found", `Nobody waits for an answer to ${quote(questionId)} any more: its call has ended.`);

const ignore = (): void => undefined;

const irreversibleCalls = (invocations: RunState["invocations"]): ReadonlyArray<string> =>
  Object.values(invocations).flatMap((invocation) =>
    (invocation.turn?.calls ?? [])
      .filter((call) => call.phase === "started" && call.effectClass === "irreversible")
      .map((call) => call.callId as string),
  );
