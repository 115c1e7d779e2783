/**
 * A key of YAML as a person reads it.
 */

/** Lists and maps can be keys too, as deep as anyone likes: of those nothing is shown. */
export const keyText = (key: unknown): string => (typeof key === "object" && key !== null ? "?" : String(key));
