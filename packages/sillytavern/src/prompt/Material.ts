/**
 * The files that a user assembles prompts from, and how they meet what a run knows.
 */
import type { ChatMessage } from "@cahier/domain/chat/Chat";
import type { Character, PromptInput } from "@cahier/ports/PromptAssembler";
import type { CardSheet } from "../material/CardSheet.ts";
import * as ChatRecord from "../material/ChatRecord.ts";
import type { Lorebook } from "../material/Lorebook.ts";
import type { Preset } from "../material/Preset.ts";
import * as UserSettings from "../material/UserSettings.ts";
import type { TokenCounter } from "../tokens/TokenCounter.ts";
import type { AssemblyInput } from "./AssemblyInput.ts";
import { seededRandom } from "./seededRandom.ts";

/**
 * Without settings those of a new installation hold, with all lorebooks for all chats. `sheet` is what a card holds beside
 * the port's character; `tags` are ids of tags, by default those that the settings give the character; `model` decides how tokens are counted where the prompt's input does not.
 */
export interface Material {
  readonly preset: Preset;
  readonly lorebooks?: ReadonlyArray<Lorebook>;
  readonly settings?: UserSettings.UserSettings;
  readonly persona?: string;
  readonly sheet?: CardSheet;
  readonly tags?: ReadonlyArray<string>;
  readonly model?: string;
}

/** When a prompt is made. */
export interface Instant {
  readonly now: number;
  readonly zoneMinutes: number;
}

/** Which model the prompt is for, the one that reads it before the material's; empty where neither is named. */
export const modelOf = (material: Material, input: PromptInput): string => input.model ?? material.model ?? "";

/**
 * The input of an assembly. Chance falls by the chat and its revision, so equal inputs give equal prompts. A budget below the
 * preset's own context takes its place, and the lore's share with it.
 */
export const inputOf = (
  material: Material,
  input: PromptInput,
  counter: TokenCounter,
  { now, zoneMinutes }: Instant,
): AssemblyInput => {
  const { chat } = input;
  const lorebooks = material.lorebooks ?? [];
  const seed = chat.stableChatId;
  const { preset } = material;
  const settings = settingsOf(material, chat.userName);
  const cardFileName = chat.ref.kind === "character" ? chat.ref.characterId : chat.characterName;
  const budget = Math.min(input.budgetTokens ?? Infinity, preset.context - preset.response);
  const isNarrower = budget < preset.context - preset.response;
  return {
    preset: isNarrower ? { ...preset, context: budget + preset.response } : preset,
    turns: isNarrower ? "whole" : "single",
    settings,
    card: { ...emptySheet, ...material.sheet, ...(input.character ?? { name: chat.characterName }) },
    cardFileName,
    tags: material.tags ?? settings.characterTags.get(cardFileName) ?? [],
    group: chat.ref.kind === "group" ? speakersOf(chat.messages) : [],
    chat: chat.messages.map(ChatRecord.frozenLine),
    metadata: ChatRecord.metadata(chat.metadata ?? {}),
    globalVariables: new Map(),
    lorebooks: new Map(lorebooks.map((book) => [book.name, book])),
    generationType: input.generationType,
    historyMessages: input.initialChatHistoryMessages,
    includesWorldInfo: input.includeActivatedWorldInfo ?? true,
    scansPersonaAtDepth: true,
    agent: { agentSystemPrompt: input.agentSystemPrompt, agentTask: input.agentTask ?? "" },
    model: modelOf(material, input),
    counter,
    now,
    zoneMinutes,
    random: seededRandom(`${seed}\n${chat.revision}`),
    seed,
  };
};

const settingsOf = (material: Material, userName: string): UserSettings.UserSettings => {
  const given = material.settings ?? {
    ...UserSettings.initial(userName),
    everywhere: (material.lorebooks ?? []).map(({ name }) => name),
  };
  if (material.persona === undefined) return given;
  return { ...given, persona: { ...given.persona, description: material.persona } };
};

const emptySheet: CardSheet & Character = {
  name: "",
  description: "",
  personality: "",
  scenario: "",
  firstMessage: "",
  exampleMessages: "",
  systemPrompt: "",
  postHistoryInstructions: "",
  creatorNotes: "",
  version: "",
  depthPrompt: { text: "", depth: 4, role: "system" },
  world: "",
  tags: [],
  book: null,
};

const speakersOf = (messages: ReadonlyArray<ChatMessage>): ReadonlyArray<string> => [
  ...new Set(messages.filter(({ role }) => role === "assistant").map(({ name }) => name)),
];
