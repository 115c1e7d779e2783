/**
 * Where presets are looked for by name: the user folder of a SillyTavern.
 */
import { stat } from "node:fs/promises";
import { resolve } from "node:path";
import type { Fatal } from "@cahier/domain/failure/Failure";
import * as PresetFolder from "@cahier/sillytavern/material/PresetFolder";
import * as Effect from "effect/Effect";
import { invalid, type ParsedCommand, valueOf } from "./parse.ts";

/** Finds a preset by name. */
export type PresetLookup = ReturnType<typeof PresetFolder.lookup>;

/** The presets of --presets, else of CAHIER_SILLYTAVERN; undefined where neither names a folder. */
export const presetLookup = Effect.fnUntraced(function* (
  command: ParsedCommand,
): Effect.fn.Return<PresetLookup | undefined, Fatal> {
  const stated = valueOf(command, "presets");
  const folder = stated ?? process.env["CAHIER_SILLYTAVERN"] ?? "";
  if (stated === undefined && folder === "") return undefined;
  const isFolder = yield* Effect.promise(() =>
    stat(resolve(folder)).then(
      (found) => found.isDirectory(),
      () => false,
    ),
  );
  if (folder === "" || !isFolder)
    return yield* invalid(
      `${stated === undefined ? "CAHIER_SILLYTAVERN" : "--presets"} names no folder. Name a user folder of SillyTavern, such as data/default-user.`,
    );
  return PresetFolder.lookup(resolve(folder));
});
