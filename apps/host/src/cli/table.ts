/**
 * Rows of short texts as columns for a person.
 */
import { shortened, widthOf } from "./printable.ts";

/** `heads` above `rows`, every column as wide as its widest text; the last column ends where `columns` end. */
export const table = (
  heads: ReadonlyArray<string>,
  rows: ReadonlyArray<ReadonlyArray<string>>,
  columns: number = Number.POSITIVE_INFINITY,
): ReadonlyArray<string> => {
  const widths = heads.map((head, index) => Math.max(...[head, ...rows.map((row) => row[index] ?? "")].map(widthOf)));
  const before = widths.slice(0, -1).reduce((sum, width) => sum + width + gap.length, 0);
  const left = columns - before >= fewestColumns ? columns - before : Number.POSITIVE_INFINITY;
  return [heads, ...rows].map((row) =>
    row
      .map((text, index) => (index === heads.length - 1 ? shortened(text, left) : padded(text, widths[index] ?? 0)))
      .join(gap)
      .trimEnd(),
  );
};

const gap = "  ";

/** A last column narrower than this says nothing: it is left to the terminal. */
const fewestColumns = 20;

const padded = (text: string, width: number): string => `${text}${" ".repeat(Math.max(0, width - widthOf(text)))}`;
