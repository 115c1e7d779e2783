/**
 * The Skills of one agent as they are frozen when it is made ready: what it may read for its whole life.
 *
 * Owns the frozen form and what an agent is told of a name that it may not read. Does not own resolving (`effectiveSkills`).
 */
import * as Result from "effect/Result";
import * as Schema from "effect/Schema";
import { Sha256 } from "../payload/Sha256.ts";
import { quote, refuse, type Refusal } from "../workspace/Refusal.ts";
import { AmbientScopes, SkillScope } from "./SkillScope.ts";

/** `hash` names the listing of its files and `content` the scope of blobs that holds both: neither ever changes. */
export const FrozenSkill = Schema.Struct({
  name: Schema.String,
  description: Schema.String,
  scope: SkillScope,
  hash: Sha256,
  content: Schema.String,
});
export type FrozenSkill = typeof FrozenSkill.Type;

/**
 * `skills` by name are those that the agent sees; `hidden` names others of its scopes, `denied` those that it is refused.
 * `ambient` is what its run has for every agent.
 */
export const FrozenSkills = Schema.Struct({
  ambient: AmbientScopes,
  skills: Schema.Array(FrozenSkill),
  hidden: Schema.Array(Schema.String),
  denied: Schema.Array(Schema.String),
});
export type FrozenSkills = typeof FrozenSkills.Type;

/** Of an agent without Skills. */
export const none: FrozenSkills = { ambient: {}, skills: [], hidden: [], denied: [] };

export type SkillRefusal = Refusal<"skill.not_found" | "skill.not_visible" | "skill.policy_denied">;

/** The Skill of this name, or why the agent does not have it. */
export const find = (
  { denied, hidden, skills }: FrozenSkills,
  name: string,
): Result.Result<FrozenSkill, SkillRefusal> => {
  const wanted = name.trim();
  const found = skills.find((skill) => skill.name === wanted);
  if (found !== undefined) return Result.succeed(found);
  const others = skills.length === 0 ? "You have none." : `You have: ${skills.map((skill) => skill.name).join(", ")}.`;
  if (denied.includes(wanted)) return refuse("skill.policy_denied", `The Skill ${quote(wanted)} is denied. ${others}`);
  if (hidden.includes(wanted)) return refuse("skill.not_visible", `The Skill ${quote(wanted)} is not yours. ${others}`);
  return refuse("skill.not_found", `There is no Skill ${quote(wanted)}. ${others}`);
};
