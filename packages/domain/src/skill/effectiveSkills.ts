/**
 * Which Skills an agent has: those of its scopes, of one name the narrowest scope's, less what its profile leaves out.
 */
import type { InstalledSkill } from "./Skill.ts";
import { scopeKey, scopeOrder, type SkillScope } from "./SkillScope.ts";

/** The Skills of `scopes` in the order of their names, each name once. Scopes are taken in `scopeOrder`, however given. */
export const effectiveSkills = <Skill extends InstalledSkill>(
  installed: ReadonlyArray<Skill>,
  scopes: ReadonlyArray<SkillScope>,
): ReadonlyArray<Skill> => {
  const byName = new Map<string, Skill>();
  for (const kind of scopeOrder) {
    const wanted = new Set(scopes.filter((scope) => scope.kind === kind).map(scopeKey));
    for (const skill of installed) if (wanted.has(scopeKey(skill.scope))) byName.set(skill.manifest.name, skill);
  }
  return [...byName.values()].toSorted((left, right) => (left.manifest.name < right.manifest.name ? -1 : 1));
};

/** A profile's `skills`: `*` in `visible` is every one; a denied one is never visible. */
export interface SkillVisibility {
  readonly visible: ReadonlyArray<string>;
  readonly deny: ReadonlyArray<string>;
}

/** What the profile lets its agent see of `skills`, and the names that it states and that are not there. */
export const visibleSkills = <Skill extends InstalledSkill>(
  skills: ReadonlyArray<Skill>,
  { deny, visible }: SkillVisibility,
): { readonly skills: ReadonlyArray<Skill>; readonly missing: ReadonlyArray<string> } => {
  const denied = new Set(deny);
  const named = new Set(visible);
  const present = new Set(skills.map(({ manifest }) => manifest.name));
  return {
    skills: skills.filter(({ manifest: { name } }) => (named.has("*") || named.has(name)) && !denied.has(name)),
    missing: [...named].filter((name) => name !== "*" && !present.has(name) && !denied.has(name)),
  };
};
