/**
 * The lines that may stand in front of an entry's content and switch it on or off.
 */

/** What is left of the content, and the decorators that are known. */
export interface Decorated {
  readonly decorators: ReadonlyArray<string>;
  readonly content: string;
}

/**
 * Takes the leading lines that begin with `@@` off the content. A line with `@@@` counts only after a decorator that is not
 * known, as its replacement. A content of such lines alone stays as it is.
 */
export const split = (content: string): Decorated => {
  if (!content.startsWith("@@")) return { decorators: [], content };
  const lines = content.split("\n");
  const end = lines.findIndex((line) => !line.startsWith("@@"));
  const decorators: Array<string> = [];
  let wasUnknown = false;
  for (const line of lines.slice(0, end < 0 ? lines.length : end)) {
    const isReplacement = line.startsWith("@@@");
    if (isReplacement && !wasUnknown) continue;
    const decorator = isReplacement ? line.slice(1) : line;
    const isKnown = known.some((name) => decorator.startsWith(name));
    if (isKnown) decorators.push(decorator);
    wasUnknown = !isKnown;
  }
  return { decorators, content: end < 0 ? content : lines.slice(end).join("\n") };
};

export const activate = "@@activate";
export const dontActivate = "@@dont_activate";

const known = [activate, dontActivate];
