/**
 * How a new passage is written in a file that spells its typography otherwise than whoever edits it.
 *
 * Owns carrying a file's own spellings over to a replacement. What the editor kept of the old passage keeps the file's
 * spelling; what is new follows how the file spells the same character in the same position, where the old passage
 * shows it. Letters, words and everything else stay as they were written.
 */
import * as Typography from "./Typography.ts";

/**
 * `next`, a replacement for `old`, as the file would write it. `file` is the passage of the file that folds to the same
 * as `old`; `lineEnd` ends the lines that are new.
 */
export const adopt = (file: string, old: string, next: string, lineEnd: "\n" | "\r\n"): string => {
  const fileUnits = Typography.units(file);
  const oldUnits = Typography.units(old);
  const nextUnits = Typography.units(next);
  const kept = alignment(chunks(oldUnits), chunks(nextUnits));
  const spellings = observe(fileUnits, oldUnits);
  return nextUnits
    .map((unit, index) => {
      const from = kept.get(index);
      const same = from === undefined ? undefined : fileUnits[from];
      if (same !== undefined) return same.source;
      if (unit.folded === "\n") return lineEnd;
      return spellings.get(keyOf(nextUnits, index)) ?? paired(spellings, nextUnits, index) ?? formed(spellings, unit);
    })
    .join("");
};

/** The kinds in which two passages that fold to the same differ, each once. */
export const differences = (file: string, old: string): ReadonlyArray<Typography.FoldedKind> => {
  const oldUnits = Typography.units(old);
  const kinds = Typography.units(file).flatMap((unit, index) => {
    const other = oldUnits[index];
    if (other === undefined || other.source === unit.source) return [];
    return [unit.source.length === 1 && unit.source === unit.folded ? other.kind : unit.kind];
  });
  return [...new Set(kinds)].filter((kind) => kind !== undefined);
};

/** Spellings that the old passage shows: by the editor's spelling and its position. Spaces are only ever kept. */
const observe = (
  fileUnits: ReadonlyArray<Typography.Unit>,
  oldUnits: ReadonlyArray<Typography.Unit>,
): ReadonlyMap<string, string> => {
  const seen = new Map<string, string>();
  const contradicted = new Set<string>();
  for (const [index, unit] of oldUnits.entries()) {
    const source = fileUnits[index]?.source;
    if (source === undefined || unit.kind === undefined || unit.kind === "spaces") continue;
    const key = keyOf(oldUnits, index);
    if ((seen.get(key) ?? source) !== source) contradicted.add(key);
    seen.set(key, source);
    if (unit.kind === "letter forms" && source !== unit.source)
      seen.set(formKey, source === source.normalize("NFD") ? "NFD" : "NFC");
  }
  for (const key of contradicted) seen.delete(key);
  return seen;
};

const formKey = "form";

const keyOf = (all: ReadonlyArray<Typography.Unit>, index: number): string =>
  `${isOpening(all, index) ? "<" : ">"}${isClosing(all, index) ? ">" : "<"}${all[index]?.source ?? ""}`;

const isOpening = (all: ReadonlyArray<Typography.Unit>, index: number): boolean =>
  /^$|^[\s([{<-]$/.test(all[index - 1]?.folded ?? "");

const isClosing = (all: ReadonlyArray<Typography.Unit>, index: number): boolean =>
  /^$|^[\s)\]}>.,;:!?\u2026-]$/.test(all[index + 1]?.folded ?? "");

/** The partner of a quotation mark that the passage shows in another position. */
const paired = (
  spellings: ReadonlyMap<string, string>,
  all: ReadonlyArray<Typography.Unit>,
  index: number,
): string | undefined => {
  const unit = all[index];
  if (unit?.kind !== "quotation marks") return undefined;
  const shown = positions.map((position) => spellings.get(position + unit.source)).find((found) => found !== undefined);
  const pair = pairs.find((candidate) => shown !== undefined && candidate.includes(shown));
  if (pair === undefined) return undefined;
  return isOpening(all, index) ? pair[0] : pair[1];
};

const positions = ["<<", "<>", "><", ">>"];

const pairs: ReadonlyArray<readonly [string, string]> = [
  ["\u2018", "\u2019"],
  ["\u201c", "\u201d"],
  ["'", "'"],
  ['"', '"'],
  ["\uff02", "\uff02"],
  ["\uff07", "\uff07"],
];

const formed = (spellings: ReadonlyMap<string, string>, unit: Typography.Unit): string => {
  const form = unit.kind === "letter forms" ? spellings.get(formKey) : undefined;
  return form === undefined ? unit.source : unit.source.normalize(form);
};

/** Runs of letters, and every other unit alone. */
interface Chunk {
  readonly text: string;
  readonly start: number;
  readonly length: number;
}

const chunks = (all: ReadonlyArray<Typography.Unit>): ReadonlyArray<Chunk> => {
  const found: Array<Chunk> = [];
  for (let start = 0; start < all.length;) {
    let end = start + 1;
    while (isWord(all[start]) && isWord(all[end])) end += 1;
    const text = all.slice(start, end).map(({ folded }) => folded);
    const isQuote = all[start]?.kind === "quotation marks" || all[start]?.kind === "dashes";
    const position = isQuote ? keyOf(all, start).slice(0, 2) : "";
    found.push({ text: position + text.join(""), start, length: end - start });
    start = end;
  }
  return found;
};

const isWord = (unit: Typography.Unit | undefined): boolean =>
  unit !== undefined && /[\p{L}\p{N}\p{M}]/u.test(unit.folded);

/** Most cells of the table that finds what was kept; beyond it only the beginning and the end count as kept. */
const mostCells = 1_000_000;

/** For units of the new passage: the unit of the old one that was kept there. */
const alignment = (old: ReadonlyArray<Chunk>, next: ReadonlyArray<Chunk>): ReadonlyMap<number, number> => {
  const kept = new Map<number, number>();
  const keep = (one: Chunk | undefined, other: Chunk | undefined) => {
    if (one === undefined || other === undefined) return;
    for (let offset = 0; offset < other.length; offset += 1) kept.set(other.start + offset, one.start + offset);
  };
  const most = Math.min(old.length, next.length);
  let first = 0;
  while (first < most && old[first]?.text === next[first]?.text) {
    keep(old[first], next[first]);
    first += 1;
  }
  let last = 0;
  while (last < most - first && old.at(-1 - last)?.text === next.at(-1 - last)?.text) {
    keep(old.at(-1 - last), next.at(-1 - last));
    last += 1;
  }
  const rows = old.slice(first, old.length - last);
  const columns = next.slice(first, next.length - last);
  if (rows.length * columns.length > mostCells) return kept;
  for (const [row, column] of commonOf(rows, columns)) keep(rows[row], columns[column]);
  return kept;
};

/** The longest common subsequence, as pairs of indices. */
const commonOf = (
  rows: ReadonlyArray<Chunk>,
  columns: ReadonlyArray<Chunk>,
): ReadonlyArray<readonly [number, number]> => {
  const width = columns.length + 1;
  const longest = new Uint32Array((rows.length + 1) * width);
  const at = (row: number, column: number) => longest[row * width + column] ?? 0;
  for (let row = rows.length - 1; row >= 0; row -= 1) {
    for (let column = columns.length - 1; column >= 0; column -= 1) {
      const isSame = rows[row]?.text === columns[column]?.text;
      longest[row * width + column] = isSame
        ? at(row + 1, column + 1) + 1
        : Math.max(at(row + 1, column), at(row, column + 1));
    }
  }
  const found: Array<readonly [number, number]> = [];
  let row = 0;
  let column = 0;
  while (row < rows.length && column < columns.length) {
    if (rows[row]?.text === columns[column]?.text) {
      found.push([row, column]);
      row += 1;
      column += 1;
    } else if (at(row + 1, column) >= at(row, column + 1)) row += 1;
    else column += 1;
  }
  return found;
};
