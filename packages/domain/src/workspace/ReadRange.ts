/**
 * Which part of a file a read asks for, under the limits of the `workspace.read_file` tool.
 *
 * Owns the limits, their refusals and what is told about the part that was read. Does not own what becomes known by
 * reading (`ReadState`).
 */
import * as Result from "effect/Result";
import { quote, refuse, type Refusal } from "./Refusal.ts";
import * as TextLines from "./TextLines.ts";
import * as TextMetrics from "./TextMetrics.ts";
import { byteLength } from "./Utf8.ts";

/** Most lines of one read. */
export const maxLines = 1200;

/** Most characters of one read by characters. */
export const maxChars = 80_000;

/** Most bytes of a read without a range. */
export const maxWholeBytes = 262_144;

/** A range by lines (from 1) or by characters (from 0), never both; without any field the whole file. */
export interface ReadRequest {
  readonly startLine?: number;
  readonly lineCount?: number;
  readonly startChar?: number;
  readonly maxChars?: number;
}

/**
 * The part that was read. `startLine` to `endLine` are inclusive (1 to 0 for an empty file), `startChar` to `endChar`
 * exclude the end. `truncated`: the file goes on after the part; `fullRead`: the part is the whole file.
 */
export interface ReadPart {
  readonly span: TextLines.TextSpan;
  readonly text: string;
  readonly startLine: number;
  readonly endLine: number;
  readonly totalLines: number;
  readonly startChar: number;
  readonly endChar: number;
  readonly chars: number;
  readonly words: number;
  readonly totalChars: number;
  readonly totalWords: number;
  readonly truncated: boolean;
  readonly fullRead: boolean;
}

export type ReadRefusal = Refusal<
  | "workspace.mixed_read_range"
  | "workspace.invalid_line_range"
  | "workspace.read_line_count_too_large"
  | "workspace.invalid_char_range"
  | "workspace.read_char_count_too_large"
  | "workspace.read_too_large"
>;

/** The part of `lines` that `request` names; `path` is only for messages. */
export const select = (
  lines: TextLines.TextLines,
  request: ReadRequest,
  path: string,
): Result.Result<ReadPart, ReadRefusal> => {
  const byLines = request.startLine !== undefined || request.lineCount !== undefined;
  const byChars = request.startChar !== undefined || request.maxChars !== undefined;
  if (byLines && byChars) {
    return refuse(
      "workspace.mixed_read_range",
      "Give either start_line and line_count or start_char and max_chars, not both.",
    );
  }
  const total = TextMetrics.measure(lines.text);
  const span = byLines
    ? lineSpan(lines, request, path)
    : byChars
      ? charSpan(lines, request, path, total.chars)
      : wholeSpan(lines, path);
  return Result.map(span, (found) => part(lines, found, total));
};

const wholeSpan = (lines: TextLines.TextLines, path: string): Result.Result<TextLines.TextSpan, ReadRefusal> => {
  const totalLines = TextLines.count(lines);
  if (totalLines > maxLines || byteLength(lines.text) > maxWholeBytes) {
    return refuse(
      "workspace.read_too_large",
      `${quote(path)} has ${totalLines} lines and is too long for one read. Read it in parts: start_line with line_count up to ${maxLines}, or start_char with max_chars up to ${maxChars}.`,
    );
  }
  return Result.succeed({ start: 0, end: lines.text.length });
};

const lineSpan = (
  lines: TextLines.TextLines,
  request: ReadRequest,
  path: string,
): Result.Result<TextLines.TextSpan, ReadRefusal> => {
  const start = request.startLine ?? 1;
  const length = request.lineCount ?? maxLines;
  const total = TextLines.count(lines);
  if (!Number.isSafeInteger(start) || start < 1 || start > Math.max(total, 1)) {
    return refuse("workspace.invalid_line_range", `${quote(path)} has ${total} lines; start_line must be one of them.`);
  }
  if (!Number.isSafeInteger(length) || length < 1) {
    return refuse("workspace.invalid_line_range", "line_count must be a whole number of at least 1.");
  }
  if (length > maxLines) {
    return refuse(
      "workspace.read_line_count_too_large",
      `At most ${maxLines} lines can be read at once; lower line_count and read on from the next line.`,
    );
  }
  return Result.succeed(TextLines.spanOfLines(lines, start, start + length - 1));
};

const charSpan = (
  lines: TextLines.TextLines,
  request: ReadRequest,
  path: string,
  total: number,
): Result.Result<TextLines.TextSpan, ReadRefusal> => {
  const start = request.startChar ?? 0;
  const length = request.maxChars ?? maxChars;
  if (!Number.isSafeInteger(start) || start < 0 || start >= Math.max(total, 1)) {
    return refuse(
      "workspace.invalid_char_range",
      `${quote(path)} has ${total} characters; start_char counts from 0 and must be below that.`,
    );
  }
  if (!Number.isSafeInteger(length) || length < 1) {
    return refuse("workspace.invalid_char_range", "max_chars must be a whole number of at least 1.");
  }
  if (length > maxChars) {
    return refuse(
      "workspace.read_char_count_too_large",
      `At most ${maxChars} characters can be read at once; lower max_chars and read on from the next character.`,
    );
  }
  return Result.succeed(TextLines.spanOfChars(lines.text, start, length));
};

const part = (lines: TextLines.TextLines, span: TextLines.TextSpan, total: TextMetrics.TextMetrics): ReadPart => {
  const text = lines.text.slice(span.start, span.end);
  const fullRead = text.length === lines.text.length;
  const { chars, words } = fullRead ? total : TextMetrics.measure(text);
  const startChar = TextLines.charAt(lines.text, span.start);
  return {
    span,
    text,
    startLine: Math.max(TextLines.lineAt(lines, span.start), 1),
    endLine: span.end === 0 ? 0 : TextLines.lineAt(lines, span.end - 1),
    totalLines: TextLines.count(lines),
    startChar,
    endChar: startChar + chars,
    chars,
    words,
    totalChars: total.chars,
    totalWords: total.words,
    truncated: span.end < lines.text.length,
    fullRead,
  };
};
