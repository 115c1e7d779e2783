/**
 * The guard against a model that goes in circles: the same call with the same result, or the same text, again and
 * again.
 *
 * Owns recognising it. Does not own what is said to the model or how the invocation ends. A circle may have up to four
 * steps: A, B, A, B is A and B twice.
 */

/** Repetitions in a row until the model is warned, and until the invocation ends. */
export interface RepetitionLimits {
  readonly warnAt: number;
  readonly endAt: number;
}

/** The defaults of a profile. */
export const defaults: RepetitionLimits = { warnAt: 3, endAt: 5 };

/** What happened last, oldest first; only as much as the guard needs. */
export interface Repetition {
  readonly calls: ReadonlyArray<string>;
  readonly texts: ReadonlyArray<string>;
}

/** Nothing has happened yet. */
export const empty: Repetition = { calls: [], texts: [] };

/** A call that has ended: digests of its canonical arguments and of its result. */
export interface ObservedCall {
  readonly toolId: string;
  readonly argumentsSha256: string;
  readonly resultSha256: string;
}

/** How often in a row the last call, and the last text, were made: 1 for something new, 0 before anything. */
export interface Repeats {
  readonly calls: number;
  readonly texts: number;
}

/** The history with one more call. */
export const observeCall = (history: Repetition, call: ObservedCall): Repetition => ({
  ...history,
  calls: remember(history.calls, `${call.argumentsSha256} ${call.resultSha256} ${call.toolId}`),
});

/** The history with one more text of the assistant, by its digest. A turn without text is not told. */
export const observeText = (history: Repetition, sha256: string): Repetition => ({
  ...history,
  texts: remember(history.texts, sha256),
});

/** How often the present circle was gone through. */
export const repeats = (history: Repetition): Repeats => ({
  calls: repeatsOf(history.calls),
  texts: repeatsOf(history.texts),
});

/** What follows: nothing, a warning, or the end of the invocation. */
export const judge = (history: Repetition, limits: RepetitionLimits = defaults): "fine" | "warn" | "end" => {
  const { calls, texts } = repeats(history);
  const most = Math.max(calls, texts);
  if (most >= limits.endAt) return "end";
  return most >= limits.warnAt ? "warn" : "fine";
};

/** A sentence about it for the model. */
export const describe = (history: Repetition, limits: RepetitionLimits = defaults): string =>
  `${seen(history)}. Do something else, or finish: at ${limits.endAt} times the run ends.`;

/** A sentence about it for whoever reads why the run ended. */
export const describeEnd = (history: Repetition): string => `${seen(history)}, so the run was ended.`;

const seen = (history: Repetition): string => {
  const { calls, texts } = repeats(history);
  const what = calls >= texts ? "The same call gave the same result" : "The same text was written";
  return `${what} ${Math.max(calls, texts)} times in a row`;
};

const longestCircle = 4;

/** Repetitions of the longest circle that are remembered; a single call is counted four times as far. */
const mostRepeats = 64;

const remember = (history: ReadonlyArray<string>, key: string): ReadonlyArray<string> => [
  ...history.slice(-(longestCircle * mostRepeats - 1)),
  key,
];

const repeatsOf = (history: ReadonlyArray<string>): number => {
  if (history.length === 0) return 0;
  const circles = Array.from({ length: longestCircle }, (_, index) => timesOf(history, index + 1));
  return Math.max(...circles);
};

const timesOf = (history: ReadonlyArray<string>, period: number): number => {
  let equal = 0;
  while (
    equal + period < history.length &&
    history[history.length - 1 - equal] === history[history.length - 1 - equal - period]
  )
    equal += 1;
  return Math.floor(equal / period) + 1;
};
