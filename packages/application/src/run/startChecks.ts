/**
 * What must hold of a profile, its model and its tools before a run of them begins, started or forked.
 */
import type { ChatRef } from "@cahier/domain/chat/Chat";
import { type Fatal, fatal } from "@cahier/domain/failure/Failure";
import type { ModelBinding } from "@cahier/domain/model/ModelRequest";
import { byId, type InvocationToolSnapshot } from "@cahier/domain/tool/ToolSnapshot";
import * as Effect from "effect/Effect";
import type { PresetRef } from "@cahier/ports/PromptAssembler";
import type { FoundProfile } from "../profile/findProfile.ts";

interface Published {
  readonly found: FoundProfile;
  readonly snapshot: InvocationToolSnapshot;
}

/** A limit of cost that nobody can count would hold nothing back. */
export const requireCountable = (
  { profile }: Pick<FoundProfile, "profile">,
  { prices }: ModelBinding,
): Effect.Effect<void, Fatal> =>
  profile.run.budget.cost === undefined || prices !== undefined
    ? Effect.void
    : Effect.fail(
        fatal(
          "agent.profile_feature_unsupported",
          `The profile ${profile.id} limits what a run may cost (run.budget.cost), and the model's connection states no prices. State them, or leave the limit out.`,
        ),
      );

/** A profile may allow the commit tool and a runtime not show it, or a policy deny it: then nothing could reach the chat. */
export const requireCommit = ({ found, snapshot }: Published): Effect.Effect<void, Fatal> => {
  if (found.profile.run.presentation !== "foreground") return Effect.void;
  const binding = byId(snapshot, "builtin:workspace.commit");
  if (binding === undefined)
    return Effect.fail(
      fatal(
        "agent.foreground_commit_unavailable",
        'The model is not shown workspace.commit, so a foreground run could publish nothing. A policy hides it, or this runtime does not have it: "cahier policy explain --tool builtin:workspace.commit" says which.',
      ),
    );
  return binding.policy?.callable === false
    ? Effect.fail(
        fatal(
          "agent.foreground_commit_unavailable",
          `A foreground run could publish nothing: ${binding.policy.reason.message} It is about ${binding.descriptor.id}.`,
        ),
      )
    : Effect.void;
};

/** A preset without a name is nobody's: Skills of it could never be found. */
export const requireNamed = (preset: PresetRef | undefined): Effect.Effect<void, Fatal> =>
  preset === undefined || (preset.apiId !== "" && preset.name !== "")
    ? Effect.void
    : Effect.fail(
        fatal(
          "agent.skill_scope_preset_invalid",
          "The preset that the run is started under has an empty apiId or name. State both, or no preset.",
        ),
      );

/** A prompt that a host made under one preset does not stand for the other preset that the profile names. */
export const requireSamePreset = (
  stated: PresetRef | undefined,
  { preset: { mode, ref } }: FoundProfile["profile"],
): Effect.Effect<void, Fatal> =>
  stated === undefined || mode !== "ref" || ref === undefined || isSame(stated, ref)
    ? Effect.void
    : Effect.fail(
        fatal(
          "agent.skill_scope_preset_mismatch",
          `The prompt was made under the preset ${stated.name}, and the profile names ${ref.name}. Make it under that one, or choose another profile.`,
        ),
      );

/** The character that a host made its prompt for is the one of the chat. A group has no single one. */
export const requireSameCharacter = (stated: string | undefined, chat: ChatRef): Effect.Effect<void, Fatal> => {
  if (stated === undefined) return Effect.void;
  if (stated === "")
    return Effect.fail(
      fatal(
        "agent.skill_scope_character_id_empty",
        "The id of the character that the prompt was made for is empty. State it, or leave characterId out.",
      ),
    );
  return chat.kind !== "character" || chat.characterId === stated
    ? Effect.void
    : Effect.fail(
        fatal(
          "agent.skill_scope_character_mismatch",
          `The prompt was made for the character ${stated}, and the chat is with ${chat.characterId}. Make it for the character of the chat.`,
        ),
      );
};

const isSame = (one: PresetRef, other: PresetRef): boolean => one.apiId === other.apiId && one.name === other.name;
