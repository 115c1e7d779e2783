/**
 * The world info entries that were active when a run's prompt was made, and reading them, as the
 * `worldinfo.read_activated` tool answers it.
 *
 * Owns the frozen snapshot's shape, its decoding, limits and refs. Does not own activation: it comes with the run's
 * input and never changes.
 */
import * as Result from "effect/Result";
import * as Schema from "effect/Schema";
import * as CharWindow from "../workspace/CharWindow.ts";
import { quote, refuse, type Refusal } from "../workspace/Refusal.ts";
import * as TextMetrics from "../workspace/TextMetrics.ts";

/** Most entries of one read, most characters of one entry, and of all together. */
export const maxEntries = 20;
export const maxEntryChars = 8000;
export const maxTotalChars = 20_000;

/** Where an entry stands in the prompt. */
export const WorldInfoPosition = Schema.Literals([
  "before",
  "after",
  "an_top",
  "an_bottom",
  "depth",
  "em_top",
  "em_bottom",
  "outlet",
]);
export type WorldInfoPosition = typeof WorldInfoPosition.Type;

/** `uid` is the entry's own within its world; `constant`: active whatever the chat says. */
export const WorldInfoEntry = Schema.Struct({
  world: Schema.String,
  uid: Schema.Union([Schema.Int, Schema.String]),
  displayName: Schema.String,
  constant: Schema.Boolean,
  position: WorldInfoPosition,
  content: Schema.String,
});
export type WorldInfoEntry = typeof WorldInfoEntry.Type;

/** `trigger` is the kind of generation; `timestampMs` is Unix time in milliseconds. */
export const ActivatedWorldInfo = Schema.Struct({
  timestampMs: Schema.Int,
  trigger: Schema.String,
  entries: Schema.Array(WorldInfoEntry),
});
export type ActivatedWorldInfo = typeof ActivatedWorldInfo.Type;

/** One entry by its ref, whole or from the character `startChar` on (from 0), at most `maxChars`. */
export interface EntryRange {
  readonly ref: string;
  readonly startChar?: number;
  readonly maxChars?: number;
}

/** An entry without its text. */
export interface IndexedEntry extends TextMetrics.TextMetrics {
  readonly ref: string;
  readonly world: string;
  readonly uid: number | string;
  readonly displayName: string;
  readonly constant: boolean;
  readonly position: WorldInfoPosition;
}

export interface EntryPart extends IndexedEntry, CharWindow.CharWindow {}

/** What a read gives: the index without arguments, else the entries that were named, in that order. */
export type WorldInfoRead = {
  readonly timestampMs: number;
  readonly trigger: string;
  readonly totalEntries: number;
} & (
  | { readonly mode: "index"; readonly entries: ReadonlyArray<IndexedEntry> }
  | { readonly mode: "content"; readonly entries: ReadonlyArray<EntryPart> }
);

export type WorldInfoRefusal = Refusal<
  | "tool.invalid_arguments"
  | "worldinfo.activation_unavailable"
  | "worldinfo.entry_not_found"
  | "worldinfo.invalid_entry_range"
  | "worldinfo.read_too_large"
>;

/** The snapshot that `input` (parsed JSON) states. */
export const decode = (
  input: unknown,
): Result.Result<ActivatedWorldInfo, Refusal<"agent.invalid_worldinfo_activation_snapshot">> =>
  Result.mapError(decodeSnapshot(input), (error) => ({
    code: "agent.invalid_worldinfo_activation_snapshot" as const,
    message: `The activated world info does not have the form of one: ${error.message}`,
  }));

const decodeSnapshot = Schema.decodeUnknownResult(ActivatedWorldInfo);

/** Reads the index, or named entries all or none. `undefined` is a run that was started without world info. */
export const read = (
  activated: ActivatedWorldInfo | undefined,
  ranges?: ReadonlyArray<EntryRange>,
): Result.Result<WorldInfoRead, WorldInfoRefusal> => {
  if (activated === undefined)
    return refuse("worldinfo.activation_unavailable", "This run was started without world info; go on without it.");
  const { entries, timestampMs, trigger } = activated;
  const head = { timestampMs, trigger, totalEntries: entries.length };
  const indexed = entries.map((entry, index) => ({ entry, described: describe(activated, entry, index) }));
  if (ranges === undefined)
    return Result.succeed({ ...head, mode: "index", entries: indexed.map(({ described }) => described) });
  if (ranges.length === 0 || ranges.length > maxEntries)
    return refuse(
      "tool.invalid_arguments",
      `Name 1 to ${maxEntries} entries, or leave entries out for the index; ${ranges.length} were named.`,
    );
  const parts: Array<EntryPart> = [];
  let total = 0;
  for (const range of ranges) {
    const found =
      indexed.find(({ described }) => described.ref === range.ref) ??
      indexed.find((_, index) => range.ref === `worldinfo:activated#${index}`);
    if (found === undefined)
      return refuse(
        "worldinfo.entry_not_found",
        `There is no active entry ${quote(range.ref)}. Call without entries for the refs of all ${entries.length}.`,
      );
    const part = partOf(found.entry, found.described, range);
    if (Result.isFailure(part)) return Result.fail(part.failure);
    total += part.success.chars;
    if (total > maxTotalChars)
      return refuse(
        "worldinfo.read_too_large",
        `The entries together are longer than ${maxTotalChars} characters; the limit is passed at ${quote(range.ref)}. Read fewer at once, or give max_chars.`,
      );
    parts.push(part.success);
  }
  return Result.succeed({ ...head, mode: "content", entries: parts });
};

/** `worldinfo:<world>#<uid>`; by its place where two entries would share that. */
const describe = ({ entries }: ActivatedWorldInfo, entry: WorldInfoEntry, index: number): IndexedEntry => {
  const { constant, content, displayName, position, uid, world } = entry;
  const isAlone = !entries.some(
    (other, at) => at !== index && other.world === world && String(other.uid) === String(uid),
  );
  const ref = isAlone ? `worldinfo:${world}#${uid}` : `worldinfo:activated#${index}`;
  return { ref, world, uid, displayName, constant, position, ...TextMetrics.measure(content) };
};

const partOf = (
  entry: WorldInfoEntry,
  described: IndexedEntry,
  { maxChars, ref, startChar }: EntryRange,
): Result.Result<EntryPart, WorldInfoRefusal> => {
  const total = { chars: described.chars, words: described.words };
  const start = startChar ?? 0;
  if (!Number.isSafeInteger(start) || start < 0 || start >= Math.max(total.chars, 1))
    return refuse(
      "worldinfo.invalid_entry_range",
      `${quote(ref)} has ${total.chars} characters; start_char counts from 0 and must be below that.`,
    );
  if (maxChars !== undefined && (!Number.isSafeInteger(maxChars) || maxChars < 1 || maxChars > maxEntryChars))
    return refuse("worldinfo.invalid_entry_range", `max_chars is a whole number from 1 to ${maxEntryChars}.`);
  if (maxChars === undefined && total.chars - start > maxEntryChars)
    return refuse(
      "worldinfo.read_too_large",
      `${quote(ref)} has ${total.chars} characters, and at most ${maxEntryChars} can be read at once. Read it in parts with start_char and max_chars.`,
    );
  return Result.succeed({ ...described, ...CharWindow.cut(entry.content, total, start, maxChars ?? maxEntryChars) });
};
