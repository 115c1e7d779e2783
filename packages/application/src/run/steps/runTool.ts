/** The steps around a tool call: start it, run it, apply what it changed. */
import * as PathMap from "@cahier/domain/run/PathMap";
import { type Denied, type Fatal, type Recoverable, recoverable } from "@cahier/domain/failure/Failure";
import { isClosed } from "@cahier/domain/invocation/Invocation";
import { draft } from "@cahier/domain/run/RunEvent";
import type { CallState, TurnState } from "@cahier/domain/run/RunState";
import { chatRevision } from "@cahier/domain/run/RunState";
import type { Step } from "@cahier/domain/run/nextStep";
import { isTerminal } from "@cahier/domain/run/RunStatus";
import * as ToolArguments from "@cahier/domain/tool/ToolArguments";
import { effectClassOf } from "@cahier/domain/tool/ToolDescriptor";
import type { ToolResult } from "@cahier/domain/tool/ToolResult";
import { byId, type ToolBinding } from "@cahier/domain/tool/ToolSnapshot";
import * as TextMetrics from "@cahier/domain/workspace/TextMetrics";
import * as Deferred from "effect/Deferred";
import * as Effect from "effect/Effect";
import * as Identifiers from "../../identity/Identifiers.ts";
import { admitOutcome } from "../../tool/admitOutcome.ts";
import { apart } from "../../tool/apart.ts";
import * as Countdown from "../../tool/Countdown.ts";
import { resultOf } from "../../tool/resultOf.ts";
import { errorResult, settle, type Settled } from "../../tool/settle.ts";
import { timeoutOf } from "../../tool/timeoutOf.ts";
import { untilStopped } from "../../tool/untilStopped.ts";
import type { CallIdentity, Tool, ToolContext, ToolOutcome } from "../../tool/Tool.ts";
import { admitTree } from "../admitTree.ts";
import { applyChanges } from "../applyChanges.ts";
import * as paths from "../paths.ts";
import { applyDelegation, beginAwait } from "../applyDelegation.ts";
import { atomically, changeStatus, invocationOf, record, recordCheckpoint, type RunContext } from "../RunContext.ts";
import { nothingSampled, type SampledSoFar, usageWith } from "../sampleModel.ts";
import { type Course, toolContextOf } from "../toolContext.ts";
import { closeCall, identityOf } from "./closeCall.ts";
import { cancelTasksOf } from "./endTask.ts";

/**
 * Runs one call, or closes it with the gate's refusal. A commit only gets its intent here; see `settleCommit`. A tool of our
 * own sees and changes the workspace alone; one that runs apart or is from outside may take its time while others go on.
 */
export const runTool = (
  context: RunContext,
  step: Extract<Step, { _tag: "RunTool" }>,
  sampled: SampledSoFar = nothingSampled(),
): Effect.Effect<void, Denied | Fatal> => {
  const { call } = step;
  const source = call.toolId === null ? undefined : byId(context.setup.snapshot, call.toolId)?.descriptor.source;
  const runsApart = call.toolId !== null && context.setup.tools.get(call.toolId)?.runsApart === true;
  return call.refusal !== null || (source === "builtin" && !runsApart)
    ? atomically(context, runBuiltin(context, step, sampled))
    : runApart(context, step, sampled);
};

const runBuiltin = Effect.fnUntraced(function* (
  context: RunContext,
  { turn, call }: Extract<Step, { _tag: "RunTool" }>,
  sampled: SampledSoFar,
): Effect.fn.Return<void, Denied | Fatal> {
  const identity = identityOf(call);
  if (call.refusal !== null) {
    const { code, message } = call.refusal;
    return yield* closeCall(context, turn, call, errorResult(identity, code, message), { elapsedMs: 0 });
  }
  const binding = begin(context, turn, call);
  if (binding !== undefined && reachesOutside(binding)) yield* context.writer.flush;
  const startedAt = context.writer.now();
  const settled = yield* runSettled(context, call, binding, { sampled });
  yield* applySettled(context, turn, call, binding, settled, {
    elapsedMs: context.writer.now() - startedAt,
    sampled,
  });
});

const runApart = Effect.fnUntraced(function* (
  context: RunContext,
  { turn, call }: Extract<Step, { _tag: "RunTool" }>,
  sampled: SampledSoFar,
): Effect.fn.Return<void, Denied | Fatal> {
  const { writer } = context;
  const binding = yield* atomically(
    context,
    Effect.suspend(() => Effect.as(writer.flush, begin(context, turn, call))),
  );
  const startedAt = writer.now();
  const countdown = yield* Countdown.make(timeoutOf(binding));
  const apply = (settled: Settled) =>
    atomically(
      context,
      applySettled(context, turn, call, binding, settled, { elapsedMs: writer.now() - startedAt, sampled }),
    );
  const stop = Deferred.makeUnsafe<void>();
  const state = { isOver: false };
  const course = { sampled, countdown, stopped: Deferred.await(stop), isOver: () => state.isOver };
  const running = Effect.ensuring(
    runSettled(context, call, binding, course),
    Effect.sync(() => (state.isOver = true)),
  );
  if (binding?.descriptor.source === "builtin") {
    const last = { stop: Deferred.succeed(stop, undefined), isWanted: () => isGivenUp(context), apply };
    return yield* apply(yield* untilStopped(running, last));
  }
  const settled = yield* Effect.onInterrupt(running, () =>
    isOwing(context, sampled)
      ? Effect.ignore(
          apply({ _tag: "Error", result: errorResult(identityOf(call), "tool.outcome_unknown", brokenOff) }),
        )
      : Effect.void,
  );
  yield* apply(settled);
});

/** Whether this work is not taken up again, and its run has not ended: what its agent has done can still be written down. */
const isGivenUp = (context: RunContext): boolean =>
  (context.isCancelled() || invocationOf(context).status === "cancelled") && !isTerminal(context.writer.state().status);

/**
 * Whether a call that is broken off with its run is closed before the run's end is written down, so that what it had of the model is
 * counted. Nothing is waited for: a run ends at once.
 */
const isOwing = (context: RunContext, { cost, tokens }: SampledSoFar): boolean =>
  (tokens > 0 || cost > 0) && context.writer.isFree() && !isClosed(invocationOf(context).status);

const brokenOff = "This call was broken off, and it is not known whether it took effect.";

/** Records that the call is about to run, unless that is on record. */
const begin = (context: RunContext, turn: TurnState, call: CallState): ToolBinding | undefined => {
  const { invocationId, setup, writer } = context;
  const identity = identityOf(call);
  const binding = byId(setup.snapshot, identity.toolId);
  changeStatus(writer, invocationId, "dispatching_tool", "tool");
  if (call.phase === "requested")
    record(
      context,
      draft("tool_call_started", invocationId, {
        round: turn.round,
        invocationId,
        callId: call.callId,
        toolId: identity.toolId,
        effectClass: binding === undefined ? "irreversible" : effectClassOf(binding.descriptor),
      }),
    );
  return binding;
};

const runSettled = (
  context: RunContext,
  call: CallState,
  binding: ToolBinding | undefined,
  course: Course,
): Effect.Effect<Settled, Denied | Fatal> => {
  const identity = identityOf(call);
  const { snapshot, tools } = context.setup;
  const tool = tools.get(identity.toolId);
  return settle(
    identity,
    snapshot,
    binding,
    tool === undefined ? Effect.fail(absent(identity)) : run(context, call, tool, course),
    course.countdown?.expired,
  );
};

/**
 * Whether a call of a built-in tool must be on record before it runs. One that only reads, or only changes the workspace,
 * takes effect by the append that records it: with its response and its result that is one append for the whole round.
 */
const reachesOutside = ({ descriptor }: ToolBinding): boolean => {
  const effectClass = effectClassOf(descriptor);
  return effectClass !== "pure" && effectClass !== "internal";
};

const absent = (identity: CallIdentity) =>
  recoverable("model.unknown_tool_call", `The tool ${identity.name} is not available any more.`);

const run = Effect.fnUntraced(function* (
  context: RunContext,
  call: CallState,
  tool: Tool,
  course: Course,
): Effect.fn.Return<ToolOutcome, Recoverable | Denied | Fatal> {
  const given = yield* argumentsOf(context, call);
  const seen = toolContextOf(context, call, course);
  return yield* admitted(tool, given, seen, tool.run(given, seen));
});

/** The arguments of a call as one object. */
export const argumentsOf = Effect.fnUntraced(function* (
  context: RunContext,
  call: CallState,
): Effect.fn.Return<ToolArguments.JsonObject, Recoverable | Fatal> {
  const read = ToolArguments.fromRaw(yield* context.payloads.read(call.argumentsRef));
  if (read._tag === "Usable") return read.value;
  return yield* recoverable(
    "tool.invalid_arguments",
    `The arguments must be one JSON object. Given was: ${ToolArguments.preview(read.raw)}`,
  );
});

/** What a tool gives, held to what a tool of its source may answer. */
export const admitted = (
  tool: Tool,
  given: ToolArguments.JsonObject,
  seen: ToolContext,
  outcome: ReturnType<Tool["run"]>,
): ReturnType<Tool["run"]> =>
  tool.descriptor.source === "builtin"
    ? outcome
    : Effect.flatMap(apart(outcome), (answer) => admitOutcome(given, seen, answer));

/** Applies what a call gave and closes it with what it has used; a commit only gets its intent. */
export const applySettled = Effect.fnUntraced(function* (
  context: RunContext,
  turn: TurnState,
  call: CallState,
  binding: ToolBinding | undefined,
  settled: Settled,
  { elapsedMs, sampled }: { readonly elapsedMs: number; readonly sampled: SampledSoFar },
): Effect.fn.Return<void, Fatal> {
  const usage = usageWith(
    settled._tag === "Outcome" && settled.outcome._tag === "Done" ? settled.outcome.usage : undefined,
    sampled,
  );
  const spent = { elapsedMs, ...(usage === undefined ? {} : { usage }) };
  if (settled._tag === "Error") return yield* closeCall(context, turn, call, settled.result, spent);
  if (settled.outcome._tag === "Commit") return yield* intendCommit(context, turn, call, settled.outcome);
  if (settled.outcome._tag === "Await") return beginAwait(context, call, settled.outcome);
  const outcome = admitTree(context.writer.state(), settled.outcome);
  const auditPath = paths.toolResult(call.argumentsRef.path);
  const { attachments, readable, result } = yield* resultOf(
    {
      call: identityOf(call),
      snapshot: context.setup.snapshot,
      binding,
      inlineCharLimit: context.setup.externalResultInlineCharLimit,
      auditPath,
      readablePath: paths.readableResult(auditPath),
    },
    outcome,
  );
  const { checkpoint, digest } = yield* applyChanges(context, turn, call, outcome.changes ?? []);
  yield* applyDelegation(context, call, outcome.changes ?? []);
  yield* closeCall(context, turn, call, withDigest(result, digest), {
    ...spent,
    ...(readable === undefined ? {} : { readable }),
    ...(attachments === undefined ? {} : { attachments }),
  });
  // Behind the result, so that whoever goes on from there finds the call closed.
  if (checkpoint !== undefined) recordCheckpoint(context, checkpoint);
  if (outcome.changes?.some(({ _tag }) => _tag === "Finish" || _tag === "ReturnTask") === true) {
    cancelTasksOf(context.writer, context.invocationId, "Whoever gave this task has finished.");
    record(
      context,
      draft("agent_loop_finished", context.invocationId, {
        round: turn.round,
        invocationId: context.invocationId,
        commitCount: context.writer.state().commits.length,
      }),
    );
  }
});

/** A tool that changed a file names the version that it made. */
const withDigest = (result: ToolResult, sha256: string | undefined): ToolResult => {
  const { structured } = result;
  return sha256 === undefined || typeof structured !== "object" || structured === null || Array.isArray(structured)
    ? result
    : { ...result, structured: { ...(structured as ToolArguments.JsonObject), sha256 } };
};

const intendCommit = Effect.fnUntraced(function* (
  context: RunContext,
  turn: TurnState,
  call: CallState,
  outcome: Extract<ToolOutcome, { _tag: "Commit" }>,
): Effect.fn.Return<void, Fatal> {
  const { invocationId, writer } = context;
  const file = PathMap.get(writer.state().files, outcome.path);
  if (file === undefined) return yield* Effect.die(new Error(`${outcome.path} vanished before its commit`));
  const metrics = TextMetrics.measure(yield* context.files.content(file));
  const commit = {
    commitId: Identifiers.commitId(context.nextHex()),
    round: turn.round,
    invocationId,
    callId: call.callId,
    path: outcome.path,
    mode: outcome.mode,
  };
  recordCheckpoint(context, "chat_commit");
  changeStatus(writer, invocationId, "awaiting_host_commit", "commit");
  record(
    context,
    draft("chat_commit_started", invocationId, {
      ...commit,
      ...(outcome.reason === undefined ? {} : { reason: outcome.reason }),
    }),
    draft("chat_commit_requested", invocationId, {
      ...commit,
      ...metrics,
      sha256: file.sha256,
      revision: chatRevision(writer.state()),
      at: new Date(writer.now()).toISOString(),
    }),
  );
});
