/**
 * Which Skills an agent is given as it is made ready.
 *
 * Owns looking the index up as it stands now: whoever asks freezes what is found. Does not own which scope wins or what a
 * profile lets its agent see (`domain/skill/effectiveSkills`).
 */
import type { ChatRef } from "@cahier/domain/chat/Chat";
import { type Fatal, fatal } from "@cahier/domain/failure/Failure";
import type { InvocationId, ProfileId } from "@cahier/domain/identity/Identity";
import type { CompleteProfile } from "@cahier/domain/profile/CompleteProfile";
import { draft } from "@cahier/domain/run/RunEvent";
import { effectiveSkills, visibleSkills } from "@cahier/domain/skill/effectiveSkills";
import type { FrozenSkills } from "@cahier/domain/skill/FrozenSkills";
import { type AmbientScopes, scopesFor, type SkillScope } from "@cahier/domain/skill/SkillScope";
import type { DocumentStore } from "@cahier/ports/DocumentStore";
import * as Effect from "effect/Effect";
import * as SkillIndex from "./SkillIndex.ts";

/** `damaged` are ids of entries of which nothing is known. Where `isRecorded` is false there is nothing to keep. */
export interface ResolvedSkills {
  readonly scopes: ReadonlyArray<SkillScope>;
  readonly frozen: FrozenSkills;
  readonly damaged: ReadonlyArray<string>;
  readonly isRecorded: boolean;
}

/** What a run has of scopes for all its agents. */
export const ambientOf = (chat: ChatRef, preset: AmbientScopes["preset"]): AmbientScopes => ({
  ...(preset === undefined ? {} : { preset }),
  ...(chat.kind === "character" && chat.characterId !== "" ? { characterId: chat.characterId } : {}),
});

/**
 * The Skills of a profile's agent in a run. The preset that the profile names takes the place of the run's.
 * `agent.skill_visible_missing` when the profile names a Skill that none of its scopes has.
 */
export const resolveSkills = Effect.fn("Skills.resolve")(function* (
  { id, preset, skills }: Pick<CompleteProfile, "id" | "preset" | "skills">,
  ambient: AmbientScopes,
): Effect.fn.Return<ResolvedSkills, Fatal, DocumentStore> {
  const own = preset.mode === "ref" ? preset.ref : undefined;
  const scopes = scopesFor(id, own === undefined ? ambient : { ...ambient, preset: own });
  const listed = yield* SkillIndex.list();
  const damaged = listed.damaged.map((entry) => entry.id);
  const effective = effectiveSkills(listed.skills, scopes);
  const { missing, skills: seen } = visibleSkills(effective, skills);
  if (missing.length > 0) return yield* notThere(missing, damaged);
  const visible = new Set(seen);
  const denied = new Set(skills.deny);
  return {
    scopes,
    frozen: {
      ambient,
      skills: seen.map(({ content, hash, manifest, scope }) => ({
        name: manifest.name,
        description: manifest.description,
        scope,
        hash,
        content,
      })),
      hidden: effective
        .filter((skill) => !visible.has(skill) && !denied.has(skill.manifest.name))
        .map(({ manifest }) => manifest.name),
      denied: skills.deny,
    },
    damaged,
    isRecorded: listed.skills.length > 0 || damaged.length > 0 || ambient.preset !== undefined,
  };
});

/** The fact of what was resolved for an invocation. */
export const scopesResolved = (
  invocationId: InvocationId,
  profileId: ProfileId,
  { damaged, frozen, scopes }: ResolvedSkills,
) =>
  draft("skill_scopes_resolved", invocationId, {
    invocationId,
    profileId,
    scopes,
    refs: frozen.ambient,
    effectiveSkills: frozen.skills.map(({ content, hash, name, scope }) => ({
      name,
      scope,
      installedHash: hash,
      content,
    })),
    ...(damaged.length === 0 ? {} : { damaged }),
  });

const notThere = (missing: ReadonlyArray<string>, damaged: ReadonlyArray<string>): Fatal =>
  fatal(
    "agent.skill_visible_missing",
    `This agent is to have the ${missing.length === 1 ? "Skill" : "Skills"} ${missing.join(", ")}, and none of the places that it looks in has ${missing.length === 1 ? "it" : "them"}.${damaged.length === 0 ? "" : ` What is kept of ${damaged.join(", ")} cannot be read.`} Install what is missing, or take it out of skills.visible.`,
    { details: { missing } },
  );
