/**
 * A description for a Skill that gives none.
 */
import * as Limits from "../Limits.ts";

/** The first paragraph of a Markdown text, else its first heading; `undefined` when it has neither. */
export const descriptionIn = (body: string): string | undefined => {
  const lines = body
    .slice(0, searchedCharacters)
    .split(/\r?\n/)
    .map((line) => line.trim());
  const first = lines.findIndex(isProse);
  const text =
    first < 0
      ? lines.find((line) => isHeading(line))?.replace(/^#+\s*/, "")
      : lines.slice(first, endOf(lines, first)).join(" ");
  return text === undefined || text === ""
    ? undefined
    : [...text.toWellFormed()].slice(0, Limits.publishedDescriptionCharacters).join("");
};

/** A text that has said nothing so far says nothing later. */
const searchedCharacters = 16 * 1024;

const isHeading = (line: string): boolean => /^#{1,6}\s+\S/.test(line);

/** Lines that are no heading, fence, rule, comment or table. */
const isProse = (line: string): boolean => line !== "" && !/^(?:#{1,6}\s|#+$|```|~~~|---|<!--|\|)/.test(line);

const endOf = (lines: ReadonlyArray<string>, first: number): number => {
  const length = lines.slice(first).findIndex((line) => !isProse(line));
  return length < 0 ? lines.length : first + length;
};
