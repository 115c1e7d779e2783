/**
 * A chat as a prompt needs it: its messages with what the text alone does not tell, and its metadata.
 */
import type { ChatMessage } from "@cahier/domain/chat/Chat";
import * as Schema from "effect/Schema";
import { isArray, type JsonObject } from "../chat/internal/json.ts";
import * as fields from "../internal/fields.ts";
import * as TimedEffects from "../worldinfo/TimedEffects.ts";
import type { VariableValue } from "../macros/MacroScene.ts";

/** `swipe` counts from 1; both are null for a message without swipes. `sentAt` is in milliseconds since 1970. */
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
  return {
    name: fields.text(file, "name"),
    text: fields.text(file, "mes"),
    isUser: fields.flag(file, "is_user"),
    isSystem: fields.flag(file, "is_system"),
    isNarrator: fields.text(fields.object(file, "extra"), "type") === "narrator",
    hasAvatar: fields.text(file, "force_avatar") !== "",
    swipes: isArray(swipes) ? swipes.length : null,
    swipe: isArray(swipes) ? fields.number(file, "swipe_id", 0) + 1 : null,
    sentAt: typeof sent === "number" || typeof sent === "string" ? timeOf(`${sent}`) : null,
  };
};

/** What a frozen chat keeps of a line beside the port's own fields: `frozenLine` reads it. */
export const lineMetadata = ({
  hasAvatar,
  isNarrator,
  swipe,
  swipes,
}: ChatLine): NonNullable<ChatMessage["metadata"]> => ({
  ...(isNarrator ? { type: "narrator" } : {}),
  ...(hasAvatar ? { force_avatar: true } : {}),
  ...(swipes === null || swipe === null ? {} : { swipes, swipe_id: swipe - 1 }),
});

/** Of a message of a frozen chat; where nothing is known beside the port's own fields, of a line that says no more. */
export const frozenLine = (message: ChatMessage): ChatLine => {
  const kept = message.metadata ?? {};
  const swipes = fields.numberOrNull(kept, "swipes");
  return {
    name: message.name,
    text: message.text,
    isUser: message.role === "user",
    isSystem: message.hidden,
    isNarrator: message.role === "system" || fields.text(kept, "type") === "narrator",
    hasAvatar: fields.flag(kept, "force_avatar"),
    swipes,
    swipe: swipes === null ? null : fields.number(kept, "swipe_id", 0) + 1,
    sentAt: message.sendDate === undefined ? null : timeOf(message.sendDate),
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

/** A number is a time in milliseconds, as older programs wrote it; null for what is no time. */
const timeOf = (sent: string): number | null => {
  const number = Number(sent);
  const time = Number.isNaN(number) ? Date.parse(sent) : number;
  return Number.isFinite(time) && time > 0 ? time : null;
};

const isJson = Schema.is(Schema.Json);

const isReadable = (entry: [string, unknown]): entry is [string, VariableValue] =>
  typeof entry[1] === "string" || typeof entry[1] === "number";
