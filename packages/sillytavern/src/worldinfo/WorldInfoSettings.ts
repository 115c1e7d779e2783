/**
 * SillyTavern's settings of world info, in the names of its settings file.
 */
import type { JsonObject } from "../chat/internal/json.ts";
import * as fields from "../internal/fields.ts";

/** `depth` counts messages; `budgetPercent` is of the context less the response; 0 of a limit is none. */
export interface WorldInfoSettings {
  readonly depth: number;
  readonly minActivations: number;
  readonly minActivationsDepthMax: number;
  readonly budgetPercent: number;
  readonly budgetCap: number;
  readonly includesNames: boolean;
  readonly isRecursive: boolean;
  readonly isCaseSensitive: boolean;
  readonly matchesWholeWords: boolean;
  /** 0 the character's books and those for all chats mixed, 1 the character's first, 2 those for all chats first. */
  readonly characterStrategy: number;
  readonly usesGroupScoring: boolean;
  readonly maxRecursionSteps: number;
}

/** The settings of a new installation where the file does not say. */
export const fromFile = (file: JsonObject): WorldInfoSettings => ({
  depth: fields.number(file, "world_info_depth", 2),
  minActivations: fields.number(file, "world_info_min_activations", 0),
  minActivationsDepthMax: fields.number(file, "world_info_min_activations_depth_max", 0),
  budgetPercent: fields.number(file, "world_info_budget", 25),
  budgetCap: fields.number(file, "world_info_budget_cap", 0),
  includesNames: fields.flag(file, "world_info_include_names", true),
  isRecursive: fields.flag(file, "world_info_recursive", false),
  isCaseSensitive: fields.flag(file, "world_info_case_sensitive", false),
  matchesWholeWords: fields.flag(file, "world_info_match_whole_words", false),
  characterStrategy: fields.number(file, "world_info_character_strategy", 1),
  usesGroupScoring: fields.flag(file, "world_info_use_group_scoring", false),
  maxRecursionSteps: fields.number(file, "world_info_max_recursion_steps", 0),
});

/** The tokens that activated entries may take of a context of so many tokens; at least one. */
export const budgetOf = (settings: WorldInfoSettings, context: number): number => {
  const share = Math.round((settings.budgetPercent * context) / 100) || 1;
  return settings.budgetCap > 0 ? Math.min(share, settings.budgetCap) : share;
};
