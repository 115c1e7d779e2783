/**
 * What commands are given to make prompts of as SillyTavern does: presets by name, and for a new run a preset of its own,
 * lorebooks, settings and a persona.
 *
 * Owns reading the files and refusing the command line for one that cannot be used. Does not own what they mean.
 */
import { basename, extname, resolve } from "node:path";
import { type Fatal, fatal } from "@cahier/domain/failure/Failure";
import type { CardSheet } from "@cahier/sillytavern/material/CardSheet";
import type { MaterialFault } from "@cahier/sillytavern/material/MaterialFault";
import * as MaterialFile from "@cahier/sillytavern/material/MaterialFile";
import type { Options } from "@cahier/sillytavern/SillyTavernPromptAssembler";
import type { PresetRef } from "@cahier/ports/PromptAssembler";
import * as Effect from "effect/Effect";
import { presetApi } from "../skills/Candidate.ts";
import { invalid, type ParsedCommand, valueOf, valuesOf } from "./parse.ts";
import { presetLookup } from "./presetFolder.ts";

/** What the command knows beside its files: the card, and the name of the model where it states one. */
export interface Surroundings {
  readonly sheet: CardSheet | undefined;
  readonly model: string | undefined;
}

/** What prompts of agents are made by whose profiles name a preset. Commands that carry on what another began have no more. */
export const promptOptions = Effect.fn("cli.promptOptions")(function* (
  command: ParsedCommand,
): Effect.fn.Return<Options, Fatal> {
  const presets = yield* presetLookup(command);
  return { zoneMinutes: -new Date().getTimezoneOffset(), ...(presets === undefined ? {} : { presets }) };
});

/** The same for a new run, with the material of its own options: all but --preset need that one. */
export const newRunOptions = Effect.fn("cli.newRunOptions")(function* (
  command: ParsedCommand,
  surroundings: Surroundings,
): Effect.fn.Return<Options, Fatal> {
  const material = yield* readMaterial(command, surroundings);
  return { ...(yield* promptOptions(command)), ...(material === undefined ? {} : { material }) };
});

/** The preset of --preset by the name that SillyTavern lists it under, which Skills are installed for. */
export const presetRefOf = (command: ParsedCommand): PresetRef | undefined => {
  const path = valueOf(command, "preset");
  return path === undefined ? undefined : { apiId: presetApi, name: basename(path, extname(path)) };
};

const readMaterial = Effect.fnUntraced(function* (
  command: ParsedCommand,
  { model, sheet }: Surroundings,
): Effect.fn.Return<Options["material"], Fatal> {
  const presetPath = valueOf(command, "preset");
  const settingsPath = valueOf(command, "settings");
  const persona = valueOf(command, "persona");
  const bookPaths = valuesOf(command, "lorebook");
  if (presetPath === undefined) {
    const lonely = [
      ...(bookPaths.length === 0 ? [] : ["--lorebook"]),
      ...(settingsPath === undefined ? [] : ["--settings"]),
      ...(persona === undefined ? [] : ["--persona"]),
    ];
    return lonely.length === 0 ? undefined : yield* invalid(`Give --preset FILE with ${lonely.join(" and ")}.`);
  }
  const preset = yield* given("preset", presetPath, MaterialFile.readPreset);
  const lorebooks = yield* Effect.forEach(bookPaths, (path) => given("lorebook", path, MaterialFile.readLorebook));
  const settings =
    settingsPath === undefined ? undefined : yield* given("settings", settingsPath, MaterialFile.readSettings);
  return {
    preset,
    lorebooks,
    ...(settings === undefined ? {} : { settings }),
    ...(persona === undefined ? {} : { persona }),
    ...(sheet === undefined ? {} : { sheet }),
    ...(model === undefined ? {} : { model }),
  };
});

const codes = {
  preset: "prompt_assembly.preset_data_invalid",
  lorebook: "prompt_assembly.lorebook_data_invalid",
  settings: "prompt_assembly.settings_data_invalid",
} as const;

const given = <A>(
  option: keyof typeof codes,
  path: string,
  read: (path: string) => Effect.Effect<A, MaterialFault>,
): Effect.Effect<A, Fatal> =>
  Effect.mapError(read(resolve(path)), (cause) =>
    fatal(codes[option], `--${option} ${path} cannot be used. ${cause.detail}`, { cause }),
  );
