/**
 * The blocks of a preset in its order, filled.
 *
 * Owns which blocks are there and what they say. Does not own what fits, nor the history and the examples.
 */
import { personaPlace } from "../material/UserSettings.ts";
import type { AssemblyInput, PromptRole } from "./AssemblyInput.ts";
import type { SkipReason } from "@cahier/domain/prompt/PromptComponent";
import type { Gathered } from "./Gathering.ts";

/** `isVerbatim` holds for an agent's texts, in which no macro is replaced. */
export interface Block {
  readonly identifier: string;
  readonly role: PromptRole;
  readonly content: string;
  readonly isInChat: boolean;
  readonly depth: number;
  readonly order: number;
  readonly isVerbatim: boolean;
}

export interface Ordered {
  /** One for each slot of the prompt, in order. */
  readonly blocks: ReadonlyArray<Block>;
  readonly left: ReadonlyArray<{ readonly identifier: string; readonly reason: SkipReason }>;
}

/** The history's and the examples' slots. */
export const historyBlock = "chatHistory";
export const examplesBlock = "dialogueExamples";

/** Blocks that hold an agent's texts. */
export const isAgentBlock = (identifier: string): identifier is keyof AssemblyInput["agent"] =>
  identifier === "agentSystemPrompt" || identifier === "agentTask";

/** An anchor that the runtime keeps for later; nothing stands there. */
export const reservedAnchor = "agentResults";

export const ordered = (input: AssemblyInput, gathered: Gathered): Ordered => {
  const { preset } = input;
  const named = new Set(preset.order.map(({ identifier }) => identifier));
  const left: Array<{ readonly identifier: string; readonly reason: SkipReason }> = [];
  const blocks = new Map<string, Block>();
  for (const { identifier, isEnabled } of preset.order) {
    const prompt = preset.prompts.get(identifier);
    if (prompt === undefined || blocks.has(identifier) || identifier === reservedAnchor) continue;
    const isTriggered = prompt.triggers.length === 0 || prompt.triggers.includes(input.generationType);
    if (!isEnabled || !isTriggered) {
      if (isAgentBlock(identifier)) continue;
      left.push({ identifier, reason: isEnabled ? "otherGenerationType" : "disabled" });
      if (identifier !== "main") continue;
    }
    blocks.set(identifier, {
      identifier,
      role: prompt.role ?? "system",
      content: isEnabled && isTriggered ? gathered.expand(prompt.content) : "",
      isInChat: prompt.isInChat,
      depth: prompt.depth,
      order: prompt.order,
      isVerbatim: false,
    });
  }
  for (const [identifier, content] of filled(input, gathered)) {
    const block = blocks.get(identifier);
    if (block !== undefined) blocks.set(identifier, { ...block, content });
    else if (!named.has(identifier) && content !== "") blocks.set(identifier, relative(identifier, "system", content));
  }
  override(input, gathered, blocks, "main", gathered.scene.card.systemPrompt);
  override(input, gathered, blocks, "jailbreak", gathered.scene.card.postHistoryInstructions);
  return { blocks: withAgent(input, blocks), left };
};

/** A block in its place, as one that the preset does not describe. */
const relative = (identifier: string, role: PromptRole, content: string): Block => ({
  identifier,
  role,
  content,
  isInChat: false,
  depth: 0,
  order: 100,
  isVerbatim: false,
});

/** What markers stand for. */
const filled = (input: AssemblyInput, gathered: Gathered): ReadonlyArray<readonly [string, string]> => {
  const { preset, settings } = input;
  const { card } = gathered.scene;
  const { expand, placed } = gathered;
  const lore = (text: string): string => {
    if (text === "" || preset.worldInfoFormat.trim() === "") return expand(text);
    return expand(preset.worldInfoFormat.replaceAll("{0}", () => text));
  };
  const formatted = (text: string, format: string): string => (text === "" || format === "" ? text : expand(format));
  return [
    ["worldInfoBefore", lore(placed.before)],
    ["worldInfoAfter", lore(placed.after)],
    ["charDescription", card.description],
    ["charPersonality", formatted(card.personality, preset.personalityFormat)],
    ["scenario", formatted(card.scenario, preset.scenarioFormat)],
    ["personaDescription", settings.persona.position === personaPlace.inPrompt ? card.persona : ""],
  ];
};

/** The card's text instead of the preset's, which it may repeat once as `{{original}}`. */
const override = (
  input: AssemblyInput,
  gathered: Gathered,
  blocks: Map<string, Block>,
  identifier: string,
  text: string,
): void => {
  const block = blocks.get(identifier);
  const isEnabled = input.preset.order.some((entry) => entry.identifier === identifier && entry.isEnabled);
  const isForbidden = input.preset.prompts.get(identifier)?.forbidsOverrides === true;
  if (block === undefined || text === "" || !isEnabled || isForbidden) return;
  blocks.set(identifier, { ...block, content: gathered.expand(text, block.content) });
};

/**
 * The agent's texts where the preset has a place for them; else the system prompt first, and the task right behind the system
 * prompt. A place in the chat counts only where the preset has a place for the chat.
 */
const withAgent = (input: AssemblyInput, blocks: ReadonlyMap<string, Block>): ReadonlyArray<Block> => {
  const textOf = (identifier: keyof AssemblyInput["agent"]): string =>
    input.agent[identifier].trim() === "" ? "" : input.agent[identifier];
  const placed = [...blocks.values()].map((block) => {
    if (!isAgentBlock(block.identifier)) return block;
    const isInChat = block.isInChat && blocks.has(historyBlock);
    return { ...block, content: textOf(block.identifier), isInChat, isVerbatim: true };
  });
  const missing = (identifier: keyof AssemblyInput["agent"], role: PromptRole): ReadonlyArray<Block> =>
    blocks.has(identifier) || textOf(identifier) === ""
      ? []
      : [{ ...relative(identifier, role, textOf(identifier)), isVerbatim: true }];
  const told = [...missing("agentSystemPrompt", "system"), ...placed];
  const prompt = told.find(({ identifier }) => identifier === "agentSystemPrompt");
  const [task] = missing("agentTask", "user");
  if (task === undefined) return told;
  if (prompt === undefined || prompt.content === "") return [task, ...told];
  const beside = prompt.isInChat ? { ...prompt, identifier: task.identifier, content: task.content } : task;
  return told.toSpliced(told.indexOf(prompt) + 1, 0, beside);
};
