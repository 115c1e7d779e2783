/**
 * What a user says to the agent of a run that is under way.
 *
 * Owns its limits, whether it is taken, and how it is told to the agent. Does not own its way to the run.
 */
import * as Result from "effect/Result";
import type { RunState } from "../run/RunState.ts";
import { isTerminal } from "../run/RunStatus.ts";
import type { Payload } from "../payload/Payload.ts";
import * as TextMetrics from "../workspace/TextMetrics.ts";
import { refuse, type Refusal } from "../workspace/Refusal.ts";

/** Limits of one piece, of how many may wait, of all that wait together, and of a preview, in characters. */
export const longestText = 16_000;
export const mostPending = 8;
export const mostPendingChars = 64_000;
export const longestPreview = 240;
const longestClientId = 128;

/** A piece that waits. */
export interface PendingGuidance {
  readonly guidanceId: string;
  readonly clientGuidanceId: string | null;
  readonly chars: number;
  readonly words: number;
  readonly text: Payload;
}

/** What waits, and the requests of other processes that are on record already. */
export interface GuidanceState {
  readonly pending: ReadonlyArray<PendingGuidance>;
  readonly requests: ReadonlyArray<string>;
}

/** Nothing waits. */
export const none: GuidanceState = { pending: [], requests: [] };

/** What is said, as a caller states it. */
export interface SubmittedGuidance {
  readonly text: string;
  readonly clientGuidanceId?: string;
}

/** What was taken and waits: how much it is, how it begins, and how much waits with it. */
export interface QueuedGuidance {
  readonly guidanceId: string;
  readonly clientGuidanceId?: string;
  readonly status: "queued";
  readonly preview: string;
  readonly chars: number;
  readonly words: number;
  readonly pendingCount: number;
}

/** What is said to whoever said it, once it is on record. */
export const acknowledge = (
  { guidance }: Pick<RunState, "guidance">,
  guidanceId: string,
  { clientGuidanceId, text }: SubmittedGuidance,
): QueuedGuidance => ({
  guidanceId,
  ...(clientGuidanceId === undefined ? {} : { clientGuidanceId }),
  status: "queued",
  preview: previewOf(text),
  ...TextMetrics.measure(text),
  pendingCount: guidance.pending.length,
});

export type GuidanceRefusal = Refusal<
  | "agent.guidance_active_run_missing"
  | "agent.guidance_empty"
  | "agent.guidance_invalid"
  | "agent.guidance_mailbox_closed"
  | "agent.guidance_mailbox_full"
  | "agent.guidance_run_not_accepting"
  | "agent.guidance_too_large"
>;

/** Whether a run can be told something, whatever it is: it was admitted, works, and its agent has not finished. */
export const admitGuidance = (
  state: RunState,
  { clientGuidanceId, text }: SubmittedGuidance,
): Result.Result<TextMetrics.TextMetrics, GuidanceRefusal> => {
  const stated = admitText(text, clientGuidanceId);
  if (Result.isFailure(stated)) return stated;
  const foreground = state.foreground === null ? undefined : state.invocations[state.foreground];
  if (foreground === undefined)
    return refuse("agent.guidance_active_run_missing", "The run was never admitted, so nobody is there to be told.");
  if (isTerminal(state.status) || state.cancelRequested || state.status === "cancelling")
    return refuse(
      "agent.guidance_run_not_accepting",
      `The run takes nothing more: it is ${state.cancelRequested ? "being cancelled" : state.status}. Revise it, or start a new one.`,
    );
  if (foreground.finished)
    return refuse("agent.guidance_mailbox_closed", "The agent has finished and asks its model nothing more.");
  const { pending } = state.guidance;
  const chars = pending.reduce((sum, one) => sum + one.chars, 0);
  return pending.length >= mostPending || chars + stated.success.chars > mostPendingChars
    ? refuse(
        "agent.guidance_mailbox_full",
        `${pending.length} messages of ${chars} characters wait for the agent already; at most ${mostPending} of ${mostPendingChars} may. Say it again when it has read them.`,
      )
    : stated;
};

/** Whether a text can be told to any agent, and its size. */
export const admitText = (
  text: string,
  clientGuidanceId?: string,
): Result.Result<TextMetrics.TextMetrics, GuidanceRefusal> => {
  if (typeof text !== "string" || (clientGuidanceId !== undefined && !isClientId(clientGuidanceId)))
    return refuse(
      "agent.guidance_invalid",
      `State text, and if you like a clientGuidanceId of 1 to ${longestClientId} characters.`,
    );
  if (text.trim() === "") return refuse("agent.guidance_empty", "Say something: the text is empty.");
  const metrics = TextMetrics.measure(text);
  return metrics.chars <= longestText
    ? Result.succeed(metrics)
    : refuse(
        "agent.guidance_too_large",
        `The text has ${metrics.chars} characters; at most ${longestText} are taken. Say it in fewer words.`,
      );
};

const isClientId = (id: string): boolean => typeof id === "string" && id !== "" && id.length <= longestClientId;

/** The one user message that tells what has waited, oldest first. */
export const toldAs = (texts: ReadonlyArray<string>): string =>
  ["<user_guidance>", texts.map((text) => text.toWellFormed()).join("\n\n"), "</user_guidance>"].join("\n");

/** The beginning of a text, at most 240 characters. */
export const previewOf = (text: string): string => {
  const characters = [...text.toWellFormed()];
  return characters.length <= longestPreview
    ? text.toWellFormed()
    : `${characters.slice(0, longestPreview - 1).join("")}…`;
};
