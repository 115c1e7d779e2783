/**
 * What a profile can ask for and this version does not do yet.
 *
 * Owns the table: a feature that is built takes its row with it. Such a field is refused and not passed over, because
 * a limit or a denial that nobody enforces is worse than none.
 */
import type { CompleteProfile } from "@cahier/domain/profile/CompleteProfile";

/** A field that asks for more than this version does, by its path, and what a person can do, in sentences. */
export interface UnsupportedFeature {
  readonly path: string;
  readonly advice: string;
}

/** One field: whether a profile leaves it at its default, and what there is instead. */
interface Feature {
  readonly path: string;
  readonly isDefault: (profile: CompleteProfile) => boolean;
  readonly instead: string;
}

const features: ReadonlyArray<Feature> = [
  {
    path: "preset.mode",
    isDefault: ({ preset }) => preset.mode !== "ref",
    instead: "Put what the preset says into instructions.agentSystemPrompt.",
  },
];

/** Every field of `profile` that asks for more than this version does. */
export const unsupportedFeatures = (profile: CompleteProfile): ReadonlyArray<UnsupportedFeature> =>
  features
    .filter(({ isDefault }) => !isDefault(profile))
    .map(({ path, instead }) => ({ path, advice: `Leave it out. ${instead}` }));
