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
import type { StoredEvent } from "@cahier/domain/run/EventEnvelope";
import type { RunState } from "@cahier/domain/run/RunState";
import { taskOf } from "@cahier/domain/run/tasks";
import { isTerminal } from "@cahier/domain/run/RunStatus";
import type { BlobStore } from "@cahier/ports/BlobStore";
import { ChatHost } from "@cahier/ports/ChatHost";
import { DocumentStore } from "@cahier/ports/DocumentStore";
import { ModelGateway } from "@cahier/ports/ModelGateway";
import { PromptAssembler } from "@cahier/ports/PromptAssembler";
import { RunJournal } from "@cahier/ports/RunJournal";
import * as Clock from "effect/Clock";
import * as Context from "effect/Context";
import * as Effect from "effect/Effect";
import * as Layer from "effect/Layer";
import * as Option from "effect/Option";
import * as Stream from "effect/Stream";
import { classifyStorage } from "../failure/classifyStorage.ts";
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
import * as Inbox from "./Inbox.ts";
import { loadWritable } from "./loadState.ts";
import { Ownership } from "./Ownership.ts";
import { changeStatus, type OnModelDelta, type RunResources } from "./RunContext.ts";
import { contextOf } from "./RunLoop.ts";
import { outcomeOf, type RunOutcome } from "./RunOutcome.ts";
import type { RunWriter } from "./RunWriter.ts";
import { guidanceIdOf, leaveGuidance, requireAdmitted } from "./takeGuidance.ts";
import { type RunHandle, supervise } from "./supervise.ts";

type RunRequirements = RunJournal | BlobStore | ChatHost | DocumentStore | Ownership | Tools;

/** How a process carries a run on. `approve`: patterns of tools whose calls are allowed without asking anybody. */
export interface CarryOnOptions {
  readonly onDelta?: OnModelDelta;
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
          onDelta: options.onDelta ?? ignoreDelta,
          nextHex: next,
        };
        // A successor that is not ready yet is made ready as its first step.
        const foreground = foregroundOf(writer);
        const loaded = isPrepared(writer.state(), foreground) ? yield* contextOf(resources, foreground) : undefined;
        const handle = yield* supervise(resources, loaded, scope, letGo);
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
    ): Effect.fn.Return<boolean, Fatal, RunRequirements> {
      const { state } = yield* loadWritable(journal, runId);
      yield* decided(state, answer);
      if (state.owner === null || !(yield* ownership.isCarriedOn(runId, state.owner))) return false;
      const at = new Date(yield* Clock.currentTimeMillis).toISOString();
      const requestId = yield* Inbox.ask(runId, { kind: "decision", at, ...answer });
      const isTaken = (event: StoredEvent): boolean => event.causality?.requestId === requestId;
      const seen = { taken: false };
      yield* answered(
        runId,
        state,
        requestId,
        until(runId, state, (event) => {
          seen.taken = isTaken(event);
          return seen.taken || isEnd(event);
        }),
      );
      if (!seen.taken) yield* Effect.ignore(documents.remove(Inbox.collectionOf(runId), requestId));
      return seen.taken;
    });

    /** Waits for what comes of a request: `answer`, the refusal of whoever carries the run on, or nothing in time. */
    const answered = (
      runId: RunId,
      state: RunState,
      requestId: string,
      answer: Effect.Effect<void, Fatal>,
    ): Effect.Effect<void, Fatal> =>
      answer.pipe(
        Effect.raceFirst(Inbox.refused(documents, runId, requestId)),
        Effect.timeoutOrElse({
          duration: answerDeadlineMs,
          orElse: () =>
            Effect.andThen(
              Effect.ignore(documents.remove(Inbox.collectionOf(runId), requestId)),
              Effect.fail(unanswered(state)),
            ),
        }),
      );

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

    /**
     * Waits for the end of a run that another process carries on; if that process dies or lets the run go, ends it here.
     */
    const awaitEnd = (
      runId: RunId,
      state: RunState,
      requestId: string,
    ): Effect.Effect<RunOutcome, Fatal, RunRequirements> =>
      until(runId, state, isAnswer).pipe(
        Effect.timeoutOrElse({
          duration: answerDeadlineMs,
          orElse: () =>
            Effect.andThen(
              Effect.ignore(documents.remove(Inbox.collectionOf(runId), requestId)),
              Effect.fail(unanswered(state)),
            ),
        }),
        Effect.andThen(until(runId, state, isEnd)),
        Effect.raceFirst(untilDead(runId, state)),
        Effect.andThen(Effect.suspend(() => cancelElsewhere(runId))),
      );

    /** Waits for an event behind `state`. */
    const until = (
      runId: RunId,
      { seq }: RunState,
      isAwaited: (event: StoredEvent) => boolean,
    ): Effect.Effect<void, Fatal> =>
      journal.tail(runId, seq).pipe(Stream.takeUntil(isAwaited), Stream.runDrain, Effect.mapError(classifyStorage));

    const untilDead = (runId: RunId, { owner }: RunState): Effect.Effect<void, Fatal> =>
      Effect.sleep(1000).pipe(
        Effect.andThen(owner === null ? Effect.succeed(false) : ownership.isCarriedOn(runId, owner)),
        Effect.repeat({ while: (alive) => alive }),
        Effect.asVoid,
      );

    const cancelElsewhere = Effect.fnUntraced(function* (
      runId: RunId,
    ): Effect.fn.Return<RunOutcome, Fatal, RunRequirements> {
      const { state } = yield* loadWritable(journal, runId);
      if (isTerminal(state.status)) return outcomeOf(runId, state);
      if (state.owner === null || !(yield* ownership.isCarriedOn(runId, state.owner)))
        return yield* claimAndCancel(runId);
      const at = new Date(yield* Clock.currentTimeMillis).toISOString();
      return yield* awaitEnd(runId, state, yield* Inbox.ask(runId, { kind: "cancel", at }));
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
      if (state.owner === null || !(yield* ownership.isCarriedOn(runId, state.owner)))
        return yield* leaveGuidance(runId, guidance);
      const at = new Date(yield* Clock.currentTimeMillis).toISOString();
      const requestId = yield* Inbox.ask(runId, { kind: "guidance", at, ...guidance });
      return acknowledge(yield* awaitTaken(runId, state, requestId), guidanceIdOf(requestId), guidance);
    });

    /** Waits until the owner has recorded it, and gives the run as it is then. One that has let the run go has left it to whoever takes it up. */
    const awaitTaken = (
      runId: RunId,
      state: RunState,
      requestId: string,
    ): Effect.Effect<RunState, Fatal, RunRequirements> =>
      answered(
        runId,
        state,
        requestId,
        until(runId, state, (event) => event.causality?.requestId === requestId || isEnd(event)),
      ).pipe(
        Effect.andThen(loadWritable(journal, runId)),
        Effect.flatMap(({ state: present }) =>
          present.guidance.requests.includes(requestId)
            ? Effect.succeed(present)
            : Effect.andThen(
                Effect.ignore(documents.remove(Inbox.collectionOf(runId), requestId)),
                Effect.fail(notTaken(present)),
              ),
        ),
      );

    const submitGuidance: Runs["Service"]["submitGuidance"] = Effect.fn("Runs.guide")(function* (runId, guidance) {
      const running = handles.get(runId);
      return yield* running === undefined ? guideElsewhere(runId, guidance) : running.submitGuidance(guidance);
    }, Effect.provideContext(services));

    const guide: Runs["Service"]["guide"] = (runId, guidance) =>
      Effect.map(submitGuidance(runId, guidance), ({ guidanceId }) => guidanceId);

    return Runs.of({ carryOn, resume, decide, cancel, submitGuidance, guide });
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

/** How long a living process may take to answer a request. */
const answerDeadlineMs = 10_000;

const unanswered = ({ owner }: RunState): Fatal =>
  fatal(
    "agent.host_timeout",
    `Process ${owner?.pid} on ${owner?.machine} has the run and did not answer within ${answerDeadlineMs / 1000} seconds. If it does not work on the run any more, end that process; then cancel the run again.`,
  );

/** An event after which the run has no living owner, or has ended. */
const isEnd = (event: StoredEvent): boolean => terminalTypes.has(event.type) || event.type === "run_owner_changed";

const isAnswer = (event: StoredEvent): boolean => event.type === "run_cancel_requested" || isEnd(event);

const terminalTypes = new Set(["run_completed", "run_failed", "run_partial_success", "run_cancelled"]);

const ignoreDelta = (): void => undefined;

const irreversibleCalls = (invocations: RunState["invocations"]): ReadonlyArray<string> =>
  Object.values(invocations).flatMap((invocation) =>
    (invocation.turn?.calls ?? [])
      .filter((call) => call.phase === "started" && call.effectClass === "irreversible")
      .map((call) => call.callId as string),
  );
