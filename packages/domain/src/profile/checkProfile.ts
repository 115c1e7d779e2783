/**
 * Every rule of a profile, checked at once.
 *
 * Owns the order of the report. Does not own the shape of the document (`Profile.decode`) nor whether a run may start
 * with it (`resolveProfile`).
 */
import type { CheckContext } from "./CheckContext.ts";
import { checkDelegation } from "./checkDelegation.ts";
import { checkOutput } from "./checkOutput.ts";
import { checkTools } from "./checkTools.ts";
import type { CompleteProfile } from "./CompleteProfile.ts";
import { issue, type ProfileIssue } from "./ProfileIssue.ts";
import type { ProfileCode } from "./ProfileCode.ts";

/** All issues of a profile with defaults applied, in the order of its fields; none when it keeps every rule. */
export const checkProfile = (profile: CompleteProfile, known: CheckContext = {}): ReadonlyArray<ProfileIssue> => [
  ...checkIdentity(profile),
  ...checkPreset(profile, known),
  ...checkModel(profile),
  ...checkRun(profile),
  ...checkContext(profile),
  ...checkDelegation(profile),
  ...checkInstructions(profile),
  ...checkTools(profile, known.catalogue),
  ...checkSkills(profile),
  ...checkPlan(profile),
  ...checkOutput(profile),
];

function* checkIdentity({ id, displayName }: CompleteProfile): Generator<ProfileIssue> {
  if (id === "") yield issue("agent.profile_id_empty", ["id"], "The profile has no id.");
  else if (id.length > 128) {
    yield issue("agent.profile_id_too_long", ["id"], `The id has ${id.length} characters; at most 128 are allowed.`);
  } else if (!/^[a-z0-9_-]+$/.test(id)) {
    yield issue("agent.profile_id_invalid", ["id"], "The id may have lower-case letters, digits, - and _ only.");
  }
  if (displayName.trim() === "") {
    yield issue("agent.profile_display_name_required", ["displayName"], "The profile needs a displayName.");
  }
}

function* checkPreset({ preset }: CompleteProfile, known: CheckContext): Generator<ProfileIssue> {
  if (preset.mode !== "ref") {
    if (preset.reasoningEffort !== undefined) {
      yield issue(
        "agent.profile_preset_reasoning_effort_unsupported",
        ["preset", "reasoningEffort"],
        "reasoningEffort overrides a stored preset, so it needs preset.mode ref.",
      );
    }
    return;
  }
  const { ref } = preset;
  if (ref === undefined) {
    yield issue("agent.profile_preset_ref_required", ["preset", "ref"], "preset.mode ref needs preset.ref.");
    return;
  }
  if (!/^[A-Za-z0-9_-]{1,128}$/.test(ref.apiId)) {
    yield issue(
      "agent.profile_preset_api_invalid",
      ["preset", "ref", "apiId"],
      "The API of a preset is named with letters, digits, - and _ only.",
    );
  }
  if (ref.name.trim() === "") {
    yield issue("agent.profile_preset_name_required", ["preset", "ref", "name"], "The preset needs a name.");
  }
  if (preset.required && known.presetExists !== undefined && !known.presetExists(ref)) {
    yield issue(
      "agent.profile_preset_missing",
      ["preset", "ref"],
      `There is no preset "${ref.name}" for ${ref.apiId}; choose one that exists or set preset.required to false.`,
    );
  }
}

const extraFields = {
  currentPromptSnapshot: "agent.profile_model_current_snapshot_extra_fields",
  requiresConfiguration: "agent.profile_model_requires_configuration_extra_fields",
} as const satisfies Record<string, ProfileCode>;

function* checkModel({ model }: CompleteProfile): Generator<ProfileIssue> {
  const { mode, connectionRef, modelId } = model;
  if (mode === "connectionRef") {
    if (isBlank(connectionRef)) {
      yield issue("agent.profile_model_connection_ref_required", ["model", "connectionRef"], "Name the connection.");
    }
    if (isBlank(modelId)) yield issue("agent.profile_model_id_required", ["model", "modelId"], "Name the model.");
    return;
  }
  if (connectionRef !== undefined || modelId !== undefined) {
    yield issue(
      extraFields[mode],
      ["model"],
      `connectionRef and modelId belong to model.mode connectionRef, not to ${mode}.`,
    );
  }
}

function* checkRun({ run, delegation }: CompleteProfile): Generator<ProfileIssue> {
  const isTarget = delegation.callable && (delegation.allowAsSubagent || delegation.allowAsHandoffTarget);
  const isSubagentOnly = !run.directRunnable && isTarget && !delegation.allowAsHandoffTarget;
  if (isSubagentOnly && run.presentation !== "background") {
    yield issue(
      "agent.profile_subagent_only_background_required",
      ["run", "presentation"],
      "A profile that only runs as subagent cannot publish to the chat; set run.presentation to background.",
    );
  }
  if (!run.directRunnable && !isTarget) {
    yield issue(
      "agent.profile_direct_runnable_disabled_requires_delegation_target",
      ["run", "directRunnable"],
      "Nothing could run this profile: it is neither started directly nor callable by another agent.",
    );
  }
  for (const key of ["maxRetries", "intervalMs"] as const) {
    if (isWhole(run.modelRetry[key], 0)) continue;
    yield issue("agent.profile_model_retry_invalid", ["run", "modelRetry", key], wholeFrom(0));
  }
  if (!isWhole(run.driftRecovery.maxAttempts, 0)) {
    yield issue("agent.profile_drift_recovery_invalid", ["run", "driftRecovery", "maxAttempts"], wholeFrom(0));
  }
  const { warnAt, endAt } = run.repetition;
  if (!isWhole(warnAt, 1) || !isWhole(endAt, 1) || warnAt >= endAt) {
    yield issue(
      "agent.profile_repetition_invalid",
      ["run", "repetition"],
      "warnAt and endAt must be whole numbers of at least 1, warnAt below endAt.",
    );
  }
  for (const key of ["tokens", "cost", "wallMs"] as const) {
    const limit = run.budget[key];
    if (limit === undefined || (Number.isFinite(limit) && limit > 0)) continue;
    yield issue("agent.profile_run_budget_invalid", ["run", "budget", key], "A limit must be above 0.");
  }
}

function* checkContext({ context }: CompleteProfile): Generator<ProfileIssue> {
  const rules: ReadonlyArray<readonly [ReadonlyArray<string>, number | undefined, number]> = [
    [["initialChatHistoryMessages"], context.initialChatHistoryMessages, -1],
    [["hydrateRecentWrites"], context.hydrateRecentWrites, 0],
    [["toolResults", "budgetTokens"], context.toolResults.budgetTokens, 1],
    [["windowTokens"], context.windowTokens, 1],
  ];
  for (const [keys, value, least] of rules) {
    if (value === undefined || isWhole(value, least)) continue;
    yield issue("agent.profile_context_invalid", ["context", ...keys], wholeFrom(least));
  }
}

function* checkInstructions({ instructions }: CompleteProfile): Generator<ProfileIssue> {
  if (instructions.agentSystemPrompt === undefined || !isBlank(instructions.agentSystemPrompt)) return;
  yield issue(
    "agent.profile_system_prompt_empty",
    ["instructions", "agentSystemPrompt"],
    "A blank prompt would replace the generated one by nothing; write it or leave it out.",
  );
}

function* checkSkills({ skills }: CompleteProfile): Generator<ProfileIssue> {
  if (skills.visible.length === 0) {
    yield issue("agent.profile_skill_visible_empty", ["skills", "visible"], 'Name Skills, or "*" for every one.');
  }
  for (const key of ["visible", "deny"] as const) {
    for (const [index, name] of skills[key].entries()) {
      if (name === "*" || /^[a-z0-9_-]{1,128}$/.test(name)) continue;
      yield issue(
        "agent.profile_skill_name_invalid",
        ["skills", key, index],
        "A Skill's name has lower-case letters, digits, - and _ only, at most 128 characters.",
      );
    }
  }
  const { maxReadCharsPerCall, maxReadCharsPerRun } = skills;
  if (isWhole(maxReadCharsPerCall, 1) && isWhole(maxReadCharsPerRun, maxReadCharsPerCall)) return;
  yield issue(
    "agent.profile_skill_budget_invalid",
    ["skills"],
    "maxReadCharsPerCall and maxReadCharsPerRun must be whole numbers of at least 1, the first not above the second.",
  );
}

function* checkPlan({ plan }: CompleteProfile): Generator<ProfileIssue> {
  if (plan.mode !== "none") {
    yield issue(
      "agent.plan_mode_unsupported",
      ["plan", "mode"],
      'Plan mode is not available; set plan.mode to "none".',
    );
  }
  if (plan.nodes.length > 0) {
    yield issue("agent.plan_nodes_unsupported", ["plan", "nodes"], "Plan mode is not available; remove plan.nodes.");
  }
}

const isBlank = (text: string | undefined): boolean => text === undefined || text.trim() === "";

const isWhole = (value: number, least: number): boolean => Number.isSafeInteger(value) && value >= least;

const wholeFrom = (least: number): string => `This must be a whole number of at least ${least}.`;
