/**
 * Broken assemblers: at least one for each law of PromptAssembler.
 */
import * as Message from "@cahier/domain/model/Message";
import {
  anchorMarker,
  type AssembledPrompt,
  type PromptAssembler,
  type PromptInput,
} from "@cahier/ports/PromptAssembler";
import * as Effect from "effect/Effect";
import type { PromptAssemblerHarness } from "../laws/PromptAssemblerLaws.ts";
import type { Mutant } from "../Mutant.ts";
import * as Change from "./Change.ts";

type Assembler = PromptAssembler["Service"];
type Messages = ReadonlyArray<Message.Message>;

const change = Change.of<Assembler, PromptAssemblerHarness>();

const mapPrompt = (map: (prompt: AssembledPrompt, input: PromptInput) => AssembledPrompt) =>
  change((assembler) => ({
    assemble: (input) => Effect.map(assembler.assemble(input), (prompt) => map(prompt, input)),
  }));

const mapMessages = (map: (messages: Messages, input: PromptInput) => Messages) =>
  mapPrompt((prompt, input) => ({ ...prompt, messages: map(prompt.messages, input) }));

const mapInput = (map: (input: PromptInput) => PromptInput) =>
  change((assembler) => ({ assemble: (input) => assembler.assemble(map(input)) }));

const mapHistory = (
  input: PromptInput,
  map: (history: PromptInput["chat"]["messages"]) => typeof history,
): PromptInput => ({
  ...input,
  chat: { ...input.chat, messages: map(input.chat.messages) },
});

export const mutants: ReadonlyArray<Mutant<PromptAssemblerHarness>> = [
  {
    kills: "PRM-01",
    title: "messages that say how many prompts there were",
    breaks: (harness) => {
      const asked = { times: 0 };
      return mapMessages((messages) => {
        asked.times += 1;
        return [...messages, Message.text("system", `prompt ${asked.times}`)];
      })(harness);
    },
  },
  {
    kills: "PRM-02",
    title: "an assembler that marks the messages that it has read",
    breaks: mapInput((input) => {
      for (const message of input.chat.messages) Object.assign(message, { read: true });
      return input;
    }),
  },
  {
    kills: "PRM-03",
    title: "a system prompt that is said again at the end",
    breaks: mapMessages((messages, input) => [...messages, Message.text("system", input.agentSystemPrompt)]),
  },
  {
    kills: "PRM-04",
    title: "a history of the first n messages",
    breaks: mapInput((input) =>
      input.initialChatHistoryMessages < 0
        ? input
        : mapHistory(input, (history) =>
            history.filter((message) => !message.hidden).slice(0, input.initialChatHistoryMessages),
          ),
    ),
  },
  {
    kills: "PRM-04",
    title: "0 that is taken for everything",
    breaks: mapInput((input) => ({
      ...input,
      initialChatHistoryMessages: input.initialChatHistoryMessages === 0 ? -1 : input.initialChatHistoryMessages,
    })),
  },
  {
    kills: "PRM-05",
    title: "hidden messages that count",
    breaks: mapInput((input) =>
      input.initialChatHistoryMessages < 0
        ? input
        : mapHistory(input, (history) => history.slice(-input.initialChatHistoryMessages)),
    ),
  },
  {
    kills: "PRM-05",
    title: "hidden messages that enter",
    breaks: mapInput((input) =>
      mapHistory(input, (history) => history.map((message) => ({ ...message, hidden: false }))),
    ),
  },
  {
    kills: "PRM-06",
    title: "a template whose marker is left in the messages",
    breaks: mapMessages((messages) => [...messages, Message.text("system", anchorMarker("chatHistory"))]),
  },
  {
    kills: "PRM-07",
    title: "an assembler that takes markers out of what was said",
    breaks: mapInput((input) =>
      mapHistory(input, (history) =>
        history.map((message) => ({ ...message, text: message.text.replaceAll(/\{\{cahier:[^}]*\}\}/g, "") })),
      ),
    ),
  },
  {
    kills: "PRM-08",
    title: "an empty list where there is nothing to say",
    breaks: change((assembler) => ({
      assemble: (input) =>
        Effect.catchReason(assembler.assemble(input), "PromptFault", "Empty", () => Effect.succeed(nothing)),
    })),
  },
  {
    kills: "PRM-09",
    title: "text that is a replacement pattern",
    breaks: mapInput((input) =>
      mapHistory(input, (history) =>
        history.map((message) => ({ ...message, text: "text".replace("text", message.text) })),
      ),
    ),
  },
  {
    kills: "PRM-10",
    title: "two parts under one identifier",
    breaks: mapPrompt((prompt) => ({ ...prompt, components: [...prompt.components, ...prompt.components.slice(-1)] })),
  },
  {
    kills: "PRM-10",
    title: "parts that have left the prompt and are counted all the same",
    breaks: mapPrompt((prompt) => ({
      ...prompt,
      components: prompt.components.map((part) =>
        part.skipped === null ? part : { ...part, skipped: null, tokens: 99 },
      ),
    })),
  },
  {
    kills: "PRM-11",
    title: "a task that is said again at the end",
    breaks: mapMessages((messages, { agentTask = "" }) =>
      agentTask === "" ? messages : [...messages, Message.text("user", agentTask)],
    ),
  },
  {
    kills: "PRM-11",
    title: "a task that is not said",
    breaks: mapInput((input) => without(input, "agentTask")),
  },
  {
    kills: "PRM-12",
    title: "world info that always enters",
    breaks: mapInput((input) => ({ ...input, includeActivatedWorldInfo: true })),
  },
  {
    kills: "PRM-12",
    title: "active world info that is told only where it enters",
    breaks: mapPrompt(({ activated, ...prompt }, { includeActivatedWorldInfo = true }) =>
      activated === undefined || !includeActivatedWorldInfo ? prompt : { ...prompt, activated },
    ),
  },
  {
    kills: "PRM-13",
    title: "a budget that nobody looks at",
    breaks: mapInput((input) => without(input, "budgetTokens")),
  },
  {
    kills: "PRM-13",
    title: "a chat that loses its newest message first",
    breaks: mapMessages((messages, { budgetTokens }) =>
      budgetTokens === undefined ? messages : messages.slice(0, -1),
    ),
  },
  {
    kills: "PRM-13",
    title: "an answer that stays where what was asked has gone",
    breaks: mapMessages((messages, { budgetTokens }) =>
      budgetTokens === undefined ? messages : messages.filter((message) => !/line-[12] /.test(Message.textOf(message))),
    ),
  },
  {
    kills: "PRM-13",
    title: "an agent without its task where there is little room",
    breaks: change((assembler) => ({
      assemble: ({ agentTask, ...input }) =>
        assembler.assemble(
          input.budgetTokens === undefined && agentTask !== undefined ? { ...input, agentTask } : input,
        ),
    })),
  },
  {
    kills: "PRM-14",
    title: "another preset in place of the one that is missing",
    breaks: mapInput((input) => without(input, "preset")),
  },
];

const without = (input: PromptInput, field: "agentTask" | "budgetTokens" | "preset"): PromptInput => {
  const { [field]: _, ...rest } = input;
  return rest;
};

const nothing = {
  messages: [],
  components: [],
  tokens: { count: 0, counter: "estimate", isExact: false, budget: null },
} as const;
