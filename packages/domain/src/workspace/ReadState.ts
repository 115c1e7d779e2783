/**
 * What one invocation knows of one file: the guard of every replacement and patch.
 *
 * Owns when a read, a write, an append or a patch makes text known, and the three admissions. Does not own the file
 * itself: callers say which version (digest) is current. A state belongs to one invocation and one path; without any
 * state the invocation knows nothing of the file.
 */
import * as Result from "effect/Result";
import * as Schema from "effect/Schema";
import { Sha256 } from "../payload/Sha256.ts";
import { quote, refuse, type Refusal } from "./Refusal.ts";

const Count = Schema.Int.check(Schema.isGreaterThanOrEqualTo(0));

/** Characters (Unicode scalars) from the first up to, without, the second. */
export const CharRange = Schema.Tuple([Count, Count]);
export type CharRange = typeof CharRange.Type;

/**
 * The version that is known, its length in characters, and the parts that were seen: ascending, neither empty,
 * overlapping nor touching. Equal knowledge has one form, whatever order it came in.
 */
export const ReadState = Schema.Struct({ sha256: Sha256, chars: Count, seen: Schema.Array(CharRange) });
export type ReadState = typeof ReadState.Type;

/** The current version of a file; `undefined` stands for a file that does not exist. */
export interface FileVersion {
  readonly sha256: Sha256;
  readonly chars: number;
}

export type ReplaceRefusal = Refusal<"workspace.write_requires_read" | "workspace.write_stale_file">;
export type StateRefusal = Refusal<
  "workspace.patch_requires_read" | "workspace.patch_requires_full_read" | "workspace.patch_stale_file"
>;

/** True when every character of the known version was seen. */
export const isComplete = (state: ReadState): boolean => unseen(state).length === 0;

/** The parts of the known version that were not seen, ascending. */
export const unseen = (state: ReadState): ReadonlyArray<CharRange> => {
  const gaps: Array<CharRange> = [];
  let end = 0;
  for (const [from, to] of state.seen) {
    if (from > end) gaps.push([end, from]);
    end = to;
  }
  if (end < state.chars) gaps.push([end, state.chars]);
  return gaps;
};

/** The state after the characters of `range` of `version` were shown. What was known of another version is forgotten. */
export const recordRead = (state: ReadState | undefined, version: FileVersion, range: CharRange): ReadState => {
  const known = state !== undefined && state.sha256 === version.sha256 ? state.seen : [];
  return { ...identify(version), seen: merge(known, range, version.chars) };
};

/** The state after the invocation wrote the whole file: it knows all of it. */
export const afterWrite = (version: FileVersion): ReadState => complete(version);

/** The state after an admitted patch: the whole file was known before, so it is after. */
export const afterPatch = (version: FileVersion): ReadState => complete(version);

/**
 * The state after the invocation appended to `before`, which gave `after`. A new file is known whole. Of an existing
 * one the appended text is known beside what was known of `before`; unread text stays unread, and whoever knew nothing
 * of `before` knows nothing of `after` that would admit a replacement.
 */
export const afterAppend = (
  state: ReadState | undefined,
  before: FileVersion | undefined,
  after: FileVersion,
): ReadState | undefined => {
  if (before === undefined) return complete(after);
  if (state === undefined || state.sha256 !== before.sha256) return state;
  return { ...identify(after), seen: merge(state.seen, [before.chars, after.chars], after.chars) };
};

/** A replacement of a missing file is admitted; of an existing one after some read of exactly the current version. */
export const admitReplace = (
  state: ReadState | undefined,
  current: FileVersion | undefined,
  path: string,
): Result.Result<void, ReplaceRefusal> => {
  if (current === undefined) return Result.void;
  if (state === undefined) {
    return refuse(
      "workspace.write_requires_read",
      `${quote(path)} exists and was not read yet. Read it with workspace.read_file before replacing it, or use mode append.`,
    );
  }
  if (state.sha256 !== current.sha256) {
    return refuse(
      "workspace.write_stale_file",
      `${quote(path)} changed since it was last read. Read it again, then write.`,
    );
  }
  return Result.void;
};

/** An append is always admitted: it neither needs a read nor replaces anything. */
export const admitAppend = (): Result.Result<void> => Result.void;

/** A patch is admitted when every character of exactly the current version is known. */
export const admitPatch = (
  state: ReadState | undefined,
  current: FileVersion,
  path: string,
): Result.Result<void, StateRefusal> => {
  if (state === undefined) {
    return refuse(
      "workspace.patch_requires_read",
      `${quote(path)} was not read yet. Read the whole file with workspace.read_file, then patch it.`,
    );
  }
  if (state.sha256 !== current.sha256) {
    return refuse(
      "workspace.patch_stale_file",
      `${quote(path)} changed since it was last read. Read it again, then patch it.`,
    );
  }
  const gaps = unseen(state);
  if (gaps.length === 0) return Result.void;
  return refuse(
    "workspace.patch_requires_full_read",
    `Only parts of ${quote(path)} were read. Read the rest before patching it: ${gaps.slice(0, namedGaps).map(askFor).join("; ")}${gaps.length > namedGaps ? "; and more" : ""}.`,
  );
};

/** Gaps that a message names. */
const namedGaps = 3;

const askFor = ([from, to]: CharRange): string => `start_char ${from}, ${to - from} characters`;

const identify = ({ sha256, chars }: FileVersion) => ({ sha256, chars });

const complete = (version: FileVersion): ReadState => ({
  ...identify(version),
  seen: version.chars === 0 ? [] : [[0, version.chars]],
});

/** `seen` with `range` in it, cut to a text of `chars` characters, in the one form of equal knowledge. */
const merge = (seen: ReadonlyArray<CharRange>, range: CharRange, chars: number): ReadonlyArray<CharRange> => {
  const from = Math.max(range[0], 0);
  const to = Math.min(range[1], chars);
  if (from >= to) return seen;
  const before = seen.filter(([, end]) => end < from);
  const after = seen.filter(([start]) => start > to);
  const joined = seen.filter(([start, end]) => end >= from && start <= to);
  const start = Math.min(from, joined[0]?.[0] ?? from);
  const end = Math.max(to, joined.at(-1)?.[1] ?? to);
  return [...before, [start, end], ...after];
};
