/**
 * Broken assemblers: at least one for each law of PromptAssembler.
 */
import * as Message from "@cahier/domain/model/Message";
import { anchorMarker, type PromptAssembler, type PromptInput } from "@cahier/ports/PromptAssembler";
import * as Effect from "effect/Effect";
import type { PromptAssemblerHarness } from "../laws/PromptAssemblerLaws.ts";
import type { Mutant } from "../Mutant.ts";
import * as Change from "./Change.ts";

type Assembler = PromptAssembler["Service"];
type Messages = ReadonlyArray<Message.Message>;

const change = Change.of<Assembler, PromptAssemblerHarness>();

const mapMessages = (map: (messages: Messages, input: PromptInput) => Messages) =>
  change((assembler) => ({
    assemble: (input) =>
      Effect.map(assembler.assemble(input), (prompt) => ({ ...prompt, messages: map(prompt.messages, input) })),
  }));

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
];

const nothing = {
  messages: [],
  components: [],
  tokens: { count: 0, counter: "estimate", isExact: false, budget: null },
} as const;
