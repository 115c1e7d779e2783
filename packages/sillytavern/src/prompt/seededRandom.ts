/**
 * Chance that falls alike for equal seeds, so that equal inputs give equal prompts.
 */

/** Numbers from 0 to below 1. */
export const seededRandom = (seed: string): (() => number) => {
  let state = 2166136261;
  for (let at = 0; at < seed.length; at += 1) state = Math.imul(state ^ seed.charCodeAt(at), 16777619);
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    const mixed = Math.imul(state ^ (state >>> 15), state | 1);
    const stirred = (mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)) ^ mixed;
    return ((stirred ^ (stirred >>> 14)) >>> 0) / 4294967296;
  };
};
