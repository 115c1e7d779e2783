/**
 * Which neighbouring events of a batch belong to or concern one invocation: what a filtered page looks through.
 */
import type { InvocationId } from "@cahier/domain/identity/Identity";
import type { NewEvent } from "@cahier/domain/run/EventEnvelope";

/** Events `first` to `last` of a batch, counted from 0, all of which belong to or concern the invocation. */
export interface InvocationSpan {
  readonly invocationId: InvocationId;
  readonly first: number;
  readonly last: number;
}

/** The spans of a batch; no event is twice in those of one invocation. */
export const of = (events: ReadonlyArray<NewEvent>): ReadonlyArray<InvocationSpan> => {
  const spans: Array<InvocationSpan> = [];
  const open = new Map<InvocationId, number>();
  for (const [index, { eventScope }] of events.entries()) {
    for (const invocationId of new Set([eventScope.invocationId, ...(eventScope.relatedInvocationIds ?? [])])) {
      const at = open.get(invocationId);
      const span = at === undefined ? undefined : spans[at];
      if (at !== undefined && span?.last === index - 1 && index - span.first < longest)
        spans[at] = { ...span, last: index };
      else open.set(invocationId, spans.push({ invocationId, first: index, last: index }) - 1);
    }
  }
  return spans;
};

/** A page reads a span for each of its events in the worst case, so spans stay short. */
const longest = 16;
