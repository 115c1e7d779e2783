/**
 * Whether an entry's keys are found, and how many of them.
 */
import type * as Haystack from "./Haystack.ts";
import * as LoreEntry from "./LoreEntry.ts";
import * as LoreKey from "./LoreKey.ts";

/** What holds for entries that do not say, and how macros in keys are replaced. */
export interface Rules {
  readonly isCaseSensitive: boolean;
  readonly areWholeWords: boolean;
  readonly expand: (text: string) => string;
}

/** Primary keys, then secondary keys by the entry's logic. */
export const matches = (entry: LoreEntry.LoreEntry, haystack: Haystack.Haystack, rules: Rules): boolean => {
  const comparison = comparisonOf(entry, rules);
  const keys = keysOf(entry);
  const isFound = (key: PreparedKey): boolean => {
    const lookedFor = key.isTemplate ? LoreKey.compile(rules.expand(key.written.text).trim()) : key.trimmed;
    return lookedFor.text !== "" && LoreKey.isIn(lookedFor, haystack, comparison);
  };
  if (!keys.primary.some(isFound)) return false;
  if (!entry.selective || keys.secondary.length === 0) return true;
  if (entry.selectiveLogic === LoreEntry.logic.andAny) return keys.secondary.some(isFound);
  if (entry.selectiveLogic === LoreEntry.logic.notAll) return !keys.secondary.every(isFound);
  if (entry.selectiveLogic === LoreEntry.logic.notAny) return !keys.secondary.some(isFound);
  return entry.selectiveLogic === LoreEntry.logic.andAll && keys.secondary.every(isFound);
};

/** The number of keys found as they are written, without macros, for the choice within a group. */
export const score = (entry: LoreEntry.LoreEntry, haystack: Haystack.Haystack, rules: Rules): number => {
  const comparison = comparisonOf(entry, rules);
  const keys = keysOf(entry);
  const found = (list: ReadonlyArray<PreparedKey>): number =>
    list.filter((key) => LoreKey.isIn(key.written, haystack, comparison)).length;
  const primary = found(keys.primary);
  if (keys.primary.length === 0) return 0;
  const secondary = keys.secondary.length === 0 ? 0 : found(keys.secondary);
  if (entry.selectiveLogic === LoreEntry.logic.andAny) return primary + secondary;
  const hasAll = entry.selectiveLogic === LoreEntry.logic.andAll && secondary === keys.secondary.length;
  return hasAll ? primary + secondary : primary;
};

interface PreparedKey {
  readonly written: LoreKey.LoreKey;
  readonly trimmed: LoreKey.LoreKey;
  readonly isTemplate: boolean;
}

interface PreparedKeys {
  readonly primary: ReadonlyArray<PreparedKey>;
  readonly secondary: ReadonlyArray<PreparedKey>;
}

const comparisonOf = (entry: LoreEntry.LoreEntry, rules: Rules): LoreKey.Comparison => ({
  isCaseSensitive: entry.caseSensitive ?? rules.isCaseSensitive,
  areWholeWords: entry.matchWholeWords ?? rules.areWholeWords,
});

const keysOf = (entry: LoreEntry.LoreEntry): PreparedKeys => {
  const known = prepared.get(entry);
  if (known !== undefined) return known;
  const keys = { primary: entry.keys.map(prepare), secondary: entry.secondaryKeys.map(prepare) };
  prepared.set(entry, keys);
  return keys;
};

/** Keys are compiled once for as long as a book is in use. */
const prepared = new WeakMap<LoreEntry.LoreEntry, PreparedKeys>();

const prepare = (key: string): PreparedKey => {
  const written = LoreKey.compile(key);
  const trimmed = key.trim();
  return {
    written,
    trimmed: trimmed === key ? written : LoreKey.compile(trimmed),
    isTemplate: /\{\{|<|\\[{}]/.test(key),
  };
};
