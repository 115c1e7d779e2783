/** Numbers that are the same in every run. */
export const dice = (seed: number) => {
  let state = seed;
  const below = (count: number): number => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * count);
  };
  return { below, of: <A>(items: readonly [A, ...Array<A>]): A => items[below(items.length)] ?? items[0] };
};
