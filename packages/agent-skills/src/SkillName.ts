/**
 * Names of Skills: what may be one here, and what the published format would say of it.
 */
import type { SkillWarning } from "@cahier/domain/skill/Skill";
import { quote } from "@cahier/domain/workspace/Refusal";
import * as Limits from "./Limits.ts";
import { warn } from "./SkillWarningCode.ts";

/** True for lower-case letters, digits, `-` and `_`, from 1 to 128 of them. */
export const isName = (text: string): boolean => text.length <= Limits.maxNameCharacters && /^[a-z0-9_-]+$/.test(text);

/**
 * The name nearest to a text that is none: letters lose case and accents, everything else becomes one `-`. `undefined`
 * when no letter or digit is left, as of a text in Chinese.
 */
export const nearest = (text: string): string | undefined => {
  const plain = text
    .slice(0, 2 * Limits.maxNameCharacters)
    .normalize("NFKD")
    .replaceAll(/\p{M}/gu, "")
    .toLowerCase()
    .replaceAll(/[^a-z0-9_]+/g, "-")
    .slice(0, Limits.maxNameCharacters);
  const name = plain.replace(/^-/, "").replace(/-$/, "");
  return /[a-z0-9]/.test(name) ? name : undefined;
};

/** What other programs will not like about a name that is one here. `folderName` is where the package lies, if known. */
export const oddities = (name: string, folderName: string | undefined): ReadonlyArray<SkillWarning> => [
  ...(name.length > Limits.publishedNameCharacters
    ? [
        warn(
          "name_too_long",
          `The name ${quote(name)} is longer than ${Limits.publishedNameCharacters} characters; other programs may refuse it.`,
        ),
      ]
    : []),
  ...(/^[a-z0-9]+(?:-[a-z0-9]+)*$/.test(name)
    ? []
    : [
        warn(
          "name_unpublishable",
          `The name ${quote(name)} is not made of letters and digits with single hyphens between; other programs may refuse it.`,
        ),
      ]),
  ...(folderName === undefined || folderName === name
    ? []
    : [
        warn(
          "name_unlike_folder",
          `The name is ${quote(name)} and the folder ${quote(folderName)}; other programs want them equal.`,
        ),
      ]),
];
