/**
 * What a start overrides of its profile, as `PATH=JSON` words say it.
 *
 * Owns how such a word is read. Does not own what a profile may hold: that is checked where the layer is used.
 */
import * as Predicate from "effect/Predicate";
import * as Result from "effect/Result";

/**
 * One partial profile of all words, later ones over earlier ones: `tools.maxRounds=5`, `instructions.language="zh"`. Names with
 * dots, such as those of tools, stand in the JSON. Fails with what is wrong with the first word that cannot be read.
 */
export const overridesOf = (words: ReadonlyArray<string>): Result.Result<unknown, string> =>
  words.reduce<Result.Result<unknown, string>>(
    (made, word) => Result.flatMap(made, (overrides) => Result.map(read(word), (one) => over(overrides, one))),
    Result.succeed(undefined),
  );

interface Override {
  readonly keys: ReadonlyArray<string>;
  readonly value: unknown;
}

const read = (word: string): Result.Result<Override, string> => {
  const sign = word.indexOf("=");
  const keys = word
    .slice(0, Math.max(0, sign))
    .split(".")
    .map((key) => key.trim());
  if (keys.includes("")) return Result.fail(`"${word}" is no PATH=JSON, such as tools.maxRounds=5.`);
  return Result.mapError(
    Result.try((): Override => ({ keys, value: JSON.parse(word.slice(sign + 1)) })),
    () =>
      `What stands behind ${keys.join(".")}= is not JSON. Text stands in double quotes, such as instructions.language="zh".`,
  );
};

const over = (lower: unknown, { keys: [key, ...further], value }: Override): unknown => {
  if (key === undefined) return value;
  const base = isObject(lower) ? lower : {};
  const below = Object.hasOwn(base, key) ? base[key] : undefined;
  return { ...base, [key]: over(below, { keys: further, value }) };
};

const isObject = (value: unknown): value is { readonly [key: string]: unknown } =>
  Predicate.isObject(value) && !Array.isArray(value);
