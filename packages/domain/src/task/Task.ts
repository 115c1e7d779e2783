/**
 * A task that one invocation gave to another, by delegation or handoff.
 */
import * as Schema from "effect/Schema";
import { CallId, InvocationId, ProfileId, TaskId } from "../identity/Identity.ts";

export const TaskStatus = Schema.Literals(["queued", "running", "completed", "failed", "cancelled"]);
export type TaskStatus = typeof TaskStatus.Type;

export const Continuation = Schema.Literals(["return_to_parent", "transfer_control"]);
export type Continuation = typeof Continuation.Type;

/** `task` is the JSON as the model sent it; `resultRef` the path of the stored result. */
export const TaskRecord = Schema.Struct({
  taskId: TaskId,
  parentInvocationId: InvocationId,
  childInvocationId: InvocationId,
  targetProfileId: ProfileId,
  workspaceKey: Schema.String,
  continuation: Continuation,
  status: TaskStatus,
  task: Schema.Json,
  createdByToolCallId: Schema.optionalKey(CallId),
  resultRef: Schema.optionalKey(Schema.String),
  error: Schema.optionalKey(Schema.String),
});
export type TaskRecord = typeof TaskRecord.Type;

const legal: { readonly [From in TaskStatus]: ReadonlyArray<TaskStatus> } = {
  queued: ["running", "failed", "cancelled"],
  running: ["completed", "failed", "cancelled"],
  completed: [],
  failed: [],
  cancelled: [],
};

/** Whether a task may go from one status to another; a terminal status is immutable. */
export const canChange = (from: TaskStatus, to: TaskStatus): boolean => legal[from].includes(to);
