/**
 * The files that an invocation may see: those of the workspace, and long results as files to read.
 *
 * Owns what is found where nothing or a folder is named: long results are found only by whoever names their folder.
 */
import * as PathMap from "@cahier/domain/run/PathMap";
import type { FileState, RunState } from "@cahier/domain/run/RunState";
import * as WorkspacePath from "@cahier/domain/workspace/WorkspacePath";
import * as WorkspaceRoot from "@cahier/domain/workspace/WorkspaceRoot";
import * as Option from "effect/Option";
import * as Result from "effect/Result";
import { asFile, filesOf, viewsOf } from "../../workspace/WorkspaceFiles.ts";
import type { ToolContext } from "../Tool.ts";

/** A file with its parsed path. */
export interface VisibleFile {
  readonly path: WorkspacePath.WorkspacePath;
  readonly file: FileState;
}

/** Visible files of the workspace, in the order of their paths. */
export const visibleFiles = (context: ToolContext): ReadonlyArray<VisibleFile> => seen(context, filesOf(context.state));

/** Paths of these only. */
export const visiblePaths = (context: ToolContext): ReadonlyArray<WorkspacePath.WorkspacePath> =>
  visibleFiles(context).map(({ path }) => path);

/** What stands in or is a folder or file; without one, all of the workspace and no long results. */
export const filesUnder = (
  context: ToolContext,
  folder: Option.Option<WorkspacePath.WorkspacePath>,
): ReadonlyArray<VisibleFile> => {
  if (Option.isNone(folder)) return visibleFiles(context);
  const files = WorkspaceRoot.isRootName(WorkspacePath.firstSegment(folder.value))
    ? visibleFiles(context)
    : seen(context, viewsOf(context.state));
  return files.filter(({ path }) => WorkspacePath.isInside(path, folder.value));
};

/** The file at a path, of the workspace or a long result. */
export const fileAt = (state: RunState, path: string): FileState | undefined => {
  const view = state.readableViews[path];
  return PathMap.get(state.files, path) ?? (view === undefined ? undefined : asFile(view));
};

const seen = (context: ToolContext, files: ReadonlyArray<FileState>): ReadonlyArray<VisibleFile> =>
  files.flatMap((file) => {
    const path = WorkspacePath.parse(file.path);
    return Result.isSuccess(path) && Result.isSuccess(WorkspaceRoot.admitRead(context.access, path.success))
      ? [{ path: path.success, file }]
      : [];
  });
