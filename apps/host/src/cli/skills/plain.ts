/**
 * Installed Skills as the commands tell of them.
 */
import type { SkillWarning } from "@cahier/domain/skill/Skill";
import type { StoredSkill } from "@cahier/application/skill/SkillIndex";
import { writeScope, writeSource } from "../../skills/scopeText.ts";
import { printable } from "../printable.ts";

/** What a list says of one; scope and sources in the words that options take. */
export const briefOf = ({ files, hash, manifest, scope, sources }: StoredSkill) => ({
  name: manifest.name,
  scope: writeScope(scope),
  description: manifest.description,
  files: files.length,
  bytes: files.reduce((sum, { bytes }) => sum + bytes, 0),
  hash,
  sources: sources.map(writeSource),
});

/** Everything about one. */
export const wholeOf = ({ files, hash, installedAt, manifest, scope, sidecar, sources, warnings }: StoredSkill) => ({
  name: manifest.name,
  scope: writeScope(scope),
  manifest,
  ...(sidecar === undefined ? {} : { sidecar }),
  files,
  hash,
  sources: sources.map((source) => ({ source: writeSource(source), label: source.label })),
  installedAt,
  warnings,
});

/** A warning as a line. */
export const warningLine = ({ code, message }: SkillWarning): string => `  ${printable(`${message} (${code})`)}`;

/** What a file that differs is said to be. */
export const changeWords = { added: "new", changed: "changed", removed: "gone" } as const;
