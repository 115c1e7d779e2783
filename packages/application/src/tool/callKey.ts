/**
 * The name of a call outside of the runtime.
 */
import * as Sha256 from "@cahier/domain/payload/Sha256";
import type { CallState, InvocationState, RunState } from "@cahier/domain/run/RunState";

/**
 * `call_` and 32 hex digits, from run, invocation, round and call id: a model may give one id in two rounds. A fork that
 * takes over a call in flight asks under the key of the run that began it.
 */
export const callKey = (
  { forkedFrom, runId }: Pick<RunState, "forkedFrom" | "runId">,
  { id, turn }: Pick<InvocationState, "id" | "turn">,
  { callId, requestedSeq }: Pick<CallState, "callId" | "requestedSeq">,
): string => {
  const origin = forkedFrom !== null && requestedSeq <= forkedFrom.seq ? forkedFrom.runId : runId;
  return `call_${Sha256.ofText(JSON.stringify([origin, id, turn?.round ?? 0, callId])).slice(0, 32)}`;
};
