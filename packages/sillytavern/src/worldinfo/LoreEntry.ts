/**
 * An entry of a lorebook.
 *
 * Owns its fields with SillyTavern's defaults, and its hash. Does not own when it is activated.
 */
import type { JsonObject } from "../chat/internal/json.ts";
import * as fields from "../internal/fields.ts";
import * as Decorators from "./Decorators.ts";

/** Texts beside the chat that an entry may also be looked for in. */
export const sourceNames = [
  "personaDescription",
  "characterDescription",
  "characterPersonality",
  "characterDepthPrompt",
  "scenario",
  "creatorNotes",
] as const;
export type SourceName = (typeof sourceNames)[number];

/** How secondary keys count, by SillyTavern's number. */
export const logic = { andAny: 0, notAll: 1, notAny: 2, andAll: 3 } as const;

/** Where an entry's text goes, by SillyTavern's number. */
export const place = {
  before: 0,
  after: 1,
  noteTop: 2,
  noteBottom: 3,
  atDepth: 4,
  examplesTop: 5,
  examplesBottom: 6,
  outlet: 7,
} as const;

/** `null` and 0 stand for what is not set. `file` is the entry as its file has it. */
export interface LoreEntry {
  readonly world: string;
  readonly uid: number;
  readonly comment: string;
  readonly content: string;
  readonly decorators: ReadonlyArray<string>;
  readonly keys: ReadonlyArray<string>;
  readonly secondaryKeys: ReadonlyArray<string>;
  readonly selective: boolean;
  readonly selectiveLogic: number;
  readonly constant: boolean;
  readonly disabled: boolean;
  readonly order: number;
  readonly position: number;
  readonly depth: number;
  readonly role: "system" | "user" | "assistant";
  readonly outletName: string;
  readonly scanDepth: number | null;
  readonly caseSensitive: boolean | null;
  readonly matchWholeWords: boolean | null;
  readonly sources: ReadonlyArray<SourceName>;
  readonly probability: number;
  readonly useProbability: boolean;
  readonly ignoreBudget: boolean;
  readonly excludeRecursion: boolean;
  readonly preventRecursion: boolean;
  /** The level from which it takes part in recursion; 0 from the beginning. */
  readonly recursionLevel: number;
  readonly group: string;
  readonly groupOverride: boolean;
  readonly groupWeight: number;
  readonly useGroupScoring: boolean | null;
  readonly sticky: number;
  readonly cooldown: number;
  readonly delay: number;
  readonly triggers: ReadonlyArray<string>;
  readonly filter: {
    readonly isExclude: boolean;
    readonly names: ReadonlyArray<string>;
    readonly tags: ReadonlyArray<string>;
  };
  readonly file: JsonObject;
}

/** The entry of a book's file. `uid` is for a file that does not name one. */
export const fromFile = (world: string, file: JsonObject, uid: number): LoreEntry => {
  const { content, decorators } = Decorators.split(fields.text(file, "content"));
  const filter = fields.object(file, "characterFilter");
  return {
    world,
    uid: fields.number(file, "uid", uid),
    comment: fields.text(file, "comment"),
    content,
    decorators,
    keys: fields.texts(file, "key"),
    secondaryKeys: fields.texts(file, "keysecondary"),
    selective: fields.flag(file, "selective", true),
    selectiveLogic: fields.number(file, "selectiveLogic", logic.andAny),
    constant: fields.flag(file, "constant"),
    disabled: fields.flag(file, "disable"),
    order: fields.number(file, "order", 100),
    position: fields.number(file, "position", place.before),
    depth: fields.number(file, "depth", 4),
    role: fields.role(file, "role"),
    outletName: fields.text(file, "outletName"),
    scanDepth: fields.numberOrNull(file, "scanDepth"),
    caseSensitive: fields.flagOrNull(file, "caseSensitive"),
    matchWholeWords: fields.flagOrNull(file, "matchWholeWords"),
    sources: sourceNames.filter((name) => file[sourceFlag[name]] === true),
    probability: fields.number(file, "probability", 100),
    useProbability: fields.flag(file, "useProbability", true),
    ignoreBudget: fields.flag(file, "ignoreBudget"),
    excludeRecursion: fields.flag(file, "excludeRecursion"),
    preventRecursion: fields.flag(file, "preventRecursion"),
    recursionLevel: file["delayUntilRecursion"] === true ? 1 : fields.number(file, "delayUntilRecursion", 0),
    group: fields.text(file, "group"),
    groupOverride: fields.flag(file, "groupOverride"),
    groupWeight: fields.number(file, "groupWeight", 100),
    useGroupScoring: fields.flagOrNull(file, "useGroupScoring"),
    sticky: fields.number(file, "sticky", 0),
    cooldown: fields.number(file, "cooldown", 0),
    delay: fields.number(file, "delay", 0),
    triggers: fields.texts(file, "triggers"),
    filter: {
      isExclude: fields.flag(filter, "isExclude"),
      names: fields.texts(filter, "names"),
      tags: fields.texts(filter, "tags"),
    },
    file,
  };
};

/** The name under which timed effects of the entry are kept. */
export const keyOf = (entry: LoreEntry): string => `${entry.world}.${entry.uid}`;

/** A number that changes with any field of the entry: cyrb53 of its JSON in the order that SillyTavern gives it. */
export const hashOf = (entry: LoreEntry): number => {
  const { uid: _, ...rest } = entry.file;
  const { content, decorators, uid, world } = entry;
  return cyrb53(JSON.stringify({ uid, world, ...rest, decorators, content }));
};

const sourceFlag: Readonly<Record<SourceName, string>> = {
  personaDescription: "matchPersonaDescription",
  characterDescription: "matchCharacterDescription",
  characterPersonality: "matchCharacterPersonality",
  characterDepthPrompt: "matchCharacterDepthPrompt",
  scenario: "matchScenario",
  creatorNotes: "matchCreatorNotes",
};

const cyrb53 = (text: string): number => {
  let high = 0xdeadbeef;
  let low = 0x41c6ce57;
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    high = Math.imul(high ^ code, 2654435761);
    low = Math.imul(low ^ code, 1597334677);
  }
  const mixedHigh = Math.imul(high ^ (high >>> 16), 2246822507) ^ Math.imul(low ^ (low >>> 13), 3266489909);
  const mixedLow = Math.imul(low ^ (low >>> 16), 2246822507) ^ Math.imul(mixedHigh ^ (mixedHigh >>> 13), 3266489909);
  return 4294967296 * (2097151 & mixedLow) + (mixedHigh >>> 0);
};
