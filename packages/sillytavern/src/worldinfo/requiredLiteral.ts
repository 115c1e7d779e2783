/**
 * A text that every match of a regular expression contains, so that most expressions need not be run.
 */

/**
 * The longest run of plain ASCII characters that no match can do without, in lower case, or null where none is certain or
 * it has fewer than three characters. Errs only on the side of null.
 */
export const requiredLiteral = (source: string, flags: string): string | null => {
  if (flags.includes("i") && flags.includes("u")) return null;
  const runs: Array<string> = [];
  let run = "";
  const close = (): void => {
    runs.push(run);
    run = "";
  };
  for (let at = 0; at < source.length; at += 1) {
    const character = source.charAt(at);
    if (character === "|") return null;
    if (character === "*" || character === "?" || character === "{") {
      run = run.slice(0, -1);
      close();
      if (character === "{") at = endOf(source, at, "}");
      continue;
    }
    if (character === "(" || character === "[") {
      close();
      at = character === "(" ? endOfGroup(source, at) : endOf(source, at, "]");
      continue;
    }
    if (character === "\\") {
      at += 1;
      const escaped = source.charAt(at);
      if (/[a-z0-9]/i.test(escaped)) {
        if (!/[bBdDwWsS]/.test(escaped)) return null;
        close();
        continue;
      }
      run += escaped;
      continue;
    }
    if (/[a-z0-9 _'",;:!@#%&=~<>/-]/i.test(character)) run += character;
    else close();
  }
  close();
  const longest = runs.reduce((best, found) => (found.length > best.length ? found : best), "");
  return longest.length >= shortest ? longest.toLowerCase() : null;
};

const shortest = 3;

/** Where the class or quantifier that begins at `from` ends; the source's end where it does not. */
const endOf = (source: string, from: number, closer: string): number => {
  for (let at = from + 1; at < source.length; at += 1) {
    if (source[at] === "\\") at += 1;
    else if (source[at] === closer) return at;
  }
  return source.length;
};

const endOfGroup = (source: string, from: number): number => {
  let depth = 0;
  for (let at = from; at < source.length; at += 1) {
    const character = source[at];
    if (character === "\\") at += 1;
    else if (character === "[") at = endOf(source, at, "]");
    else if (character === "(") depth += 1;
    else if (character === ")") {
      depth -= 1;
      if (depth === 0) return at;
    }
  }
  return source.length;
};
