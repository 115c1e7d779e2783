/**
 * A path that somebody outside a run names, checked.
 */
import { type Fatal, fatal } from "@cahier/domain/failure/Failure";
import * as WorkspacePath from "@cahier/domain/workspace/WorkspacePath";
import { isRootName } from "@cahier/domain/workspace/WorkspaceRoot";
import * as Effect from "effect/Effect";
import * as Result from "effect/Result";

/** A path of the workspace. What the runtime keeps for itself is `agent.workspace_read_denied`. */
export const workspacePathOf = (argument: string): Effect.Effect<WorkspacePath.WorkspacePath, Fatal> => {
  const parsed = WorkspacePath.parse(argument);
  if (Result.isFailure(parsed)) return Effect.fail(fatal(parsed.failure.code, parsed.failure.message));
  const path = parsed.success;
  return isRootName(WorkspacePath.firstSegment(path))
    ? Effect.succeed(path)
    : Effect.fail(
        fatal(
          "agent.workspace_read_denied",
          `${path} is not a file of the workspace. Name one below output, scratch, plan, summaries or persist.`,
        ),
      );
};
