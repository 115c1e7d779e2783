/**
 * The prompt of a card and a chat: by a SillyTavern preset where one is given, else in the order of its default preset.
 *
 * Owns that no marker is left, that there is a prompt at all and that it fits. Does not own the parts: `Assembly` does with a
 * preset, `PromptComponent` without.
 */
import * as PromptAssembler from "@cahier/ports/PromptAssembler";
import * as Message from "@cahier/domain/model/Message";
import * as Clock from "effect/Clock";
import * as Effect from "effect/Effect";
import * as Layer from "effect/Layer";
import * as Assembly from "./prompt/Assembly.ts";
import * as Blocks from "./prompt/Blocks.ts";
import * as Material from "./prompt/Material.ts";
import * as PromptComponent from "./prompt/PromptComponent.ts";
import * as Encodings from "./tokens/Encodings.ts";
import * as TokenCounter from "./tokens/TokenCounter.ts";

/** `zoneMinutes` is how far local time is ahead of UTC; default 0. */
export interface Options {
  readonly material?: Material.Material;
  readonly zoneMinutes?: number;
}

/** The assembler. A card that holds an anchor's marker fails with `MarkerUnmaterialized`: only a template may have one. */
export const make = (options: Options = {}): PromptAssembler.PromptAssembler["Service"] => ({
  source: "sillytavern",
  anchors: [PromptComponent.systemPromptAnchor, "agentTask", Blocks.reservedAnchor],
  assemble: Effect.fn("SillyTavernPromptAssembler.assemble")(function* (input) {
    const { material, zoneMinutes = 0 } = options;
    const assembled =
      material === undefined ? yield* withoutPreset(input) : yield* byPreset(material, input, zoneMinutes);
    const { messages } = assembled;
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
        detail: `The marker ${marker} is left in the prompt. Take it out of the card, the chat or the preset.`,
      });
    }
    return assembled;
  }),
});

const withoutPreset = Effect.fnUntraced(function* (input: PromptAssembler.PromptInput) {
  const messages = PromptComponent.inOrder.flatMap((component) => component.render(input));
  const counter = yield* Encodings.forModel(input.model ?? "");
  const count = messages.reduce(
    (sum, message) => sum + TokenCounter.ofMessage(counter, { role: message.role, content: Message.textOf(message) }),
    0,
  );
  const tokens = { count, counter: counter.name, isExact: counter.isExact, budget: null };
  return { messages, components: [], tokens } satisfies PromptAssembler.AssembledPrompt;
});

const byPreset = Effect.fnUntraced(function* (
  material: Material.Material,
  input: PromptAssembler.PromptInput,
  zoneMinutes: number,
) {
  const whole = yield* assembleWhole(material, input, zoneMinutes);
  const { preset } = material;
  return {
    messages: whole.messages.map(({ content, name, role }) => Message.text(role, content, name)),
    components: whole.components,
    tokens: {
      count: whole.tokens,
      counter: whole.tokenizer.name,
      isExact: whole.tokenizer.isExact,
      budget: preset.context - preset.response,
    },
  } satisfies PromptAssembler.AssembledPrompt;
});

/**
 * The prompt by a preset, with its components, the lore that it activated and the state that the chat is to keep. Fails where
 * a block that the preset requires does not fit.
 */
export const assembleWhole = Effect.fn("SillyTavernPromptAssembler.assembleWhole")(function* (
  material: Material.Material,
  input: PromptAssembler.PromptInput,
  zoneMinutes: number,
) {
  const counter = yield* Encodings.forModel(material.model ?? "");
  const now = yield* Clock.currentTimeMillis;
  const assembled = Assembly.assemble(Material.inputOf(material, input, counter, { now, zoneMinutes }));
  if (assembled.requiredOverBudget === null) return assembled;
  return yield* new PromptAssembler.PromptFault({
    reason: { _tag: "RequiredOverBudget", identifier: assembled.requiredOverBudget },
    detail: `The prompt does not fit: there is no room for its block ${assembled.requiredOverBudget}. Shorten it, or set a larger context or a shorter response in the preset.`,
  });
});

/** The assembler without files as a layer. */
export const layer: Layer.Layer<PromptAssembler.PromptAssembler> = Layer.sync(PromptAssembler.PromptAssembler, make);

/** The assembler with a user's files as a layer. */
export const layerWith = (options: Options): Layer.Layer<PromptAssembler.PromptAssembler> =>
  Layer.sync(PromptAssembler.PromptAssembler, () => make(options));

const markerPattern = new RegExp(PromptAssembler.anchorMarker("@").replace(/[{}]/g, "\\$&").replace("@", "[^{}]*"));

const isFound = (marker: string | undefined): marker is string => marker !== undefined;
