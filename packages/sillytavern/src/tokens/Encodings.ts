/**
 * The encodings of OpenAI's models, by the model's name.
 *
 * Owns which encoding a model has, and loading it: the tables are megabytes, so each is loaded when it is first asked for.
 */
import * as Effect from "effect/Effect";
import { estimate, type TokenCounter } from "./TokenCounter.ts";

export type EncodingName = "o200k_base" | "cl100k_base";

/** The encoding of a model, or null where it is not one of OpenAI's. A vendor's prefix (`openai/gpt-4o`) is passed over. */
export const encodingOf = (model: string): EncodingName | null => {
  const name = model.slice(model.lastIndexOf("/") + 1).toLowerCase();
  if (newer.test(name)) return "o200k_base";
  return older.test(name) ? "cl100k_base" : null;
};

/** The counter for a model; an estimate where the encoding is not known. */
export const forModel = Effect.fn("Encodings.forModel")(function* (model: string) {
  const name = encodingOf(model);
  return name === null ? estimate : yield* load(name);
});

/** The counter of an encoding. A missing table is a broken installation, and so a defect. */
export const load = Effect.fn("Encodings.load")(function* (name: EncodingName) {
  const tables = yield* Effect.promise(() =>
    name === "o200k_base" ? import("gpt-tokenizer/encoding/o200k_base") : import("gpt-tokenizer/encoding/cl100k_base"),
  );
  return {
    name,
    isExact: true,
    count: (text) => pieces(text).reduce((sum, piece) => sum + tables.countTokens(piece, asText), 0),
  } satisfies TokenCounter;
});

const newer = /^(?:gpt-4o|chatgpt-4o|gpt-4\.[15]|gpt-[5-9]|gpt-oss|o[1-9](?:-|$))/;
const older = /^(?:gpt-4|gpt-3\.5|text-embedding-(?:ada|3))/;

/** A text that names a special token, such as the end of text, is text. */
const asText = { disallowedSpecial: new Set<string>() };

/**
 * Merging takes time by the square of a run that the encodings do not break. Texts with a run longer than any language has
 * are counted in parts, which may be off by a token each.
 */
const pieces = (text: string): ReadonlyArray<string> => {
  if (text.length < longestRun) return [text];
  for (let at = 0; at + step <= text.length; at += step) {
    if (unbroken.test(text.slice(at, at + step))) return text.match(part) ?? [text];
  }
  return [text];
};

/** Any run of `longestRun` covers a whole step. */
const longestRun = 2000;
const step = longestRun / 2;
const unbroken = /^(?:[\p{L}\p{M}]+|\s+|[^\s\p{L}\p{N}]+)$/u;
const part = new RegExp(`[^]{1,${longestRun}}`, "gu");
