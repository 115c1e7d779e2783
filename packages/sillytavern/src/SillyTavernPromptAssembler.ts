/**
 * The prompt of a card and a chat, in the order of SillyTavern's default preset.
 *
 * Owns that no marker is left and that there is a prompt at all. Does not own the parts: `PromptComponent` does.
 */
import * as PromptAssembler from "@cahier/ports/PromptAssembler";
import * as Message from "@cahier/domain/model/Message";
import * as Effect from "effect/Effect";
import * as Layer from "effect/Layer";
import * as PromptComponent from "./prompt/PromptComponent.ts";

/** The assembler. A card that holds an anchor's marker fails with `MarkerUnmaterialized`: only a template may have one. */
export const make = (): PromptAssembler.PromptAssembler["Service"] => ({
  source: "sillytavern",
  anchors: [PromptComponent.systemPromptAnchor],
  assemble: Effect.fn("SillyTavernPromptAssembler.assemble")(function* (input) {
    const messages = PromptComponent.inOrder.flatMap((component) => component.render(input));
    if (messages.length === 0) {
      return yield* new PromptAssembler.PromptFault({
        reason: { _tag: "Empty" },
        detail: "The prompt has no message. Give a system prompt, a character or a chat with messages.",
      });
    }
    const marker = messages.map((message) => markerPattern.exec(Message.textOf(message))?.[0]).find(isFound);
    if (marker !== undefined) {
      return yield* new PromptAssembler.PromptFault({
        reason: { _tag: "MarkerUnmaterialized", marker },
        detail: `The marker ${marker} is left in the prompt. Take it out of the card or the chat.`,
      });
    }
    return messages;
  }),
});

/** The assembler as a layer. */
export const layer: Layer.Layer<PromptAssembler.PromptAssembler> = Layer.sync(PromptAssembler.PromptAssembler, make);

const markerPattern = new RegExp(PromptAssembler.anchorMarker("@").replace(/[{}]/g, "\\$&").replace("@", "[^{}]*"));

const isFound = (marker: string | undefined): marker is string => marker !== undefined;
