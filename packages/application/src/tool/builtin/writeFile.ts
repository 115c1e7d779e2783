/** `workspace.write_file`: a whole file, or more text at its end. */
import * as PathMap from "@cahier/domain/run/PathMap";
import { recoverable } from "@cahier/domain/failure/Failure";
import * as ReadState from "@cahier/domain/workspace/ReadState";
import { quote } from "@cahier/domain/workspace/Refusal";
import * as TextMetrics from "@cahier/domain/workspace/TextMetrics";
import * as Effect from "effect/Effect";
import * as Schema from "effect/Schema";
import { admit, defineTool } from "../defineTool.ts";
import { requireText, writablePath } from "./workspaceFile.ts";

export const writeFile = defineTool({
  name: "workspace.write_file",
  title: "Write a file",
  description:
    "Writes a text file. Mode replace (the default) makes the file hold exactly the content; an existing file must have been read first. Mode append adds the content at the end, without a line break of its own.",
  parameters: Schema.Struct({
    path: Schema.String.annotate({ description: "The file, such as output/main.md." }),
    content: Schema.String.annotate({ description: "The text to write." }),
    mode: Schema.optionalKey(Schema.String.annotate({ description: "replace or append. Default replace." })),
  }),
  effectClass: "internal",
  sideEffect: "Writes the file {path} of the workspace.",
  run: Effect.fnUntraced(function* (parameters, context) {
    const mode = parameters.mode ?? "replace";
    if (mode !== "replace" && mode !== "append")
      return yield* recoverable(
        "workspace.write_mode_invalid",
        `There is no mode ${quote(mode)}. Use replace to write the whole file or append to add at its end.`,
      );
    const { path, file } = yield* writablePath(context, parameters.path);
    if (file !== undefined) yield* requireText({ path, file });
    if (mode === "replace")
      yield* admit(ReadState.admitReplace(PathMap.get(context.invocation.reads, path), file, path));
    const text = parameters.content.toWellFormed();
    const metrics =
      mode === "append" && file !== undefined ? yield* context.files.appended(file, text) : TextMetrics.measure(text);
    return {
      _tag: "Done" as const,
      content: `${mode === "append" ? "Added to" : "Wrote"} ${path}: now ${metrics.chars} characters, ${metrics.words} words.`,
      structured: { path, mode, chars: metrics.chars, words: metrics.words },
      resourceRefs: [`workspace:${path}`],
      changes: [{ _tag: "Write" as const, path, mode, text, argument: "content" }],
    };
  }),
});
