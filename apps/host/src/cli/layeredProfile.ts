/**
 * The profile of `run` with its layers: what --preset or the profile's own preset carries, what --card carries, and --set.
 */
import type { ProfileChoice } from "@cahier/application/profile/findProfile";
import type { Tools } from "@cahier/application/tool/Tools";
import type { Fatal } from "@cahier/domain/failure/Failure";
import type { PresetRef } from "@cahier/domain/profile/ProfileParts";
import type { DocumentStore } from "@cahier/ports/DocumentStore";
import * as Effect from "effect/Effect";
import * as Result from "effect/Result";
import { type Carried, layeredChoice } from "../profiles/layeredChoice.ts";
import { overridesOf } from "../profiles/overridesOf.ts";
import { invalid, type ParsedCommand, valueOf, valuesOf } from "./parse.ts";
import { presetFile } from "./presetFolder.ts";
import { printable } from "./printable.ts";
import { readCardLayer, readPresetLayer } from "./readEmbedded.ts";

/** What --set overrides, as a partial profile; undefined where it is not given. */
export const readOverrides = (command: ParsedCommand): Effect.Effect<unknown, Fatal> =>
  Effect.fromResult(Result.mapError(overridesOf(valuesOf(command, "set")), (message) => invalid(`--set: ${message}`)));

/** The chosen profile with all its layers. What of them is not taken is logged as a warning. */
export const layeredProfile = Effect.fnUntraced(function* (
  command: ParsedCommand,
  chosen: ProfileChoice,
  overrides: unknown,
): Effect.fn.Return<ProfileChoice, Fatal, DocumentStore | Tools> {
  const card = valueOf(command, "card");
  const character = card === undefined ? undefined : { source: `the card ${card}`, stated: yield* readCardLayer(card) };
  const presetOf = (named: PresetRef | undefined) => carriedByPreset(command, named);
  const { choice, notes } = yield* layeredChoice(chosen, { overrides, presetOf, character });
  yield* Effect.forEach(notes, (note) => Effect.logWarning(printable(note)), { discard: true });
  return choice;
});

/** A preset that the profile names takes the place of that of --preset, as it does in prompts. */
const carriedByPreset = Effect.fnUntraced(function* (
  command: ParsedCommand,
  named: PresetRef | undefined,
): Effect.fn.Return<Carried | undefined, Fatal> {
  const path = named === undefined ? valueOf(command, "preset") : yield* presetFile(command, named);
  if (path === undefined) return undefined;
  return { source: `the preset ${named?.name ?? path}`, stated: yield* readPresetLayer(path) };
});
