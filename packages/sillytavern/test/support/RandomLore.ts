/** Lorebooks, settings and chats from a seed: the same seed gives the same ones. */
import { randomOf } from "./RandomChat.ts";

/** What a seed gives. */
export interface Draw {
  readonly random: () => number;
  readonly integer: (least: number, most: number) => number;
  readonly one: <A>(values: ReadonlyArray<A>) => A;
  readonly list: <A>(most: number, make: () => A) => ReadonlyArray<A>;
  /** A text of some of these pieces. */
  readonly text: (pieces: ReadonlyArray<string>, most: number, separator?: string) => string;
}

/** Runs a property for many seeds; a failure names its seed. */
export const forSeeds = (count: number, property: (draw: Draw) => void): void => {
  for (let seed = 0; seed < count; seed += 1) {
    try {
      property(drawOf(seed));
    } catch (error) {
      throw new Error(`seed ${seed}`, { cause: error });
    }
  }
};

export const words = ["bell", "fog", "lamp", "oar", "salt", "灯台", "R2", "the", ""];

/** The fields of an entry as a file has them. */
export const entry = ({ integer, list, one, text }: Draw): Readonly<Record<string, unknown>> => ({
  key: list(3, () => one(words)),
  keysecondary: list(2, () => one(words)),
  selectiveLogic: integer(0, 3),
  content: text(words, 6, " "),
  constant: one([true, false, false]),
  disable: one([true, false, false]),
  order: integer(0, 3),
  group: one(["", "", "a", "b", "a, b"]),
  probability: one([0, 50, 100]),
  ignoreBudget: one([true, false]),
  delayUntilRecursion: one([0, 0, 1, 2]),
  preventRecursion: one([true, false]),
  excludeRecursion: one([true, false]),
  sticky: one([null, 2]),
  cooldown: one([null, 3]),
  delay: one([null, null, 3]),
  scanDepth: one([null, 0, 1, 5]),
});

/** World info settings as a file has them. */
export const settings = ({ integer, one }: Draw): Readonly<Record<string, unknown>> => ({
  world_info_depth: integer(0, 4),
  world_info_recursive: one([true, false]),
  world_info_min_activations: one([0, 3]),
  world_info_match_whole_words: one([true, false]),
  world_info_use_group_scoring: one([true, false]),
  world_info_max_recursion_steps: one([0, 2]),
});

export const chat = ({ list, text }: Draw): ReadonlyArray<string> => list(6, () => text(words, 5, " "));

const drawOf = (seed: number): Draw => {
  const random = randomOf(seed);
  const integer = (least: number, most: number): number => least + Math.floor(random() * (most - least + 1));
  const one = <A>(values: ReadonlyArray<A>): A => {
    const value = values[integer(0, values.length - 1)];
    if (value === undefined) throw new Error("there is nothing to choose from");
    return value;
  };
  const list = <A>(most: number, make: () => A): ReadonlyArray<A> => Array.from({ length: integer(0, most) }, make);
  const text = (pieces: ReadonlyArray<string>, most: number, separator = ""): string =>
    list(most, () => one(pieces)).join(separator);
  return { random, integer, one, list, text };
};
