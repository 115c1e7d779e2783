/**
 * What all trials of a sweep come to: adapter x kind of strike x kills x struck runs x lost x doubled x unopenable.
 *
 * Owns adding up and the table. Does not own where results are kept between two slices of a sweep.
 */
import type { StrikeKind, TrialResult } from "./Trial.ts";

export interface Row {
  readonly subject: string;
  readonly kind: StrikeKind;
  readonly kills: number;
  readonly struck: number;
  readonly lost: number;
  readonly doubled: number;
  readonly unopenable: number;
}

/** One row for each subject and kind that was struck or violated, in the order of first appearance. */
export const rows = (results: ReadonlyArray<TrialResult & { readonly subject: string }>): ReadonlyArray<Row> => {
  const found = new Map<string, { -readonly [Key in keyof Row]: Row[Key] }>();
  const rowOf = (subject: string, kind: StrikeKind) => {
    const key = `${subject} ${kind}`;
    const row = found.get(key) ?? { subject, kind, kills: 0, struck: 0, lost: 0, doubled: 0, unopenable: 0 };
    found.set(key, row);
    return row;
  };
  for (const { strikes, subject, violations } of results) {
    for (const { kills, kind, struck } of strikes) {
      const row = rowOf(subject, kind);
      row.kills += kills;
      row.struck += struck;
    }
    for (const { at, kind } of violations) rowOf(subject, at)[kind] += 1;
  }
  return [...found.values()];
};

/** The table as lines of text, with a last line of sums. */
export const table = (all: ReadonlyArray<Row>): ReadonlyArray<string> => {
  const sums = columns.map((column) => String(all.reduce((sum, row) => sum + row[column], 0)));
  const cells = [
    ["adapter", "boundary", ...columns],
    ...all.map((row) => [row.subject, row.kind, ...columns.map((column) => String(row[column]))]),
    ["all", "", ...sums],
  ];
  const widths = cells[0]?.map((_, index) => Math.max(...cells.map((line) => line[index]?.length ?? 0))) ?? [];
  return cells.map((line) =>
    line
      .map((cell, index) => (index < 2 ? cell.padEnd(widths[index] ?? 0) : cell.padStart(widths[index] ?? 0)))
      .join("  "),
  );
};

const columns = ["kills", "struck", "lost", "doubled", "unopenable"] as const;
