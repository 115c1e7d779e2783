/** The smallest of some numbers that at least `percent` of a hundred of them do not exceed. */
export const percentile = (values: ReadonlyArray<number>, percent: number): number => {
  const sorted = values.toSorted((one, other) => one - other);
  const found = sorted[Math.max(0, Math.ceil((sorted.length * percent) / 100) - 1)];
  if (found === undefined) throw new Error("there is no percentile of nothing");
  return found;
};
