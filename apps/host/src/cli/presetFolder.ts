/**
 * Where presets are looked for by name: the user folder of a SillyTavern.
 */
import { stat } from "node:fs/promises";
import { join, resolve } from "node:path";
import type { Fatal } from "@cahier/domain/failure/Failure";
import type { PresetRef } from "@cahier/domain/profile/ProfileParts";
import * as PresetFolder from "@cahier/sillytavern/material/PresetFolder";
import * as Effect from "effect/Effect";
import * as Result from "effect/Result";
import { invalid, type ParsedCommand, valueOf } from "./parse.ts";

/** Finds a preset by name. */
export type PresetLookup = ReturnType<typeof PresetFolder.lookup>;

/** The presets of --presets, else of CAHIER_SILLYTAVERN; undefined where neither names a folder. */
export const presetLookup = Effect.fnUntraced(function* (
  command: ParsedCommand,
): Effect.fn.Return<PresetLookup | undefined, Fatal> {
  const folder = yield* userFolder(command);
  return folder === undefined ? undefined : PresetFolder.lookup(folder);
});

/** The file of a preset by name that can be used; undefined where there is none. */
export const presetFile = Effect.fnUntraced(function* (
  command: ParsedCommand,
  ref: PresetRef,
): Effect.fn.Return<string | undefined, Fatal> {
  const folder = yield* userFolder(command);
  if (folder === undefined || Result.isFailure(yield* Effect.result(PresetFolder.lookup(folder)(ref))))
    return undefined;
  return join(folder, "OpenAI Settings", `${ref.name}.json`);
});

const userFolder = Effect.fnUntraced(function* (command: ParsedCommand): Effect.fn.Return<string | undefined, Fatal> {
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
  return resolve(folder);
});
