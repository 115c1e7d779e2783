/** `workspace.list_files`: what stands in the workspace. */
import * as FileList from "@cahier/domain/workspace/FileList";
import * as WorkspacePath from "@cahier/domain/workspace/WorkspacePath";
import * as WorkspaceRoot from "@cahier/domain/workspace/WorkspaceRoot";
import * as Effect from "effect/Effect";
import * as Option from "effect/Option";
import * as Schema from "effect/Schema";
import { admit, defineTool } from "../defineTool.ts";
import { filesBelow, isOfSkills } from "./skillFiles.ts";
import { filesUnder } from "./visiblePaths.ts";

export const listFiles = defineTool({
  name: "workspace.list_files",
  title: "List files",
  description:
    "Lists files and folders of the workspace, folders first. Give a folder to list only what is below it; without one the whole workspace is listed.",
  parameters: Schema.Struct({
    path: Schema.optionalKey(Schema.String.annotate({ description: "Folder to list, such as output. Default: all." })),
    depth: Schema.optionalKey(
      Schema.Int.annotate({
        description: `Levels to list, 1 to ${FileList.maxDepth}. Default ${FileList.defaultDepth}.`,
      }),
    ),
  }),
  annotations: { readOnly: true, idempotent: true },
  effectClass: "pure",
  run: Effect.fnUntraced(function* (parameters, context) {
    const folder = yield* admit(WorkspacePath.parseFolder(parameters.path));
    if (Option.isSome(folder)) yield* admit(WorkspaceRoot.admitRead(context.access, folder.value));
    const paths =
      Option.isSome(folder) && isOfSkills(folder.value)
        ? (yield* filesBelow(context, folder.value)).map(({ path }) => path)
        : filesUnder(context, folder).map(({ path }) => path);
    const listing = yield* admit(
      FileList.list(
        { files: paths, folders: context.access.visibleRoots },
        { folder, ...(parameters.depth === undefined ? {} : { depth: parameters.depth }) },
      ),
    );
    const lines = listing.entries.map((entry) => (entry.kind === "directory" ? `${entry.path}/` : entry.path));
    return {
      _tag: "Done" as const,
      content: [
        lines.length === 0 ? "No files yet." : lines.join("\n"),
        ...(listing.truncated
          ? [`Only the first ${FileList.maxEntries} entries are shown; list a folder to see more.`]
          : []),
      ].join("\n"),
      structured: { entries: listing.entries.map(({ path, kind }) => ({ path, kind })), truncated: listing.truncated },
    };
  }),
});
