/**
 * What a piece of work costs: processor time of this process, all its threads, and the time on the wall.
 */

/** Milliseconds. `cpu` is user and system time together. */
export interface Cost {
  readonly cpu: number;
  readonly wall: number;
}

/**
 * Runs `work` once. Garbage is left to the engine: collecting it between measurements also makes the engine forget what
 * it has learned about the code, which costs the larger program more.
 */
export const costOf = async (work: () => Promise<unknown>): Promise<Cost> => {
  const wallBefore = performance.now();
  const before = process.cpuUsage();
  await work();
  const { user, system } = process.cpuUsage(before);
  return { cpu: (user + system) / 1000, wall: performance.now() - wallBefore };
};
