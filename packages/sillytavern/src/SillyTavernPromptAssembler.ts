/**
 * The prompt of a card and a chat: by a SillyTavern preset where one is given, else in the order of its default preset.
 *
 * Owns which preset it is, that no marker is left, that there is a prompt at all and that it fits. Does not own the parts:
 * `Assembly` does with a preset, `CardPrompt` without.
 *
 * Where a preset has no place for an agent's system prompt it stands first; a task without a place stands right behind the
 * system prompt.
 */
import * as Message from "@cahier/domain/model/Message";
import * as PromptAssembler from "@cahier/ports/PromptAssembler";
import * as Clock from "effect/Clock";
import * as Effect from "effect/Effect";
import * as Layer from "effect/Layer";
import type { MaterialFault } from "./material/MaterialFault.ts";
import type { Preset } from "./material/Preset.ts";
import { activatedOf } from "./prompt/activatedOf.ts";
import * as Assembly from "./prompt/Assembly.ts";
import type { PromptMessage } from "./prompt/AssemblyInput.ts";
import * as Blocks from "./prompt/Blocks.ts";
import * as CardPrompt from "./prompt/CardPrompt.ts";
import { chatStateOf } from "./prompt/chatStateOf.ts";
import * as FrozenMaterial from "./prompt/FrozenMaterial.ts";
import * as Material from "./prompt/Material.ts";
import * as Encodings from "./tokens/Encodings.ts";

/**
 * `zoneMinutes` is how far local time is ahead of UTC; default 0. `presets` finds the preset that a prompt asks for by name,
 * which then takes the place of the material's.
 */
export interface Options {
  readonly material?: Material.Material;
  readonly zoneMinutes?: number;
  readonly presets?: (ref: PromptAssembler.PresetRef) => Effect.Effect<Preset, MaterialFault>;
}

/**
 * The assembler. A card that holds an anchor's marker fails with `MarkerUnmaterialized`: only a template may have one. World
 * info is told where there are lorebooks, what the chat is to keep where that has changed, and the preset's parameters where it
 * states any; all of these only with a preset.
 */
export const make = (options: Options = {}): PromptAssembler.PromptAssembler["Service"] => ({
  source: "sillytavern",
  anchors: [CardPrompt.systemPromptAnchor, "agentTask", Blocks.reservedAnchor],
  assemble: Effect.fn("SillyTavernPromptAssembler.assemble")(function* (input) {
    const frozen = input.material === undefined ? undefined : FrozenMaterial.thaw(input.material);
    const own = frozen === undefined ? options : { ...options, material: frozen };
    const material = yield* materialOf(own, input);
    const made =
      material === undefined ? yield* withoutPreset(input) : yield* byPreset(material, input, options.zoneMinutes ?? 0);
    const assembled =
      input.keepsMaterial === true && input.material === undefined && options.material !== undefined
        ? { ...made, material: FrozenMaterial.freeze(options.material) }
        : made;
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

/** The assembler without files as a layer. */
export const layer: Layer.Layer<PromptAssembler.PromptAssembler> = Layer.sync(PromptAssembler.PromptAssembler, make);

/** The assembler with a user's files as a layer. */
export const layerWith = (options: Options): Layer.Layer<PromptAssembler.PromptAssembler> =>
  Layer.sync(PromptAssembler.PromptAssembler, () => make(options));

/** What the prompt is made of beside its input; undefined where there is no preset for it. */
const materialOf = Effect.fnUntraced(function* (
  { material, presets }: Options,
  { preset: ref }: PromptAssembler.PromptInput,
): Effect.fn.Return<Material.Material | undefined, PromptAssembler.PromptFault> {
  return ref === undefined ? material : { ...material, preset: yield* presetOf(presets, ref) };
});

const presetOf = (
  presets: Options["presets"],
  ref: PromptAssembler.PresetRef,
): Effect.Effect<Preset, PromptAssembler.PromptFault> =>
  presets === undefined
    ? Effect.fail(missing(ref, "There are no presets here to choose from. Name the folder that has them."))
    : Effect.mapError(presets(ref), ({ detail }) => missing(ref, detail));

const missing = ({ apiId, name }: PromptAssembler.PresetRef, detail: string): PromptAssembler.PromptFault =>
  new PromptAssembler.PromptFault({
    reason: { _tag: "PresetMissing", apiId, name },
    detail: `The preset "${name}" for ${apiId} cannot be used. ${detail}`,
  });

const withoutPreset = Effect.fnUntraced(function* (input: PromptAssembler.PromptInput) {
  const counter = yield* Encodings.forModel(input.model ?? "");
  const made = CardPrompt.assemble(input, counter);
  if (made.requiredOverBudget !== null) return yield* overBudget(made.requiredOverBudget, input);
  return {
    messages: made.messages.map(canonical),
    components: made.components,
    tokens: {
      count: made.tokens,
      counter: counter.name,
      isExact: counter.isExact,
      budget: input.budgetTokens ?? null,
    },
  } satisfies PromptAssembler.AssembledPrompt;
});

const byPreset = Effect.fnUntraced(function* (
  material: Material.Material,
  input: PromptAssembler.PromptInput,
  zoneMinutes: number,
) {
  const counter = yield* Encodings.forModel(Material.modelOf(material, input));
  const now = yield* Clock.currentTimeMillis;
  const given = Material.inputOf(material, input, counter, { now, zoneMinutes });
  const made = Assembly.assemble(given);
  if (made.requiredOverBudget !== null) return yield* overBudget(made.requiredOverBudget, input);
  const chatState = chatStateOf(made, given.metadata);
  const { parameters } = material.preset;
  return {
    messages: made.messages.map(canonical),
    components: made.components,
    tokens: {
      count: made.tokens,
      counter: made.tokenizer.name,
      isExact: made.tokenizer.isExact,
      budget: given.preset.context - given.preset.response,
    },
    ...(given.lorebooks.size === 0 ? {} : { activated: activatedOf(made.activated, given) }),
    ...(chatState === null ? {} : { chatState }),
    ...(Object.keys(parameters).length === 0 ? {} : { parameters }),
  } satisfies PromptAssembler.AssembledPrompt;
});

const canonical = ({ content, name, role }: PromptMessage): Message.Message => Message.text(role, content, name);

const overBudget = (identifier: string, { budgetTokens }: PromptAssembler.PromptInput): PromptAssembler.PromptFault => {
  const larger =
    budgetTokens === undefined
      ? "set a larger context or a shorter response in the preset"
      : "choose a model or a preset with a larger context";
  return new PromptAssembler.PromptFault({
    reason: { _tag: "RequiredOverBudget", identifier },
    detail: `The prompt does not fit: there is no room for its block ${identifier}. Shorten it, or ${larger}.`,
  });
};

const markerPattern = new RegExp(PromptAssembler.anchorMarker("@").replace(/[{}]/g, "\\$&").replace("@", "[^{}]*"));

const isFound = (marker: string | undefined): marker is string => marker !== undefined;
