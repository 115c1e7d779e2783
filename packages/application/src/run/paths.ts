/**
 * The names of a run's payloads in its readable tree.
 */
import type { CallId, CommitId, InvocationId } from "@cahier/domain/identity/Identity";
import * as Sha256 from "@cahier/domain/payload/Sha256";
import { callFileName } from "@cahier/domain/tool/ToolResult";

const roundName = (round: number): string => `round-${String(round).padStart(3, "0")}`;

export const modelResponse = (invocationId: InvocationId, round: number): string =>
  `model-responses/${invocationId}/${roundName(round)}.json`;

export const toolArguments = (invocationId: InvocationId, round: number, callId: CallId): string =>
  `tool-args/${invocationId}/${roundName(round)}-${callFileName(Sha256.ofText(callId))}.json`;

/** The folder of results: what is too long for the model stands there as a file that it can read. */
export const toolResultsRoot = "tool-results";

/** The result of the call whose arguments are at `argumentsPath`. */
export const toolResult = (argumentsPath: string): string => argumentsPath.replace(/^tool-args/, toolResultsRoot);

/** The readable view of the result at `resultPath`. */
export const readableResult = (resultPath: string): string => resultPath.replace(/\.json$/, ".txt");

/** What a patch changed, beside the arguments of its call. */
export const patchEdits = (argumentsPath: string): string => argumentsPath.replace(/\.json$/, ".edits.json");

export const promptSnapshot = (invocationId: InvocationId): string =>
  `input/invocations/${invocationId}/prompt_snapshot.json`;

export const toolSnapshot = (invocationId: InvocationId): string =>
  `input/invocations/${invocationId}/tool_snapshot.json`;

export const modelBinding = (invocationId: InvocationId): string =>
  `input/invocations/${invocationId}/model_binding.json`;

export const reminder = (invocationId: InvocationId, round: number): string =>
  `input/invocations/${invocationId}/reminder-${String(round).padStart(3, "0")}.md`;

/** What the user says to the agent of a forked run. */
export const userMessage = (invocationId: InvocationId, seq: number): string =>
  `input/invocations/${invocationId}/message-${String(seq).padStart(6, "0")}.md`;

/** What the user says of a message that is to be another way. */
export const guidance = (invocationId: InvocationId): string => `input/invocations/${invocationId}/guidance.md`;

/** The message that is revised, as a file of the workspace. */
export const previousOutput = "output/previous_output.md";

/** The text that a message is given back by a rollback. */
export const rolledBackMessage = (commitId: CommitId): string => `rollbacks/${commitId}.md`;

/** A message as the chat host keeps it, which a rollback took out. */
export const withdrawnMessage = (commitId: CommitId): string => `rollbacks/${commitId}.message`;

/** The message that a regenerate takes the place of, as the chat host keeps it. */
export const replacedMessage = "input/replaced.message";

export const resolvedProfile = "input/resolved_profile.json";

/** The Skills that an invocation may read for its whole life. */
export const frozenSkills = (invocationId: InvocationId): string => `input/invocations/${invocationId}/skills.json`;

/** What an invocation that was given a task is told of it. */
export const brief = (invocationId: InvocationId): string => `input/invocations/${invocationId}/brief.md`;

/** The profile that an invocation that was given a task keeps for its whole life. */
export const invocationProfile = (invocationId: InvocationId): string =>
  `input/invocations/${invocationId}/resolved_profile.json`;

/** What an invocation is told before a round of what has become of its tasks. */
export const taskResults = (invocationId: InvocationId, round: number): string =>
  `input/invocations/${invocationId}/task-results-${String(round).padStart(3, "0")}.md`;

/** What an invocation is told before a round of what the user has said. */
export const appliedGuidance = (invocationId: InvocationId, round: number): string =>
  `input/invocations/${invocationId}/guidance-${String(round).padStart(3, "0")}.md`;

/** What a tool asks a person. */
export const question = (questionId: string): string => `input/questions/${questionId}.json`;

/** What was filled in. */
export const questionAnswer = (questionId: string): string => `input/questions/${questionId}.answer.json`;

/** One thing that the user has said. */
export const submittedGuidance = (guidanceId: string): string => `input/guidance/${guidanceId}.md`;
