/**
 * The parts of a prompt in the order in which SillyTavern's default preset sends them.
 *
 * Owns what each part says and their order. Does not own the check of the whole.
 */
import type { ChatMessage } from "@cahier/domain/chat/Chat";
import * as Message from "@cahier/domain/model/Message";
import { anchorMarker, type PromptInput } from "@cahier/ports/PromptAssembler";
import * as ExampleMessages from "./ExampleMessages.ts";
import * as Macros from "./Macros.ts";

/** One part: a name and what it adds to the prompt, which may be nothing. */
export interface PromptComponent {
  readonly id: string;
  readonly render: (input: PromptInput) => ReadonlyArray<Message.Message>;
}

/** The anchor that is filled with the agent's system prompt. */
export const systemPromptAnchor = "agentSystemPrompt";

/** All parts, in order. */
export const inOrder: ReadonlyArray<PromptComponent> = [
  {
    id: "main",
    render: (input) => system(main.replace(anchorMarker(systemPromptAnchor), () => input.agentSystemPrompt)),
  },
  { id: "characterSystemPrompt", render: (input) => fromCard(input, "systemPrompt") },
  { id: "description", render: (input) => fromCard(input, "description") },
  { id: "personality", render: (input) => fromCard(input, "personality") },
  { id: "scenario", render: (input) => fromCard(input, "scenario") },
  {
    id: "exampleMessages",
    render: (input) =>
      ExampleMessages.blocks(input.character?.exampleMessages ?? "").flatMap((block) =>
        system(`[Example Chat]\n${Macros.expand(block, valuesOf(input))}`),
      ),
  },
  { id: "chatHistory", render: (input) => history(input) },
  { id: "postHistoryInstructions", render: (input) => fromCard(input, "postHistoryInstructions") },
];

/** The template of the first part. */
const main = anchorMarker(systemPromptAnchor);

const system = (text: string): ReadonlyArray<Message.Message> =>
  text.trim() === "" ? [] : [Message.text("system", text)];

/** The main prompt stands before every other part, so a card's `{{original}}` has nothing to repeat. */
const fromCard = (
  input: PromptInput,
  field: "systemPrompt" | "description" | "personality" | "scenario" | "postHistoryInstructions",
): ReadonlyArray<Message.Message> =>
  system(Macros.expand(input.character?.[field] ?? "", { ...valuesOf(input), original: "" }).trim());

const history = (input: PromptInput): ReadonlyArray<Message.Message> => {
  const visible = input.chat.messages.filter((message) => !message.hidden);
  const count = input.initialChatHistoryMessages;
  const recent = count < 0 ? visible : visible.slice(Math.max(visible.length - count, 0));
  const beginning =
    recent.length > 0 && ExampleMessages.blocks(input.character?.exampleMessages ?? "").length > 0
      ? system("[Start a new Chat]")
      : [];
  return [...beginning, ...recent.map((message) => Message.text(message.role, spoken(input, message)))];
};

/** In a group the model must know who speaks; the user's own persona needs no name. */
const spoken = (input: PromptInput, message: ChatMessage): string => {
  const text = Macros.expand(message.text, valuesOf(input));
  const isNamed = input.chat.ref.kind === "group" && message.name !== "" && message.name !== input.chat.userName;
  return isNamed ? `${message.name}: ${text}` : text;
};

const valuesOf = (input: PromptInput): Macros.Values => ({
  character: input.character?.name || input.chat.characterName,
  user: input.chat.userName,
});
