/**
 * For whom a Skill is installed, and in which order scopes are looked through.
 */
import * as Schema from "effect/Schema";

/** `apiId` is the kind of preset, such as `openai`; `characterId` the character's card. */
export const SkillScope = Schema.Union([
  Schema.Struct({ kind: Schema.Literal("global") }),
  Schema.Struct({ kind: Schema.Literal("preset"), apiId: Schema.NonEmptyString, name: Schema.NonEmptyString }),
  Schema.Struct({ kind: Schema.Literal("profile"), profileId: Schema.NonEmptyString }),
  Schema.Struct({ kind: Schema.Literal("character"), characterId: Schema.NonEmptyString }),
]);
export type SkillScope = typeof SkillScope.Type;

export const globalScope: SkillScope = { kind: "global" };

/** From the widest to the narrowest: of two Skills of one name the later scope's is used. */
export const scopeOrder = ["global", "preset", "profile", "character"] as const satisfies ReadonlyArray<
  SkillScope["kind"]
>;

/** What a run has a Skill's scope of beside profiles: the preset that it was started under, and its chat's character. */
export const AmbientScopes = Schema.Struct({
  preset: Schema.optionalKey(Schema.Struct({ apiId: Schema.NonEmptyString, name: Schema.NonEmptyString })),
  characterId: Schema.optionalKey(Schema.NonEmptyString),
});
export type AmbientScopes = typeof AmbientScopes.Type;

/** The scopes that the agent of a profile looks through, in `scopeOrder`. */
export const scopesFor = (profileId: string, { characterId, preset }: AmbientScopes): ReadonlyArray<SkillScope> => [
  globalScope,
  ...(preset === undefined ? [] : [{ kind: "preset" as const, apiId: preset.apiId, name: preset.name }]),
  { kind: "profile", profileId },
  ...(characterId === undefined ? [] : [{ kind: "character" as const, characterId }]),
];

/** A text that two scopes share exactly when they are the same. */
export const scopeKey = (scope: SkillScope): string => {
  switch (scope.kind) {
    case "global":
      return "global";
    case "preset":
      return JSON.stringify(["preset", scope.apiId, scope.name]);
    case "profile":
      return JSON.stringify(["profile", scope.profileId]);
    case "character":
      return JSON.stringify(["character", scope.characterId]);
  }
};

/** What a person reads. */
export const scopeLabel = (scope: SkillScope): string => {
  switch (scope.kind) {
    case "global":
      return "global";
    case "preset":
      return `preset ${scope.apiId}/${scope.name}`;
    case "profile":
      return `profile ${scope.profileId}`;
    case "character":
      return `character ${scope.characterId}`;
  }
};
