/**
 * An append-only sequence with structural sharing: appending is O(1) and leaves every earlier value as it was.
 */

/** `length` items of the shared `backing`; items beyond it belong to later values. */
export interface Log<A> {
  readonly backing: Array<A>;
  readonly length: number;
}

/** A new empty log. Never shared: two logs that both grow from one value stay apart by copying. */
export const empty = <A>(): Log<A> => ({ backing: [], length: 0 });

/** The log with `item` at its end. */
export const append = <A>(log: Log<A>, item: A): Log<A> => {
  const backing = log.backing.length === log.length ? log.backing : log.backing.slice(0, log.length);
  backing.push(item);
  return { backing, length: log.length + 1 };
};

/** The item at `index`, or undefined outside the log. */
export const at = <A>(log: Log<A>, index: number): A | undefined =>
  index >= 0 && index < log.length ? log.backing[index] : undefined;

/** A copy as an array, from `start`. */
export const toArray = <A>(log: Log<A>, start = 0): ReadonlyArray<A> => log.backing.slice(start, log.length);
