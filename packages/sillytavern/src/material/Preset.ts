/**
 * A chat-completion preset of SillyTavern: prompts, their order, what frames them, and how the model is to answer.
 *
 * Owns what its fields mean here. Connection fields are passed over: the model binding has those.
 */
import type { GenerationParameters } from "@cahier/domain/model/ModelRequest";
import * as Effect from "effect/Effect";
import { isObject, type JsonObject } from "../chat/internal/json.ts";
import * as fields from "../internal/fields.ts";
import { generationParameters } from "./generationParameters.ts";
import { MaterialFault } from "./MaterialFault.ts";

/** A block of the prompt. A marker stands for text from elsewhere; `role: null` of a marker means system. */
export interface PresetPrompt {
  readonly identifier: string;
  readonly name: string;
  readonly content: string;
  readonly role: "system" | "user" | "assistant" | null;
  readonly isMarker: boolean;
  /** In the chat at a depth, not in its place in the order. */
  readonly isInChat: boolean;
  readonly depth: number;
  readonly order: number;
  readonly triggers: ReadonlyArray<string>;
  readonly forbidsOverrides: boolean;
}

/** Sizes in tokens; `context` holds the response too. `parameters` are those that the file states, without any default. */
export interface Preset {
  readonly prompts: ReadonlyMap<string, PresetPrompt>;
  readonly order: ReadonlyArray<{ readonly identifier: string; readonly isEnabled: boolean }>;
  readonly context: number;
  readonly response: number;
  readonly newChat: string;
  readonly newGroupChat: string;
  readonly newExampleChat: string;
  readonly worldInfoFormat: string;
  readonly scenarioFormat: string;
  readonly personalityFormat: string;
  /** -1 none, 0 where a message is of another speaker, 1 in the field for it, 2 in the text. */
  readonly namesBehavior: number;
  readonly squashesSystemMessages: boolean;
  readonly parameters: GenerationParameters;
}

/** Reads a preset; unknown fields are passed over. Fails with `NotAPreset`. */
export const decode = Effect.fnUntraced(function* (file: unknown) {
  if (!isObject(file) || !Array.isArray(file["prompts"]) || !Array.isArray(file["prompt_order"])) {
    return yield* new MaterialFault({
      reason: { _tag: "NotAPreset" },
      detail:
        "This JSON is no chat-completion preset: it has no prompts with an order. Export the preset from SillyTavern's chat completion settings.",
    });
  }
  return fromFile(file);
});

/** The global order's `character_id`; of a file with other orders only, the first one counts. */
const globalOrder = 100001;

const fromFile = (file: JsonObject): Preset => {
  const orders = fields.objects(file, "prompt_order");
  const chosen = orders.find((order) => order["character_id"] === globalOrder) ?? orders[0] ?? {};
  const prompts = fields.objects(file, "prompts").map(promptOf);
  return {
    prompts: new Map(prompts.filter(({ identifier }) => identifier !== "").map((one) => [one.identifier, one])),
    order: fields.objects(chosen, "order").map((entry) => ({
      identifier: fields.text(entry, "identifier"),
      isEnabled: fields.flag(entry, "enabled", true),
    })),
    context: Math.max(fields.number(file, "openai_max_context", 4095), leastContext),
    response: fields.number(file, "openai_max_tokens", 300),
    newChat: fields.text(file, "new_chat_prompt", "[Start a new Chat]"),
    newGroupChat: fields.text(file, "new_group_chat_prompt", "[Start a new group chat. Group members: {{group}}]"),
    newExampleChat: fields.text(file, "new_example_chat_prompt", "[Example Chat]"),
    worldInfoFormat: fields.text(file, "wi_format", "{0}"),
    scenarioFormat: fields.text(file, "scenario_format", "{{scenario}}"),
    personalityFormat: fields.text(file, "personality_format", "{{personality}}"),
    namesBehavior: fields.number(file, "names_behavior", 0),
    squashesSystemMessages: fields.flag(file, "squash_system_messages"),
    parameters: generationParameters(file),
  };
};

/** The least that SillyTavern's settings allow, whatever a file says. */
const leastContext = 512;

const promptOf = (file: JsonObject): PresetPrompt => ({
  identifier: fields.text(file, "identifier"),
  name: fields.text(file, "name"),
  content: fields.text(file, "content"),
  role: typeof file["role"] === "string" ? fields.role(file, "role") : null,
  isMarker: fields.flag(file, "marker"),
  isInChat: fields.number(file, "injection_position", 0) === 1,
  depth: fields.number(file, "injection_depth", 4),
  order: fields.number(file, "injection_order", 100),
  triggers: fields.texts(file, "injection_trigger"),
  forbidsOverrides: fields.flag(file, "forbid_overrides"),
});
