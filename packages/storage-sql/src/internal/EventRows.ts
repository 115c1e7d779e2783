/**
 * What an append inserts.
 */
import type { NewEvent } from "@cahier/domain/run/EventEnvelope";
import type { Insert } from "./Dialect.ts";
import * as EventBody from "./EventBody.ts";
import * as InvocationSpans from "./InvocationSpans.ts";
import type { RunStatements } from "./RunStatements.ts";

/** The rows of the events, and of the spans of invocations; undefined when a payload has no JSON form. */
export const of = (texts: RunStatements, events: ReadonlyArray<NewEvent>): ReadonlyArray<Insert> | undefined => {
  const bodies = events.map(EventBody.encode);
  if (!bodies.every((body) => body !== undefined)) return undefined;
  const last = events.length - 1;
  const spans = InvocationSpans.of(events);
  return [
    { text: texts.insertEvents, columns: [bodies.map((_, index) => last - index), bodies] },
    {
      text: texts.insertSpans,
      columns: [
        spans.map((span) => span.invocationId),
        spans.map((span) => last - span.first),
        spans.map((span) => last - span.last),
      ],
    },
  ];
};

/** Says why there are no rows. */
export const withoutJson = "a payload has no JSON form";
