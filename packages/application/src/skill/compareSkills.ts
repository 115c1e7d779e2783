/**
 * What differs between an installed Skill and a package of the same name, and what their sources come to together.
 */
import type { SkillFile, SkillSource } from "@cahier/domain/skill/Skill";
import type { StoredSkill } from "./SkillIndex.ts";

/** How an installed Skill stands to a content: there is none, it has the same, or another. */
export type Comparison = "new" | "same" | "different";

/** One file that is not the same in both. */
export interface FileChange {
  readonly path: string;
  readonly change: "added" | "changed" | "removed";
}

/** How what is installed stands to the content of this hash. */
export const compare = (installed: StoredSkill | null, hash: string): Comparison => {
  if (installed === null) return "new";
  return installed.hash === hash ? "same" : "different";
};

/** What would become of each file that differs, ordered by path. */
export const filesThatDiffer = (
  before: ReadonlyArray<SkillFile>,
  after: ReadonlyArray<SkillFile>,
): ReadonlyArray<FileChange> => {
  const old = new Map(before.map(({ path, sha256 }) => [path, sha256]));
  const present = new Set(after.map(({ path }) => path));
  const changes: ReadonlyArray<FileChange> = [
    ...after.flatMap(({ path, sha256 }): ReadonlyArray<FileChange> => {
      if (old.get(path) === sha256) return [];
      return [{ path, change: old.has(path) ? "changed" : "added" }];
    }),
    ...before.flatMap(({ path }): ReadonlyArray<FileChange> =>
      present.has(path) ? [] : [{ path, change: "removed" }],
    ),
  ];
  return changes.toSorted((left, right) => (left.path < right.path ? -1 : 1));
};

/** The Skill as these have brought it too: the same one when they have already. A source that is named anew gets its new label. */
export const withSources = (skill: StoredSkill, sources: ReadonlyArray<SkillSource>): StoredSkill => {
  const merged = new Map(skill.sources.map((source) => [keyOf(source), source]));
  for (const source of sources) merged.set(keyOf(source), source);
  const after = [...merged.values()];
  const isSame =
    after.length === skill.sources.length && after.every(({ label }, index) => skill.sources[index]?.label === label);
  return isSame ? skill : { ...skill, sources: after };
};

const keyOf = ({ id, kind }: SkillSource): string => JSON.stringify([kind, id]);
