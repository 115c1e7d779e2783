/**
 * JSON as text: finds values in text that is known to be valid JSON and cuts them out as they stand.
 *
 * What a server sent must go back as it came, and parsing loses the spelling of numbers and the order of keys. Does not
 * check anything: the results for text that is no JSON mean nothing.
 */

/** The value, or undefined where the text is not JSON. */
export const parse = (text: string): unknown => {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
};

/** The text of a member of an object; of several with one name the last, as parsing takes it. Of other values none. */
export const memberOf = (object: string, name: string): string | undefined => {
  const span = spansOf(object).findLast((member) => member.name === name);
  return span === undefined ? undefined : object.slice(span.start, span.end);
};

/** The members of an object with the texts of their values, in order; none of another value. */
export const membersOf = (object: string): ReadonlyArray<{ readonly name: string; readonly value: string }> =>
  spansOf(object).map(({ end, name, start }) => ({ name, value: object.slice(start, end) }));

/** The texts of the elements of an array, in order; none of another value. */
export const elementsOf = (array: string): ReadonlyArray<string> => {
  const elements: Array<string> = [];
  if (!array.startsWith("[")) return elements;
  for (let at = skipBlank(array, 1); at < array.length && array[at] !== "]"; at = skipBlank(array, at)) {
    const end = endOfValue(array, at);
    elements.push(array.slice(at, end));
    at = skipBlank(array, end);
    if (array[at] === ",") at += 1;
  }
  return elements;
};

/** The object with some members' values replaced where they stand, and those that it lacks at its end. */
export const withMembers = (object: string, values: ReadonlyMap<string, string>): string => {
  let text = "";
  let copied = 0;
  const missing = new Map(values);
  const spans = spansOf(object);
  for (const { end, name, start } of spans) {
    const value = values.get(name);
    if (value === undefined) continue;
    missing.delete(name);
    text += object.slice(copied, start) + value;
    copied = end;
  }
  if (missing.size === 0) return text + object.slice(copied);
  const last = spans.at(-1)?.end ?? object.indexOf("{") + 1;
  const added = [...missing].map(([name, value]) => `${JSON.stringify(name)}:${value}`).join(",");
  return `${text}${object.slice(copied, last)}${spans.length === 0 ? "" : ","}${added}${object.slice(last)}`;
};

/**
 * The values of the data of an event that is several: some servers and proxies lose the line ends between events, and
 * the fields of the next one stand behind a value. Undefined where something else stands there.
 */
export const gluedValues = (data: string): ReadonlyArray<string> | undefined => {
  const values: Array<string> = [];
  for (let at = skipBlank(data, 0); at < data.length;) {
    if (data[at] !== "{") return data.startsWith("[DONE]", at) ? values : undefined;
    const end = endOfValue(data, at);
    values.push(data.slice(at, end));
    eventFields.lastIndex = end;
    at = end + (eventFields.exec(data)?.[0].length ?? 0);
  }
  return values;
};

const eventFields = /\s*(?:(?:event|id):[^\n{]*\s*)*(?:data:\s*)?/y;

interface Span {
  readonly name: string;
  readonly start: number;
  readonly end: number;
}

const spansOf = (object: string): ReadonlyArray<Span> => {
  const spans: Array<Span> = [];
  if (!object.trimStart().startsWith("{")) return spans;
  for (let at = skipBlank(object, object.indexOf("{") + 1); object[at] === '"'; at = skipBlank(object, at)) {
    const nameEnd = endOfString(object, at);
    const start = skipBlank(object, object.indexOf(":", nameEnd) + 1);
    const end = endOfValue(object, start);
    spans.push({ name: nameOf(object.slice(at, nameEnd)), start, end });
    at = skipBlank(object, end);
    if (object[at] === ",") at += 1;
  }
  return spans;
};

const nameOf = (text: string): string => (text.includes("\\") ? String(parse(text)) : text.slice(1, -1));

const skipBlank = (text: string, from: number): number => {
  let at = from;
  while (at < text.length && text.charCodeAt(at) <= 0x20) at += 1;
  return at;
};

const endOfValue = (text: string, start: number): number => {
  const first = text[start];
  if (first === '"') return endOfString(text, start);
  if (first !== "{" && first !== "[") return endOfScalar(text, start);
  let depth = 0;
  for (let at = start; at < text.length; at += 1) {
    const character = text[at];
    if (character === '"') at = endOfString(text, at) - 1;
    else if (character === "{" || character === "[") depth += 1;
    else if (character === "}" || character === "]") depth -= 1;
    if (depth === 0) return at + 1;
  }
  return text.length;
};

/** Goes from quote to quote by the platform's own search: a string may be a whole answer. */
const endOfString = (text: string, start: number): number => {
  for (let end = text.indexOf('"', start + 1); end !== -1; end = text.indexOf('"', end + 1)) {
    if (!isEscaped(text, end)) return end + 1;
  }
  return text.length;
};

/** Whether an odd number of backslashes stands before a quote. */
const isEscaped = (text: string, quote: number): boolean => {
  let first = quote;
  while (text.charCodeAt(first - 1) === backslash) first -= 1;
  return (quote - first) % 2 === 1;
};

const backslash = 0x5c;

const endOfScalar = (text: string, start: number): number => {
  scalarEnd.lastIndex = start;
  return scalarEnd.exec(text)?.index ?? text.length;
};

const scalarEnd = /[\s,\]}]/g;
