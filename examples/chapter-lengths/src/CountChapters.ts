/**
 * The tool `extension/chapter-lengths:count_chapters`: how long each chapter of a draft is.
 *
 * Owns what the model is told and how an answer reads. Does not own counting (`chapters`).
 */
import { visibleFile } from "@cahier/application/tool/builtin/workspaceFile";
import type { Tool } from "@cahier/application/tool/Tool";
import { type Recoverable, recoverable } from "@cahier/domain/failure/Failure";
import { ToolId } from "@cahier/domain/tool/ToolId";
import * as Effect from "effect/Effect";
import * as Schema from "effect/Schema";
import { type Chapter, chaptersOf, deepest } from "./chapters.ts";

/** What profiles and policies name the tool by. */
export const id = ToolId.make("extension/chapter-lengths:count_chapters");

/** Reads a file that the agent may see, and changes nothing. Whether it may run at once is for policy to say. */
export const countChapters: Tool = {
  descriptor: {
    id,
    title: "Count the words of each chapter",
    description:
      "Counts the characters and words of each chapter of a Markdown file. A heading begins a chapter. Use it to keep chapters even, instead of counting yourself.",
    inputSchema: {
      type: "object",
      properties: {
        path: { type: "string", description: "The file, such as output/main.md." },
        level: {
          type: "integer",
          minimum: 1,
          maximum: deepest,
          description: `Deepest heading that begins a chapter: 1 is "#", 2 is "##". Default ${deepest}.`,
        },
      },
      required: ["path"],
      additionalProperties: false,
    },
    annotations: { readOnly: true, destructive: false, idempotent: true, openWorld: false, cost: "none" },
    effectClass: "pure",
    sideEffect: "Counts the words of {path}.",
    source: "extension",
    visibility: "model",
    permission: "always",
    budget: { timeoutMs: 10_000 },
  },
  run: Effect.fnUntraced(function* (argumentsValue, context) {
    const given = yield* decode(argumentsValue);
    const { file, path } = yield* visibleFile(context, given.path);
    const chapters = chaptersOf(yield* context.files.content(file), given.level);
    return {
      _tag: "Done" as const,
      content: [...chapters.map(lineOf), `${path}: ${file.chars} characters, ${file.words} words in all.`].join("\n"),
      structured: { path, chapters: chapters.map((chapter) => ({ ...chapter })) },
      resourceRefs: chapters.map(({ endLine, startLine }) => `workspace:${path}#L${startLine}-L${endLine}`),
    };
  }),
};

const Arguments = Schema.Struct({ path: Schema.String, level: Schema.optionalKey(Schema.Int) });

const decodeArguments = Schema.decodeUnknownEffect(Arguments);

/** Calls are held to the input schema first; one that waited while this module changed may fit it no more. */
const decode = (given: unknown): Effect.Effect<typeof Arguments.Type, Recoverable> =>
  Effect.mapError(decodeArguments(given), ({ message }) => recoverable("tool.invalid_arguments", message));

const lineOf = ({ chars, endLine, startLine, title, words }: Chapter): string =>
  `${title === null ? "Before the first heading" : JSON.stringify(title)}, lines ${startLine}-${endLine}: ${chars} characters, ${words} words`;
