/**
 * What a fault of the prompt assembler means for a run: one total function.
 */
import { type Fatal, fatal } from "@cahier/domain/failure/Failure";
import type { FailureCode } from "@cahier/domain/failure/FailureCode";
import type { PromptFault } from "@cahier/ports/PromptAssembler";

/** A prompt that cannot be made keeps the run from starting. */
export const classifyPrompt = (fault: PromptFault): Fatal =>
  fatal(promptCodes[fault.reason._tag], fault.detail, { cause: fault });

const promptCodes = {
  Empty: "agent.tool_loop_requires_messages",
  MarkerUnmaterialized: "agent.prompt_marker_unmaterialized",
  PresetMissing: "agent.profile_preset_missing",
  RequiredOverBudget: "context.budget_exceeded",
} as const satisfies Record<PromptFault["reason"]["_tag"], FailureCode>;
