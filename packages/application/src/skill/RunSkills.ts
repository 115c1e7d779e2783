/**
 * What a run asks of the installed Skills, with its ports at hand.
 */
import type { Fatal } from "@cahier/domain/failure/Failure";
import type { CompleteProfile } from "@cahier/domain/profile/CompleteProfile";
import type { AmbientScopes } from "@cahier/domain/skill/SkillScope";
import { DocumentStore } from "@cahier/ports/DocumentStore";
import * as Effect from "effect/Effect";
import { type ResolvedSkills, resolveSkills } from "./resolveSkills.ts";
import * as SkillContents from "./SkillContents.ts";

export interface RunSkills {
  readonly contents: SkillContents.SkillContents;
  /** See `resolveSkills`. */
  readonly resolve: (
    profile: Pick<CompleteProfile, "id" | "preset" | "skills">,
    ambient: AmbientScopes,
  ) => Effect.Effect<ResolvedSkills, Fatal>;
}

/** Over the storage of this process. */
export const make = Effect.gen(function* () {
  const documents = yield* DocumentStore;
  return {
    contents: yield* SkillContents.make,
    resolve: (profile, ambient) => Effect.provideService(resolveSkills(profile, ambient), DocumentStore, documents),
  } satisfies RunSkills;
});
