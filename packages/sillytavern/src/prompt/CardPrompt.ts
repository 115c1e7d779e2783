/**
 * The prompt of a card and a chat without a preset, in the order in which SillyTavern's default preset sends them.
 *
 * Owns what each part says, the order of the parts, and which of them fit. Does not own the check of the whole.
 */
import { inOrderSent } from "./ComponentList.ts";
import type { ChatMessage } from "@cahier/domain/chat/Chat";
import type { ComponentKind, PromptComponent } from "@cahier/domain/prompt/PromptComponent";
import { anchorMarker, type PromptInput } from "@cahier/ports/PromptAssembler";
import * as TokenCounter from "../tokens/TokenCounter.ts";
import * as ChatRecord from "../material/ChatRecord.ts";
import type { PromptMessage } from "./AssemblyInput.ts";
import * as ExampleMessages from "./ExampleMessages.ts";
import * as HistoryMessages from "./HistoryMessages.ts";
import * as Macros from "./Macros.ts";
import * as TokenBudget from "./TokenBudget.ts";
import * as Turns from "./Turns.ts";

/** `requiredOverBudget` names the first part that must be in the prompt and has no room; nothing else was added then. */
export interface CardPrompt {
  readonly messages: ReadonlyArray<PromptMessage>;
  readonly components: ReadonlyArray<PromptComponent>;
  readonly requiredOverBudget: string | null;
  /** Of all messages, with those of the primed reply. */
  readonly tokens: number;
}

/** The anchor that is filled with the agent's system prompt. */
export const systemPromptAnchor = "agentSystemPrompt";

/**
 * The agent's texts first, the task right behind the system prompt; then card, examples and history. Within a budget the agent's
 * texts must have room, then the card is taken, then whole turns of the chat from the newest on, then examples.
 */
export const assemble = (input: PromptInput, counter: TokenCounter.TokenCounter): CardPrompt => {
  const limit = (input.budgetTokens ?? Number.POSITIVE_INFINITY) - TokenBudget.primedReply;
  const budget = TokenBudget.make(TokenCounter.remembering(counter), limit);
  const components: Array<PromptComponent> = [];
  /** All parts or none. */
  const take = (parts: ReadonlyArray<Part>): ReadonlyArray<PromptMessage> => {
    const costs = parts.map((part) => budget.cost(messageOf(part)));
    const fits = budget.take(costs.reduce((sum, tokens) => sum + tokens, 0));
    parts.forEach((part, at) => components.push(componentOf(part, costs[at] ?? null, fits ? null : "overBudget")));
    return fits ? parts.map(messageOf) : [];
  };
  const takeEach = (parts: ReadonlyArray<Part>): ReadonlyArray<PromptMessage> =>
    parts.flatMap((part) => {
      if (part.content.trim() !== "") return take([part]);
      components.push(componentOf(part, null, "empty"));
      return [];
    });

  const agent = takeEach(agentParts(input));
  const required = components.find(({ skipped }) => skipped === "overBudget")?.identifier ?? null;
  if (required !== null) return { messages: [], components, requiredOverBudget: required, tokens: 0 };
  const card = takeEach(cardParts(input));
  const after = takeEach([fromCard(input, "postHistoryInstructions", "postHistoryInstructions")]);
  const { earlier, recent } = historyOf(input);
  const examples = exampleParts(input);
  const beginning = examples.length > 0 && recent.length > 0 ? takeEach([newChat]) : [];
  const history: Array<PromptMessage> = [];
  let isFull = false;
  for (const turn of Turns.grouped(recent.toReversed(), ({ role }) => role)) {
    const sent: ReadonlyArray<PromptMessage> = isFull ? [] : take(turn);
    if (isFull) components.push(...turn.map((part) => componentOf(part, null, "overBudget")));
    isFull ||= sent.length === 0;
    history.push(...sent);
  }
  components.push(...earlier.map((part) => componentOf(part, null, "historyLimit")));
  const messages = [...agent, ...card, ...takeEach(examples), ...beginning, ...history.toReversed(), ...after];
  const tokens = messages.reduce((sum, message) => sum + budget.cost(message), TokenBudget.primedReply);
  return { messages, components: inOrderSent(components, messages), requiredOverBudget: null, tokens };
};

interface Part extends Omit<PromptMessage, "part"> {
  readonly identifier: string;
  readonly kind: ComponentKind;
  readonly source: string;
}

const messageOf = ({ content, identifier, name, role }: Part): PromptMessage => ({
  role,
  content,
  part: identifier,
  ...(name === undefined ? {} : { name }),
});

const componentOf = (
  { identifier, kind, source }: Part,
  tokens: number | null,
  skipped: PromptComponent["skipped"],
): PromptComponent => ({ identifier, kind, source, tokens, skipped });

const agentParts = (input: PromptInput): ReadonlyArray<Part> => [
  {
    identifier: "agentSystemPrompt",
    kind: "system",
    source: "profile",
    role: "system",
    content: main.replace(anchorMarker(systemPromptAnchor), () => input.agentSystemPrompt),
  },
  ...(input.agentTask === undefined
    ? []
    : [{ identifier: "agentTask", kind: "task", source: "task", role: "user", content: input.agentTask } as const]),
];

/** The template of the first part. */
const main = anchorMarker(systemPromptAnchor);

const cardParts = (input: PromptInput): ReadonlyArray<Part> => [
  fromCard(input, "charSystemPrompt", "systemPrompt"),
  fromCard(input, "charDescription", "description"),
  fromCard(input, "charPersonality", "personality"),
  fromCard(input, "scenario", "scenario"),
];

/** The main prompt stands before every other part, so a card's `{{original}}` has nothing to repeat. */
const fromCard = (
  input: PromptInput,
  identifier: string,
  field: "systemPrompt" | "description" | "personality" | "scenario" | "postHistoryInstructions",
): Part => ({
  identifier,
  kind: "character",
  source: "card",
  role: "system",
  content: Macros.expand(input.character?.[field] ?? "", { ...valuesOf(input), original: "" }).trim(),
});

const exampleParts = (input: PromptInput): ReadonlyArray<Part> =>
  ExampleMessages.blocks(input.character?.exampleMessages ?? "").map((block, index) => ({
    identifier: `dialogueExamples ${index}`,
    kind: "examples",
    source: "card",
    role: "system",
    content: `[Example Chat]\n${Macros.expand(block, valuesOf(input))}`,
  }));

const newChat: Part = {
  identifier: "newMainChat",
  kind: "preset",
  source: "preset",
  role: "system",
  content: "[Start a new Chat]",
};

/** The visible messages that the input asks for, and those before them. */
const historyOf = (
  input: PromptInput,
): { readonly earlier: ReadonlyArray<Part>; readonly recent: ReadonlyArray<Part> } => {
  const visible = input.chat.messages.filter((message) => !message.hidden);
  const count = input.initialChatHistoryMessages;
  const from = count < 0 ? 0 : Math.max(visible.length - count, 0);
  const parts = visible.map((message): Part => {
    const place = `chat:current#${message.index}`;
    return { identifier: place, kind: "history", source: place, ...spoken(input, message) };
  });
  return { earlier: parts.slice(0, from), recent: parts.slice(from) };
};

/** The model must know who speaks where it is neither the character nor the user; a message of nobody has no name. */
const spoken = (input: PromptInput, message: ChatMessage): Pick<Part, "role" | "content"> => {
  const text = Macros.expand(message.text, valuesOf(input));
  const user = message.name === "" ? "" : input.chat.userName;
  const { content, role } = HistoryMessages.message({ ...ChatRecord.frozenLine(message), text }, message.index, {
    namesBehavior: defaultNames,
    user,
    isGroup: input.chat.ref.kind === "group",
  });
  return { role, content };
};

/** The default preset's `namesBehavior`. */
const defaultNames = 0;

const valuesOf = (input: PromptInput): Macros.Values => ({
  character: input.character?.name || input.chat.characterName,
  user: input.chat.userName,
});
