/**
 * Has a prompt made by the assembler, within the window of the model that is to read it.
 *
 * Owns which preset is asked for and how long the prompt may be. Does not own how it is made (the port).
 */
import type { FrozenChat, GenerationType } from "@cahier/domain/chat/Chat";
import type { Fatal } from "@cahier/domain/failure/Failure";
import type { CompleteProfile } from "@cahier/domain/profile/CompleteProfile";
import type { ActivatedWorldInfo } from "@cahier/domain/worldinfo/ActivatedWorldInfo";
import {
  type AssembledPrompt,
  type Character,
  type PromptAssembler,
  type PromptFault,
  type PromptInput,
} from "@cahier/ports/PromptAssembler";
import * as Effect from "effect/Effect";
import type * as Schema from "effect/Schema";
import { promptBudget } from "../context/ContextRules.ts";
import { classifyPrompt } from "../failure/classifyPrompt.ts";
import type { ChatState, PromptSnapshot } from "../run/InvocationSetup.ts";

/** What a prompt is made of. `agentTask` is what a delegated agent or a successor is to do. */
export interface PromptMaterial {
  readonly generationType: GenerationType;
  readonly chat: FrozenChat;
  readonly character?: Character | undefined;
  readonly agentSystemPrompt: string;
  readonly agentTask?: string;
  readonly profile: Pick<CompleteProfile, "context" | "preset">;
  readonly modelId: string;
  /** What the assembler had of its own when the run began; absent for the run's first prompt. */
  readonly material?: Schema.Json | undefined;
  /** Whether the run may have later prompts of its own making. */
  readonly keepsMaterial?: boolean;
}

/**
 * A prompt as it is frozen, the world info that was active when it was made, where the assembler knows, and what the assembler
 * made it of beside the chat.
 */
export interface MadePrompt {
  readonly prompt: PromptSnapshot;
  readonly material: Schema.Json | undefined;
  readonly activated: ActivatedWorldInfo | undefined;
}

/** Makes the prompt. A preset that is missing is passed over unless the profile requires it. */
export const assemblePrompt = Effect.fn("Prompt.assemble")(function* (
  assembler: PromptAssembler["Service"],
  material: PromptMaterial,
): Effect.fn.Return<MadePrompt, Fatal> {
  const { profile } = material;
  const { preset } = profile;
  const wanted = inputOf(material, preset.mode === "ref" ? preset.ref : undefined);
  const assembled = yield* within(assembler, wanted, profile).pipe(
    Effect.catchIf(
      (fault) => fault.reason._tag === "PresetMissing" && !preset.required,
      () => within(assembler, inputOf(material, undefined), profile),
    ),
    Effect.mapError(classifyPrompt),
  );
  const { activated, chatState, components, material: made, messages, parameters = {}, tokens } = assembled;
  const { includeActivatedWorldInfo, initialChatHistoryMessages } = profile.context;
  return {
    activated,
    material: made,
    prompt: {
      contextPolicy: { includeActivatedWorldInfo, initialChatHistoryMessages },
      messages,
      generationParameters: parameters,
      agentSystemPrompt: material.agentSystemPrompt,
      components,
      tokens,
      ...(chatState === undefined ? {} : { chatState: stateOf(chatState, material.chat) }),
    },
  };
});

const stateOf = (values: NonNullable<AssembledPrompt["chatState"]>, { metadata = {} }: FrozenChat): ChatState => ({
  values,
  before: Object.fromEntries(Object.keys(values).map((key) => [key, metadata[key] ?? null])),
});

const inputOf = (
  {
    agentSystemPrompt,
    agentTask,
    character,
    chat,
    generationType,
    keepsMaterial = false,
    material,
    modelId,
    profile,
  }: PromptMaterial,
  preset: PromptInput["preset"],
): PromptInput => ({
  generationType,
  chat,
  ...(character === undefined ? {} : { character }),
  agentSystemPrompt,
  ...(agentTask === undefined ? {} : { agentTask }),
  initialChatHistoryMessages: profile.context.initialChatHistoryMessages,
  includeActivatedWorldInfo: profile.context.includeActivatedWorldInfo,
  model: modelId,
  ...(preset === undefined ? {} : { preset }),
  ...(material === undefined ? {} : { material }),
  ...(keepsMaterial ? { keepsMaterial } : {}),
});

/**
 * A window that the profile states holds. One that is only assumed holds for a prompt that nothing else limits, and never
 * keeps a prompt from being made.
 */
const within = (
  assembler: PromptAssembler["Service"],
  input: PromptInput,
  { context }: Pick<CompleteProfile, "context">,
): Effect.Effect<AssembledPrompt, PromptFault> => {
  const budgetTokens = promptBudget(context);
  if (context.windowTokens !== undefined) return assembler.assemble({ ...input, budgetTokens });
  return Effect.flatMap(assembler.assemble(input), (whole) =>
    whole.tokens.budget !== null || whole.tokens.count <= budgetTokens
      ? Effect.succeed(whole)
      : Effect.catchReason(assembler.assemble({ ...input, budgetTokens }), "PromptFault", "RequiredOverBudget", () =>
          Effect.succeed(whole),
        ),
  );
};
