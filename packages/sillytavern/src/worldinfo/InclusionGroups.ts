/**
 * Groups of entries of which a pass keeps one.
 *
 * Owns who is removed. A cooling entry, which is only found while it is sticky too, is removed from its groups. Follows
 * SillyTavern also where an entry that two groups remove takes the last entry of the list with it.
 */
import type { LoreEntry } from "./LoreEntry.ts";

export interface GroupRules {
  readonly usesScoring: boolean;
  readonly score: (entry: LoreEntry) => number;
  readonly isSticky: (entry: LoreEntry) => boolean;
  readonly isCooling: (entry: LoreEntry) => boolean;
  /** From 0 to below 1. */
  readonly random: () => number;
}

/** What is left of the found entries of a pass. `activated` are those of earlier passes. */
export const filter = (
  found: ReadonlyArray<LoreEntry>,
  activated: Iterable<LoreEntry>,
  rules: GroupRules,
): ReadonlyArray<LoreEntry> => {
  const groups = groupsOf(found);
  if (groups.length === 0) return found;
  const left = [...found];
  const remove = (entry: LoreEntry): void => {
    left.splice(left.indexOf(entry), 1);
  };
  const decided = groups.map(({ members }) => {
    const sticky = members.filter(rules.isSticky);
    if (sticky.length > 0) members.filter((member) => !rules.isSticky(member)).forEach(remove);
    members.filter(rules.isCooling).forEach(remove);
    return sticky.length > 0;
  });
  const scored = groups.map(({ members, name }, index) =>
    decided[index] === true ? { name, members } : { name, members: withBestScore(members, rules, remove) },
  );
  const taken = new Set([...activated].map((entry) => entry.group));
  scored.forEach(({ members, name }, index) => {
    if (decided[index] === true) return;
    const chosen = taken.has(name) ? null : choose(members, rules.random);
    if (chosen === undefined) return;
    members.filter((member) => member !== chosen).forEach(remove);
  });
  return left;
};

interface Group {
  readonly name: string;
  readonly members: ReadonlyArray<LoreEntry>;
}

/** In the order in which an object's keys come: names that are array indexes first, in ascending order. */
const groupsOf = (found: ReadonlyArray<LoreEntry>): ReadonlyArray<Group> => {
  const groups: Record<string, Array<LoreEntry>> = Object.create(null) as Record<string, Array<LoreEntry>>;
  for (const entry of found) {
    if (entry.group === "") continue;
    for (const name of entry.group.split(/,\s*/).filter((part) => part !== "")) (groups[name] ??= []).push(entry);
  }
  return Object.entries(groups).map(([name, members]) => ({ name, members }));
};

const withBestScore = (
  members: ReadonlyArray<LoreEntry>,
  rules: GroupRules,
  remove: (entry: LoreEntry) => void,
): ReadonlyArray<LoreEntry> => {
  if (!rules.usesScoring && !members.some((member) => member.useGroupScoring === true)) return members;
  const scores = new Map(members.map((member) => [member, rules.score(member)]));
  const best = Math.max(...scores.values());
  const isBeaten = (member: LoreEntry): boolean =>
    (member.useGroupScoring ?? rules.usesScoring) && (scores.get(member) ?? 0) < best;
  members.filter(isBeaten).forEach(remove);
  return members.filter((member) => !isBeaten(member));
};

/** The member that stays; undefined where all stay. */
const choose = (members: ReadonlyArray<LoreEntry>, random: () => number): LoreEntry | undefined => {
  if (members.length <= 1) return undefined;
  const overriding = members.filter((member) => member.groupOverride);
  if (overriding.length > 0) return overriding.toSorted((left, right) => right.order - left.order)[0];
  const roll = random() * members.reduce((sum, member) => sum + member.groupWeight, 0);
  let weight = 0;
  return members.find((member) => {
    weight += member.groupWeight;
    return roll <= weight;
  });
};
