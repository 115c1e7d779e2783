/** What other clients are given and may ask at most. */
export const limits = {
  /** The arguments of a call as JSON text. */
  argumentCharacters: 1024 * 1024,
  /** The body of a request over HTTP. */
  bodyBytes: 4 * 1024 * 1024,
  /** A message on standard input: larger than what a call may have, so that it can be told so. */
  messageBytes: 16 * 1024 * 1024,
  /** A file that is given whole. */
  fileBytes: 4 * 1024 * 1024,
  /** What a tool shows of a text in one answer unless it is asked for more or less. */
  textCharacters: 40_000,
  mostTextCharacters: 200_000,
  pageRuns: 50,
  mostPageRuns: 200,
  pageEvents: 100,
  mostPageEvents: 500,
  pageTools: 100,
  mostPageTools: 500,
  /** What a completion suggests; the protocol allows no more. */
  completions: 100,
  /** Shorter than the minute that clients wait for an answer by default. */
  waitSeconds: 50,
  mostWaitSeconds: 3600,
  /** Requests over HTTP that are open at the same time. */
  openRequests: 256,
  sessions: 64,
  sessionIdleMs: 30 * 60_000,
  /** How long a client may take to take what it is sent. */
  stallMs: 30_000,
  /** A shorter token could be guessed. */
  tokenCharacters: 16,
} as const;
