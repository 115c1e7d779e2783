/**
 * A chat as a prompt needs it: its messages with what the text alone does not tell, and its metadata.
 */
import * as Schema from "effect/Schema";
import { isArray, type JsonObject } from "../chat/internal/json.ts";
import * as fields from "../internal/fields.ts";
import * as TimedEffects from "../worldinfo/TimedEffects.ts";
import type { VariableValue } from "../macros/MacroScene.ts";

/** `swipe` counts from 1; both are null for a message without swipes. */
export interface ChatLine {
  readonly name: string;
  readonly text: string;
  readonly isUser: boolean;
  readonly isSystem: boolean;
  readonly isNarrator: boolean;
  /** Says its speaker is another than the chat's. */
  readonly hasAvatar: boolean;
  readonly swipes: number | null;
  readonly swipe: number | null;
  readonly sentAt: number | null;
}

/** Where the author's note goes, by SillyTavern's number. */
export const notePlace = { afterMain: 0, inChat: 1, beforeMain: 2 } as const;

/** `worldInfo` names the chat's lorebook; the last three win over the card's texts where not empty. */
export interface ChatMetadata {
  readonly note: {
    readonly text: string;
    readonly interval: number;
    readonly position: number;
    readonly depth: number;
    readonly role: "system" | "user" | "assistant";
  };
  readonly worldInfo: string;
  readonly timed: TimedEffects.TimedState;
  readonly variables: ReadonlyMap<string, VariableValue>;
  /** Variables that hold neither text nor a number, which no macro reads or writes; kept as they are. */
  readonly otherVariables: Readonly<Record<string, Schema.Json>>;
  readonly scenario: string;
  readonly exampleMessages: string;
  readonly systemPrompt: string;
}

/** Of a line of a chat file. */
export const line = (file: JsonObject): ChatLine => {
  const swipes = file["swipes"];
  const sent = file["send_date"];
  const sentAt = typeof sent === "number" ? sent : typeof sent === "string" ? Date.parse(sent) : Number.NaN;
  return {
    name: fields.text(file, "name"),
    text: fields.text(file, "mes"),
    isUser: fields.flag(file, "is_user"),
    isSystem: fields.flag(file, "is_system"),
    isNarrator: fields.text(fields.object(file, "extra"), "type") === "narrator",
    hasAvatar: fields.text(file, "force_avatar") !== "",
    swipes: isArray(swipes) ? swipes.length : null,
    swipe: isArray(swipes) ? fields.number(file, "swipe_id", 0) + 1 : null,
    sentAt: Number.isNaN(sentAt) ? null : sentAt,
  };
};

/** Of a chat's `chat_metadata`; `{}` gives that of a new chat. */
export const metadata = (file: JsonObject): ChatMetadata => ({
  note: {
    text: fields.text(file, "note_prompt"),
    interval: fields.number(file, "note_interval", 1),
    position: fields.number(file, "note_position", notePlace.inChat),
    depth: fields.number(file, "note_depth", 4),
    role: fields.role(file, "note_role"),
  },
  worldInfo: fields.text(file, "world_info"),
  timed: TimedEffects.fromMetadata(file),
  variables: new Map(Object.entries(fields.object(file, "variables")).filter(isReadable)),
  otherVariables: Object.fromEntries(
    Object.entries(fields.object(file, "variables")).flatMap(([name, value]) =>
      !isReadable([name, value]) && isJson(value) ? [[name, value]] : [],
    ),
  ),
  scenario: fields.text(file, "scenario"),
  exampleMessages: fields.text(file, "mes_example"),
  systemPrompt: fields.text(file, "system_prompt"),
});

const isJson = Schema.is(Schema.Json);

const isReadable = (entry: [string, unknown]): entry is [string, VariableValue] =>
  typeof entry[1] === "string" || typeof entry[1] === "number";
