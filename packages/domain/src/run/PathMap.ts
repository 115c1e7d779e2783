/**
 * A map by path with structural sharing: setting or removing an entry leaves every earlier map as it was, and costs about
 * the square root of its size.
 */

/**
 * `recent` lies over `settled`, which many maps share; neither is ever changed. Undefined in `recent` stands for an entry
 * that was removed.
 */
export interface PathMap<A> {
  readonly settled: ReadonlyMap<string, A>;
  readonly recent: ReadonlyMap<string, A | undefined>;
}

const none: ReadonlyMap<string, never> = new Map<string, never>();

/** A map without entries. */
export const empty: PathMap<never> = { settled: none, recent: none };

/** The value at `path`, or undefined. */
export const get = <A>({ recent, settled }: PathMap<A>, path: string): A | undefined =>
  recent.get(path) ?? (recent.has(path) ? undefined : settled.get(path));

/** The map with `value` at `path`. */
export const set = <A>(map: PathMap<A>, path: string, value: A): PathMap<A> => change(map, path, value);

/** The map without an entry at `path`; the same map where there is none. */
export const remove = <A>(map: PathMap<A>, path: string): PathMap<A> =>
  get(map, path) === undefined ? map : change(map, path, undefined);

const change = <A>({ recent, settled }: PathMap<A>, path: string, value: A | undefined): PathMap<A> => {
  const next = new Map(recent).set(path, value);
  if (next.size < fewest || next.size ** 2 < settled.size) return { settled, recent: next };
  return { settled: merged({ settled, recent: next }), recent: none };
};

/** As many entries are changed before any are settled. */
const fewest = 8;

const merged = <A>({ recent, settled }: PathMap<A>): ReadonlyMap<string, A> => {
  const all = new Map(settled);
  for (const [path, value] of recent) {
    if (value === undefined) all.delete(path);
    else all.set(path, value);
  }
  return all;
};

/** The entries as an object of their own, each path once. */
export const toRecord = <A>(map: PathMap<A>): { readonly [path: string]: A } => Object.fromEntries(merged(map));

/** The paths, in no order that means anything. */
export const paths = <A>(map: PathMap<A>): ReadonlyArray<string> => [...merged(map).keys()];

/** The values, in no order that means anything. */
export const values = <A>(map: PathMap<A>): ReadonlyArray<A> => [...merged(map).values()];

/** A map with these entries. */
export const of = <A>(entries: { readonly [path: string]: A }): PathMap<A> => ({
  settled: new Map(Object.entries(entries)),
  recent: none,
});
