/**
 * The profile of a start with what its preset and its card say of it, as far as they may.
 *
 * Owns in which order they are looked at, and telling what was not taken. Does not own what they may say (`narrowLayer`).
 */
import { findProfile, type ProfileChoice, type ProfileLayers } from "@cahier/application/profile/findProfile";
import type { Tools } from "@cahier/application/tool/Tools";
import type { Fatal } from "@cahier/domain/failure/Failure";
import type { CompleteProfile } from "@cahier/domain/profile/CompleteProfile";
import * as ProfileLayer from "@cahier/domain/profile/ProfileLayer";
import type { PresetRef } from "@cahier/domain/profile/ProfileParts";
import type { DocumentStore } from "@cahier/ports/DocumentStore";
import * as Effect from "effect/Effect";
import * as Result from "effect/Result";
import { narrowLayer } from "./narrowLayer.ts";

/** What a file states of the profile, of any shape, and what a person calls the file. */
export interface Carried {
  readonly source: string;
  readonly stated: unknown;
}

/**
 * `overrides` are the user's own. `presetOf` gives what the preset of the run carries, when it is known which one the profile
 * names; `character` what the card carries.
 */
export interface Surroundings {
  readonly overrides: unknown;
  readonly presetOf: (named: PresetRef | undefined) => Effect.Effect<Carried | undefined, Fatal>;
  readonly character: Carried | undefined;
}

/** The choice with all layers. `notes` say, a sentence each, what of them was left out. */
export interface LayeredChoice {
  readonly choice: ProfileChoice;
  readonly notes: ReadonlyArray<string>;
}

/** Fails as `findProfile` does. */
export const layeredChoice = Effect.fn("Profiles.layered")(function* (
  chosen: ProfileChoice,
  { character, overrides, presetOf }: Surroundings,
): Effect.fn.Return<LayeredChoice, Fatal, DocumentStore | Tools> {
  const own = overrides === undefined ? chosen : { ...chosen, layers: { overrides } };
  const { profile } = yield* findProfile(own);
  const preset = yield* presetOf(profile.preset.mode === "ref" ? profile.preset.ref : undefined);
  const below = layerOf("preset", preset, profile);
  const withPreset = laid(own, below);
  if (character?.stated === undefined) return { choice: withPreset, notes: below.notes };
  const within = withPreset === own ? profile : (yield* findProfile(withPreset)).profile;
  const above = layerOf("character", character, within);
  return { choice: laid(withPreset, above), notes: [...below.notes, ...above.notes] };
});

interface Layer {
  readonly layers: ProfileLayers;
  readonly notes: ReadonlyArray<string>;
}

const layerOf = (name: "preset" | "character", carried: Carried | undefined, within: CompleteProfile): Layer => {
  if (carried?.stated === undefined) return { layers: {}, notes: [] };
  const { source, stated } = carried;
  const decoded = ProfileLayer.decode(stated, { layer: name, source });
  if (Result.isFailure(decoded))
    return {
      layers: {},
      notes: decoded.failure
        .slice(0, 1)
        .map(({ message, path }) => `Nothing that ${source} says of the profile is taken: ${path}: ${message}`),
    };
  const { dropped, layer } = narrowLayer(decoded.success, within);
  return {
    layers: Object.keys(layer).length === 0 ? {} : { [name]: layer, sources: { [name]: source } },
    notes: dropped.map(({ path, why }) => `What ${source} says of the profile at ${path} is not taken: ${why}.`),
  };
};

const laid = (choice: ProfileChoice, { layers }: Layer): ProfileChoice =>
  Object.keys(layers).length === 0
    ? choice
    : {
        ...choice,
        layers: { ...choice.layers, ...layers, sources: { ...choice.layers?.sources, ...layers.sources } },
      };
