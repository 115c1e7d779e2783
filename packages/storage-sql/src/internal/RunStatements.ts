/**
 * The statements of the journal.
 *
 * Owns their text, in both databases' words, and the values of pages and lists. A write's values are: 1 the run's key,
 * 2 the epoch, 3 the number of events, 4 the last number; the columns of its inserts follow.
 */
import { RunId, WorkspaceId } from "@cahier/domain/identity/Identity";
import { concerns, type StoredEvent } from "@cahier/domain/run/EventEnvelope";
import type { ListOptions, ReadOptions, RunRecord } from "@cahier/ports/RunJournal";
import type { Dialect, Row, Value } from "./Dialect.ts";
import type { IsWanted } from "./EventBody.ts";

/** A statement that is made for its options. */
export interface Query {
  readonly text: string;
  readonly values: ReadonlyArray<Value>;
}

export type RunStatements = ReturnType<typeof make>;

export const make = (dialect: Dialect) => {
  return {
    digest: dialect.digest,

    find: "SELECT run_key, epoch, last_seq FROM cahier_run WHERE run_id = $1",

    create: `INSERT INTO cahier_run (run_id, workspace_id, created_at, epoch, last_seq) VALUES ($1, $2, $3, 1, 0)
      ON CONFLICT (run_id) DO NOTHING RETURNING run_key`,

    append: `UPDATE cahier_run SET last_seq = last_seq + $3
      WHERE run_key = $1 AND epoch = $2 AND last_seq = $4 RETURNING run_key, epoch, last_seq`,

    /** A claim takes the run at whatever number it has got to, and never below what was looked at. */
    claim: `UPDATE cahier_run SET epoch = epoch + 1, last_seq = last_seq + $3
      WHERE run_key = $1 AND epoch = $2 AND last_seq >= $4 RETURNING run_key, epoch, last_seq`,

    /** The same for a run in the making, whose epoch follows its events. */
    appendRestored: `UPDATE cahier_run SET last_seq = last_seq + $3, epoch = $2
      WHERE run_key = $1 AND epoch <= $2 AND last_seq = $4 RETURNING run_key, epoch, last_seq`,

    /** Makes the run in the making ($1) the run ($2), with its workspace and age. */
    commitRestored: `UPDATE cahier_run SET run_id = $2, workspace_id = $3, created_at = $4
      WHERE run_id = $1 AND NOT EXISTS (SELECT 1 FROM cahier_run WHERE run_id = $2) RETURNING run_key`,

    /** The ids between two, which are those of runs in the making. */
    restoring: "SELECT run_id, last_seq FROM cahier_run WHERE run_id > $1 AND run_id < $2 ORDER BY run_id",

    /** Given: the place of the row's first event behind the last number that there will be, how many there are, their text, its digest. */
    insertEvents: `INSERT INTO cahier_event (event_key, run_key, seq, events, epoch, body, checksum) ${dialect.rows(
      5,
      ["INTEGER", "INTEGER", "TEXT", "BIGINT"],
      ({ epoch, key, lastSeq }, [back = "", events = "", body = "", digest = ""]) => {
        const seq = `${lastSeq} - ${back}`;
        const checksum = dialect.checksumBound([key, seq, events, epoch], body, digest);
        return [eventKey(key, seq), key, seq, events, epoch, body, checksum];
      },
    )}`,

    /** Given: the invocation, the place of the row's first event, and how many of its events are the invocation's. */
    insertInvocations: `INSERT INTO cahier_event_invocation (run_key, invocation_id, seq, events) ${dialect.rows(
      9,
      ["TEXT", "INTEGER", "INTEGER"],
      ({ key, lastSeq }, [invocation = "", back = "", events = ""]) => [
        key,
        invocation,
        `${lastSeq} - ${back}`,
        events,
      ],
    )}`,

    /** The first statement keeps appends away until the others are done. */
    remove: [
      "UPDATE cahier_run SET epoch = epoch WHERE run_id = $1 RETURNING run_key",
      `DELETE FROM cahier_event_invocation WHERE run_key = (${keyOf})`,
      `DELETE FROM cahier_event WHERE event_key > ${eventKey(`(${keyOf})`, "0")} AND event_key < ${eventKey(`(${keyOf}) + 1`, "0")}`,
      "DELETE FROM cahier_run WHERE run_id = $1",
    ],

    page,
    list,
  };
};

/** The key of the row whose first event is `seq`: those of one run stand together, in their order. */
export const eventKey = (runKey: string, seq: string): string =>
  `(CAST(${runKey} AS BIGINT) * 4294967296 + CAST(${seq} AS BIGINT))`;

/** The checksum of a stored row of events. The run's key is in it: a row of another run is damage. */
export const checksumOf = (dialect: Dialect, body = "body"): string =>
  dialect.checksum(["run_key", "seq", "events", "epoch"], body);

/** How many events a row has at most. */
export const mostInRow = 16;

/** The record of a row of a list. */
export const recordOf = (row: Row): RunRecord => ({
  runId: RunId.make(String(row["run_id"])),
  workspaceId: WorkspaceId.make(String(row["workspace_id"])),
  createdAt: String(row["created_at"]),
});

const keyOf = "SELECT run_key FROM cahier_run WHERE run_id = $1";

/** The rows of a page in their order; `isWanted` tells its events apart, and `cut` takes as many as it has. */
export interface PageQuery extends Query {
  readonly isWanted: IsWanted;
  readonly cut: (events: ReadonlyArray<StoredEvent>) => ReadonlyArray<StoredEvent>;
}

/** A page of the events up to `lastSeq`. */
const page = (key: number, lastSeq: number, options: ReadOptions): PageQuery => {
  const { afterSeq, beforeSeq, invocationId } = options;
  const backward = afterSeq === undefined && beforeSeq !== undefined;
  const limit = clamp(options.limit ?? 100, 1, 500);
  const first = clamp(afterSeq ?? 0, 0, lastSeq) + 1;
  const last = clamp(beforeSeq ?? lastSeq + 1, 1, lastSeq + 1) - 1;
  const named = JSON.stringify(invocationId ?? "");
  const isWanted: IsWanted = (seq, line) =>
    seq >= first && seq <= last && (invocationId === undefined || line.includes(named));
  const cut = (events: ReadonlyArray<StoredEvent>): ReadonlyArray<StoredEvent> => {
    const kept = invocationId === undefined ? events : events.filter((event) => concerns(event, invocationId));
    return backward ? kept.slice(-limit) : kept.slice(0, limit);
  };
  if (invocationId === undefined) {
    // Numbers have no gaps, so the page's ends are known.
    const [from, to] = backward
      ? [Math.max(first, last + 1 - limit), last]
      : [first, Math.min(last, first + limit - 1)];
    return { text: pageOfAll, values: [key, from, to], isWanted, cut };
  }
  const text = pageOfInvocation(backward ? "DESC" : "ASC");
  return { text, values: [key, first, last, limit, invocationId], isWanted, cut };
};

/** The page's first event may stand in the middle of its row. */
const pageOfAll = `SELECT seq, events, epoch, body FROM cahier_event
  WHERE event_key >= COALESCE((SELECT event_key FROM cahier_event
      WHERE event_key > ${eventKey("$1", "0")} AND event_key <= ${eventKey("$1", "$2")}
      ORDER BY event_key DESC LIMIT 1), ${eventKey("$1", "$2")})
    AND event_key <= ${eventKey("$1", "$3")} ORDER BY event_key`;

/**
 * As many rows as hold the page: each has an event of the invocation, and the one at an edge may have all of them
 * outside. The index must come first: SQLite keeps the order of a cross join, and PostgreSQL has no other way to a row.
 */
const pageOfInvocation = (order: "ASC" | "DESC"): string => {
  const ofInvocation = "FROM cahier_event_invocation WHERE run_key = $1 AND invocation_id = $5";
  const around = `COALESCE((SELECT seq ${ofInvocation} AND seq <= $2 ORDER BY seq DESC LIMIT 1), 0)`;
  const near = `SELECT seq, events ${ofInvocation} AND seq >= ${around} AND seq <= $3 ORDER BY seq ${order} LIMIT $4 + 1`;
  const counted = `SELECT seq, sum(events) OVER (ORDER BY seq ${order}) - events AS before FROM (${near}) AS near`;
  return `SELECT event.seq, event.events, event.epoch, event.body FROM (${counted}) AS part
    CROSS JOIN cahier_event AS event
    WHERE part.before < $4 + ${mostInRow} AND event_key = ${eventKey("$1", "part.seq")} ORDER BY event.seq`;
};

const list = ({ before, limit, workspaceId }: ListOptions): Query => {
  const values: Array<Value> = [clamp(limit ?? 50, 1, 200)];
  const bind = (value: Value): string => `$${values.push(value)}`;
  // A run in the making has no age.
  const conditions = [
    "created_at > ''",
    ...(workspaceId === undefined ? [] : [`workspace_id = ${bind(workspaceId)}`]),
    ...(before === undefined ? [] : [`(created_at, run_id) < (${bind(before.createdAt)}, ${bind(before.runId)})`]),
  ];
  const text = `SELECT run_id, workspace_id, created_at FROM cahier_run WHERE ${conditions.join(" AND ")}
    ORDER BY created_at DESC, run_id DESC LIMIT $1`;
  return { text, values };
};

const clamp = (value: number, least: number, most: number): number =>
  Math.min(most, Math.max(least, Math.trunc(value)));
