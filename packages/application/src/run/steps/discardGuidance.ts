/** What a user has said and no agent is told any more. */
import type { InvocationId } from "@cahier/domain/identity/Identity";
import { draft, type PayloadOf } from "@cahier/domain/run/RunEvent";
import type { RunWriter } from "../RunWriter.ts";

/** Records that what waits is discarded; nothing when nothing does. */
export const discardGuidance = (
  writer: RunWriter,
  invocationId: InvocationId,
  reason: PayloadOf<"user_guidance_discarded">["reason"],
): void => {
  const { pending } = writer.state().guidance;
  if (pending.length === 0) return;
  writer.record({
    ...draft("user_guidance_discarded", invocationId, {
      guidanceIds: pending.map(({ guidanceId }) => guidanceId),
      clientGuidanceIds: pending.flatMap(({ clientGuidanceId }) =>
        clientGuidanceId === null ? [] : [clientGuidanceId],
      ),
      reason,
      status: "discarded",
    }),
    ...(reason === "run_cancel_requested" ? {} : { level: "warn" as const }),
  });
};
