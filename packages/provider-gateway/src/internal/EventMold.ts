/**
 * Reads the JSON of a stream's events, most of which differ from one before in a single text, without parsing those anew.
 *
 * Where the characters before a string and those behind it are the same as in an event that was parsed, and a string
 * stands between them, then by the grammar of JSON the value is the same but for that string. Owns that comparison.
 * Does not own what events mean: a value goes through the same checks whichever way it was read.
 */
import * as jsonText from "./jsonText.ts";

/** The way from a value to a text in it: names of members and numbers of elements. */
export type Path = ReadonlyArray<string | number>;

export class EventMold {
  readonly #paths: ReadonlyArray<Path>;
  #mold: Mold | undefined;
  /** So many molds were made since one fitted. */
  #unused = 0;

  /** `paths`: where the texts stand that grow piece by piece. */
  constructor(paths: ReadonlyArray<Path>) {
    this.#paths = paths;
  }

  /** The value, undefined where the text is not JSON. It is only good until the next call: that may be given the same object. */
  read(data: string): unknown {
    const text = this.#mold === undefined ? undefined : textIn(data, this.#mold);
    if (text !== undefined && this.#mold !== undefined) {
      this.#unused = 0;
      this.#mold.holder[this.#mold.name] = text;
      return this.#mold.value;
    }
    const value = jsonText.parse(data);
    // A stream that counts its events, or gives each a name, has no two alike.
    if (this.#unused < mostUnused) this.#make(data, value);
    return value;
  }

  #make(data: string, value: unknown): void {
    for (const path of this.#paths) {
      const place = placeOf(value, path);
      if (place === undefined) continue;
      const { holder, name, text } = place;
      const start = data.indexOf(`"${text}"`);
      // Without escapes a text is spelled in one way, so that where it stands once, it stands there.
      if (start === -1 || data.includes("\\") || data.includes(`"${text}"`, start + 1)) return;
      const after = data.slice(start + text.length + 1);
      const brackets = /^"[\]} ]*$/.test(after) ? after.slice(1).replaceAll(" ", "") : undefined;
      this.#mold = { value, holder, name, before: data.slice(0, start + 1), after, brackets };
      this.#unused += 1;
      return;
    }
  }
}

/** `before` ends with the quote that opens the text, `after` begins with the one that closes it. */
interface Mold {
  readonly value: unknown;
  readonly holder: Record<string | number, unknown>;
  readonly name: string | number;
  readonly before: string;
  readonly after: string;
  /** What closes the event, where nothing else follows the text: some servers put blanks between, as many as they like. */
  readonly brackets: string | undefined;
}

const mostUnused = 8;

/** The text of an event that fits the mold; undefined of any other. */
const textIn = (data: string, { after, before, brackets }: Mold): string | undefined => {
  // Cut out and compared: `startsWith` goes character by character.
  if (data.slice(0, before.length) !== before) return undefined;
  const end = data.slice(-after.length) === after ? data.length - after.length : endBefore(brackets, data);
  if (end < before.length) return undefined;
  const text = data.slice(before.length, end);
  if (!needsParsing.test(text)) return text;
  const parsed = jsonText.parse(`"${text}"`);
  return typeof parsed === "string" ? parsed : undefined;
};

/** Where the last string ends, if behind it there is nothing but these brackets and blanks; else -1. */
const endBefore = (brackets: string | undefined, data: string): number => {
  if (brackets === undefined) return -1;
  const end = data.lastIndexOf('"');
  return data.slice(end + 1).replaceAll(" ", "") === brackets ? end : -1;
};

// oxlint-disable-next-line no-control-regex -- they may not stand in a string
const needsParsing = /["\\\u0000-\u001F]/;

const placeOf = (
  value: unknown,
  path: Path,
):
  | { readonly holder: Record<string | number, unknown>; readonly name: string | number; readonly text: string }
  | undefined => {
  let holder: unknown = undefined;
  let at = value;
  for (const name of path) {
    if (!isHolder(at)) return undefined;
    holder = at;
    at = at[name];
  }
  const name = path.at(-1);
  return typeof at === "string" && at !== "" && name !== undefined && isHolder(holder)
    ? { holder, name, text: at }
    : undefined;
};

const isHolder = (value: unknown): value is Record<string | number, unknown> =>
  typeof value === "object" && value !== null;
