/**
 * The paths of a run's files that an invocation may see, in order.
 */
import * as WorkspacePath from "@cahier/domain/workspace/WorkspacePath";
import * as WorkspaceRoot from "@cahier/domain/workspace/WorkspaceRoot";
import * as Result from "effect/Result";
import type { FileState } from "@cahier/domain/run/RunState";
import { filesOf } from "../../workspace/WorkspaceFiles.ts";
import type { ToolContext } from "../Tool.ts";

/** Visible files with their parsed paths. */
export const visibleFiles = (
  context: ToolContext,
): ReadonlyArray<{ readonly path: WorkspacePath.WorkspacePath; readonly file: FileState }> =>
  filesOf(context.state).flatMap((file) => {
    const path = WorkspacePath.parse(file.path);
    return Result.isSuccess(path) && Result.isSuccess(WorkspaceRoot.admitRead(context.access, path.success))
      ? [{ path: path.success, file }]
      : [];
  });

/** Visible paths only. */
export const visiblePaths = (context: ToolContext): ReadonlyArray<WorkspacePath.WorkspacePath> =>
  visibleFiles(context).map(({ path }) => path);
