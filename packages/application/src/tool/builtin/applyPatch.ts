/** `workspace.apply_patch`: exchange one exact passage of a file. */
import * as PathMap from "@cahier/domain/run/PathMap";
import * as ReadState from "@cahier/domain/workspace/ReadState";
import * as TextMetrics from "@cahier/domain/workspace/TextMetrics";
import * as WritingPatch from "@cahier/domain/workspace/WritingPatch";
import * as Effect from "effect/Effect";
import * as Schema from "effect/Schema";
import { admit, defineTool } from "../defineTool.ts";
import { requireText, visibleFile, writablePath } from "./workspaceFile.ts";

export const applyPatch = defineTool({
  name: "workspace.apply_patch",
  title: "Patch a file",
  description:
    "Replaces one passage of a file that has been read completely. old_string must stand in the file exactly once, unless replace_all is true. Where only quotation marks, dashes, spaces or line ends are written another way, the file keeps its own.",
  parameters: Schema.Struct({
    path: Schema.String.annotate({ description: "The file, such as output/main.md." }),
    old_string: Schema.String.annotate({ description: "The exact text to replace." }),
    new_string: Schema.String.annotate({ description: "The text to put in its place." }),
    replace_all: Schema.optionalKey(
      Schema.Boolean.annotate({ description: "Replace every occurrence. Default false." }),
    ),
  }),
  effectClass: "internal",
  sideEffect: "Changes the file {path} of the workspace.",
  run: Effect.fnUntraced(function* (parameters, context) {
    yield* writablePath(context, parameters.path);
    const { path, file } = yield* visibleFile(context, parameters.path);
    yield* requireText({ path, file });
    yield* admit(ReadState.admitPatch(PathMap.get(context.invocation.reads, path), file, path));
    const patched = yield* admit(
      WritingPatch.apply(yield* context.files.content(file), {
        oldString: parameters.old_string,
        newString: parameters.new_string,
        replaceAll: parameters.replace_all ?? false,
      }),
    );
    const metrics = TextMetrics.measure(patched.content);
    const replacements = patched.edits.at.length;
    return {
      _tag: "Done" as const,
      content: `Patched ${path}: ${replacements} ${replacements === 1 ? "place" : "places"}; now ${metrics.chars} characters, ${metrics.words} words.${fitted(patched.adopted)}`,
      structured: {
        path,
        chars: metrics.chars,
        words: metrics.words,
        oldSha256: file.sha256,
        replacements,
        ...(patched.adopted.length === 0 ? {} : { adopted: patched.adopted }),
      },
      resourceRefs: [`workspace:${path}`],
      changes: [{ _tag: "Patch" as const, path, content: patched.content, edits: patched.edits }],
    };
  }),
});

/** What of the edit was written as the file writes it, so that the editor knows how the passage looks now. */
const fitted = (adopted: ReadonlyArray<WritingPatch.Adopted>): string =>
  adopted.length === 0 ? "" : ` The file's own way was kept in: ${adopted.join(", ")}.`;
