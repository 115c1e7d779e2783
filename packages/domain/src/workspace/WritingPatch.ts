/**
 * An edit that respects how a file is written: the exact passage, or else the one passage that differs from it in
 * typography only, replaced in the file's own spelling.
 *
 * Owns finding, adopting and what is told of it. Does not own exact replacement and its inverse (`TextPatch`), which
 * every edit comes down to, nor whether the caller may edit at all (`ReadState`). Nothing outside of the passage
 * changes; a byte order mark, the line ends and the final line end of the file stay.
 */
import * as Result from "effect/Result";
import * as Conventions from "./Conventions.ts";
import { mostPlaces, type Place, placesOf } from "./foldedPlaces.ts";
import { nearestPassage } from "./nearestPassage.ts";
import { refuse } from "./Refusal.ts";
import * as TextLines from "./TextLines.ts";
import * as TextPatch from "./TextPatch.ts";
import type * as Typography from "./Typography.ts";

/** What a person would call the spelling that the editor and the file do not share. */
export type Adopted = Typography.FoldedKind | "byte order mark" | "final line end";

/** `adopted`: in what the edit was fitted to the file; empty for an edit that was taken as it is. */
export interface Written extends TextPatch.Patched {
  readonly adopted: ReadonlyArray<Adopted>;
}

/**
 * Replaces the passage, as `TextPatch.apply` does, and where that finds nothing, the one passage that folds to the
 * same. `replaceAll` replaces exact passages only. Refused with the nearest passage when there is none.
 */
export const apply = (
  content: string,
  request: TextPatch.PatchRequest,
): Result.Result<Written, TextPatch.PatchRefusal> => {
  const old = withoutMark(request.oldString);
  const next = withoutMark(request.newString.toWellFormed());
  const marked: ReadonlyArray<Adopted> =
    old.length + next.length === request.oldString.length + request.newString.length ? [] : ["byte order mark"];
  if (old === "" || old === next) return fitted(content, { ...request, oldString: old, newString: next }, marked);
  if (!old.isWellFormed()) return refuse("workspace.patch_old_string_not_found", notFound(content, old));
  const start = content.indexOf(old);
  if (start >= 0) return exact(content, start, { ...request, oldString: old, newString: next }, marked);
  const places = placesOf(content, old);
  const [place] = places;
  if (place === undefined)
    return atEnd(content, old, next) ?? refuse("workspace.patch_old_string_not_found", notFound(content, old));
  if (places.length > 1) return refuse("workspace.patch_old_string_not_unique", notUnique(content, places));
  const passage = content.slice(place.start, place.end);
  const adopted = Conventions.adopt(passage, old, next, lineEndAt(content, place));
  return replaceAt(content, place, adopted, [...marked, ...Conventions.differences(passage, old)]);
};

/** An exact edit: its line ends become those of a file that has one kind only. */
const exact = (
  content: string,
  start: number,
  request: TextPatch.PatchRequest,
  adopted: ReadonlyArray<Adopted>,
): Result.Result<Written, TextPatch.PatchRefusal> => {
  const newString = inLineEnds(request.newString, uniformLineEnd(content) ?? uniformLineEnd(request.oldString));
  const changed: ReadonlyArray<Adopted> = newString === request.newString ? adopted : [...adopted, "line ends"];
  if (content.includes(request.oldString, start + 1)) return fitted(content, { ...request, newString }, changed);
  if (newString === request.oldString) return fitted(content, { ...request, newString }, changed);
  return replaceAt(content, { start, end: start + request.oldString.length }, newString, changed);
};

/** A passage at the end of a file without a final line end, when the editor thinks that there is one. */
const atEnd = (
  content: string,
  old: string,
  next: string,
): Result.Result<Written, TextPatch.PatchRefusal> | undefined => {
  const shorter = old.replace(/\r?\n$/, "");
  if (shorter === old || shorter === "") return undefined;
  const places = placesOf(content, shorter);
  const [place] = places;
  if (place === undefined || places.length > 1 || place.end !== content.length) return undefined;
  const passage = content.slice(place.start);
  const without = next.replace(/\r?\n$/, "");
  const adopted = Conventions.adopt(passage, shorter, without, lineEndAt(content, place));
  return replaceAt(content, place, adopted, [...Conventions.differences(passage, shorter), "final line end"]);
};

const fitted = (
  content: string,
  request: TextPatch.PatchRequest,
  adopted: ReadonlyArray<Adopted>,
): Result.Result<Written, TextPatch.PatchRefusal> =>
  Result.map(TextPatch.apply(content, request), (patched) => ({ ...patched, adopted }));

const replaceAt = (
  content: string,
  place: Place,
  replacement: string,
  adopted: ReadonlyArray<Adopted>,
): Result.Result<Written, TextPatch.PatchRefusal> => {
  const ended = keepEnd(content, place, replacement);
  const told: ReadonlyArray<Adopted> = ended === replacement ? adopted : [...adopted, "final line end"];
  return Result.map(TextPatch.replaceAt(content, place.start, place.end, ended), (patched) => ({
    ...patched,
    adopted: told,
  }));
};

/** The replacement with the file's final line end, when it would be lost and something is left to end. */
const keepEnd = (content: string, place: Place, replacement: string): string => {
  if (place.end !== content.length || replacement.endsWith("\n") || !content.endsWith("\n")) return replacement;
  const before = content.slice(0, place.start);
  if (replacement === "" && (before === "" || before === byteOrderMark || before.endsWith("\n"))) return replacement;
  return replacement + (content.endsWith("\r\n") ? "\r\n" : "\n");
};

const byteOrderMark = "\ufeff";

const withoutMark = (text: string): string => (text.startsWith(byteOrderMark) ? text.slice(1) : text);

/** The line end of a text that has only one kind. */
const uniformLineEnd = (text: string): "\n" | "\r\n" | undefined => {
  const first = text.indexOf("\n");
  if (first < 0) return undefined;
  const isCrlf = text[first - 1] === "\r";
  const other = isCrlf ? /(?<!\r)\n/ : /\r\n/;
  if (other.test(text)) return undefined;
  return isCrlf ? "\r\n" : "\n";
};

const inLineEnds = (text: string, lineEnd: "\n" | "\r\n" | undefined): string =>
  lineEnd === undefined ? text : text.replaceAll(/\r?\n/g, lineEnd);

/** How the line that a passage begins in ends; in the last line, how the line before does. */
const lineEndAt = (content: string, { start }: Place): "\n" | "\r\n" => {
  const next = content.indexOf("\n", start);
  const at = next < 0 ? content.lastIndexOf("\n") : next;
  return at > 0 && content[at - 1] === "\r" ? "\r\n" : "\n";
};

const notUnique = (content: string, places: ReadonlyArray<Place>): string => {
  const lines = TextLines.make(content);
  const numbers = [...new Set(places.map(({ start }) => TextLines.lineAt(lines, start)))].slice(0, 10);
  const total = places.length > mostPlaces ? `more than ${mostPlaces}` : places.length;
  return `old_string does not occur exactly, and ${total} passages differ from it in typography only (${numbers.length === 1 ? "line" : "lines"} ${numbers.join(", ")}). Add text before or after it until it names one place, or copy one passage exactly.`;
};

const notFound = (content: string, old: string): string => {
  const near = nearestPassage(content, old);
  const base = "old_string does not occur in the file, not even in another typography.";
  if (near === undefined) return `${base} Nothing in the file resembles it: read the file and copy the text exactly.`;
  const which = near.first === near.last ? `line ${near.first}` : `lines ${near.first} to ${near.last}`;
  return `${base} The nearest passage is ${which}; copy from there exactly, without the line numbers:\n${near.text}`;
};
