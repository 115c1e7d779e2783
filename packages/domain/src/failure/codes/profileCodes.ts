/** Codes about profiles: the rules of `profile/ProfileCode`, and finding one. */
import * as Records from "effect/Record";
import { type ProfileCode, profileCodes as rules } from "../../profile/ProfileCode.ts";
import type { FailureEntry } from "../FailureCode.ts";

const ruleCodes: { readonly [Code in ProfileCode]: FailureEntry } = Records.map(rules, (meaning) => ({
  class: "host" as const,
  meaning,
}));

export const profileCodes = {
  ...ruleCodes,
  "agent.profile_feature_unsupported": {
    class: "host",
    meaning: "The profile asks for something that this version does not do.",
  },
  "agent.profile_model_connection_invalid": {
    class: "host",
    meaning: "The connection that the profile names cannot be used.",
  },
  "agent.profile_model_connection_missing": {
    class: "host",
    meaning: "The connection that the profile names is not there.",
  },
  "agent.profile_preset_api_unsupported": {
    class: "host",
    meaning: "The profile names a preset of a kind that no prompt is made by here.",
  },
  "agent.profile_preset_retarget_api_mismatch": {
    class: "host",
    meaning: "A preset keeps its kind when profiles are pointed to another one.",
  },
  "agent.profile_preset_retarget_from_api_required": {
    class: "host",
    meaning: "The preset that profiles name now is stated without its kind.",
  },
  "agent.profile_preset_retarget_from_name_required": {
    class: "host",
    meaning: "The preset that profiles name now is stated without its name.",
  },
  "agent.profile_preset_retarget_same_ref": { class: "host", meaning: "Both presets are the same one." },
  "agent.profile_preset_retarget_target_missing": {
    class: "host",
    meaning: "The preset that profiles are to name is not there.",
  },
  "agent.profile_preset_retarget_to_api_required": {
    class: "host",
    meaning: "The preset that profiles are to name is stated without its kind.",
  },
  "agent.profile_preset_retarget_to_name_required": {
    class: "host",
    meaning: "The preset that profiles are to name is stated without its name.",
  },
  "agent.profile_not_found": { class: "host", meaning: "There is no profile with this id." },
  "prompt_assembly.lorebook_data_invalid": { class: "host", meaning: "The file is no lorebook that can be read." },
  "prompt_assembly.preset_data_invalid": { class: "host", meaning: "The file is no preset that can be read." },
  "prompt_assembly.settings_data_invalid": { class: "host", meaning: "The file holds no settings that can be read." },
} as const satisfies Record<string, FailureEntry>;
