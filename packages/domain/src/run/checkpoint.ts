/**
 * The names of moments of a run: why they are given, and which name comes next.
 */
import { CheckpointId } from "../identity/Identity.ts";
import * as Log from "./Log.ts";
import type { CheckpointState, RunState } from "./RunState.ts";

/**
 * Why a moment has a name: an agent asked for it, a call changed the workspace by patching, or by writing or removing files,
 * a text-only answer was kept, a file is about to be committed, or the workspace is about to be rolled back.
 */
export type CheckpointReason =
  | "tool"
  | "tool_workspace_write"
  | "tool_workspace_patch"
  | "direct_output_capture"
  | "chat_commit"
  | "rollback";

/** The name of the next checkpoint of a run. Names are never given twice. */
export const nextCheckpointId = ({ checkpoints }: RunState): CheckpointId =>
  CheckpointId.make(`cp_${String(checkpoints.length + 1).padStart(6, "0")}`);

/** The checkpoints of a run, oldest first. */
export const checkpointsOf = ({ checkpoints }: RunState): ReadonlyArray<CheckpointState> => Log.toArray(checkpoints);

/** The checkpoint of this name, if the run has one. */
export const checkpointOf = (state: RunState, id: string): CheckpointState | undefined =>
  checkpointsOf(state).find((checkpoint) => checkpoint.id === id);
