/**
 * The files of Skills as tools show them: found by name or by a path below `skills/`, read in parts, and counted.
 *
 * Owns what of a Skill's text is shown and what it costs. Does not own whether the agent has the Skill (`FrozenSkills`) nor the
 * limits (`readBudget`).
 */
import { type Fatal, type Recoverable, recoverable } from "@cahier/domain/failure/Failure";
import type * as FrozenSkills from "@cahier/domain/skill/FrozenSkills";
import * as readBudget from "@cahier/domain/skill/readBudget";
import type { ListedFile } from "@cahier/domain/skill/Skill";
import type * as FileSearch from "@cahier/domain/workspace/FileSearch";
import type { ReadPart } from "@cahier/domain/workspace/ReadRange";
import { quote } from "@cahier/domain/workspace/Refusal";
import * as TextLines from "@cahier/domain/workspace/TextLines";
import * as TextMetrics from "@cahier/domain/workspace/TextMetrics";
import * as WorkspacePath from "@cahier/domain/workspace/WorkspacePath";
import * as Effect from "effect/Effect";
import * as Result from "effect/Result";
import { skillsRoot } from "../../skill/AgentSkills.ts";
import { admit } from "../defineTool.ts";
import type { Done, ToolChange, ToolContext } from "../Tool.ts";

/** A file of a Skill. `shownPath` is its path among the files of the agent. */
export interface SkillFile {
  readonly skill: FrozenSkills.FrozenSkill;
  readonly file: ListedFile;
  readonly shownPath: string;
}

/** True for the folder of Skills and what lies below it. */
export const isOfSkills = (path: WorkspacePath.WorkspacePath): boolean =>
  WorkspacePath.firstSegment(path) === skillsRoot;

/** Every file of one Skill. */
export const filesOf = (
  { skills }: ToolContext,
  skill: FrozenSkills.FrozenSkill,
): Effect.Effect<ReadonlyArray<SkillFile>, Fatal> =>
  Effect.map(skills.files(skill), (files) =>
    files.map((file) => ({ skill, file, shownPath: `${skillsRoot}/${skill.name}/${file.path}` })),
  );

/** The files at and below a path below `skills/`, of the Skills that the agent has; those that no path can spell are left out. */
export const filesBelow = Effect.fnUntraced(function* (
  context: ToolContext,
  folder: WorkspacePath.WorkspacePath,
): Effect.fn.Return<ReadonlyArray<SkillFile & { readonly path: WorkspacePath.WorkspacePath }>, Fatal> {
  const [, name] = WorkspacePath.segments(folder);
  const skills = context.skills.frozen.skills.filter((skill) => name === undefined || skill.name === name);
  const files = yield* Effect.forEach(skills, (skill) => filesOf(context, skill));
  return files.flat().flatMap((file) => {
    const path = WorkspacePath.parse(file.shownPath);
    return Result.isSuccess(path) && path.success === file.shownPath && WorkspacePath.isInside(path.success, folder)
      ? [{ ...file, path: path.success }]
      : [];
  });
});

/** The text of a file; one that is no text is `skill.invalid_request`. */
export const textOf = Effect.fnUntraced(function* (
  { skills }: ToolContext,
  { file, shownPath, skill }: SkillFile,
): Effect.fn.Return<string, Recoverable | Fatal> {
  const text = yield* skills.text(skill, file);
  if (text === undefined)
    return yield* recoverable(
      "skill.invalid_request",
      `${quote(shownPath)} is not text and cannot be shown. Choose another file of the Skill.`,
    );
  return text;
});

/** Files that hold text and are not too long to be searched, and how many do not. */
export interface SearchableFiles {
  readonly files: ReadonlyArray<FileSearch.SearchFile>;
  readonly skipped: number;
}

/** Longest file that is searched, in UTF-16 units. */
const longestSearched = 1_048_576;

/** The texts of files for a search. */
export const searchable = Effect.fnUntraced(function* (
  { skills }: ToolContext,
  files: ReadonlyArray<SkillFile>,
): Effect.fn.Return<SearchableFiles, Fatal> {
  const texts = yield* Effect.forEach(files, ({ file, shownPath, skill }) =>
    Effect.map(skills.text(skill, file), (text) =>
      text === undefined || text.length > longestSearched ? [] : [{ path: shownPath, text, sha256: file.sha256 }],
    ),
  );
  const found = texts.flat();
  return { files: found, skipped: files.length - found.length };
});

/** The result of reading a part of a file, if so much may be read. */
export const shownPart = Effect.fnUntraced(function* (
  context: ToolContext,
  { file, shownPath, skill }: SkillFile,
  lines: TextLines.TextLines,
  part: ReadPart,
): Effect.fn.Return<Done, Recoverable> {
  yield* admit(readBudget.admitRead(context.skills.limits, context.invocation.skillChars, part.chars));
  const { span: _span, text: _text, ...numbers } = part;
  const more = part.truncated ? ` The file goes on after character ${part.endChar}.` : "";
  return {
    _tag: "Done",
    content: `${shownPath}: lines ${part.startLine}-${part.endLine} of ${part.totalLines}, characters ${part.startChar}-${part.endChar} of ${part.totalChars}, ${part.words} words.${more}\n${TextLines.numbered(lines, part.span)}`,
    structured: { name: skill.name, path: file.path, sha256: file.sha256, ...numbers },
    resourceRefs: [`${shownPath}#L${part.startLine}-L${part.endLine}`],
    changes: counted(shownPath, part.chars),
  };
});

/** The result of a search below `path`: as many of the hits as may be shown. */
export const shownHits = Effect.fnUntraced(function* (
  context: ToolContext,
  path: string,
  query: string,
  hits: ReadonlyArray<FileSearch.SearchHit>,
  skipped: number,
): Effect.fn.Return<Done, Recoverable> {
  const { chars, shown } = yield* admit(
    readBudget.admitParts(
      context.skills.limits,
      context.invocation.skillChars,
      hits,
      ({ snippet }) => TextMetrics.measure(snippet).chars,
    ),
  );
  const found = shown.map((hit) => ({ ...hit, ref: `${hit.path}#L${hit.startLine}-L${hit.endLine}` }));
  const left = hits.length - shown.length;
  return {
    _tag: "Done",
    content: [
      found.length === 0
        ? "No hits. Try other or fewer words."
        : found.map((hit) => `${hit.path}, lines ${hit.startLine}-${hit.endLine}:\n${hit.snippet}`).join("\n\n"),
      ...(left === 0 ? [] : [`Hits left out: ${left}. No more of Skills may be shown at once.`]),
      ...(skipped === 0 ? [] : [`Files not searched, for they are no text or too long: ${skipped}.`]),
    ].join("\n\n"),
    structured: { query, hits: found, omitted: left, skipped },
    resourceRefs: found.map(({ ref }) => ref),
    changes: counted(path, chars),
  };
});

const counted = (path: string, chars: number): ReadonlyArray<ToolChange> =>
  chars === 0 ? [] : [{ _tag: "SkillRead", path, chars }];
