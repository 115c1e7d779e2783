/**
 * The numbers that bound what a server may cost. Sizes are bytes of UTF-8, times milliseconds.
 */
export const limits = {
  pages: 32,
  tools: 512,
  toolNameBytes: 256,
  toolBytes: 256 * 1024,
  catalogueBytes: 8 * 1024 * 1024,
  responseBytes: 4 * 1024 * 1024,
  argumentBytes: 256 * 1024,
  connectMs: 30_000,
  requestMs: 60_000,
  pagingMs: 120_000,
  closeMs: 2_000,
  /** Values that stand in each other, in one message. */
  depth: 256,
  /** A connection that nothing uses is closed after so long. */
  idleMs: 60_000,
  /** How long a process is asked about the newest protocol before it counts as one that does not know it. */
  probeMs: 10_000,
} as const;

export const bytesOf = (text: string): number => Buffer.byteLength(text, "utf8");
