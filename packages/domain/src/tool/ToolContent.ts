/**
 * What a tool can give: text, data, and references to things that are not text.
 *
 * Owns the kinds and how each is shown to a model. Does not own fetching what a reference names: a model that wants it
 * has tools, and a person has the record.
 */
import * as Schema from "effect/Schema";

const reference = { title: Schema.optionalKey(Schema.String), mimeType: Schema.optionalKey(Schema.String) };

/**
 * `uri` is whatever the source names the thing by. `text` of a resource is its content when it came along. `path` is a
 * file of the run's workspace; a diff is unified text about such a file.
 */
export const ToolContent = Schema.Union([
  Schema.Struct({ type: Schema.Literal("text"), text: Schema.String }),
  Schema.Struct({ type: Schema.Literal("json"), value: Schema.Json }),
  Schema.Struct({ type: Schema.Literal("imageRef"), uri: Schema.String, ...reference }),
  Schema.Struct({ type: Schema.Literal("audioRef"), uri: Schema.String, ...reference }),
  Schema.Struct({ type: Schema.Literal("fileRef"), path: Schema.String, ...reference }),
  Schema.Struct({
    type: Schema.Literal("resourceRef"),
    uri: Schema.String,
    ...reference,
    text: Schema.optionalKey(Schema.String),
  }),
  Schema.Struct({ type: Schema.Literal("diffRef"), path: Schema.String, diff: Schema.String }),
]);
export type ToolContent = typeof ToolContent.Type;

/** What the model sees of it all: the parts in their order with an empty line between, or `noContent`. */
export const render = (parts: ReadonlyArray<ToolContent>): string => {
  const shown = parts.map(show).filter((text) => text !== "");
  return shown.length === 0 ? noContent : shown.join("\n\n");
};

/** What stands for a result without content: a model takes an empty one for a fault. */
export const noContent = "The tool gave no content.";

const show = (part: ToolContent): string => {
  switch (part.type) {
    case "text":
      return part.text;
    case "json":
      return JSON.stringify(part.value, undefined, 2);
    case "imageRef":
      return named("Image", part.uri, part);
    case "audioRef":
      return named("Audio", part.uri, part);
    case "fileRef":
      return named("File", part.path, part);
    case "resourceRef":
      return `${named("Resource", part.uri, part)}${part.text === undefined ? "" : `\n${part.text}`}`;
    case "diffRef":
      return `Changes of ${part.path}:\n${part.diff}`;
    default:
      return part satisfies never;
  }
};

const named = (
  kind: string,
  name: string,
  { mimeType, title }: { readonly title?: string; readonly mimeType?: string },
): string => {
  const about = [title, mimeType].filter((word) => word !== undefined);
  return `[${kind} ${name}${about.length === 0 ? "" : ` (${about.join(", ")})`}]`;
};
