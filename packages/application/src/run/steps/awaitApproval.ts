/** What stands before a turn's first call when people are asked: allowing it without them, or waiting for them. */
import type { Fatal } from "@cahier/domain/failure/Failure";
import type { InvocationId } from "@cahier/domain/identity/Identity";
import { activeInvocations } from "@cahier/domain/run/activeInvocations";
import { draft } from "@cahier/domain/run/RunEvent";
import type { Step } from "@cahier/domain/run/nextStep";
import * as Effect from "effect/Effect";
import { changeStatus, type RunContext, type RunResources } from "../RunContext.ts";
import { allowedBy } from "./recordResponse.ts";

/**
 * A run that waits for people has no owner and holds nothing but its journal: whoever answers takes it up again. False when
 * somebody has answered meanwhile, so that the run goes on.
 */
export const waitForPeople = ({ writer }: RunResources, foreground: InvocationId): Effect.Effect<boolean, Fatal> =>
  Effect.suspend(() => {
    if (activeInvocations(writer.state()).length > 0) return Effect.succeed(false);
    changeStatus(writer, foreground, "awaiting_approval", "approval");
    writer.record(draft("run_owner_changed", foreground, { owner: null, reason: "awaiting_approval" }));
    return Effect.as(writer.flush, true);
  });

/** Allows what this process may allow without asking, and what was approved for the run; true when that was something. */
export const approveUnattended = (
  context: RunContext,
  { calls, turn }: Extract<Step, { _tag: "AwaitApproval" }>,
): boolean => {
  const { writer, invocationId } = context;
  const drafts = calls.flatMap(({ approval, callId, toolId }) => {
    const by = toolId === null ? undefined : allowedBy(context, toolId);
    return toolId === null || by === undefined || approval === null
      ? []
      : [
          draft("tool_call_approved", invocationId, {
            round: turn.round,
            invocationId,
            callId,
            toolId,
            argumentsSha256: approval.argumentsSha256,
            by,
          }),
        ];
  });
  writer.record(...drafts);
  return drafts.length > 0;
};
