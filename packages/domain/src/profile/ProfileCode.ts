/**
 * The codes under which a profile is refused or found wanting, each with what to do about it.
 *
 * Owns the list: no rule of a profile reports under another code.
 */

/** Code to remedy. */
export const profileCodes = {
  "agent.profile_contract_invalid": "Correct the named field to the form that the profile reference gives.",
  "agent.profile_kind_invalid": 'Set kind to "cahier.agentProfile".',
  "agent.profile_schema_unsupported": "Set schemaVersion to 1, or import the file instead of copying it.",
  "agent.profile_id_empty": "Give the profile an id.",
  "agent.profile_id_too_long": "Shorten the id to 128 characters.",
  "agent.profile_id_invalid": "Write the id with lower-case letters, digits, - and _ only.",
  "agent.profile_display_name_required": "Give the profile a displayName.",
  "agent.profile_preset_ref_required": "Set preset.ref, or another preset.mode than ref.",
  "agent.profile_preset_api_invalid": "Name the API of the preset in preset.ref.apiId.",
  "agent.profile_preset_name_required": "Name the preset in preset.ref.name.",
  "agent.profile_preset_missing": "Choose a preset that exists, or set preset.required to false.",
  "agent.profile_preset_reasoning_effort_unsupported": "Remove preset.reasoningEffort, or set preset.mode to ref.",
  "agent.profile_model_connection_ref_required": "Name a connection in model.connectionRef.",
  "agent.profile_model_id_required": "Name a model in model.modelId.",
  "agent.profile_model_current_snapshot_extra_fields":
    "Remove model.connectionRef and model.modelId, or set model.mode to connectionRef.",
  "agent.profile_model_requires_configuration_extra_fields":
    "Remove model.connectionRef and model.modelId, or set model.mode to connectionRef.",
  "agent.profile_model_requires_configuration": "Choose a connection and a model for this profile.",
  "agent.profile_subagent_only_background_required": "Set run.presentation to background.",
  "agent.profile_direct_runnable_disabled_requires_delegation_target":
    "Set run.directRunnable to true, or make the profile callable as subagent or handoff target.",
  "agent.profile_model_retry_invalid": "Give run.modelRetry whole numbers from 0 up.",
  "agent.profile_drift_recovery_invalid": "Give run.driftRecovery.maxAttempts a whole number from 0 up.",
  "agent.profile_repetition_invalid": "Give run.repetition whole numbers from 1 up, warnAt below endAt.",
  "agent.profile_run_budget_invalid": "Give each limit of run.budget a number above 0, or remove it.",
  "agent.profile_context_invalid": "Give the named field of context a whole number in its range.",
  "agent.profile_agent_delegate_requires_delegation":
    "Set delegation.canDelegate to true, or remove the tool from tools.allow.",
  "agent.profile_agent_list_requires_delegation":
    "Set delegation.canDelegate or canHandoff to true, or remove the tool from tools.allow.",
  "agent.profile_agent_handoff_requires_handoff":
    "Set delegation.canHandoff to true, or remove the tool from tools.allow.",
  "agent.profile_delegation_callable_required": "Set delegation.callable to true, or clear both allowAs switches.",
  "agent.profile_delegation_target_mode_required":
    "Set delegation.allowAsSubagent or allowAsHandoffTarget to true, or callable to false.",
  "agent.profile_delegation_callers_empty": 'Name callers in delegation.allowedCallers; "*" is every profile.',
  "agent.profile_delegation_description_empty": "Write delegation.descriptionForAgents, or remove it.",
  "agent.profile_delegation_concurrency_invalid": "Give delegation.maxConcurrentInvocations a whole number from 1 up.",
  "agent.profile_delegation_run_budget_invalid": "Give delegation.maxInvocationsPerRun a whole number from 1 up.",
  "agent.profile_delegation_result_budget_invalid": "Give delegation.resultBudgetTokens a whole number from 1 up.",
  "agent.profile_delegation_depth_invalid": "Give delegation.maxDepth a whole number from 1 up.",
  "agent.profile_delegation_timeout_invalid": "Give delegation.taskTimeoutMs a whole number from 1 up.",
  "agent.profile_handoff_depth_invalid": "Give delegation.maxHandoffDepth a whole number from 1 up.",
  "agent.profile_system_prompt_empty": "Write instructions.agentSystemPrompt, or remove it for the default.",
  "agent.profile_tools_empty": "Allow at least one tool in tools.allow that tools.deny does not take away.",
  "agent.profile_unknown_tool": "Name a tool that exists by its id, such as builtin:workspace.read_file.",
  "agent.profile_task_return_runtime_only": "Remove builtin:task.return: the runtime adds it where it is needed.",
  "agent.profile_tool_unavailable": "Nothing to do: the tool joins this built-in profile when the catalogue has it.",
  "agent.profile_tool_description_invisible": "Allow the tool, or remove its entry in tools.toolDescriptions.",
  "agent.profile_tool_description_empty": "Write the description, or remove it for the tool's own.",
  "agent.profile_tool_properties_invalid": "Name at least one property of the tool, or remove properties.",
  "agent.profile_unknown_tool_property": "Name a property that the tool's input has.",
  "agent.profile_tool_property_description_empty": "Write the property's description, or remove it.",
  "agent.profile_tool_property_schema_invalid": "Remove the property's description: its schema cannot carry one.",
  "agent.profile_tool_policy_invalid": "Name at least one tool or pattern, such as mcp/*.",
  "agent.profile_max_rounds_invalid": "Give tools.maxRounds a whole number from 1 up.",
  "agent.profile_max_calls_invalid": "Give tools.maxCallsPerRun a whole number from 1 up.",
  "agent.profile_tool_budget_invisible": "Allow the tool, or remove its entry.",
  "agent.profile_tool_budget_invalid": "Give the tool a whole number from 1 up.",
  "agent.profile_tool_timeout_invalid": "Give the tool a whole number of milliseconds from 1 up.",
  "agent.profile_mcp_result_inline_char_limit_invalid":
    "Give tools.externalResultInlineCharLimit a whole number from 1 up.",
  "agent.profile_skill_visible_empty": 'Name Skills in skills.visible; "*" is every Skill.',
  "agent.profile_skill_name_invalid": "Write the Skill's name with lower-case letters, digits, - and _ only.",
  "agent.profile_skill_budget_invalid":
    "Give the read budgets of skills whole numbers from 1 up, the one per call not above the one per run.",
  "agent.profile_workspace_visible_empty": "Show at least one root in workspace.visibleRoots.",
  "agent.profile_workspace_root_invalid":
    "Name roots among output, scratch, plan, summaries and persist; a writable one must be visible.",
  "agent.plan_mode_unsupported": 'Set plan.mode to "none".',
  "agent.plan_nodes_unsupported": "Remove the entries of plan.nodes.",
  "agent.profile_output_empty": "Name at least one artifact in output.artifacts.",
  "agent.profile_artifact_id_invalid": "Write the artifact's id with letters, digits, - and _ only.",
  "agent.profile_output_duplicate_id": "Give each artifact an id of its own.",
  "agent.profile_output_kind_required": "Give the artifact a kind, such as markdown.",
  "agent.profile_output_duplicate_path": "Give each artifact a path of its own.",
  "agent.profile_output_path_denied": "Put the artifact below a root that the profile may write.",
  "agent.profile_output_duplicate_message_body": "Keep one artifact with the target messageBody.",
  "agent.profile_output_message_body_missing": "Give one artifact the target messageBody.",
  "agent.profile_output_writer_required": "Allow builtin:workspace.write_file.",
  "agent.profile_commit_required": "Allow builtin:workspace.commit, or set run.presentation to background.",
  "agent.profile_finish_required": "Allow builtin:workspace.finish.",
  "agent.profile_not_direct_runnable": "Start another profile: this one is only called by other agents.",
} as const;

/** A code that a profile is refused under. */
export type ProfileCode = keyof typeof profileCodes;
