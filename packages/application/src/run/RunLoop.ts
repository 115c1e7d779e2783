/**
 * The work on a run: the loop of each of its invocations, until the run has ended or waits for people.
 *
 * A loop asks `nextStep`, carries the step out and writes down what happened; resuming is this same loop on a folded journal.
 * Whoever is in the foreground works in the fiber of the run, each delegated agent in one of its own (`Crew`). Does not own
 * who may work on the run (`Runs`).
 */
import type { Denied, Fatal } from "@cahier/domain/failure/Failure";
import { type InvocationId, rootInvocation } from "@cahier/domain/identity/Identity";
import { activeInvocations, openChildren } from "@cahier/domain/run/activeInvocations";
import { nextStep, type Step } from "@cahier/domain/run/nextStep";
import type { RunState } from "@cahier/domain/run/RunState";
import { isTerminal } from "@cahier/domain/run/RunStatus";
import { taskOf } from "@cahier/domain/run/tasks";
import * as Effect from "effect/Effect";
import * as Exit from "effect/Exit";
import * as Option from "effect/Option";
import * as Scope from "effect/Scope";
import { isHostTrouble, resumable } from "../failure/hostTrouble.ts";
import * as ContextWindow from "../context/ContextWindow.ts";
import * as Transcript from "../prompt/Transcript.ts";
import * as Crews from "./Crew.ts";
import * as InvocationSetup from "./InvocationSetup.ts";
import { atomically, type RunContext, type RunResources } from "./RunContext.ts";
import { carryOut, carryOutRecord, isRecord } from "./carryOut.ts";
import { leftOf } from "./withinTime.ts";
import { approveUnattended, waitForPeople } from "./steps/awaitApproval.ts";
import { completeAwait } from "./steps/completeAwait.ts";
import { cancel, fail } from "./steps/endRun.ts";
import { prepareInvocation } from "./steps/prepareInvocation.ts";

/**
 * Works until there is nothing left to do. What escapes is not of the run: a failure of its journal, or a trouble of this
 * host. The journal then ends before the step that met it, so that the step is done again by whoever resumes the run.
 * `loaded` is what the invocation in the foreground works with, where it is at hand. `onCrew` is given whom to tell when
 * something is recorded from outside.
 */
export const run = Effect.fn("RunLoop.run")(function* (
  resources: RunResources,
  loaded?: RunContext,
  onCrew: (crew: Crews.Crew) => void = () => undefined,
): Effect.fn.Return<void, Fatal> {
  const scope = yield* Scope.make();
  const crew = yield* Crews.make(resources, scope, (id, crew) => carryOn(resources, crew, id));
  onCrew(crew);
  yield* carryOnForeground(resources, crew, loaded).pipe(
    Effect.raceFirst(crew.trouble),
    Effect.onExit(() => Scope.close(scope, Exit.void)),
  );
});

/** One owner of the foreground after the other. What is recorded last is appended when nobody works any more. */
const carryOnForeground = Effect.fnUntraced(function* (
  resources: RunResources,
  crew: Crews.Crew,
  loaded: RunContext | undefined,
): Effect.fn.Return<void, Fatal> {
  const { writer } = resources;
  yield* crew.follow;
  for (;;) {
    const foreground = writer.state().foreground ?? rootInvocation;
    const ended = yield* Effect.result(carryOn(resources, crew, foreground, loaded));
    if (ended._tag === "Failure") {
      yield* isHostTrouble(ended.failure)
        ? interrupt(resources, ended.failure)
        : recordFailure(resources, foreground, ended.failure);
      yield* crew.follow;
    }
    const { foreground: present, status } = writer.state();
    if (isTerminal(status)) return yield* writer.exclusively(writer.flush);
    if (present !== foreground) {
      yield* resources.gateway.closeSession(`${writer.runId}:${foreground}`);
      continue;
    }
    if (ended._tag === "Success" && (yield* writer.exclusively(waitForPeople(resources, foreground)))) return;
  }
});

/** Works on one invocation until it has ended, has left the foreground, or nobody can go on before people have answered. */
const carryOn = Effect.fnUntraced(function* (
  resources: RunResources,
  crew: Crews.Crew,
  invocationId: InvocationId,
  loaded?: RunContext,
): Effect.fn.Return<void, Denied | Fatal> {
  const { writer } = resources;
  const first = nextStep(writer.state(), invocationId);
  if (first._tag === "PrepareInvocation") {
    yield* prepareInvocation(resources, invocationId, first.task);
    yield* crew.follow;
  }
  // A run that is to end needs nothing of what its agents work with.
  if (first._tag === "Cancel") return cancel(writer, invocationId);
  if (first._tag === "Done") return;
  const context = loaded?.invocationId === invocationId ? loaded : yield* contextOf(resources, invocationId);
  for (;;) {
    const step = nextStep(writer.state(), invocationId);
    if (step._tag === "Done") return;
    if (step._tag === "AwaitApproval") {
      if (approveUnattended(context, step)) continue;
      if (isDelegated(resources, invocationId)) yield* untilDecided(context, crew);
      else if (yield* isAtRest(context, crew)) return;
      continue;
    }
    if (step._tag === "AwaitTasks") {
      if (yield* waitForTasks(context, crew, step)) return;
    } else if (isRecord(step)) {
      if (writer.isFree()) carryOutRecord(context, step);
      else yield* recordAlone(context);
    } else yield* carryOut(context, step);
    if (crew.isBehind()) yield* crew.follow;
    if (step._tag === "Transfer") return;
  }
});

const isDelegated = ({ writer }: RunResources, id: InvocationId): boolean =>
  writer.state().invocations[id]?.kind === "subagent";

/** What has to be recorded may be another thing by the time that nobody else records. */
const recordAlone = (context: RunContext): Effect.Effect<void, Denied | Fatal> =>
  atomically(
    context,
    Effect.sync(() => {
      const step = nextStep(context.writer.state(), context.invocationId);
      if (isRecord(step)) carryOutRecord(context, step);
    }),
  );

/**
 * Waits until people have decided on the calls of a delegated agent. When nobody else can go on either the whole run waits,
 * which ends this.
 */
const untilDecided = Effect.fnUntraced(function* (
  { invocationId, writer }: RunContext,
  crew: Crews.Crew,
): Effect.fn.Return<void, Denied | Fatal> {
  yield* writer.exclusively(writer.flush);
  crew.tell();
  for (;;) {
    const version = crew.version();
    if (nextStep(writer.state(), invocationId)._tag !== "AwaitApproval") return;
    yield* crew.changedSince(version);
  }
});

/** Waits until something has changed; true when nothing can go on by itself. */
const isAtRest = Effect.fnUntraced(function* (
  { writer }: RunContext,
  crew: Crews.Crew,
): Effect.fn.Return<boolean, Denied | Fatal> {
  if (activeInvocations(writer.state()).length === 0) return true;
  yield* writer.exclusively(writer.flush);
  const version = crew.version();
  if (activeInvocations(writer.state()).length === 0) return true;
  yield* crew.changedSince(version);
  return false;
});

/** Waits until the tasks have ended or the time is up, and closes the call; true when nothing can go on by itself. */
const waitForTasks = Effect.fnUntraced(function* (
  context: RunContext,
  crew: Crews.Crew,
  first: Extract<Step, { _tag: "AwaitTasks" }>,
): Effect.fn.Return<boolean, Denied | Fatal> {
  const { invocationId, writer } = context;
  // The tasks may take long: what was recorded before is appended first, unless an agent that begins now is about to do that.
  if (!first.over && !beginsOne(writer.state())) yield* atomically(context, writer.flush);
  crew.tell();
  for (;;) {
    const version = crew.version();
    const step = nextStep(writer.state(), invocationId);
    if (step._tag !== "AwaitTasks") return false;
    if (step.over) {
      yield* atomically(context, completeAwait(context, step, false));
      return false;
    }
    if (activeInvocations(writer.state()).length === 0) return true;
    const { startedWallMs, timeoutMs } = step.awaiting;
    const left = Math.max(0, leftOf(writer, startedWallMs + timeoutMs));
    const runLeft = leftOf(writer, context.writer.state().invocations[rootInvocation]?.context?.limits.budget?.wallMs);
    const changed = yield* Effect.timeoutOption(crew.changedSince(version), Math.max(0, Math.min(left, runLeft)));
    if (Option.isSome(changed)) continue;
    yield* atomically(context, completeAwait(context, step, true));
    return false;
  }
});

/** Whether an agent is being made ready: its first request, or its failure, appends everything that was recorded before. */
const beginsOne = (state: RunState): boolean =>
  openChildren(state).some((id) => taskOf(state, id)?.status === "queued");

/** What the invocation works with, read back from the journal. */
export const contextOf = Effect.fnUntraced(function* (
  resources: RunResources,
  invocationId: InvocationId,
): Effect.fn.Return<RunContext, Fatal> {
  const { payloads, skills, tools, writer } = resources;
  const { prompt, setup } = yield* InvocationSetup.load(writer.state(), invocationId, payloads, tools, skills.contents);
  return {
    ...resources,
    invocationId,
    setup,
    transcript: Transcript.make(payloads, prompt),
    window: ContextWindow.make(setup, prompt),
  };
});

/** Appends the steps before the one that is left undone; then the trouble ends the work. */
const interrupt = ({ writer }: RunResources, failure: Denied | Fatal): Effect.Effect<never, Fatal> =>
  // When the journal is what failed it takes nothing more; the failure that is told is the same.
  Effect.ignore(writer.exclusively(writer.flush)).pipe(Effect.andThen(Effect.fail(resumable(failure))));

/** Writes the terminal event. When the journal refuses that too, its refusal ends the work. */
const recordFailure = (
  { writer }: RunResources,
  invocationId: InvocationId,
  { reason }: Denied | Fatal,
): Effect.Effect<void, Fatal> =>
  writer.exclusively(
    Effect.suspend(() => {
      fail(writer, invocationId, reason);
      return writer.flush;
    }),
  );
