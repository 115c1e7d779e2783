/** Codes about what agents remember beyond a run, and about keeping and removing runs. */
import type { FailureEntry } from "../FailureCode.ts";

export const persistCodes = {
  "agent.group_persistent_state_prune_unsupported": {
    class: "host",
    meaning: "States of group chats are not removed by hand.",
  },
  "agent.persist_base_state_id_empty": { class: "host", meaning: "The state to begin with has an empty id." },
  "agent.persist_base_state_mismatch": { class: "host", meaning: "The chat names another state to begin with." },
  "agent.persist_state_missing": { class: "host", meaning: "A message says that its state is committed, not which." },
  "agent.persist_state_status_invalid": { class: "host", meaning: "A message says something unknown of its state." },
  "agent.persistent_state_exists": { class: "fatal", meaning: "Another state is stored under the same id." },
  "agent.persistent_state_invalid": { class: "host", meaning: "A stored state does not have the form of one." },
  "agent.persistent_state_manifest_mismatch": { class: "host", meaning: "A stored state is not what it says it is." },
  "agent.persistent_state_message_missing": {
    class: "fatal",
    meaning: "The message that is to name the state is not in the chat any more.",
  },
  "agent.persistent_state_not_found": { class: "host", meaning: "The chat names a state that is not stored." },
  "agent.persistent_state_prune_candidates_required": {
    class: "host",
    meaning: "States are removed only when they are named.",
  },
  "agent.persistent_state_root_invalid": { class: "host", meaning: "A stored state has files outside of persist/." },
  "agent.persistent_state_version_unsupported": {
    class: "host",
    meaning: "A stored state was written by a newer version.",
  },
  "agent.persistent_state_workspace_mismatch": { class: "host", meaning: "A stored state belongs to another chat." },
  "agent.retention_keep_full_recent_runs_invalid": {
    class: "host",
    meaning: "The number of runs to keep whole cannot be held.",
  },
  "agent.retention_keep_recent_terminal_runs_invalid": {
    class: "host",
    meaning: "The number of runs to keep cannot be held.",
  },
  "agent.workspace_in_use": { class: "host", meaning: "A run of the chat works: nothing of it is removed." },
} as const satisfies Record<string, FailureEntry>;
