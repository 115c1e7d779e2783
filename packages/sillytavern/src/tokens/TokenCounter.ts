/**
 * Counting the tokens of texts and messages as SillyTavern's server counts them.
 *
 * Owns the sums. Does not own the encodings: `Encodings` loads them.
 */
import * as estimateTokens from "@cahier/domain/context/estimateTokens";

/** `isExact: false` is an estimate, and is shown as one. */
export interface TokenCounter {
  readonly name: string;
  readonly isExact: boolean;
  /** The tokens of a text alone, without what a message or request adds. */
  readonly count: (text: string) => number;
}

/** For models whose encoding is not known. */
export const estimate: TokenCounter = {
  name: estimateTokens.estimator,
  isExact: false,
  count: estimateTokens.ofText,
};

/** The same counter, which remembers what it has counted. Only for as long as one prompt is made. */
export const remembering = (counter: TokenCounter): TokenCounter => {
  const known = new Map<string, number>();
  return {
    ...counter,
    count: (text) => {
      const before = known.get(text);
      if (before !== undefined) return before;
      const tokens = counter.count(text);
      known.set(text, tokens);
      return tokens;
    },
  };
};

/** What a text costs of the budget of world info; the empty text costs nothing. */
export const ofText = (counter: TokenCounter, text: string): number =>
  text === "" ? 0 : counter.count(text) + textOverhead;

/** What a message costs of the context; one without text costs nothing. */
export const ofMessage = (
  counter: TokenCounter,
  message: { readonly role: string; readonly content: string; readonly name?: string },
): number => {
  if (message.content === "") return 0;
  const named = message.name === undefined ? 0 : counter.count(message.name) + 1;
  return messageOverhead + counter.count(message.role) + counter.count(message.content) + named;
};

/** A text that grows line by line, and what it costs as `ofText` would say of the whole. */
export interface GrowingText {
  /** Adds a line and its newline; the cost of all so far. */
  readonly add: (line: string) => number;
}

/**
 * Counts each line once where the encodings cannot join it to the line before: a line that begins with neither white space
 * nor a slash begins a token of its own.
 */
export const growing = (counter: TokenCounter): GrowingText => {
  let settled = 0;
  let open = "";
  let openTokens = 0;
  return {
    add: (line) => {
      const addition = `${line}\n`;
      if (!counter.isExact || /^[\s/]/.test(addition)) {
        open += addition;
      } else {
        settled += openTokens;
        open = addition;
      }
      openTokens = counter.count(open);
      return settled + openTokens + textOverhead;
    },
  };
};

/** Three for the message that the server wraps a text in, three for the primed reply. */
const textOverhead = 6;

/** Three for each message; the server's padding of three is added and the page takes two off again. */
const messageOverhead = 4;
