/**
 * A lorebook: a file of its own, or the book inside a card.
 */
import * as Effect from "effect/Effect";
import { isArray, isObject, type JsonObject } from "../chat/internal/json.ts";
import * as fields from "../internal/fields.ts";
import * as LoreEntry from "../worldinfo/LoreEntry.ts";
import { MaterialFault } from "./MaterialFault.ts";

/** `name` is what settings, cards, chats and personas link to: the file's name without its ending. */
export interface Lorebook {
  readonly name: string;
  /** In ascending uid. */
  readonly entries: ReadonlyArray<LoreEntry.LoreEntry>;
}

/** Reads a book; entries are an object by uid, or a list. Fails with `NotALorebook`. */
export const decode = Effect.fnUntraced(function* (name: string, file: unknown) {
  const entries = isObject(file) ? file["entries"] : undefined;
  if (!isObject(entries) && !isArray(entries)) {
    return yield* new MaterialFault({
      reason: { _tag: "NotALorebook" },
      detail: "This JSON is no lorebook: it has no entries. Export the lorebook from SillyTavern's World Info panel.",
    });
  }
  return {
    name,
    entries: Object.values(entries)
      .filter(isObject)
      .map((entry, index) => LoreEntry.fromFile(name, entry, index)),
  } satisfies Lorebook;
});

/**
 * The book that SillyTavern's import makes of the one in a card, or null where the card has none. `otherwise` names a book
 * without a name.
 */
export const fromCard = (book: unknown, otherwise: string): Lorebook | null => {
  if (!isObject(book) || !isArray(book["entries"])) return null;
  const name = fields.text(book, "name") || otherwise;
  const byUid = new Map<number, JsonObject>();
  fields.objects(book, "entries").forEach((entry, index) => {
    const uid = fields.number(entry, "id", index);
    byUid.set(uid, converted(entry, uid, index));
  });
  return {
    name,
    entries: [...byUid]
      .toSorted(([left], [right]) => left - right)
      .map(([uid, entry]) => LoreEntry.fromFile(name, entry, uid)),
  };
};

/** An entry of a card's book as the import writes it; what the card does not say has the file's default. */
const converted = (entry: JsonObject, uid: number, index: number): JsonObject => {
  const extensions = fields.object(entry, "extensions");
  const keyed = (key: string, otherwise: unknown): unknown => extensions[key] ?? otherwise;
  return {
    key: fields.texts(entry, "keys"),
    keysecondary: fields.texts(entry, "secondary_keys"),
    comment: fields.text(entry, "comment"),
    content: fields.text(entry, "content"),
    constant: fields.flag(entry, "constant"),
    vectorized: keyed("vectorized", false),
    selective: fields.flag(entry, "selective"),
    selectiveLogic: keyed("selectiveLogic", LoreEntry.logic.andAny),
    addMemo: fields.text(entry, "comment") !== "",
    order: fields.number(entry, "insertion_order", 100),
    position: keyed("position", entry["position"] === "before_char" ? LoreEntry.place.before : LoreEntry.place.after),
    disable: !fields.flag(entry, "enabled", true),
    ignoreBudget: keyed("ignore_budget", false),
    excludeRecursion: keyed("exclude_recursion", false),
    preventRecursion: keyed("prevent_recursion", false),
    matchPersonaDescription: keyed("match_persona_description", false),
    matchCharacterDescription: keyed("match_character_description", false),
    matchCharacterPersonality: keyed("match_character_personality", false),
    matchCharacterDepthPrompt: keyed("match_character_depth_prompt", false),
    matchScenario: keyed("match_scenario", false),
    matchCreatorNotes: keyed("match_creator_notes", false),
    delayUntilRecursion: keyed("delay_until_recursion", false),
    probability: keyed("probability", 100),
    useProbability: keyed("useProbability", true),
    depth: keyed("depth", 4),
    outletName: keyed("outlet_name", ""),
    group: keyed("group", ""),
    groupOverride: keyed("group_override", false),
    groupWeight: keyed("group_weight", 100),
    scanDepth: keyed("scan_depth", null),
    caseSensitive: keyed("case_sensitive", null),
    matchWholeWords: keyed("match_whole_words", null),
    useGroupScoring: keyed("use_group_scoring", null),
    automationId: keyed("automation_id", ""),
    role: keyed("role", 0),
    sticky: keyed("sticky", null),
    cooldown: keyed("cooldown", null),
    delay: keyed("delay", null),
    triggers: keyed("triggers", []),
    uid,
    displayIndex: keyed("display_index", index),
    extensions,
  };
};
