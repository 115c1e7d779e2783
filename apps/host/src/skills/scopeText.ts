/**
 * Scopes and sources of Skills as words of a command line: what is said can be given back.
 */
import { resolve } from "node:path";
import { globalScope, type SkillScope } from "@cahier/domain/skill/SkillScope";
import type { SkillSource } from "@cahier/domain/skill/Skill";

/** What a scope looks like, for help and refusals. */
export const scopeForms = "global, preset:API/NAME, profile:ID or character:ID";

/** What a source looks like, for help and refusals. */
export const sourceForms = "preset:API/NAME, character:ID, folder:PATH, archive:PATH or download:URL";

/** The scope that these words name; undefined when they name none. */
export const scopeOf = (stated: string): SkillScope | undefined => {
  if (stated === "global") return globalScope;
  const [kind, rest] = split(stated);
  switch (kind) {
    case "preset": {
      const ref = presetRefOf(rest);
      return ref === undefined ? undefined : { kind, ...ref };
    }
    case "profile":
      return /^[a-z0-9_-]{1,128}$/.test(rest) ? { kind, profileId: rest } : undefined;
    case "character":
      return rest === "" ? undefined : { kind, characterId: rest };
    default:
      return undefined;
  }
};

/** The words that `scopeOf` understands as this scope. */
export const writeScope = (scope: SkillScope): string => {
  switch (scope.kind) {
    case "global":
      return "global";
    case "preset":
      return `preset:${writePresetRef(scope)}`;
    case "profile":
      return `profile:${scope.profileId}`;
    case "character":
      return `character:${scope.characterId}`;
    default:
      return scope satisfies never;
  }
};

/** Which source these words name; undefined when they name none. Paths are taken from the working folder. */
export const sourceOf = (stated: string): Pick<SkillSource, "id" | "kind"> | undefined => {
  const [kind, rest] = split(stated);
  switch (kind) {
    case "preset":
      return presetRefOf(rest) === undefined ? undefined : { kind, id: rest };
    case "character":
      return rest === "" ? undefined : { kind, id: rest };
    case "folder":
    case "archive":
      return rest === "" ? undefined : { kind, id: resolve(rest) };
    case "download":
      return rest === "" ? undefined : { kind, id: addressOf(rest) };
    default:
      return undefined;
  }
};

/** The words that `sourceOf` understands as this source. */
export const writeSource = ({ id, kind }: Pick<SkillSource, "id" | "kind">): string => `${kind}:${id}`;

/** A preset as `API/NAME`; a name may have further slashes. Undefined when one of the two is missing. */
export const presetRefOf = (stated: string): { readonly apiId: string; readonly name: string } | undefined => {
  const slash = stated.indexOf("/");
  const [apiId, name] = [stated.slice(0, slash), stated.slice(slash + 1)];
  return slash <= 0 || name.trim() === "" ? undefined : { apiId, name };
};

/** A preset as `presetRefOf` understands it. */
export const writePresetRef = ({ apiId, name }: { readonly apiId: string; readonly name: string }): string =>
  `${apiId}/${name}`;

/** An address without what may be secret in it: user, password, parameters. */
export const addressOf = (url: string): string => {
  const parsed = URL.parse(url);
  return parsed === null ? url.replace(/[?#].*$/, "") : `${parsed.origin}${parsed.pathname}`;
};

const split = (stated: string): readonly [kind: string, rest: string] => {
  const colon = stated.indexOf(":");
  return colon < 0 ? ["", stated] : [stated.slice(0, colon), stated.slice(colon + 1)];
};
