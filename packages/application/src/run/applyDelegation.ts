/**
 * Writes down what a call gives to other agents: tasks, the caller's own place, a result, or a task given up.
 */
import type { Fatal } from "@cahier/domain/failure/Failure";
import { denying } from "@cahier/domain/profile/resolveProfile";
import { ProfileId, TaskId } from "@cahier/domain/identity/Identity";
import { draft } from "@cahier/domain/run/RunEvent";
import type { CallState } from "@cahier/domain/run/RunState";
import { allTasks, taskOf } from "@cahier/domain/run/tasks";
import { resultPath, type StoredResult, summaryPath, workspaceKey } from "@cahier/domain/task/TaskResult";
import * as TextMetrics from "@cahier/domain/workspace/TextMetrics";
import * as Effect from "effect/Effect";
import * as Identifiers from "../identity/Identifiers.ts";
import type { ToolChange, ToolOutcome } from "../tool/Tool.ts";
import * as paths from "./paths.ts";
import { invocationOf, record, type RunContext } from "./RunContext.ts";
import { cancelTask } from "./steps/endTask.ts";

/** Records what of `changes` concerns other agents, in order. */
export const applyDelegation = Effect.fnUntraced(function* (
  context: RunContext,
  call: CallState,
  changes: ReadonlyArray<ToolChange>,
): Effect.fn.Return<void, Fatal> {
  for (const change of changes) {
    switch (change._tag) {
      case "Delegate":
        yield* delegate(context, call, change);
        break;
      case "Handoff":
        yield* handOff(context, call, change);
        break;
      case "ReturnTask":
        yield* returnResult(context, change);
        break;
      case "CancelTask": {
        const task = context.writer.state().tasks[change.taskId];
        if (task !== undefined) cancelTask(context.writer, task, "Whoever gave this task has given it up.");
        break;
      }
      default:
        break;
    }
  }
});

/** Records that a call waits for tasks. It stays open until they have ended or its time is up. */
export const beginAwait = (
  context: RunContext,
  call: CallState,
  { mode, taskIds, timeoutMs }: Extract<ToolOutcome, { _tag: "Await" }>,
): void =>
  record(
    context,
    draft("agent_await_started", context.invocationId, {
      parentInvocationId: context.invocationId,
      callId: call.callId,
      mode,
      taskIds,
      timeoutMs,
    }),
  );

type Change<Tag extends ToolChange["_tag"]> = Extract<ToolChange, { readonly _tag: Tag }>;

/** What a task and a handoff have in common: a new invocation and the task that it works on. */
const register = Effect.fnUntraced(function* (
  context: RunContext,
  call: CallState,
  { brief, profile: found, taskId }: Change<"Delegate"> | Change<"Handoff">,
  continuation: "return_to_parent" | "transfer_control",
) {
  const { invocationId: parent, nextHex, payloads, writer } = context;
  const child = Identifiers.invocationId(nextHex());
  const profile = denying(found, context.setup.denials);
  const targetProfileId = ProfileId.make(profile.id);
  const key = workspaceKey(
    allTasks(writer.state()).map((task) => task.workspaceKey),
    profile.id,
  );
  const isDelegated = continuation === "return_to_parent";
  const timeoutMs = invocationOf(context).context?.limits.delegation?.taskTimeoutMs;
  const stored = {
    brief: yield* payloads.store(paths.brief(child), brief),
    profile: yield* payloads.store(paths.invocationProfile(child), JSON.stringify(profile)),
  };
  const parties = { taskId: TaskId.make(taskId), parentInvocationId: parent, childInvocationId: child };
  const related = [child];
  const created = draft("agent_invocation_created", child, {
    invocationId: child,
    parentInvocationId: parent,
    profileId: targetProfileId,
    kind: isDelegated ? "subagent" : "handoff",
    status: "created",
    exitPolicy: isDelegated ? "task_return_required" : "run_finish_allowed",
  });
  const registered = {
    ...draft("agent_task_registered", parent, {
      ...parties,
      targetProfileId,
      workspaceKey: key,
      continuation,
      status: "queued",
      ...stored,
      ...(isDelegated && timeoutMs !== undefined ? { timeoutMs } : {}),
      createdByToolCallId: call.callId,
    }),
    related,
  };
  return { child, created, key, parties, registered, related, targetProfileId };
});

const delegate = Effect.fnUntraced(function* (
  context: RunContext,
  call: CallState,
  change: Change<"Delegate">,
): Effect.fn.Return<void, Fatal> {
  const parent = context.invocationId;
  const { created, key, parties, registered, related, targetProfileId } = yield* register(
    context,
    call,
    change,
    "return_to_parent",
  );
  record(
    context,
    registered,
    created,
    { ...draft("agent_task_queued", parent, { ...parties, status: "queued" }), related },
    { ...draft("agent_delegate_started", parent, { ...parties, targetProfileId, workspaceKey: key }), related },
  );
});

const handOff = Effect.fnUntraced(function* (
  context: RunContext,
  call: CallState,
  change: Change<"Handoff">,
): Effect.fn.Return<void, Fatal> {
  const source = context.invocationId;
  const { child, created, key, parties, registered, related, targetProfileId } = yield* register(
    context,
    call,
    change,
    "transfer_control",
  );
  record(
    context,
    draft("agent_handoff_requested", source, {
      sourceInvocationId: source,
      targetProfileId,
      pendingTaskPolicy: "denyIfPending",
    }),
    created,
    registered,
    {
      ...draft("agent_handoff_accepted", source, {
        taskId: parties.taskId,
        sourceInvocationId: source,
        newInvocationId: child,
        targetProfileId,
        workspaceKey: key,
      }),
      related,
    },
  );
});

const returnResult = Effect.fnUntraced(function* (
  context: RunContext,
  { result }: Change<"ReturnTask">,
): Effect.fn.Return<void, Fatal> {
  const { invocationId, payloads, writer } = context;
  const task = taskOf(writer.state(), invocationId);
  if (task === undefined) return;
  const status = result.status ?? "completed";
  const summaryRef = summaryPath(task.workspaceKey);
  const stored: StoredResult = {
    schemaVersion: 1,
    kind: "cahier.agentTaskResult",
    status,
    summary: result.summary,
    summaryRef,
    result,
    runtime: {
      taskId: task.taskId,
      runId: writer.runId,
      parentInvocationId: task.parent,
      childInvocationId: invocationId,
      targetProfileId: task.targetProfileId,
      workspaceKey: task.workspaceKey,
    },
  };
  const path = resultPath(invocationId);
  const kept = yield* payloads.store(path, JSON.stringify(stored));
  const { chars, words } = TextMetrics.measure(result.summary);
  writer.record({
    ...draft("task_return_recorded", invocationId, {
      invocationId,
      status,
      resultRef: path,
      summaryRef,
      summaryChars: chars,
      summaryWords: words,
      result: kept,
    }),
    related: [task.parent],
  });
});
