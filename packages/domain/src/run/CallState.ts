/**
 * A tool call of the current turn, and what people were asked and said about it.
 */
import type { CallId } from "../identity/Identity.ts";
import type { Payload } from "../payload/Payload.ts";
import type { Sha256 } from "../payload/Sha256.ts";
import type { PolicyLayer } from "../policy/PolicyDecision.ts";
import type { ToolSource } from "../tool/ToolDescriptor.ts";
import type { CallRefusal } from "./event/tool.ts";

/** What is asked about a call: see `tool_call_awaiting_approval`. */
export interface ApprovalState {
  readonly title: string;
  readonly argumentsSummary: string;
  readonly argumentsSha256: Sha256;
  readonly sideEffects: ReadonlyArray<string>;
  readonly source: ToolSource;
  readonly reason: string;
  readonly layer: PolicyLayer | null;
  readonly rule: string | null;
  readonly askedSeq: number;
}

/** What was decided about a call, and by whom. */
export type ApprovalDecision =
  | {
      readonly approved: true;
      readonly by: "user" | "remembered" | "unattended";
      readonly reason: string | null;
    }
  | { readonly approved: false; readonly by: "policy" | "user"; readonly reason: string };

/** What a tool asks a person in the middle of its call: see `tool_question_asked`. */
export interface QuestionState {
  readonly questionId: string;
  readonly message: string;
  readonly question: Payload;
  readonly askedSeq: number;
}

/**
 * One tool call of the current turn. `awaiting`: somebody is asked; once it is decided the call is `requested` again,
 * with its `decision`, and a denied one has a `refusal`. `interrupted`: it had started when its process died.
 * `question`: what its tool waits to be told.
 */
export interface CallState {
  readonly callId: CallId;
  readonly name: string;
  readonly toolId: string | null;
  readonly argumentsRef: Payload;
  readonly argumentsSha256: Sha256 | null;
  readonly requestedSeq: number;
  readonly phase: "requested" | "awaiting" | "started" | "closed";
  readonly approval: ApprovalState | null;
  readonly decision: ApprovalDecision | null;
  readonly effectClass: string | null;
  readonly refusal: CallRefusal | null;
  readonly interrupted: boolean;
  readonly question: QuestionState | null;
}
