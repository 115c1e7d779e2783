/** Codes about runs: admission, rounds, budgets, resuming, and what the command line refuses. */
import type { FailureEntry } from "../FailureCode.ts";

export const runCodes = {
  "agent.context_policy_mismatch": { class: "host", meaning: "The prompt was made under another context policy." },
  "agent.context_policy_required": { class: "host", meaning: "The prompt does not say which context policy made it." },
  "agent.event_scope_invalid": { class: "host", meaning: "An event names no usable invocation." },
  "agent.external_tool_choice_unsupported": { class: "host", meaning: "A prompt may not state a tool choice." },
  "agent.external_tool_turns_unsupported": { class: "host", meaning: "A prompt may not bring tool calls of its own." },
  "agent.external_tools_unsupported": { class: "host", meaning: "A prompt may not bring tools of its own." },
  "agent.foreground_commit_required": { class: "recoverable", meaning: "Finishing needs a successful commit first." },
  "agent.foreground_commit_unavailable": { class: "host", meaning: "A foreground run needs the commit tool." },
  "agent.internal_error": { class: "fatal", meaning: "Something in the runtime is broken." },
  "agent.invalid_context_policy_snapshot": { class: "host", meaning: "The prompt's context policy has a wrong shape." },
  "agent.invalid_generation_type": { class: "host", meaning: "There is no generation of this type." },
  "agent.invalid_prompt_snapshot": { class: "host", meaning: "The prompt snapshot has a wrong shape." },
  "agent.invalid_run_id": { class: "host", meaning: "This is not a run id." },
  "agent.max_tool_rounds_exceeded": {
    class: "fatal",
    meaning: "The invocation used up its rounds.",
    userRetryable: true,
  },
  "agent.prompt_snapshot_required": { class: "host", meaning: "A run cannot start without a prompt." },
  "agent.model_turn_invocation_id_invalid": { class: "host", meaning: "This is not an invocation id." },
  "agent.model_turn_max_chars_invalid": { class: "host", meaning: "The limit of characters is not a positive number." },
  "agent.model_turn_round_invalid": { class: "host", meaning: "There is no answer of this round." },
  "agent.resume_unavailable": { class: "host", meaning: "The run cannot be carried on from here." },
  "agent.run_not_found": { class: "host", meaning: "There is no run with this id." },
  "agent.tool_after_finish": {
    class: "fatal",
    meaning: "The model called a tool after it had finished, in one turn.",
    userRetryable: true,
  },
  "agent.tool_budget_exhausted": { class: "recoverable", meaning: "The budget of tool calls is used up." },
  "agent.workspace_read_denied": { class: "host", meaning: "This file of a run is not readable from outside." },
  "usage.invalid": { class: "host", meaning: "The command line is not understood." },
} as const satisfies Record<string, FailureEntry>;
