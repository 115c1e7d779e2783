/**
 * A map by path with structural sharing: setting an entry leaves every earlier map as it was, and costs about the square
 * root of its size.
 */

/** `recent` lies over `settled`, which many maps share; neither is ever changed. */
export interface PathMap<A> {
  readonly settled: ReadonlyMap<string, A>;
  readonly recent: ReadonlyMap<string, A>;
}

const none: ReadonlyMap<string, never> = new Map<string, never>();

/** A map without entries. */
export const empty: PathMap<never> = { settled: none, recent: none };

/** The value at `path`, or undefined. */
export const get = <A>({ recent, settled }: PathMap<A>, path: string): A | undefined =>
  recent.get(path) ?? settled.get(path);

/** The map with `value` at `path`. */
export const set = <A>({ recent, settled }: PathMap<A>, path: string, value: A): PathMap<A> => {
  const next = new Map(recent).set(path, value);
  if (next.size < fewest || next.size ** 2 < settled.size) return { settled, recent: next };
  return { settled: new Map([...settled, ...next]), recent: none };
};

/** As many entries are set before any are settled. */
const fewest = 8;

/** The entries as an object of their own, each path once. */
export const toRecord = <A>({ recent, settled }: PathMap<A>): { readonly [path: string]: A } =>
  Object.fromEntries([...settled, ...recent]);

/** The paths, in no order that means anything. */
export const paths = <A>({ recent, settled }: PathMap<A>): ReadonlyArray<string> => [
  ...new Set([...settled.keys(), ...recent.keys()]),
];

/** The values, in no order that means anything. */
export const values = <A>(map: PathMap<A>): ReadonlyArray<A> => Object.values(toRecord(map));

/** A map with these entries. */
export const of = <A>(entries: { readonly [path: string]: A }): PathMap<A> => ({
  settled: new Map(Object.entries(entries)),
  recent: none,
});
