/** `workspace.commit`: publish a file to the chat. */
import { recoverable } from "@cahier/domain/failure/Failure";
import { quote } from "@cahier/domain/workspace/Refusal";
import * as Effect from "effect/Effect";
import * as Schema from "effect/Schema";
import { defineTool } from "../defineTool.ts";
import { requireText, visibleFile } from "./workspaceFile.ts";

export const commit = defineTool({
  name: "workspace.commit",
  title: "Commit to the chat",
  description:
    "Publishes a file as the chat's message: this alone reaches the reader. Mode replace (the default) makes the message hold exactly the file; mode append adds the file to what was published before.",
  parameters: Schema.Struct({
    path: Schema.optionalKey(
      Schema.String.annotate({ description: "The file to publish. Default: the message body." }),
    ),
    mode: Schema.optionalKey(Schema.String.annotate({ description: "replace or append. Default replace." })),
    reason: Schema.optionalKey(Schema.String.annotate({ description: "Why, in a few words; kept in the record." })),
  }),
  effectClass: "keyed",
  sideEffect: "Publishes {path|the message body} to the chat, where readers see it.",
  run: Effect.fnUntraced(function* (parameters, context) {
    const mode = parameters.mode ?? "replace";
    if (mode !== "replace" && mode !== "append")
      return yield* recoverable(
        "workspace.commit_mode_invalid",
        `There is no mode ${quote(mode)}. Use replace to publish the file as it is or append to add it to the message.`,
      );
    const { path, file } = yield* visibleFile(context, parameters.path ?? context.messageBodyPath);
    yield* requireText({ path, file });
    const text = yield* context.files.content(file);
    if (text.trim() === "")
      return yield* recoverable(
        "workspace.required_artifact_empty",
        `${quote(path)} is empty, so there is nothing to publish. Write the text first.`,
      );
    return {
      _tag: "Commit" as const,
      path,
      mode,
      ...(parameters.reason === undefined ? {} : { reason: parameters.reason }),
    };
  }),
});
