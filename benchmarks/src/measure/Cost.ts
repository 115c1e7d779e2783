/**
 * What a piece of work costs: processor time of this process, all its threads, and the time on the wall.
 */

/** Milliseconds. `cpu` is user and system time together. */
export interface Cost {
  readonly cpu: number;
  readonly wall: number;
}

/** Runs `work` once. Garbage of what went before is collected first, so that nobody pays for another's. */
export const costOf = async (work: () => Promise<unknown>): Promise<Cost> => {
  globalThis.gc?.();
  const wallBefore = performance.now();
  const before = process.cpuUsage();
  await work();
  const { user, system } = process.cpuUsage(before);
  return { cpu: (user + system) / 1000, wall: performance.now() - wallBefore };
};
