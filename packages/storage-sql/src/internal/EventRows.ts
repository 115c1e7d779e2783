/**
 * An append as rows: neighbouring events share one, since a row costs more than an event.
 *
 * Owns which events share a row. Does not own the statements.
 */
import type { InvocationId } from "@cahier/domain/identity/Identity";
import type { NewEvent } from "@cahier/domain/run/EventEnvelope";
import type { Insert, Value } from "./Dialect.ts";
import * as EventBody from "./EventBody.ts";
import { mostInRow, type RunStatements } from "./RunStatements.ts";

/** The rows of the events, and of the index of invocations; undefined when a payload has no JSON form. */
export const of = (texts: RunStatements, events: ReadonlyArray<NewEvent>): ReadonlyArray<Insert> | undefined => {
  const rows: Columns = [[], [], [], []];
  const index: Columns = [[], [], []];
  for (let first = 0; first < events.length; first += mostInRow) {
    const some = events.length <= mostInRow ? events : events.slice(first, first + mostInRow);
    const body = EventBody.encode(some);
    if (body === undefined) return undefined;
    const back = events.length - 1 - first;
    push(rows, back, some.length, body, texts.digest(body));
    for (const [invocationId, count] of countsOf(some)) push(index, invocationId, back, count);
  }
  return [
    { text: texts.insertEvents, columns: rows },
    { text: texts.insertInvocations, columns: index },
  ];
};

/** Says why there are no rows. */
export const withoutJson = "a payload has no JSON form";

type Columns = ReadonlyArray<Array<Value>>;

const push = (columns: Columns, ...row: ReadonlyArray<Value>): void => {
  for (let column = 0; column < row.length; column += 1) columns[column]?.push(row[column] ?? null);
};

/** How many events belong to or concern each invocation. */
const countsOf = (events: ReadonlyArray<NewEvent>): ReadonlyMap<InvocationId, number> => {
  const counts = new Map<InvocationId, number>();
  const count = (id: InvocationId): void => void counts.set(id, (counts.get(id) ?? 0) + 1);
  for (const { eventScope } of events) {
    count(eventScope.invocationId);
    const { relatedInvocationIds } = eventScope;
    if (relatedInvocationIds === undefined) continue;
    for (const id of new Set(relatedInvocationIds)) if (id !== eventScope.invocationId) count(id);
  }
  return counts;
};
