/**
 * Exact replacement inside one text, with an inverse that can be recorded.
 *
 * Owns matching, its refusals and the recorded edits. Does not own whether the caller may patch at all (`ReadState`).
 */
import * as Result from "effect/Result";
import * as Schema from "effect/Schema";
import { quote, refuse, type Refusal } from "./Refusal.ts";
import * as TextLines from "./TextLines.ts";
import { byteLength, offsetOfByte } from "./Utf8.ts";

/**
 * What a patch did: at each byte offset of `at` (UTF-8, in the OLD text, ascending, without overlap) `old` was
 * replaced by `new`. Enough to go back from the new text and forward from the old one.
 */
export const TextEdits = Schema.Struct({
  old: Schema.NonEmptyString,
  new: Schema.String,
  at: Schema.NonEmptyArray(Schema.Int.check(Schema.isGreaterThanOrEqualTo(0))),
});
export type TextEdits = typeof TextEdits.Type;

export interface PatchRequest {
  readonly oldString: string;
  readonly newString: string;
  /** False: the old string must occur exactly once, overlapping occurrences counted. */
  readonly replaceAll: boolean;
}

export interface Patched {
  readonly content: string;
  readonly edits: TextEdits;
}

export type PatchRefusal = Refusal<
  | "workspace.patch_empty_old_string"
  | "workspace.patch_no_change"
  | "workspace.patch_old_string_not_found"
  | "workspace.patch_old_string_not_unique"
>;

/**
 * Replaces the one occurrence of `oldString`, or with `replaceAll` every one, from the left and without overlap.
 * `content` must be well-formed Unicode, as decoded files are; so is the result. Nothing is changed on refusal.
 */
export const apply = (content: string, request: PatchRequest): Result.Result<Patched, PatchRefusal> => {
  const old = request.oldString;
  // A surrogate without its partner cannot be stored: what is written is what an encoder writes for it.
  const replacement = request.newString.toWellFormed();
  if (old === "") {
    return refuse(
      "workspace.patch_empty_old_string",
      "old_string is empty. Give the exact text to replace; to write a whole file use workspace.write_file.",
    );
  }
  if (old === replacement) {
    return refuse(
      "workspace.patch_no_change",
      "old_string and new_string are equal, so nothing would change. Give the text that shall stand there instead.",
    );
  }
  const first = old.isWellFormed() ? content.indexOf(old) : -1;
  if (first < 0) return refuse("workspace.patch_old_string_not_found", notFound(content, old));
  if (!request.replaceAll && content.includes(old, first + 1)) {
    return refuse("workspace.patch_old_string_not_unique", notUnique(content, old, first));
  }
  return Result.succeed(replace(content, old, replacement, first));
};

/**
 * Replaces what stands between two UTF-16 offsets, neither within a character. Refused when there is nothing there, or
 * when it is the replacement already.
 */
export const replaceAt = (
  content: string,
  start: number,
  end: number,
  replacement: string,
): Result.Result<Patched, PatchRefusal> => {
  const old = content.slice(start, end);
  if (old === "") return refuse("workspace.patch_empty_old_string", "There is nothing to replace at this place.");
  if (old === replacement)
    return refuse(
      "workspace.patch_no_change",
      "The file already says this in its own typography; nothing was changed.",
    );
  return Result.succeed({
    content: content.slice(0, start) + replacement + content.slice(end),
    edits: { old, new: replacement, at: [byteLength(content, 0, start)] },
  });
};

/** The text before the patch, from the text after it; refused when `content` is not that text. */
export const undo = (
  content: string,
  edits: TextEdits,
): Result.Result<string, Refusal<"workspace.patch_stale_file">> => {
  const shift = byteLength(edits.new) - byteLength(edits.old);
  return exchange(
    content,
    edits.at.map((position, index) => position + index * shift),
    edits.new,
    edits.old,
  );
};

/** The text after the patch, from the text before it; refused when `content` is not that text. */
export const redo = (content: string, edits: TextEdits): Result.Result<string, Refusal<"workspace.patch_stale_file">> =>
  exchange(content, edits.at, edits.old, edits.new);

const replace = (content: string, old: string, replacement: string, first: number): Patched => {
  const oldBytes = byteLength(old);
  const pieces: Array<string> = [];
  const further: Array<number> = [];
  const firstByte = byteLength(content, 0, first);
  let byte = firstByte;
  let end = 0;
  for (let found = first; found >= 0; found = content.indexOf(old, end)) {
    if (found !== first) {
      byte += oldBytes + byteLength(content, end, found);
      further.push(byte);
    }
    pieces.push(content.slice(end, found), replacement);
    end = found + old.length;
  }
  pieces.push(content.slice(end));
  return { content: pieces.join(""), edits: { old, new: replacement, at: [firstByte, ...further] } };
};

/** Replaces `from` by `to` at ascending byte offsets, checking that `from` stands there. */
const exchange = (
  content: string,
  at: ReadonlyArray<number>,
  from: string,
  to: string,
): Result.Result<string, Refusal<"workspace.patch_stale_file">> => {
  const fromBytes = byteLength(from);
  const pieces: Array<string> = [];
  let byte = 0;
  let offset = 0;
  for (const position of at) {
    const start = offsetOfByte(content, position - byte, offset);
    if (start === undefined || !content.startsWith(from, start)) {
      return refuse(
        "workspace.patch_stale_file",
        "The text is not the one that these edits were recorded on. Use the version that the edits name.",
      );
    }
    pieces.push(content.slice(offset, start), to);
    offset = start + from.length;
    byte = position + fromBytes;
  }
  pieces.push(content.slice(offset));
  return Result.succeed(pieces.join(""));
};

/** Places that a message names; further ones are only counted. */
const namedPlaces = 10;
const countedPlaces = 1000;

const notUnique = (content: string, old: string, first: number): string => {
  const places: Array<number> = [];
  for (let found = first; found >= 0 && places.length <= countedPlaces; found = content.indexOf(old, found + 1)) {
    places.push(found);
  }
  const total = places.length > countedPlaces ? `more than ${countedPlaces}` : String(places.length);
  const lines = TextLines.make(content);
  const numbers = [...new Set(places.map((place) => TextLines.lineAt(lines, place)))];
  const named = numbers.slice(0, namedPlaces).join(", ");
  const rest = numbers.length > namedPlaces ? " and others" : "";
  const label = numbers.length === 1 ? "line" : "lines";
  return `old_string occurs ${total} times (${label} ${named}${rest}). Add text before or after it until it names one place, or set replace_all to true.`;
};

/** Names the likeliest reason: other line ends, or a first line that stands there while the rest differs. */
const notFound = (content: string, old: string): string => {
  const base = "old_string does not occur in the file.";
  if (content.includes("\r\n") && content.includes(old.replaceAll(/\r?\n/g, "\r\n"))) {
    return `${base} The file ends its lines with CRLF (\\r\\n): write \\r\\n where old_string has a line end.`;
  }
  const firstLine =
    old
      .split("\n")
      .find((line) => line.trim() !== "")
      ?.trim() ?? "";
  const near = firstLine === "" ? -1 : content.indexOf(firstLine);
  if (near < 0) {
    return `${base} Read the file and copy the text exactly, with its spaces, quotation marks and line ends.`;
  }
  const line = TextLines.lineAt(TextLines.make(content), near);
  return `${base} Its first line, ${quote(firstLine)}, stands in line ${line}, so what differs is white space or the text after it. Read from line ${line} and copy the text exactly.`;
};
