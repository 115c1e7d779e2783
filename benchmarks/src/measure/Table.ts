/**
 * Results beside their limits, printed as a table; and whether each limit is kept.
 */

/** One comparison. `limit` is the largest `value` that is good, or with `least` the smallest; without one it is only told. */
export interface Row {
  readonly what: string;
  readonly ours: string;
  readonly theirs: string;
  readonly value: number;
  readonly limit?: number;
  readonly least?: boolean;
  /** What `value` counts; default a ratio. */
  readonly unit?: string;
  /** The smallest and the largest value seen. */
  readonly spread?: string;
}

/** A comparison that this machine does not allow; `what` says why. It counts as kept. */
export interface Unmeasured {
  readonly what: string;
}

/** The exit code that says that everything was measured and a limit was missed. */
export const missedExitCode = 3;

/** Prints the rows. A limit that is missed makes this process end with `missedExitCode`. */
export const print = (title: string, note: string, rows: ReadonlyArray<Row | Unmeasured>): void => {
  const head = ["", "ours", "beside", "result", "spread", "limit", ""];
  const lines = [head, ...rows.map(cellsOf)];
  const widths = head.map((_, column) => Math.max(...lines.map((line) => (line[column] ?? "").length)));
  const text = lines.map((line) =>
    line
      .map((cell, column) => cell.padEnd(widths[column] ?? 0))
      .join("  ")
      .trimEnd(),
  );
  process.stdout.write(`\n${title}\n${note}\n\n${text.join("\n")}\n`);
  if (!rows.every(isKept)) process.exitCode = missedExitCode;
};

/** The smallest and largest of some values, as text. */
export const spreadOf = (values: ReadonlyArray<number>): string =>
  `${Math.min(...values).toFixed(2)}-${Math.max(...values).toFixed(2)}`;

const isMeasured = (row: Row | Unmeasured): row is Row => "value" in row;

const isKept = (row: Row | Unmeasured): boolean => {
  if (!isMeasured(row)) return true;
  const { least, limit, value } = row;
  if (limit === undefined) return true;
  return least === true ? value >= limit : value <= limit;
};

const cellsOf = (row: Row | Unmeasured): ReadonlyArray<string> => {
  if (!isMeasured(row)) return [row.what];
  const unit = row.unit ?? "x";
  const measured = [row.what, row.ours, row.theirs, `${row.value.toFixed(2)}${unit}`, row.spread ?? ""];
  if (row.limit === undefined) return measured;
  return [
    ...measured,
    `${row.least === true ? "at least" : "at most"} ${row.limit}${unit}`,
    isKept(row) ? "kept" : "MISSED",
  ];
};
