/**
 * A path inside one run's workspace: the only spelling of a file name that the runtime passes around.
 *
 * Owns which spellings are accepted, their one normal form, and the first segments that the runtime keeps for itself.
 * Does not own who may see or write a path: `WorkspaceRoot` does. A path is valid on every disk that a workspace may
 * be mirrored to, so names that Windows or macOS cannot hold are refused on Linux too.
 */
import * as Brand from "effect/Brand";
import * as Option from "effect/Option";
import * as Result from "effect/Result";
import * as Schema from "effect/Schema";
import { quote, refuse, type Refusal } from "./Refusal.ts";
import { byteLength } from "./Utf8.ts";

/** Longest segment in bytes of UTF-8: file systems hold 255, the rest is room for a temporary file's suffix. */
export const maxSegmentBytes = 200;

/** Longest path in bytes of UTF-8. */
export const maxPathBytes = 1024;

/** Relative, separated by `/`, without `.`, `..` or empty segments, in Unicode NFC: exactly what `parse` gives. */
export const WorkspacePath = Schema.String.check(
  Schema.makeFilter((text: string) => isNormal(text) || "a workspace path in its normal form, such as output/main.md"),
).pipe(Schema.brand("WorkspacePath"));
export type WorkspacePath = typeof WorkspacePath.Type;

export type PathRefusal = Refusal<"workspace.invalid_path">;

/** First segments that hold the runtime's own files; no workspace root may have such a name. Compared without case. */
export const reservedFirstSegments: ReadonlyArray<string> = [
  "runs",
  "input",
  "model-responses",
  "tool-args",
  "tool-results",
  "checkpoints",
  "events.jsonl",
  "manifest.json",
  "run.json",
];

/**
 * The path that `text` spells. Surrounding white space is dropped, `\` becomes `/`, `.` and empty segments between
 * others are dropped, letters are composed (NFC); spellings that differ only so give equal paths, and a parsed path
 * parses to itself. Everything that could leave the workspace or cannot be stored on every disk is refused.
 */
export const parse = (text: string): Result.Result<WorkspacePath, PathRefusal> => {
  if (!text.isWellFormed()) return invalid(text, "it is not valid Unicode");
  const spelled = text.normalize("NFC").trim().replaceAll("\\", "/");
  if (spelled === "") return invalid(text, "it is empty");
  if (spelled.startsWith("/")) return invalid(text, "it is absolute");
  if (/^[A-Za-z]:/.test(spelled)) return invalid(text, "it begins with a drive letter");
  const kept = spelled.split("/").filter((segment) => segment !== "" && segment !== ".");
  if (kept.length === 0) return invalid(text, "it names no file");
  for (const segment of kept) {
    const reason = unsafeSegment(segment);
    if (reason !== undefined) return invalid(text, reason);
  }
  const path = kept.join("/");
  if (byteLength(path) > maxPathBytes) return invalid(text, `it is longer than ${maxPathBytes} bytes`);
  return Result.succeed(brand(path));
};

/**
 * Like `parse` for a folder: an absent, empty, `.` or `./` text is the workspace itself, given as `none`.
 */
export const parseFolder = (text: string | undefined): Result.Result<Option.Option<WorkspacePath>, PathRefusal> => {
  const spelled = text === undefined ? "" : text.trim().replaceAll("\\", "/");
  const isWorkspace = spelled.split("/").every((segment) => segment === "" || segment === ".");
  if (text === undefined || (isWorkspace && !spelled.startsWith("/"))) return Result.succeed(Option.none());
  return Result.map(parse(text), Option.some);
};

/** The segments of a path, at least one. */
export const segments = (path: WorkspacePath): ReadonlyArray<string> => path.split("/");

/** The first segment: the name of the root that the path lies in. */
export const firstSegment = (path: WorkspacePath): string => {
  const slash = path.indexOf("/");
  return slash < 0 ? path : path.slice(0, slash);
};

/** The last segment. */
export const name = (path: WorkspacePath): string => path.slice(path.lastIndexOf("/") + 1);

/** The folder that holds the path; `none` for a path of one segment. */
export const parent = (path: WorkspacePath): Option.Option<WorkspacePath> => {
  const slash = path.lastIndexOf("/");
  return slash < 0 ? Option.none() : Option.some(brand(path.slice(0, slash)));
};

/** True when `path` is `folder` or lies below it; whole segments are compared. */
export const isInside = (path: string, folder: string): boolean => path === folder || isStrictlyInside(path, folder);

/** True when `path` lies below `folder`. */
export const isStrictlyInside = (path: string, folder: string): boolean => path.startsWith(`${folder}/`);

/** True when the first segment is one that the runtime keeps for itself. */
export const isReserved = (path: WorkspacePath): boolean =>
  reservedFirstSegments.includes(firstSegment(path).toLowerCase());

/** For text that `parse` made or that is a part of such text, cut at a separator. */
const brand = Brand.nominal<WorkspacePath>();

const invalid = (text: string, reason: string): Result.Result<never, PathRefusal> =>
  refuse(
    "workspace.invalid_path",
    `The path ${quote(text)} cannot be used: ${reason}. Give a relative path inside the workspace, such as output/main.md.`,
  );

const isNormal = (text: string): boolean => {
  const parsed = parse(text);
  return Result.isSuccess(parsed) && parsed.success === text;
};

/** Control characters, separators of lines, invisible and direction-changing characters (joiners are letters' own). */
const invisible =
  // eslint-disable-next-line no-control-regex -- control characters are what this refuses
  /[\u0000-\u001f\u007f-\u009f\u00ad\u061c\u180e\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb]/;

/** Names that Windows gives to devices, whatever extension follows. */
const device = /^(?:con|prn|aux|nul|conin\$|conout\$|(?:com|lpt)[0-9¹²³])(?:\s*\..*)?$/i;

/** Why a segment cannot be stored safely on every disk, or undefined when it can. */
const unsafeSegment = (segment: string): string | undefined => {
  if (segment === "..") return "it contains `..`";
  const hidden = invisible.exec(segment);
  if (hidden !== null) return `it contains the invisible or control character ${codePoint(hidden[0])}`;
  const forbidden = /[<>:"|?*]/.exec(segment);
  if (forbidden !== null) return `it contains \`${forbidden[0]}\`, which not every disk can store in a name`;
  if (/^\s|\s$/.test(segment)) return "a name in it begins or ends with white space";
  if (segment.endsWith(".")) return "a name in it ends with a dot";
  const plain = segment.normalize("NFKC");
  if (plain === "." || plain === ".." || /[/\\]/.test(plain)) {
    return "it contains a character that looks like a separator or like `..`";
  }
  if (device.test(segment)) return `${quote(segment)} is the name of a device on Windows`;
  if (byteLength(segment) > maxSegmentBytes) return `a name in it is longer than ${maxSegmentBytes} bytes`;
  return undefined;
};

const codePoint = (character: string): string =>
  `U+${(character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, "0")}`;
