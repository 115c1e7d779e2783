/** `workspace.search_files`: where words stand in the workspace. */
import * as FileSearch from "@cahier/domain/workspace/FileSearch";
import { quote } from "@cahier/domain/workspace/Refusal";
import * as WorkspacePath from "@cahier/domain/workspace/WorkspacePath";
import * as WorkspaceRoot from "@cahier/domain/workspace/WorkspaceRoot";
import { type Recoverable, recoverable } from "@cahier/domain/failure/Failure";
import * as Effect from "effect/Effect";
import * as Option from "effect/Option";
import * as Schema from "effect/Schema";
import { admit, defineTool } from "../defineTool.ts";
import { filesBelow, isOfSkills, searchable, shownHits } from "./skillFiles.ts";
import { filesUnder } from "./visiblePaths.ts";

export const searchFiles = defineTool({
  name: "workspace.search_files",
  title: "Search files",
  description:
    "Finds places in the workspace's files by words, best first. Each hit shows its lines and a reference to read on.",
  parameters: Schema.Struct({
    query: Schema.String.annotate({ description: "Words to look for." }),
    path: Schema.optionalKey(Schema.String.annotate({ description: "Folder or file to search. Default: all." })),
    limit: Schema.optionalKey(
      Schema.Int.annotate({
        description: `Most hits, 1 to ${FileSearch.maxLimit}. Default ${FileSearch.defaultLimit}.`,
      }),
    ),
    context_lines: Schema.optionalKey(
      Schema.Int.annotate({
        description: `Lines around a hit, 0 to ${FileSearch.maxContextLines}. Default ${FileSearch.defaultContextLines}.`,
      }),
    ),
  }),
  annotations: { readOnly: true, idempotent: true },
  effectClass: "pure",
  run: Effect.fnUntraced(function* (parameters, context) {
    const folder = yield* admit(WorkspacePath.parseFolder(parameters.path));
    if (Option.isSome(folder)) yield* admit(WorkspaceRoot.admitRead(context.access, folder.value));
    const request = {
      query: parameters.query,
      ...(parameters.limit === undefined ? {} : { limit: parameters.limit }),
      ...(parameters.context_lines === undefined ? {} : { contextLines: parameters.context_lines }),
    };
    if (Option.isSome(folder) && isOfSkills(folder.value)) {
      const below = yield* filesBelow(context, folder.value);
      if (below.length === 0) return yield* nothingAt(folder.value);
      const { files, skipped } = yield* searchable(context, below);
      return yield* shownHits(
        context,
        folder.value,
        request.query,
        yield* admit(FileSearch.search(files, request)),
        skipped,
      );
    }
    const candidates = filesUnder(context, folder);
    if (Option.isSome(folder) && candidates.length === 0 && !WorkspaceRoot.isRootName(folder.value))
      return yield* nothingAt(folder.value);
    const texts = candidates.filter(({ file }) => file.encoding === undefined);
    const skipped = candidates.length - texts.length;
    const files = yield* Effect.forEach(texts, ({ path, file }) =>
      Effect.map(context.files.content(file), (text) => ({ path, text, sha256: file.sha256 })),
    );
    const hits = yield* admit(FileSearch.search(files, request));
    return {
      _tag: "Done" as const,
      content: [
        hits.length === 0
          ? "No hits. Try other or fewer words."
          : hits.map((hit) => `${hit.path}, lines ${hit.startLine}-${hit.endLine}:\n${hit.snippet}`).join("\n\n"),
        ...(skipped === 0 ? [] : [`Files not searched, for they are no text: ${skipped}.`]),
      ].join("\n\n"),
      structured: {
        query: parameters.query,
        hits: hits.map((hit) => ({ ...hit })),
        ...(skipped === 0 ? {} : { skipped }),
      },
      resourceRefs: hits.map((hit) => hit.ref),
    };
  }),
});

const nothingAt = (path: string): Effect.Effect<never, Recoverable> =>
  Effect.fail(
    recoverable(
      "workspace.path_not_found",
      `There is nothing at ${quote(path)}. List the workspace with workspace.list_files to see what there is.`,
    ),
  );
