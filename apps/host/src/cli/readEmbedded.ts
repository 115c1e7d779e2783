/**
 * What presets and cards carry with them, read from the files that a command line names.
 */
import { readFile } from "node:fs/promises";
import { resolve } from "node:path";
import { type Fatal, fatal } from "@cahier/domain/failure/Failure";
import * as CardFile from "@cahier/sillytavern/card/CardFile";
import * as Embedded from "@cahier/sillytavern/profile/Embedded";
import * as Effect from "effect/Effect";
import { cardRefusal } from "./cardRefusal.ts";
import { readText } from "./readInput.ts";

/** What a preset's file carries. Fails with `usage.invalid` for one that cannot be read or is no JSON object. */
export const readPreset = Effect.fnUntraced(function* (path: string): Effect.fn.Return<Embedded.Embedded, Fatal> {
  const text = yield* readText(path, "usage.invalid", "preset");
  const file = yield* Effect.try({
    try: (): unknown => JSON.parse(text),
    catch: (cause) => fatal("usage.invalid", `The preset ${path} is not JSON. Export it again.`, { cause }),
  });
  return Embedded.ofPreset(file);
});

/** A character's id, and what its card carries. */
export interface CardContents {
  readonly characterId: string;
  readonly embedded: Embedded.Embedded;
}

/** What a card's file carries. Fails with the code of what is wrong with the card. */
export const readCard = Effect.fnUntraced(function* (path: string): Effect.fn.Return<CardContents, Fatal> {
  const bytes = yield* Effect.tryPromise({
    try: () => readFile(resolve(path)),
    catch: (cause) =>
      fatal("card.not_found", `There is no card at ${path} that can be read. Check the path.`, { cause }),
  });
  const embedded = yield* Effect.mapError(Embedded.ofCard(bytes), cardRefusal);
  return { characterId: CardFile.characterId(path), embedded };
});
