/**
 * The simplest correct PromptAssembler: the agent's system prompt, then the visible history.
 */
import type { ChatMessage } from "@cahier/domain/chat/Chat";
import * as Message from "@cahier/domain/model/Message";
import { anchorMarker, PromptAssembler, PromptFault, type PromptInput } from "@cahier/ports/PromptAssembler";
import * as Effect from "effect/Effect";
import * as Layer from "effect/Layer";

const anchors = ["agentSystemPrompt", "chatHistory"];

/** An assembler without state. A text that contains an anchor's marker is refused. */
export const make = (): PromptAssembler["Service"] => ({
  source: "plain",
  anchors,
  assemble: Effect.fnUntraced(function* (input) {
    const messages = [
      ...(input.agentSystemPrompt === "" ? [] : [Message.text("system", input.agentSystemPrompt)]),
      ...history(input).map((message) => Message.text(message.role, message.text, message.name)),
    ];
    if (messages.length === 0) {
      return yield* new PromptFault({ reason: { _tag: "Empty" }, detail: "There is nothing to say to the model." });
    }
    const marker = anchors
      .map(anchorMarker)
      .find((one) => messages.some((message) => Message.textOf(message).includes(one)));
    if (marker !== undefined) {
      return yield* new PromptFault({
        reason: { _tag: "MarkerUnmaterialized", marker },
        detail: `A text of the prompt contains ${marker}: take it out.`,
      });
    }
    const text = messages.map(Message.textOf).join("\n");
    const count = Math.ceil(text.length / 4);
    return { messages, components: [], tokens: { count, counter: "estimate", isExact: false, budget: null } };
  }),
});

export const layer: Layer.Layer<PromptAssembler> = Layer.sync(PromptAssembler, make);

const history = (input: PromptInput): ReadonlyArray<ChatMessage> => {
  const visible = input.chat.messages.filter((message) => !message.hidden);
  if (input.initialChatHistoryMessages < 0) return visible;
  return visible.slice(Math.max(0, visible.length - input.initialChatHistoryMessages));
};
