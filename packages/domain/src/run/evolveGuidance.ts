/**
 * How events change what waits to be told to the agent in the foreground.
 */
import type { KnownEvent } from "./RunEvent.ts";
import type { RunState } from "./RunState.ts";

type GuidanceEvent = Extract<
  KnownEvent,
  { readonly type: "user_guidance_applied" | "user_guidance_discarded" | "user_guidance_submitted" }
>;

/** The state after `event`. A piece waits once, whatever is recorded twice. */
export const evolveGuidance = (state: RunState, event: GuidanceEvent): RunState => {
  const { guidance } = state;
  if (event.type !== "user_guidance_submitted") {
    const gone = new Set(event.payload.guidanceIds);
    return {
      ...state,
      guidance: { ...guidance, pending: guidance.pending.filter(({ guidanceId }) => !gone.has(guidanceId)) },
    };
  }
  const { chars, clientGuidanceId, guidanceId, text, words } = event.payload;
  const requestId = event.causality?.requestId;
  if (guidance.pending.some((one) => one.guidanceId === guidanceId)) return state;
  return {
    ...state,
    guidance: {
      pending: [...guidance.pending, { guidanceId, clientGuidanceId: clientGuidanceId ?? null, chars, words, text }],
      requests: requestId === undefined ? guidance.requests : [...guidance.requests, requestId],
    },
  };
};
