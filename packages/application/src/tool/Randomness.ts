/**
 * Where chance comes from. A reference, so that a test can say what falls.
 */
import * as Context from "effect/Context";

/** `next` gives a number from 0 up to, without, 1: from the platform's secure source unless a test provides another. */
export const Randomness = Context.Reference<{ readonly next: () => number }>("@cahier/application/tool/Randomness", {
  defaultValue: () => ({ next: secure }),
});

/** The 53 bits that a number between 0 and 1 can hold. */
const secure = (): number => {
  const [high = 0, low = 0] = globalThis.crypto.getRandomValues(new Uint32Array(2));
  return ((high >>> 5) * 2 ** 26 + (low >>> 6)) / 2 ** 53;
};
