/** Codes about agents that give work to one another, and about what users say to them. */
import type { FailureEntry } from "../FailureCode.ts";

export const agentCodes = {
  "agent.await_task_not_found": { class: "recoverable", meaning: "The agent has given no task of this id." },
  "agent.child_handoff_denied": { class: "recoverable", meaning: "A delegated agent cannot hand its place over." },
  "agent.child_invocation_missing_return": {
    class: "fatal",
    meaning: "A delegated agent ended without returning its result.",
  },
  "agent.delegation_budget_exhausted": { class: "recoverable", meaning: "No more work may be given at the moment." },
  "agent.delegation_policy_denied": { class: "recoverable", meaning: "This agent may not give this work to that one." },
  "agent.guidance_active_run_missing": { class: "host", meaning: "The run was never admitted: nobody can be told." },
  "agent.guidance_empty": { class: "host", meaning: "What the user says to the agent is empty." },
  "agent.guidance_invalid": { class: "host", meaning: "What the user says to the agent has a wrong form." },
  "agent.guidance_mailbox_closed": { class: "host", meaning: "The agent has finished and reads nothing more." },
  "agent.guidance_mailbox_full": { class: "host", meaning: "Too much waits for the agent already." },
  "agent.guidance_run_not_accepting": { class: "host", meaning: "The run has ended or is being cancelled." },
  "agent.guidance_too_large": { class: "host", meaning: "What the user says to the agent is too long." },
  "agent.handoff_depth_exhausted": { class: "recoverable", meaning: "The work was handed over as often as it may be." },
  "agent.handoff_pending_tasks": {
    class: "recoverable",
    meaning: "Tasks of the agent are under way, so it cannot hand its place over.",
  },
  "agent.handoff_policy_denied": { class: "recoverable", meaning: "This agent may not hand its place to that one." },
  "agent.max_concurrent_invocations_exhausted": {
    class: "recoverable",
    meaning: "As many tasks are under way as may be at once.",
  },
  "agent.max_delegation_depth_exhausted": { class: "recoverable", meaning: "A task may not be given on any further." },
  "agent.max_handoff_depth_exhausted": {
    class: "recoverable",
    meaning: "The run was handed over as often as its profile allows.",
  },
  "agent.max_invocations_per_run_exhausted": {
    class: "recoverable",
    meaning: "The run has given as many tasks as its profile allows.",
  },
  "agent.no_child_tasks": { class: "recoverable", meaning: "The agent has given no task that it could wait for." },
  "agent.profile_cannot_delegate": { class: "recoverable", meaning: "The profile does not let its agent delegate." },
  "agent.profile_cannot_handoff": { class: "recoverable", meaning: "The profile does not let its agent hand over." },
  "agent.prompt_assembly_failed": { class: "fatal", meaning: "The host says that it cannot make the prompt." },
  "agent.prompt_assembly_not_pending": { class: "host", meaning: "The request for a prompt has been answered." },
  "agent.prompt_assembly_request_missing": { class: "host", meaning: "The run waits for no prompt of this id." },
  "agent.prompt_assembly_resolve_invalid": {
    class: "host",
    meaning: "The prompt is not made of what was asked about.",
  },
  "agent.prompt_assembly_snapshot_required": { class: "host", meaning: "The answer holds no prompt and no error." },
  "agent.target_caller_denied": { class: "recoverable", meaning: "The named agent takes no work from this one." },
  "agent.target_not_callable": { class: "recoverable", meaning: "The named agent takes no work at all." },
  "agent.target_not_handoff": { class: "recoverable", meaning: "The named agent takes nobody's place." },
  "agent.target_not_subagent": { class: "recoverable", meaning: "The named agent takes no tasks." },
  "agent.target_profile_not_found": { class: "recoverable", meaning: "There is no agent of this name." },
  "agent.task_already_finished": { class: "recoverable", meaning: "The task has ended already." },
  "agent.task_failed": { class: "fatal", meaning: "A delegated agent says that its task has failed." },
  "agent.task_return_denied": { class: "recoverable", meaning: "The agent works on no task that it could return." },
  "agent.task_timeout": { class: "fatal", meaning: "A task took longer than it may." },
} as const satisfies Record<string, FailureEntry>;
