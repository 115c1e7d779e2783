/**
 * Character cards in files.
 */
import { readFile } from "node:fs/promises";
import { basename, extname } from "node:path";
import * as Effect from "effect/Effect";
import * as Card from "./Card.ts";
import { CardFault } from "./CardFault.ts";

/** The character of a card file. Fails with `Missing` or `Unreadable` beside the failures of `Card.read`. */
export const read = Effect.fn("CardFile.read")(function* (path: string) {
  return Card.characterOf(yield* readSheet(path));
});

/** All of a card file that a prompt is made of. Fails as `read` does. */
export const readSheet = Effect.fn("CardFile.readSheet")(function* (path: string) {
  const bytes = yield* Effect.tryPromise({ try: () => readFile(path), catch: (error) => faultOf(path, error) });
  return yield* Card.readSheet(bytes);
});

/** The character's id: the card's file name without its ending. */
export const characterId = (path: string): string => basename(path, extname(path));

const faultOf = (path: string, error: unknown): CardFault => {
  const code = error instanceof Error && "code" in error ? error.code : undefined;
  return code === "ENOENT" || code === "ENOTDIR"
    ? new CardFault({
        reason: { _tag: "Missing" },
        detail: `There is no card at ${path}. Check the path.`,
        cause: error,
      })
    : new CardFault({
        reason: { _tag: "Unreadable" },
        detail: `The card at ${path} cannot be read. Check that it is a file and that you may read it.`,
        cause: error,
      });
};
