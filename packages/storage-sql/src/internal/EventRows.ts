/**
 * An append as rows: neighbouring events share one, since a row costs more than an event.
 *
 * Owns which events share a row, and where the invocations that they concern change. Does not own the statements.
 */
import type { InvocationId } from "@cahier/domain/identity/Identity";
import type { EventScope, NewEvent } from "@cahier/domain/run/EventEnvelope";
import type { Insert, Value } from "./Dialect.ts";
import * as EventBody from "./EventBody.ts";
import { mostInRow, type RunStatements } from "./RunStatements.ts";

/** The invocations that an event belongs to or concerns, each once, in an order that is always the same. */
export type Concerned = ReadonlyArray<InvocationId>;

/** Where the rows will stand: in the run with this key, under this epoch, behind the event `after`. */
export interface Place {
  readonly key: number;
  readonly epoch: number;
  readonly after: number;
  /** What the event `after` concerns; nothing when it is 0. */
  readonly concerned: Concerned;
}

/** The inserts of an append, and what its last event concerns. */
export interface EventRows {
  readonly inserts: ReadonlyArray<Insert>;
  readonly concerned: Concerned;
}

/** The rows of the events, and the edges between invocations; undefined when a payload has no JSON form. */
export const of = (texts: RunStatements, place: Place, events: ReadonlyArray<NewEvent>): EventRows | undefined => {
  const { epoch, key } = place;
  const rows: Columns = [[], [], [], []];
  const edges: Columns = [[], [], []];
  let concerned = place.concerned;
  for (let first = 0; first < events.length;) {
    const seq = place.after + 1 + first;
    const scope = events[first]?.eventScope;
    const own = scope === undefined ? [] : concernedBy(scope);
    if (!isSame(own, concerned)) {
      for (const id of own) if (!concerned.includes(id)) push(edges, id, seq, 1);
      for (const id of concerned) if (!own.includes(id)) push(edges, id, seq, 0);
      concerned = own;
    }
    const next = endOf(events, first, own);
    const some = first === 0 && next === events.length ? events : events.slice(first, next);
    const body = EventBody.encode(some);
    if (body === undefined) return undefined;
    push(rows, seq, some.length, body, texts.checkOf([key, seq, some.length, epoch], body));
    first = next;
  }
  return {
    inserts: [
      { text: texts.insertEvents, columns: rows },
      { text: texts.insertEdges, columns: edges },
    ],
    concerned,
  };
};

/** Says why there are no rows. */
export const withoutJson = "a payload has no JSON form";

/** See `Concerned`. */
export const concernedBy = ({ invocationId, relatedInvocationIds }: EventScope): Concerned =>
  relatedInvocationIds === undefined
    ? [invocationId]
    : [...new Set([invocationId, ...relatedInvocationIds])].toSorted();

type Columns = ReadonlyArray<Array<Value>>;

const push = (columns: Columns, ...row: ReadonlyArray<Value>): void => {
  for (let column = 0; column < row.length; column += 1) columns[column]?.push(row[column] ?? null);
};

/** Behind the last event that can share a row with the event `first`. */
const endOf = (events: ReadonlyArray<NewEvent>, first: number, own: Concerned): number => {
  const most = Math.min(events.length, first + mostInRow);
  for (let next = first + 1; next < most; next += 1) {
    const scope = events[next]?.eventScope;
    if (scope !== undefined && !isOf(scope, own)) return next;
  }
  return most;
};

/** The same as `isSame(concernedBy(scope), own)`, without making a list for the scopes that most events have. */
const isOf = (scope: EventScope, own: Concerned): boolean =>
  scope.relatedInvocationIds === undefined
    ? own.length === 1 && own[0] === scope.invocationId
    : isSame(concernedBy(scope), own);

const isSame = (one: Concerned, other: Concerned): boolean =>
  one.length === other.length && one.every((id, index) => id === other[index]);
