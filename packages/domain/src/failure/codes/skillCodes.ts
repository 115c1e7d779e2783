/** Codes about Skills: what an agent does with them, and what a person installs. */
import type { FailureEntry } from "../FailureCode.ts";

export const skillCodes = {
  "agent.skill_scope_character_id_empty": {
    class: "host",
    meaning: "A prompt was made for a character without an id.",
  },
  "agent.skill_scope_character_mismatch": { class: "host", meaning: "The prompt was made for another character." },
  "agent.skill_scope_preset_mismatch": { class: "host", meaning: "The prompt was made under another preset." },
  "agent.skill_scope_preset_invalid": { class: "host", meaning: "The preset that a run is started under has no name." },
  "agent.skill_visible_missing": { class: "host", meaning: "The profile names a Skill that is not installed." },
  "skill.archive_invalid": { class: "host", meaning: "The archive is not a zip file that can be read." },
  "skill.conflict": { class: "host", meaning: "Another Skill of this name is installed; somebody has to decide." },
  "skill.download_failed": { class: "host", meaning: "The Skill could not be fetched from its address." },
  "skill.entry_invalid": { class: "host", meaning: "What is kept of an installed Skill cannot be read." },
  "skill.front_matter_invalid": { class: "host", meaning: "SKILL.md does not begin with usable front matter." },
  "skill.invalid_request": { class: "recoverable", meaning: "A Skill is asked for in a way that means nothing." },
  "skill.name_invalid": { class: "host", meaning: "The name of a Skill has a character that it may not have." },
  "skill.not_found": { class: "recoverable", meaning: "There is no such Skill, or no such file in it." },
  "skill.not_installed": { class: "host", meaning: "No Skill of this name is installed in this scope." },
  "skill.not_visible": { class: "recoverable", meaning: "The agent may not see this Skill." },
  "skill.path_unsafe": { class: "host", meaning: "A file of the package lies outside it or in a guarded folder." },
  "skill.policy_denied": { class: "recoverable", meaning: "The profile denies this Skill." },
  "skill.read_budget_exceeded": { class: "recoverable", meaning: "The part is longer than one read may be." },
  "skill.read_budget_exhausted": { class: "recoverable", meaning: "Nothing more of Skills may be read in this run." },
  "skill.search_context_too_large": { class: "recoverable", meaning: "More lines around a match than may be." },
  "skill.search_limit_invalid": { class: "recoverable", meaning: "The number of matches is no number from 1 up." },
  "skill.search_limit_too_large": { class: "recoverable", meaning: "More matches than one search may give." },
  "skill.sidecar_invalid": { class: "host", meaning: "The sidecar agents/tauritavern.json does not have its form." },
  "skill.skill_file_missing": { class: "host", meaning: "The package has no SKILL.md." },
  "skill.symlink_refused": { class: "host", meaning: "The package holds a symbolic link." },
  "skill.too_large": { class: "host", meaning: "The package has more files or bytes than one may have." },
} as const satisfies Record<string, FailureEntry>;
