/**
 * Presets, lorebooks and settings in files.
 */
import { readFile } from "node:fs/promises";
import { basename, extname } from "node:path";
import * as Effect from "effect/Effect";
import { parse } from "../chat/internal/json.ts";
import * as Lorebook from "./Lorebook.ts";
import { MaterialFault } from "./MaterialFault.ts";
import * as Preset from "./Preset.ts";
import * as UserSettings from "./UserSettings.ts";

/** Fails with `Missing`, `Unreadable`, `Damaged` or `NotAPreset`. */
export const readPreset = Effect.fn("MaterialFile.readPreset")(function* (path: string) {
  return yield* Preset.decode(yield* readJson(path));
});

/** The book's name is the file's without its ending. Fails with `Missing`, `Unreadable`, `Damaged` or `NotALorebook`. */
export const readLorebook = Effect.fn("MaterialFile.readLorebook")(function* (path: string) {
  return yield* Lorebook.decode(basename(path, extname(path)), yield* readJson(path));
});

/** Fails with `Missing`, `Unreadable`, `Damaged` or `NotSettings`. */
export const readSettings = Effect.fn("MaterialFile.readSettings")(function* (path: string) {
  return yield* UserSettings.decode(yield* readJson(path));
});

const readJson = Effect.fnUntraced(function* (path: string) {
  const text = yield* Effect.tryPromise({ try: () => readFile(path, "utf8"), catch: (error) => faultOf(path, error) });
  const value = parse(text.replace(/^\uFEFF/, ""));
  if (value !== undefined) return value;
  return yield* new MaterialFault({
    reason: { _tag: "Damaged" },
    detail: `${path} is no JSON, or is cut off. Export it from SillyTavern again.`,
  });
});

const faultOf = (path: string, error: unknown): MaterialFault => {
  const code = error instanceof Error && "code" in error ? error.code : undefined;
  return code === "ENOENT" || code === "ENOTDIR"
    ? new MaterialFault({
        reason: { _tag: "Missing" },
        detail: `There is no file at ${path}. Check the path.`,
        cause: error,
      })
    : new MaterialFault({
        reason: { _tag: "Unreadable" },
        detail: `${path} cannot be read. Check that it is a file and that you may read it.`,
        cause: error,
      });
};
