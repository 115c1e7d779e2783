/**
 * The rules about calling other agents and being called by them.
 */
import { type CompleteProfile, visibleTools } from "./CompleteProfile.ts";
import type { ProfileCode } from "./ProfileCode.ts";
import { issue, type ProfileIssue } from "./ProfileIssue.ts";

/** All issues of the `delegation` section, and of tools that need its switches. */
export function* checkDelegation(profile: CompleteProfile): Generator<ProfileIssue> {
  const { delegation } = profile;
  const isTarget = delegation.allowAsSubagent || delegation.allowAsHandoffTarget;
  if (isTarget && !delegation.callable) {
    yield issue(
      "agent.profile_delegation_callable_required",
      ["delegation", "callable"],
      "The profile is allowed as a target but not callable; set delegation.callable to true.",
    );
  }
  if (delegation.callable && !isTarget) {
    yield issue(
      "agent.profile_delegation_target_mode_required",
      ["delegation"],
      "The profile is callable in no way; set allowAsSubagent or allowAsHandoffTarget to true.",
    );
  }
  if (delegation.allowedCallers.length === 0) {
    yield issue(
      "agent.profile_delegation_callers_empty",
      ["delegation", "allowedCallers"],
      'Nobody could call this profile; name callers, or "*" for every one.',
    );
  }
  if (delegation.descriptionForAgents?.trim() === "") {
    yield issue(
      "agent.profile_delegation_description_empty",
      ["delegation", "descriptionForAgents"],
      "The description is blank; write it or leave it out.",
    );
  }
  for (const [key, code] of Object.entries(counts)) {
    const value = delegation[key as keyof typeof counts];
    if (Number.isSafeInteger(value) && value >= 1) continue;
    yield issue(code, ["delegation", key], "This must be a whole number of at least 1.");
  }
  yield* checkSwitches(profile);
}

const counts = {
  maxConcurrentInvocations: "agent.profile_delegation_concurrency_invalid",
  maxInvocationsPerRun: "agent.profile_delegation_run_budget_invalid",
  resultBudgetTokens: "agent.profile_delegation_result_budget_invalid",
  maxHandoffDepth: "agent.profile_handoff_depth_invalid",
  maxDepth: "agent.profile_delegation_depth_invalid",
  taskTimeoutMs: "agent.profile_delegation_timeout_invalid",
} as const satisfies Record<string, ProfileCode>;

function* checkSwitches(profile: CompleteProfile): Generator<ProfileIssue> {
  const { canDelegate, canHandoff } = profile.delegation;
  const visible = new Set(visibleTools(profile));
  if (visible.has("builtin:agent.delegate") && !canDelegate) {
    yield needs("agent.profile_agent_delegate_requires_delegation", "builtin:agent.delegate", "canDelegate");
  }
  if (visible.has("builtin:agent.handoff") && !canHandoff) {
    yield needs("agent.profile_agent_handoff_requires_handoff", "builtin:agent.handoff", "canHandoff");
  }
  if (visible.has("builtin:agent.list") && !canDelegate && !canHandoff) {
    yield needs("agent.profile_agent_list_requires_delegation", "builtin:agent.list", "canDelegate or canHandoff");
  }
}

const needs = (code: ProfileCode, tool: string, field: string): ProfileIssue =>
  issue(code, ["tools", "allow"], `${tool} is allowed, but delegation.${field} is not true.`);
