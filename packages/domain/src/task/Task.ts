/**
 * A task that one agent gave to another, by delegation or handoff.
 *
 * Owns its states and how they follow one another. Does not own who may give one (`decideDelegation`).
 */
import * as Schema from "effect/Schema";
import type { CallId, InvocationId, ProfileId, TaskId } from "../identity/Identity.ts";
import type { Payload } from "../payload/Payload.ts";

export const TaskStatus = Schema.Literals(["queued", "running", "completed", "failed", "cancelled"]);
export type TaskStatus = typeof TaskStatus.Type;

export const Continuation = Schema.Literals(["return_to_parent", "transfer_control"]);
export type Continuation = typeof Continuation.Type;

/** How a delegated agent says that its task ended. */
export const ReturnStatus = Schema.Literals(["completed", "failed"]);
export type ReturnStatus = typeof ReturnStatus.Type;

/** What an agent waits for: the next result that it does not know, all results, or nothing at all. */
export const AwaitMode = Schema.Literals(["nextCompleted", "allCompleted", "statusOnly"]);
export type AwaitMode = typeof AwaitMode.Type;

/**
 * A task as the journal tells it. `returned` is how its agent says that it ended. `startedWallMs` is how long the run had worked when it was begun. `delivery`: whether its
 * result was told to the agent that gave it, and whether that agent's model has answered since.
 */
export interface TaskState {
  readonly taskId: TaskId;
  readonly parent: InvocationId;
  readonly child: InvocationId;
  readonly targetProfileId: ProfileId;
  readonly workspaceKey: string;
  readonly continuation: Continuation;
  readonly status: TaskStatus;
  readonly brief: Payload;
  readonly profile: Payload;
  readonly callId: CallId | null;
  readonly timeoutMs: number | null;
  readonly startedWallMs: number | null;
  readonly result: Payload | null;
  readonly returned: ReturnStatus | null;
  readonly error: { readonly code: string; readonly message: string } | null;
  readonly delivery: "none" | "delivered" | "acknowledged";
}

const legal: { readonly [From in TaskStatus]: ReadonlyArray<TaskStatus> } = {
  queued: ["running", "failed", "cancelled"],
  running: ["completed", "failed", "cancelled"],
  completed: [],
  failed: [],
  cancelled: [],
};

/** Whether a task may go from one status to another; a terminal status is immutable. */
export const canChange = (from: TaskStatus, to: TaskStatus): boolean => legal[from].includes(to);

/** Whether nothing more becomes of a task in this status. */
export const isOver = (status: TaskStatus): boolean => legal[status].length === 0;
