/** Payloads of the events about work that one agent gives to another: tasks, waiting for them, handing over. */
import * as Schema from "effect/Schema";
import { CallId, InvocationId, ProfileId, TaskId } from "../../identity/Identity.ts";
import { Payload } from "../../payload/Payload.ts";
import { AwaitMode, Continuation, ReturnStatus, TaskStatus } from "../../task/Task.ts";

const parties = { taskId: TaskId, parentInvocationId: InvocationId, childInvocationId: InvocationId };

/**
 * A task is on record, before anybody works on it. `brief` is what its agent is told, `profile` the resolved profile of that
 * agent as it was then, `workspaceKey` the name that its result file gets. `timeoutMs` is how long it may work, in
 * milliseconds of the run's working time; a handoff has no such limit.
 */
export const AgentTaskRegistered = Schema.Struct({
  ...parties,
  targetProfileId: ProfileId,
  workspaceKey: Schema.String,
  continuation: Continuation,
  status: TaskStatus,
  brief: Payload,
  profile: Payload,
  timeoutMs: Schema.optionalKey(Schema.Finite),
  createdByToolCallId: Schema.optionalKey(CallId),
});

/** Written when a task waits to be begun, and when it is: the event's type says which, and `status` says it again. */
export const AgentTaskMoved = Schema.Struct({ ...parties, status: TaskStatus });

/** A task came to its end by itself. `resultRef` is the path of its stored result; a handoff has none. */
export const AgentTaskCompleted = Schema.Struct({
  ...parties,
  status: TaskStatus,
  resultRef: Schema.optionalKey(Schema.String),
});

/**
 * A task came to no good end. `error` says why: the agent itself says that it failed (`resultRef` then names its result), or
 * something kept it from returning one.
 */
export const AgentTaskFailed = Schema.Struct({
  ...parties,
  status: TaskStatus,
  resultRef: Schema.optionalKey(Schema.String),
  error: Schema.Struct({ code: Schema.String, message: Schema.String }),
});

/**
 * A task was given up before it had ended. `error` says who gave it up: whoever gave it, or the end of their work. One that
 * was left behind is of the run that this one was forked from; whoever gave it does not know that yet.
 */
export const AgentTaskCancelled = Schema.Struct({
  ...parties,
  status: TaskStatus,
  error: Schema.String,
  leftBehind: Schema.optionalKey(Schema.Literal(true)),
});

/** An agent has given work away and goes on with its own. */
export const AgentDelegateStarted = Schema.Struct({
  ...parties,
  targetProfileId: ProfileId,
  workspaceKey: Schema.String,
});

/** An agent waits for tasks that it has given, at most for `timeoutMs` milliseconds of the run's working time. */
export const AgentAwaitStarted = Schema.Struct({
  parentInvocationId: InvocationId,
  callId: CallId,
  mode: AwaitMode,
  taskIds: Schema.Array(TaskId),
  timeoutMs: Schema.Int,
});

/** It waits no more. `deliveredTaskIds` are the tasks whose results it is given by the result of its call. */
export const AgentAwaitCompleted = Schema.Struct({
  parentInvocationId: InvocationId,
  callId: CallId,
  mode: AwaitMode,
  timedOut: Schema.Boolean,
  taskCount: Schema.Int,
  deliveredTaskIds: Schema.Array(TaskId),
});

/** Results of tasks that have ended are told to the agent that gave them, in a user message of its own: `message`. */
export const AgentTaskResultsDelivered = Schema.Struct({
  parentInvocationId: InvocationId,
  taskIds: Schema.Array(TaskId),
  message: Payload,
});

/** A delegated agent could not go on. Its task has failed, and the run goes on. */
export const AgentChildInvocationFailed = Schema.Struct({
  taskId: TaskId,
  childInvocationId: InvocationId,
  code: Schema.String,
  message: Schema.String,
});

/** An agent wants another one to take its place. */
export const AgentHandoffRequested = Schema.Struct({
  sourceInvocationId: InvocationId,
  targetProfileId: ProfileId,
  pendingTaskPolicy: Schema.Literal("denyIfPending"),
});

/** The other one takes its place as soon as the turn has ended. */
export const AgentHandoffAccepted = Schema.Struct({
  taskId: TaskId,
  sourceInvocationId: InvocationId,
  newInvocationId: InvocationId,
  targetProfileId: ProfileId,
  workspaceKey: Schema.String,
});

/** A delegated agent has stated its result. Counts are of the summary; `result` is all of it as JSON. */
export const TaskReturnRecorded = Schema.Struct({
  invocationId: InvocationId,
  status: ReturnStatus,
  resultRef: Schema.String,
  summaryRef: Schema.String,
  summaryChars: Schema.Int,
  summaryWords: Schema.Int,
  result: Payload,
});

/** The stated result is the task's: its turn has ended with it. `summaryRef` is the file that holds the summary. */
export const TaskReturnCompleted = Schema.Struct({
  ...parties,
  status: ReturnStatus,
  resultRef: Schema.String,
  summaryRef: Schema.String,
});
