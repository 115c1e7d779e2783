/**
 * Results of delegated tasks as the agent that gave them reads them.
 */
import { markdown } from "./brief.ts";
import type { TaskStatus } from "./Task.ts";
import type { StatedResult } from "./TaskResult.ts";

/** One task. `agent` is whom it was given to; `summaryPath` is the file that holds the summary. */
export interface CapsuleTask {
  readonly taskId: string;
  readonly agent: string;
  readonly status: TaskStatus;
  readonly result?: StatedResult;
  readonly summaryPath?: string;
  readonly error?: string;
}

/** How the reader's work ends: what it has published by then, and the tools for it under its own names. */
export interface Ending {
  readonly isSubagent: boolean;
  readonly publishes: boolean;
  readonly committed: boolean;
  readonly messageBodyPath: string;
  readonly commitTool: string;
  readonly finishTool: string;
  readonly returnTool: string;
}

/** The results under one heading, with a hint how to go on. */
export const capsule = (tasks: ReadonlyArray<CapsuleTask>, ending: Ending): string =>
  ["# Delegated Task Results", ...tasks.map(taskText), "---", hint(ending)].join("\n\n");

const taskText = ({ agent, error, result, status, summaryPath, taskId }: CapsuleTask): string =>
  [
    `## ${agent} – ${status}`,
    `Task: ${taskId}`,
    ...(result === undefined ? [] : resultText(result)),
    ...(summaryPath === undefined ? [] : [`The summary is kept in ${summaryPath}.`]),
    ...(error === undefined ? [] : [`### Error\n\n${error}`]),
  ].join("\n\n");

const resultText = (result: StatedResult): ReadonlyArray<string> => [
  `### Summary\n\n${result.summary}`,
  ...list("Findings", result.findings),
  ...list("Warnings", result.warnings),
  ...list("Suggested Next Actions", result.suggestedNextActions),
  ...list("Questions", result.questionsForCaller),
  ...list(
    "Artifacts",
    result.artifacts?.map(({ kind, path, role }) => `${path} (${role === undefined ? kind : `${kind}, ${role}`})`),
  ),
  ...(result.confidence === undefined ? [] : [`### Confidence\n\n${result.confidence}`]),
];

const list = (heading: string, items: Parameters<typeof markdown>[0] | undefined): ReadonlyArray<string> =>
  items === undefined || !Array.isArray(items) || items.length === 0 ? [] : [`### ${heading}\n\n${markdown(items)}`];

const hint = (ending: Ending): string => {
  const general =
    "These results are material for your work; your instructions stand as they are. Go on with your tools: text that you answer without a tool call reaches nobody.";
  if (ending.isSubagent) return `${general} When your own task is done, call ${ending.returnTool}.`;
  if (!ending.publishes) return `${general} When nothing is left to do, call ${ending.finishTool}.`;
  return ending.committed
    ? `${general} Text has been published already: publish again what you change with ${ending.commitTool}, and when nothing is left to do, call ${ending.finishTool}.`
    : `${general} Put the text of the message into ${ending.messageBodyPath}, publish it with ${ending.commitTool}, then call ${ending.finishTool}.`;
};
