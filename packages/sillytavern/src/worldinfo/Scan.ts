/**
 * Which entries a chat activates.
 *
 * Owns the passes of SillyTavern's scan: chat, recursion, minimum activations, delayed levels, with groups, chance and
 * budget. A pure function of its input and the numbers that `random` gives. Does not own where the texts go: `Activation`.
 */
import * as TokenCounter from "../tokens/TokenCounter.ts";
import * as Decorators from "./Decorators.ts";
import * as InclusionGroups from "./InclusionGroups.ts";
import * as KeyMatch from "./KeyMatch.ts";
import type * as LoreEntry from "./LoreEntry.ts";
import * as ScanText from "./ScanText.ts";
import * as TimedEffects from "./TimedEffects.ts";
import type { WorldInfoSettings } from "./WorldInfoSettings.ts";

export interface ScanInput extends ScanText.ScanTexts {
  /** In the order of `LinkedBooks.sorted`. */
  readonly entries: ReadonlyArray<LoreEntry.LoreEntry>;
  readonly settings: WorldInfoSettings;
  /** In tokens; see `WorldInfoSettings.budgetOf`. */
  readonly budget: number;
  readonly generationType: string;
  readonly character: { readonly fileName: string; readonly tags: ReadonlyArray<string> };
  readonly timed: TimedEffects.TimedState;
  readonly counter: TokenCounter.TokenCounter;
  readonly expand: (text: string) => string;
  /** From 0 to below 1. */
  readonly random: () => number;
}

/** An activated entry with its macros replaced. */
export interface Activated {
  readonly entry: LoreEntry.LoreEntry;
  readonly content: string;
}

/** `activated` in the order of activation. `overBudget` are entries that were found and found no room. */
export interface ScanResult {
  readonly activated: ReadonlyArray<Activated>;
  readonly overBudget: ReadonlyArray<LoreEntry.LoreEntry>;
  readonly timed: TimedEffects.TimedState;
}

type Pass = "chat" | "recursion" | "minimum";

export const scan = (input: ScanInput): ScanResult => {
  const { entries, settings } = input;
  const timed = TimedEffects.current(input.timed, entries, input.messages.length);
  const texts = ScanText.make(input);
  const rules = {
    isCaseSensitive: settings.isCaseSensitive,
    areWholeWords: settings.matchesWholeWords,
    expand: input.expand,
  };
  const contents = new Map<LoreEntry.LoreEntry, string>();
  const contentOf = (entry: LoreEntry.LoreEntry): string => contents.get(entry) ?? entry.content;
  const activated = new Set<LoreEntry.LoreEntry>();
  const overBudget = new Set<LoreEntry.LoreEntry>();
  const failed = new Set<LoreEntry.LoreEntry>();
  const levels = [...new Set(entries.map((entry) => entry.recursionLevel))]
    .filter((level) => level > 0)
    .toSorted((left, right) => left - right);
  const found: Array<string> = [];
  let level = levels.shift() ?? 0;
  let depth = settings.depth;
  let pass: Pass | null = "chat";
  let isOverflowed = false;

  const isFound = (entry: LoreEntry.LoreEntry, current: Pass): boolean => {
    if (activated.has(entry) || failed.has(entry) || entry.disabled) return false;
    if (!isFor(entry, input)) return false;
    const isSticky = timed.isSticky(entry);
    if (timed.isDelayed(entry) || (timed.isCooling(entry) && !isSticky)) return false;
    if (!isSticky && !isOpen(entry, current, level, settings.isRecursive)) return false;
    if (entry.decorators.includes(Decorators.activate)) return true;
    if (entry.decorators.includes(Decorators.dontActivate)) return false;
    if (entry.constant || isSticky) return true;
    return entry.keys.length > 0 && KeyMatch.matches(entry, texts.of(entry), rules);
  };

  const isLucky = (entry: LoreEntry.LoreEntry): boolean =>
    !entry.useProbability ||
    entry.probability === 100 ||
    timed.isSticky(entry) ||
    input.random() * 100 <= entry.probability;

  const admit = (candidates: ReadonlyArray<LoreEntry.LoreEntry>): void => {
    const used = TokenCounter.ofText(
      input.counter,
      found
        .toReversed()
        .map((text) => `${text}\n`)
        .join(""),
    );
    const sum = TokenCounter.growing(input.counter);
    let free = candidates.filter((entry) => entry.ignoreBudget).length;
    for (const entry of candidates) {
      if (isOverflowed && !entry.ignoreBudget) {
        overBudget.add(entry);
        if (free === 0) break;
        continue;
      }
      if (entry.ignoreBudget) free -= 1;
      if (!isLucky(entry)) {
        failed.add(entry);
        continue;
      }
      contents.set(entry, input.expand(entry.content));
      const tokens = sum.add(contentOf(entry));
      if (!entry.ignoreBudget && used + tokens >= input.budget) {
        isOverflowed = true;
        overBudget.add(entry);
        continue;
      }
      activated.add(entry);
    }
  };

  for (let steps = 0; pass !== null; steps += 1) {
    if (settings.maxRecursionSteps > 0 && steps >= settings.maxRecursionSteps) break;
    const current: Pass = pass;
    texts.reach({ depth, found: current === "minimum" ? [] : found });
    const hits = entries.filter((entry) => isFound(entry, current));
    const stickyFirst = [...hits.filter(timed.isSticky), ...hits.filter((entry) => !timed.isSticky(entry))];
    const candidates = InclusionGroups.filter(stickyFirst, activated, {
      usesScoring: settings.usesGroupScoring,
      score: (entry) => KeyMatch.score(entry, texts.of(entry), rules),
      isSticky: timed.isSticky,
      isCooling: timed.isCooling,
      random: input.random,
    });
    admit(candidates);
    const spreading = candidates.filter((entry) => !failed.has(entry) && !entry.preventRecursion);
    pass = null;
    if (settings.isRecursive && !isOverflowed && spreading.length > 0) pass = "recursion";
    if (settings.isRecursive && !isOverflowed && current === "minimum" && found.length > 0) pass = "recursion";
    if (pass === null && !isOverflowed && activated.size < settings.minActivations) {
      const isDeepest = settings.minActivationsDepthMax > 0 && depth > settings.minActivationsDepthMax;
      if (!isDeepest && depth <= input.messages.length) {
        pass = "minimum";
        depth += 1;
      }
    }
    const nextLevel = pass === null ? levels.shift() : undefined;
    if (nextLevel !== undefined) {
      level = nextLevel;
      pass = "recursion";
    }
    if (pass !== null && spreading.length > 0) found.push(spreading.map(contentOf).join("\n"));
  }

  const result = [...activated];
  return {
    activated: result.map((entry) => ({ entry, content: contentOf(entry) })),
    overBudget: [...overBudget].filter((entry) => !activated.has(entry)),
    timed: TimedEffects.after(timed.state, result, input.messages.length),
  };
};

/** Whether the entry is for this kind of generation and this character. */
const isFor = (entry: LoreEntry.LoreEntry, { character, generationType }: ScanInput): boolean => {
  if (entry.triggers.length > 0 && !entry.triggers.includes(generationType)) return false;
  const { isExclude, names, tags } = entry.filter;
  if (names.length > 0 && names.includes(character.fileName) === isExclude) return false;
  return tags.length === 0 || tags.some((tag) => character.tags.includes(tag)) !== isExclude;
};

/** Whether recursion's rules let the entry take part in the pass. */
const isOpen = (entry: LoreEntry.LoreEntry, pass: Pass, level: number, isRecursive: boolean): boolean => {
  if (pass !== "recursion") return entry.recursionLevel === 0;
  return entry.recursionLevel <= level && !(isRecursive && entry.excludeRecursion);
};
