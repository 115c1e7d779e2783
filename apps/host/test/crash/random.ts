/**
 * Numbers that look random and are the same for the same seed (mulberry32).
 */

/** Gives numbers from 0 up to but not including 1. */
export const random = (seed: number): (() => number) => {
  const state = { value: seed >>> 0 };
  return () => {
    state.value = (state.value + 0x6d2b79f5) >>> 0;
    const once = Math.imul(state.value ^ (state.value >>> 15), 1 | state.value);
    const twice = (once + Math.imul(once ^ (once >>> 7), 61 | once)) ^ once;
    return ((twice ^ (twice >>> 14)) >>> 0) / 4_294_967_296;
  };
};
