/**
 * Time as the child itself measures it.
 *
 * The interpreter takes clocks and timers away from everything that runs while a script does; these are kept from before.
 */

/** Milliseconds since some moment; never goes back. */
export const now: () => number = performance.now.bind(performance);

/** Milliseconds since 1970. */
export const wallClock: () => number = Date.now;

const later = globalThis.setTimeout;

/** Completes after some milliseconds. */
export const pause = (milliseconds: number): Promise<void> =>
  new Promise((resolve) => {
    later(resolve, milliseconds);
  });
