/** `workspace.read_file`: the text of a file, whole or in part. */
import * as ReadRange from "@cahier/domain/workspace/ReadRange";
import * as TextLines from "@cahier/domain/workspace/TextLines";
import * as WorkspacePath from "@cahier/domain/workspace/WorkspacePath";
import * as Effect from "effect/Effect";
import * as Schema from "effect/Schema";
import { admit, defineTool } from "../defineTool.ts";
import { isOfSkills, shownPart, textOf } from "./skillFiles.ts";
import { readableFile, readableSkillFile, requireText } from "./workspaceFile.ts";

export const readFile = defineTool({
  name: "workspace.read_file",
  title: "Read a file",
  description:
    "Reads a text file of the workspace with line numbers. Without a range the whole file is read. Give a range by lines or by characters, not both. A file must be read before it is replaced or patched.",
  parameters: Schema.Struct({
    path: Schema.String.annotate({ description: "The file, such as output/main.md." }),
    start_line: Schema.optionalKey(Schema.Int.annotate({ description: "First line, from 1." })),
    line_count: Schema.optionalKey(Schema.Int.annotate({ description: `Lines to read, up to ${ReadRange.maxLines}.` })),
    start_char: Schema.optionalKey(Schema.Int.annotate({ description: "First character, from 0." })),
    max_chars: Schema.optionalKey(
      Schema.Int.annotate({ description: `Characters to read, up to ${ReadRange.maxChars}.` }),
    ),
  }),
  annotations: { readOnly: true, idempotent: true },
  effectClass: "pure",
  run: Effect.fnUntraced(function* (parameters, context) {
    const range = {
      ...(parameters.start_line === undefined ? {} : { startLine: parameters.start_line }),
      ...(parameters.line_count === undefined ? {} : { lineCount: parameters.line_count }),
      ...(parameters.start_char === undefined ? {} : { startChar: parameters.start_char }),
      ...(parameters.max_chars === undefined ? {} : { maxChars: parameters.max_chars }),
    };
    if (isOfSkills(yield* admit(WorkspacePath.parse(parameters.path)))) {
      const found = yield* readableSkillFile(context, parameters.path);
      const lines = TextLines.make(yield* textOf(context, found));
      return yield* shownPart(context, found, lines, yield* admit(ReadRange.select(lines, range, found.shownPath)));
    }
    const { path, file } = yield* readableFile(context, parameters.path);
    yield* requireText({ path, file });
    const lines = TextLines.make(yield* context.files.content(file));
    const part = yield* admit(ReadRange.select(lines, range, path));
    const { span: _span, text: _text, ...numbers } = part;
    const more = part.truncated ? ` The file goes on after character ${part.endChar}.` : "";
    return {
      _tag: "Done" as const,
      content: `${path}: lines ${part.startLine}-${part.endLine} of ${part.totalLines}, characters ${part.startChar}-${part.endChar} of ${part.totalChars}, ${part.words} words.${more}\n${TextLines.numbered(lines, part.span)}`,
      structured: { path, sha256: file.sha256, ...numbers },
      resourceRefs: [`workspace:${path}#L${part.startLine}-L${part.endLine}`],
      changes: [{ _tag: "Read" as const, path, range: [part.startChar, part.endChar] as const }],
    };
  }),
});
