/**
 * What an agent is told of the failure of another agent: what it means for its own work, and what to do.
 *
 * The reasons are written for people who run the program and name what only they can see, so that none of their words is passed
 * on. One table by code; what has no line of its own has the line of its kind.
 */
import { areaOf, type FailureCode, failureCodes } from "@cahier/domain/failure/FailureCode";

/** One sentence or two, in words that an agent has a use for. `message` is said where it is another agent's own word. */
export const forModel = (code: string, message: string): string => {
  if (code === "agent.task_failed") return message;
  if (!isCode(code)) return unable;
  return sentences[code] ?? ofArea[areaOf(code)] ?? unable;
};

const isCode = (code: string): code is FailureCode => Object.hasOwn(failureCodes, code);

const unable = "The agent could not do its work. Do it yourself, or give the task to another agent.";
const unreachable =
  "The agent could not think: what answers for it cannot be reached or gives no usable answer. Try again, or do the work yourself.";
const exhausted = "The agent has used up what it may use for one task. Give it a smaller task.";
const notReady =
  "The agent could not be made ready for the task. Do the work yourself, or give the task to another agent.";

const sentences: { readonly [Code in FailureCode]?: string } = {
  "agent.cost_budget_exhausted": exhausted,
  "agent.time_budget_exhausted": exhausted,
  "agent.token_budget_exhausted": exhausted,
  "agent.max_tool_rounds_exceeded": exhausted,
  "agent.repeated_call": "The agent went in circles. State the task otherwise, or do it yourself.",
  "agent.task_timeout": "The task took longer than it may. Give a smaller one.",
  "agent.child_invocation_missing_return": "The agent ended without returning a result. State what it is to return.",
  "agent.tool_after_finish": "The agent went on after it had returned its result. Give the task again.",
  "agent.skill_visible_missing": notReady,
  "agent.host_timeout": notReady,
  "agent.prompt_assembly_failed": notReady,
  "context.budget_exceeded":
    "The task needs more text at once than the agent can hold. Give it a smaller task, or name files instead of quoting them.",
  "model.tool_call_required": "The agent answered with text only and returned no result. State what it is to return.",
};

const ofArea: { readonly [area: string]: string } = {
  model: unreachable,
  network: unreachable,
  prompt_assembly: notReady,
};
