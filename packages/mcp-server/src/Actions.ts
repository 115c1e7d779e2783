/**
 * What a host may permit other clients to do. Each member is a tool of the same name, offered only where it is filled in.
 *
 * Owns the arguments, which are checked before the host is asked. Does not own permission: filling a member in is permission.
 */
import { RunId, Segment } from "@cahier/domain/identity/Identity";
import type * as Effect from "effect/Effect";
import * as Schema from "effect/Schema";
import type { OfferFault } from "./Offer.ts";
import type { RunEntry } from "./OfferedRun.ts";

const runId = RunId.annotate({ description: "The run, as list_runs names it" });
const text = Schema.String.check(Schema.isMinLength(1), Schema.isMaxLength(100_000));

/** `chat` is a chat as the host names it. */
export const StartRun = Schema.Struct({
  chat: Schema.String.check(Schema.isMinLength(1), Schema.isMaxLength(4096)).annotate({
    description: "The chat to write to, as runs name theirs",
  }),
  message: Schema.optionalKey(text.annotate({ description: "A line that the user says in the chat first" })),
  profileId: Schema.optionalKey(
    Schema.String.check(Schema.isPattern(/^[a-z0-9_-]{1,128}$/)).annotate({ description: "The agent profile" }),
  ),
  generationType: Schema.optionalKey(Schema.Literals(["normal", "regenerate", "swipe"])),
});
export type StartRun = typeof StartRun.Type;

export const OneRun = Schema.Struct({ runId });
export type OneRun = typeof OneRun.Type;

export const GuideRun = Schema.Struct({
  runId,
  text: text.annotate({ description: "What the agent is told before its next request; the chat stays as it is" }),
});
export type GuideRun = typeof GuideRun.Type;

/** `argumentsSha256` binds the answer to the arguments that whoever answers has seen. */
export const AnswerApproval = Schema.Struct({
  runId,
  callId: Schema.String.check(Schema.isMinLength(1), Schema.isMaxLength(1024)).annotate({
    description: "The call that waits, as show_run names it",
  }),
  invocationId: Schema.optionalKey(Segment),
  decision: Schema.Literals(["allow", "deny"]),
  argumentsSha256: Schema.String.check(Schema.isPattern(/^[0-9a-f]{64}$/)).annotate({
    description: "The arguments that were decided about, as show_run names them",
  }),
  reason: Schema.optionalKey(text.annotate({ description: "Why; the agent of a refused call is told" })),
});
export type AnswerApproval = typeof AnswerApproval.Type;

/** Carries something out and says how the run stands then; returns once the run has taken it, not when the run has ended. */
export type Action<Given> = (given: Given) => Effect.Effect<RunEntry, OfferFault>;

export interface Actions {
  /** Begins a run that writes the next message of a chat. */
  readonly start_run?: Action<StartRun>;
  /** Ends a run, wherever it is carried on. */
  readonly cancel_run?: Action<OneRun>;
  /** Carries on a run that nobody carries on. */
  readonly resume_run?: Action<OneRun>;
  /** Tells the agent of a run something. */
  readonly guide_run?: Action<GuideRun>;
  /** Decides about a call that a run waits for. */
  readonly answer_approval?: Action<AnswerApproval>;
}
