/**
 * Two versions of a text as a unified diff, in the form that `git apply` and `patch -p1` take.
 *
 * Owns the form. Does not own which versions are compared nor where their texts come from.
 */
import { formatPatch, structuredPatch, type StructuredPatchHunk } from "diff";

/** The diff, and how many lines it adds and removes. */
export interface UnifiedDiff {
  readonly text: string;
  readonly addedLines: number;
  readonly removedLines: number;
}

/** Lines around a change that are shown unchanged. */
const contextLines = 3;

/**
 * Texts that differ in more lines than this are shown as wholly replaced: the search for the smallest difference grows
 * with the square of the difference, and nobody reads one of that size.
 */
const mostEdits = 1000;

/**
 * The diff of the file at `path`, a workspace path, from `before` to `after`; null is a file that does not exist. Lines
 * end at `\n`: a carriage return before it belongs to the line.
 */
export const unifiedDiff = (path: string, before: string | null, after: string | null): UnifiedDiff => {
  const hunks = hunksOf(before ?? "", after ?? "");
  const { newName, oldName } = namesOf(path);
  const lines = [
    ...headerOf(path, before !== null, after !== null),
    ...(hunks.length === 0
      ? []
      : [`--- ${before === null ? nothing : oldName}`, `+++ ${after === null ? nothing : newName}`]),
  ];
  const body =
    hunks.length === 0
      ? ""
      : formatPatch(
          { oldFileName: oldName, newFileName: newName, oldHeader: undefined, newHeader: undefined, hunks },
          { includeIndex: false, includeUnderline: false, includeFileHeaders: false },
        );
  return {
    text: `${lines.join("\n")}\n${body}`,
    addedLines: countOf(hunks, "+"),
    removedLines: countOf(hunks, "-"),
  };
};

/** What stands for the diff of a file that is no text, before or after; `was` and `is` say when it exists. */
export const binaryDiff = (path: string, was: boolean, is: boolean): string => {
  const { newName, oldName } = namesOf(path);
  const differ = `Binary files ${was ? oldName : nothing} and ${is ? newName : nothing} differ`;
  return `${[...headerOf(path, was, is), differ].join("\n")}\n`;
};

const namesOf = (path: string) => ({ oldName: `a/${path}`, newName: `b/${path}` });

const headerOf = (path: string, was: boolean, is: boolean): ReadonlyArray<string> => {
  const { newName, oldName } = namesOf(path);
  return [
    `diff --git ${oldName} ${newName}`,
    ...(was ? [] : ["new file mode 100644"]),
    ...(is ? [] : ["deleted file mode 100644"]),
  ];
};

/** Stands in a header for the version that does not exist. */
const nothing = "/dev/null";

const hunksOf = (before: string, after: string): ReadonlyArray<StructuredPatchHunk> & Array<StructuredPatchHunk> =>
  structuredPatch("", "", before, after, undefined, undefined, { context: contextLines, maxEditLength: mostEdits })
    ?.hunks ?? [wholly(before, after)];

/** One hunk that removes every line of one text and adds every line of the other. */
const wholly = (before: string, after: string): StructuredPatchHunk => {
  const removed = linesOf(before);
  const added = linesOf(after);
  return {
    oldStart: 1,
    oldLines: removed.length,
    newStart: 1,
    newLines: added.length,
    lines: [...marked("-", removed, before), ...marked("+", added, after)],
  };
};

const linesOf = (text: string): ReadonlyArray<string> => {
  const lines = text.split("\n");
  return lines.at(-1) === "" ? lines.slice(0, -1) : lines;
};

const marked = (mark: string, lines: ReadonlyArray<string>, text: string): ReadonlyArray<string> => [
  ...lines.map((line) => `${mark}${line}`),
  ...(text === "" || text.endsWith("\n") ? [] : ["\\ No newline at end of file"]),
];

const countOf = (hunks: ReadonlyArray<StructuredPatchHunk>, mark: string): number =>
  hunks.reduce((sum, { lines }) => sum + lines.filter((line) => line.startsWith(mark)).length, 0);
