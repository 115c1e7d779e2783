/**
 * How a rule names tools: by exact id, or with `*` for any run of characters, such as `mcp/*` or `builtin:workspace.*`.
 */

/** True when a rule may say this: `*`, or something that begins like a ToolId. Refuses what could never match. */
export const isPattern = (pattern: string): boolean => pattern === "*" || form.test(pattern);

const form = /^(?:builtin:|mcp\/|extension\/)\S(?:.*\S)?$/s;

/** True when the whole id fits the pattern. Everything but `*` stands for itself, upper and lower case apart. */
export const matches = (pattern: string, id: string): boolean => {
  const star = pattern.indexOf("*");
  if (star < 0) return pattern === id;
  if (star === pattern.length - 1) return id.startsWith(pattern.slice(0, star));
  const [first = "", ...rest] = pattern.split("*");
  const last = rest.pop() ?? "";
  if (!id.startsWith(first) || !id.endsWith(last) || id.length < first.length + last.length) return false;
  const end = id.length - last.length;
  let position = first.length;
  for (const part of rest) {
    const found = id.indexOf(part, position);
    if (found < 0 || found + part.length > end) return false;
    position = found + part.length;
  }
  return true;
};

/** True when one of the patterns fits. */
export const matchesAny = (patterns: ReadonlyArray<string>, id: string): boolean =>
  patterns.some((pattern) => matches(pattern, id));
