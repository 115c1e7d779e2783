/**
 * The part of SillyTavern's settings file that a prompt depends on: persona, author's note, world info, preferences.
 */
import * as Effect from "effect/Effect";
import { isObject, type JsonObject } from "../chat/internal/json.ts";
import * as fields from "../internal/fields.ts";
import * as WorldInfoSettings from "../worldinfo/WorldInfoSettings.ts";
import { MaterialFault } from "./MaterialFault.ts";

/** Where a persona's description goes, by SillyTavern's number. */
export const personaPlace = { inPrompt: 0, topOfNote: 2, bottomOfNote: 3, atDepth: 4, nowhere: 9 } as const;

export interface Persona {
  readonly name: string;
  readonly description: string;
  readonly position: number;
  readonly depth: number;
  readonly role: "system" | "user" | "assistant";
  readonly lorebook: string;
}

/** The author's note that a character brings: it replaces the chat's (0), or stands before (1) or after it (2). */
export interface CharacterNote {
  readonly character: string;
  readonly text: string;
  readonly isUsed: boolean;
  readonly position: number;
}

export interface UserSettings {
  readonly persona: Persona;
  readonly characterNotes: ReadonlyArray<CharacterNote>;
  readonly notesAreScanned: boolean;
  readonly worldInfo: WorldInfoSettings.WorldInfoSettings;
  /** Names of the lorebooks of all chats, in order. */
  readonly everywhere: ReadonlyArray<string>;
  /** Further lorebooks of characters, by the card's file name without its ending. */
  readonly characterBooks: ReadonlyMap<string, ReadonlyArray<string>>;
  /** Ids of the tags that the user gave characters, by the card's file name without its ending. */
  readonly characterTags: ReadonlyMap<string, ReadonlyArray<string>>;
  readonly pinsExamples: boolean;
  readonly stripsExamples: boolean;
  readonly prefersCharacterPrompt: boolean;
  readonly prefersCharacterInstructions: boolean;
}

/** Reads settings; unknown fields are passed over. Fails with `NotSettings`. */
export const decode = Effect.fnUntraced(function* (file: unknown) {
  if (!isObject(file) || !sections.some((section) => isObject(file[section]))) {
    return yield* new MaterialFault({
      reason: { _tag: "NotSettings" },
      detail: "This JSON is no settings file of SillyTavern. Give the settings.json of its user folder.",
    });
  }
  return fromFile(file);
});

/** The settings of a new installation, with a persona of this name. */
export const initial = (userName: string): UserSettings => {
  const settings = fromFile({});
  return { ...settings, persona: { ...settings.persona, name: userName } };
};

const sections = ["power_user", "world_info_settings", "extension_settings"];

const fromFile = (file: JsonObject): UserSettings => {
  const powerUser = fields.object(file, "power_user");
  const worldInfo = fields.object(file, "world_info_settings");
  const world = fields.object(worldInfo, "world_info");
  const note = fields.object(fields.object(file, "extension_settings"), "note");
  return {
    persona: personaOf(file, powerUser),
    characterNotes: fields.objects(note, "chara").map((found) => ({
      character: fields.text(found, "name"),
      text: fields.text(found, "prompt"),
      isUsed: fields.flag(found, "useChara"),
      position: fields.number(found, "position", 0),
    })),
    notesAreScanned: fields.flag(note, "allowWIScan"),
    worldInfo: WorldInfoSettings.fromFile(worldInfo),
    everywhere: fields.texts(world, "globalSelect"),
    characterBooks: new Map(
      fields.objects(world, "charLore").map((found) => [fields.text(found, "name"), fields.texts(found, "extraBooks")]),
    ),
    characterTags: tagsOf(fields.object(file, "tag_map")),
    pinsExamples: fields.flag(powerUser, "pin_examples"),
    stripsExamples: fields.flag(powerUser, "strip_examples"),
    prefersCharacterPrompt: fields.flag(powerUser, "prefer_character_prompt", true),
    prefersCharacterInstructions: fields.flag(powerUser, "prefer_character_jailbreak", true),
  };
};

const tagsOf = (file: JsonObject): UserSettings["characterTags"] =>
  new Map(Object.keys(file).map((name) => [name.replace(/\.[^/.]+$/, ""), fields.texts(file, name)]));

const personaOf = (file: JsonObject, powerUser: JsonObject): Persona => {
  const avatar = fields.text(file, "user_avatar");
  const described = fields.object(fields.object(powerUser, "persona_descriptions"), avatar);
  return {
    name: fields.text(fields.object(powerUser, "personas"), avatar) || fields.text(file, "username", "User"),
    description: fields.text(described, "description"),
    position: fields.number(described, "position", personaPlace.inPrompt),
    depth: fields.number(described, "depth", 2),
    role: fields.role(described, "role"),
    lorebook: fields.text(described, "lorebook"),
  };
};
