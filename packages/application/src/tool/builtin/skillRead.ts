/** `skill.read`: the text of a file of a Skill, whole or in part. */
import { type Fatal, type Recoverable, recoverable } from "@cahier/domain/failure/Failure";
import * as FrozenSkills from "@cahier/domain/skill/FrozenSkills";
import { skillFile } from "@cahier/domain/skill/Skill";
import * as ReadRange from "@cahier/domain/workspace/ReadRange";
import { quote } from "@cahier/domain/workspace/Refusal";
import * as TextLines from "@cahier/domain/workspace/TextLines";
import * as Effect from "effect/Effect";
import * as Result from "effect/Result";
import * as Schema from "effect/Schema";
import { admit, defineTool } from "../defineTool.ts";
import type { ToolContext } from "../Tool.ts";
import { filesOf, shownPart, type SkillFile, textOf } from "./skillFiles.ts";

export const skillRead = defineTool({
  name: "skill.read",
  title: "Read a Skill",
  description: `Reads a file of a Skill with line numbers; without a path ${skillFile}, which tells what the others are for. Without a range the whole file is read. Give a range by lines or by characters, not both. How much of Skills can be read is limited.`,
  parameters: Schema.Struct({
    name: Schema.String.annotate({ description: "The Skill's name from the list." }),
    path: Schema.optionalKey(
      Schema.String.annotate({
        description: `The file within the Skill, such as references/style.md. Default ${skillFile}.`,
      }),
    ),
    start_line: Schema.optionalKey(Schema.Int.annotate({ description: "First line, from 1." })),
    line_count: Schema.optionalKey(Schema.Int.annotate({ description: `Lines to read, up to ${ReadRange.maxLines}.` })),
    start_char: Schema.optionalKey(Schema.Int.annotate({ description: "First character, from 0." })),
    max_chars: Schema.optionalKey(Schema.Int.annotate({ description: "Characters to read." })),
  }),
  annotations: { readOnly: true, idempotent: true },
  effectClass: "pure",
  run: Effect.fnUntraced(function* (parameters, context) {
    const found = yield* fileNamed(context, parameters.name, parameters.path ?? skillFile);
    const lines = TextLines.make(yield* textOf(context, found));
    const part = yield* admit(
      Result.mapError(
        ReadRange.select(
          lines,
          {
            ...(parameters.start_line === undefined ? {} : { startLine: parameters.start_line }),
            ...(parameters.line_count === undefined ? {} : { lineCount: parameters.line_count }),
            ...(parameters.start_char === undefined ? {} : { startChar: parameters.start_char }),
            ...(parameters.max_chars === undefined ? {} : { maxChars: parameters.max_chars }),
          },
          found.shownPath,
        ),
        ({ message }) => ({ code: "skill.invalid_request" as const, message }),
      ),
    );
    return yield* shownPart(context, found, lines, part);
  }),
});

const fileNamed = Effect.fnUntraced(function* (
  context: ToolContext,
  name: string,
  path: string,
): Effect.fn.Return<SkillFile, Recoverable | Fatal> {
  const skill = yield* admit(FrozenSkills.find(context.skills.frozen, name));
  const wanted = path
    .trim()
    .replaceAll("\\", "/")
    .split("/")
    .filter((segment) => segment !== "" && segment !== ".")
    .join("/");
  const files = yield* filesOf(context, skill);
  const found = files.find(({ file }) => file.path === wanted);
  if (found !== undefined) return found;
  const others = files.slice(0, mostNamed).map(({ file }) => file.path);
  const more = files.length > others.length ? `, and ${files.length - others.length} more` : "";
  return yield* recoverable(
    "skill.not_found",
    `The Skill ${quote(skill.name)} has no file ${quote(path)}. It has: ${others.join(", ")}${more}.`,
  );
});

/** How many files are named to whoever asked for one that is not there. */
const mostNamed = 40;
