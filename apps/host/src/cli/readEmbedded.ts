/**
 * What presets and cards carry with them, read from the files that a command line names.
 */
import { readFile } from "node:fs/promises";
import { resolve } from "node:path";
import { type Fatal, fatal } from "@cahier/domain/failure/Failure";
import * as Card from "@cahier/sillytavern/card/Card";
import * as CardFile from "@cahier/sillytavern/card/CardFile";
import * as Embedded from "@cahier/sillytavern/profile/Embedded";
import * as Effect from "effect/Effect";
import { cardRefusal } from "./cardRefusal.ts";
import { embeddedLayer } from "../profiles/embeddedLayer.ts";
import { readText } from "./readInput.ts";

/** What a preset's file carries. Fails with `usage.invalid` for one that cannot be read or is no JSON. */
export const readPreset = (path: string): Effect.Effect<Embedded.Embedded, Fatal> =>
  Effect.map(readPresetFile(path), Embedded.ofPreset);

/** What a preset's file states of the profile of its runs, of any shape. Fails as `readPreset` does. */
export const readPresetLayer = (path: string): Effect.Effect<unknown, Fatal> =>
  Effect.map(readPresetFile(path), embeddedLayer);

/** A character's id, and what its card carries. */
export interface CardContents {
  readonly characterId: string;
  readonly embedded: Embedded.Embedded;
}

/** What a card's file carries. Fails with the code of what is wrong with the card. */
export const readCard = Effect.fnUntraced(function* (path: string): Effect.fn.Return<CardContents, Fatal> {
  const embedded = yield* Effect.mapError(Embedded.ofCard(yield* readBytes(path)), cardRefusal);
  return { characterId: CardFile.characterId(path), embedded };
});

/** What a card's file states of the profile of its runs, of any shape. Fails as `readCard` does. */
export const readCardLayer = Effect.fnUntraced(function* (path: string): Effect.fn.Return<unknown, Fatal> {
  return embeddedLayer(yield* Effect.mapError(Card.readData(yield* readBytes(path)), cardRefusal));
});

const readPresetFile = Effect.fnUntraced(function* (path: string): Effect.fn.Return<unknown, Fatal> {
  const text = yield* readText(path, "usage.invalid", "preset");
  return yield* Effect.try({
    try: (): unknown => JSON.parse(text),
    catch: (cause) => fatal("usage.invalid", `The preset ${path} is not JSON. Export it again.`, { cause }),
  });
});

const readBytes = (path: string): Effect.Effect<Uint8Array, Fatal> =>
  Effect.tryPromise({
    try: () => readFile(resolve(path)),
    catch: (cause) =>
      fatal("card.not_found", `There is no card at ${path} that can be read. Check the path.`, { cause }),
  });
