/**
 * The envelope that every journal event travels in, whatever its type.
 *
 * Owns the header fields and their order in a stored line. Does not own payloads: `RunEvent` does. Storage adapters
 * need only this module: to them a payload is JSON.
 */
import * as Schema from "effect/Schema";
import { EventId, InvocationId, RunId } from "../identity/Identity.ts";

export const EventLevel = Schema.Literals(["debug", "info", "warn", "error"]);
export type EventLevel = typeof EventLevel.Type;

/** The invocation that an event belongs to, and others that it concerns. Paging filters by either. */
export const EventScope = Schema.Struct({
  invocationId: InvocationId,
  relatedInvocationIds: Schema.optionalKey(Schema.Array(InvocationId)),
});
export type EventScope = typeof EventScope.Type;

/** Why an event exists: the event before it, or the request of another process (`inbox/<runId>`). */
export const Causality = Schema.Struct({
  parentEventId: Schema.optionalKey(EventId),
  requestId: Schema.optionalKey(Schema.String),
});
export type Causality = typeof Causality.Type;

const fields = {
  id: EventId,
  timestamp: Schema.String,
  level: EventLevel,
  type: Schema.String,
  v: Schema.Int,
  eventScope: EventScope,
  causality: Schema.optionalKey(Causality),
  payload: Schema.Json,
};

/** An event before it is appended: the journal adds `seq`, `runId` and `epoch`. */
export const NewEvent = Schema.Struct(fields);
export type NewEvent = typeof NewEvent.Type;

/** An event of a journal. `seq` starts at 1 and has no gaps; `timestamp` is ISO 8601 UTC with milliseconds. */
export const StoredEvent = Schema.Struct({ seq: Schema.Int, runId: RunId, ...fields, epoch: Schema.Int });
export type StoredEvent = typeof StoredEvent.Type;

/** True when `event` belongs to or concerns `invocationId`. */
export const concerns = (event: Pick<StoredEvent, "eventScope">, invocationId: InvocationId): boolean =>
  event.eventScope.invocationId === invocationId ||
  (event.eventScope.relatedInvocationIds?.includes(invocationId) ?? false);
