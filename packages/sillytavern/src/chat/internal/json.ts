/** Looking into parsed JSON of unknown shape. */

/** A JSON object. */
export type JsonObject = Readonly<Record<string, unknown>>;

export const isObject = (value: unknown): value is JsonObject =>
  typeof value === "object" && value !== null && !Array.isArray(value);

export const isArray = (value: unknown): value is ReadonlyArray<unknown> => Array.isArray(value);

/** The object that a text is, or null if it is no JSON or no object. A byte order mark in front is passed over. */
export const parseObject = (text: string): JsonObject | null => {
  const value = parse(text.startsWith("\uFEFF") ? text.slice(1) : text);
  return isObject(value) ? value : null;
};

/** Whether a text is one JSON value on one line. */
export const isValueOnOneLine = (text: string): boolean => !/[\r\n]/.test(text) && parse(text) !== undefined;

/** The JSON value that a text is, or undefined. */
export const parse = (text: string): unknown => {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
};
