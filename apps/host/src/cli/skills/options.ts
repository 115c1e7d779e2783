/**
 * What the commands about Skills are told: scopes, sources and what becomes of a conflict.
 */
import type { Fatal } from "@cahier/domain/failure/Failure";
import type { SkillSource } from "@cahier/domain/skill/Skill";
import { globalScope, type SkillScope } from "@cahier/domain/skill/SkillScope";
import type { OnConflict } from "@cahier/application/skill/Skills";
import * as Effect from "effect/Effect";
import { scopeForms, scopeOf, sourceForms, sourceOf } from "../../skills/scopeText.ts";
import { invalid, type ParsedCommand, valueOf, wordOf } from "../parse.ts";

/** The scope of an option, if it was given. */
export const statedScope = (command: ParsedCommand, option = "scope"): Effect.Effect<SkillScope | undefined, Fatal> => {
  const stated = valueOf(command, option);
  if (stated === undefined) return Effect.undefined;
  const scope = scopeOf(stated);
  return scope === undefined ? Effect.fail(invalid(`--${option} takes ${scopeForms}.`)) : Effect.succeed(scope);
};

/** The scope of an option; the global one where it was not given. */
export const scopeOrGlobal = (command: ParsedCommand): Effect.Effect<SkillScope, Fatal> =>
  Effect.map(statedScope(command), (scope) => scope ?? globalScope);

/** What --source names, if it was given. */
export const statedSource = (
  command: ParsedCommand,
): Effect.Effect<Pick<SkillSource, "id" | "kind"> | undefined, Fatal> => {
  const stated = valueOf(command, "source");
  if (stated === undefined) return Effect.undefined;
  const source = sourceOf(stated);
  return source === undefined ? Effect.fail(invalid(`--source takes ${sourceForms}.`)) : Effect.succeed(source);
};

/** What --on-conflict says, if it was given. */
export const onConflict = (command: ParsedCommand): Effect.Effect<OnConflict | undefined, Fatal> =>
  wordOf(command, "on-conflict", ["skip", "replace"]);
