/**
 * From a path argument to a file of the workspace, with the refusals that every file tool shares.
 */
import * as PathMap from "@cahier/domain/run/PathMap";
import { type Fatal, type Recoverable, recoverable } from "@cahier/domain/failure/Failure";
import type { FileState } from "@cahier/domain/run/RunState";
import { quote } from "@cahier/domain/workspace/Refusal";
import * as WorkspacePath from "@cahier/domain/workspace/WorkspacePath";
import * as WorkspaceRoot from "@cahier/domain/workspace/WorkspaceRoot";
import * as Effect from "effect/Effect";
import { skillsRoot } from "../../skill/AgentSkills.ts";
import { admit } from "../defineTool.ts";
import type { ToolContext } from "../Tool.ts";
import { filesBelow, type SkillFile } from "./skillFiles.ts";
import { fileAt, type VisibleFile, visiblePaths } from "./visiblePaths.ts";

/** A file of the workspace that exists and may be seen. */
export const visibleFile = (context: ToolContext, argument: string): Effect.Effect<VisibleFile, Recoverable> =>
  existing(context, argument, (path) => PathMap.get(context.state.files, path));

/** A file that exists and may be read: of the workspace, or a long result. */
export const readableFile = (context: ToolContext, argument: string): Effect.Effect<VisibleFile, Recoverable> =>
  existing(context, argument, (path) => fileAt(context.state, path));

/** Refuses a file that is no text. */
export const requireText = ({ file, path }: VisibleFile): Effect.Effect<void, Recoverable> =>
  file.encoding === undefined
    ? Effect.void
    : Effect.fail(
        recoverable(
          "workspace.file_not_text",
          `${quote(path)} holds ${file.bytes} bytes that are no text, so it can be neither shown nor changed here. Choose another path.`,
        ),
      );

/** A file of a Skill among the files of the agent. */
export const readableSkillFile = Effect.fnUntraced(function* (
  context: ToolContext,
  argument: string,
): Effect.fn.Return<SkillFile, Recoverable | Fatal> {
  const path = yield* admit(WorkspacePath.parse(argument));
  yield* admit(WorkspaceRoot.admitRead(context.access, path));
  const files = yield* filesBelow(context, path);
  const found = files.find((file) => file.path === path);
  if (found !== undefined) return found;
  if (files.length > 0)
    return yield* recoverable(
      "workspace.path_is_directory",
      `${quote(path)} is a folder. Name a file inside it, such as ${quote(files[0]?.path ?? path)}.`,
    );
  return yield* recoverable(
    "workspace.file_not_found",
    `There is no file ${quote(path)}. List ${quote(skillsRoot)} with workspace.list_files to see what there is.`,
  );
});

const existing = Effect.fnUntraced(function* (
  context: ToolContext,
  argument: string,
  find: (path: string) => FileState | undefined,
): Effect.fn.Return<VisibleFile, Recoverable> {
  const path = yield* admit(WorkspacePath.parse(argument));
  yield* admit(WorkspaceRoot.admitRead(context.access, path));
  yield* notFolder(context, path);
  const file = find(path);
  if (file === undefined)
    return yield* recoverable(
      "workspace.file_not_found",
      `There is no file ${quote(path)}. List the workspace with workspace.list_files, or write the file first.`,
    );
  return { path, file };
});

/** A path that may be written, and the file that is there now. */
export const writablePath = Effect.fnUntraced(function* (
  context: ToolContext,
  argument: string,
): Effect.fn.Return<{ readonly path: WorkspacePath.WorkspacePath; readonly file: FileState | undefined }, Recoverable> {
  const path = yield* admit(WorkspacePath.parse(argument));
  yield* admit(WorkspaceRoot.admitWrite(context.access, path));
  yield* notFolder(context, path);
  const above = visiblePaths(context).find((file) => WorkspacePath.isStrictlyInside(path, file));
  if (above !== undefined)
    return yield* recoverable(
      "workspace.path_not_writable",
      `${quote(above)} is a file, so nothing can stand below it. Choose another path.`,
    );
  return { path, file: PathMap.get(context.state.files, path) };
});

const notFolder = (context: ToolContext, path: WorkspacePath.WorkspacePath): Effect.Effect<void, Recoverable> =>
  WorkspaceRoot.isRootName(path) ||
  holds(PathMap.paths(context.state.files), path) ||
  holds(Object.keys(context.state.readableViews), path)
    ? Effect.fail(
        recoverable(
          "workspace.path_is_directory",
          `${quote(path)} is a folder. Name a file inside it, such as ${quote(`${path}/main.md`)}.`,
        ),
      )
    : Effect.void;

const holds = (files: ReadonlyArray<string>, folder: string): boolean =>
  files.some((file) => file.startsWith(`${folder}/`));
