/**
 * The statements of the journal.
 *
 * Owns their text, in both databases' words, and the values of pages and lists. A write's values are: 1 the run's id,
 * 2 the epoch, 3 the number of events, 4 the last number; the columns of its inserts follow.
 */
import { RunId, WorkspaceId } from "@cahier/domain/identity/Identity";
import type { ListOptions, ReadOptions, RunRecord } from "@cahier/ports/RunJournal";
import type { Dialect, Row, Value } from "./Dialect.ts";

/** A statement that is made for its options. */
export interface Query {
  readonly text: string;
  readonly values: ReadonlyArray<Value>;
}

export type RunStatements = ReturnType<typeof make>;

export const make = (dialect: Dialect) => {
  return {
    find: "SELECT run_key, epoch, last_seq FROM cahier_run WHERE run_id = $1",

    create: `INSERT INTO cahier_run (run_id, workspace_id, created_at, epoch, last_seq) VALUES ($1, $2, $3, 1, 0)
      ON CONFLICT (run_id) DO NOTHING RETURNING run_key`,

    append: `UPDATE cahier_run SET last_seq = last_seq + $3
      WHERE run_id = $1 AND epoch = $2 AND last_seq = $4 RETURNING run_key, epoch, last_seq`,

    /** A claim takes the run at whatever number it has got to, and never below what was looked at. */
    claim: `UPDATE cahier_run SET epoch = epoch + 1, last_seq = last_seq + $3
      WHERE run_id = $1 AND epoch = $2 AND last_seq >= $4 RETURNING run_key, epoch, last_seq`,

    /** The same for a run in the making, whose epoch follows its events. */
    appendRestored: `UPDATE cahier_run SET last_seq = last_seq + $3, epoch = $2
      WHERE run_id = $1 AND epoch <= $2 AND last_seq = $4 RETURNING run_key, epoch, last_seq`,

    /** Makes the run in the making ($1) the run ($2), with its workspace and age. */
    commitRestored: `UPDATE cahier_run SET run_id = $2, workspace_id = $3, created_at = $4
      WHERE run_id = $1 AND NOT EXISTS (SELECT 1 FROM cahier_run WHERE run_id = $2) RETURNING run_key`,

    /** The ids between two, which are those of runs in the making. */
    restoring: "SELECT run_id FROM cahier_run WHERE run_id > $1 AND run_id < $2 ORDER BY run_id",

    /** Given: the event's place behind the last number that there will be (0 for the last event), and its text. */
    insertEvents: `INSERT INTO cahier_event (event_key, run_key, seq, epoch, body, checksum) ${dialect.rows(
      5,
      ["INTEGER", "TEXT"],
      ({ epoch, key, lastSeq }, [back = "", body = ""]) => {
        const seq = `${lastSeq} - ${back}`;
        return [eventKey(key, seq), key, seq, epoch, body, dialect.checksum(seq, epoch, body)];
      },
    )}`,

    /** Given: the invocation, and the places of the first and the last event of the span. */
    insertSpans: `INSERT INTO cahier_invocation_span (run_key, invocation_id, first_seq, last_seq) ${dialect.rows(
      7,
      ["TEXT", "INTEGER", "INTEGER"],
      ({ key, lastSeq }, [invocation = "", first = "", last = ""]) => [
        key,
        invocation,
        `${lastSeq} - ${first}`,
        `${lastSeq} - ${last}`,
      ],
    )}`,

    /** The first statement keeps appends away until the others are done. */
    remove: [
      "UPDATE cahier_run SET epoch = epoch WHERE run_id = $1 RETURNING run_key",
      `DELETE FROM cahier_invocation_span WHERE run_key = (${keyOf})`,
      `DELETE FROM cahier_event WHERE event_key > ${eventKey(`(${keyOf})`, "0")} AND event_key < ${eventKey(`(${keyOf}) + 1`, "0")}`,
      "DELETE FROM cahier_run WHERE run_id = $1",
    ],

    page,
    list,
  };
};

/** The key of the event `seq` of a run: those of one run stand together, in their order. */
export const eventKey = (runKey: string, seq: string): string =>
  `(CAST(${runKey} AS BIGINT) * 4294967296 + CAST(${seq} AS BIGINT))`;

/** The record of a row of a list. */
export const recordOf = (row: Row): RunRecord => ({
  runId: RunId.make(String(row["run_id"])),
  workspaceId: WorkspaceId.make(String(row["workspace_id"])),
  createdAt: String(row["created_at"]),
});

const keyOf = "SELECT run_key FROM cahier_run WHERE run_id = $1";

/** A page of the events up to `lastSeq`; the rows of a `backward` one come in descending order. */
const page = (key: number, lastSeq: number, options: ReadOptions): Query & { readonly backward: boolean } => {
  const { afterSeq, beforeSeq, invocationId } = options;
  const backward = afterSeq === undefined && beforeSeq !== undefined;
  const order = backward ? "DESC" : "ASC";
  const from = clamp(afterSeq ?? 0, 0, lastSeq);
  const until = clamp(beforeSeq ?? lastSeq + 1, 0, lastSeq + 1);
  const values = [key, from, until, clamp(options.limit ?? 100, 1, 500)];
  if (invocationId === undefined) {
    const text = `SELECT seq, epoch, body FROM cahier_event
      WHERE event_key > ${eventKey("$1", "$2")} AND event_key < ${eventKey("$1", "$3")} ORDER BY event_key ${order} LIMIT $4`;
    return { text, values, backward };
  }
  // Each span has at least one event, but for the first, which may end before the page begins. Spans must come first:
  // SQLite keeps the order of a cross join, and PostgreSQL has no index that would tempt it to go by `seq`.
  const ofInvocation = "FROM cahier_invocation_span WHERE run_key = $1 AND invocation_id = $5";
  const around = `COALESCE((SELECT max(first_seq) ${ofInvocation} AND first_seq <= $2), 0)`;
  const text = `SELECT event.seq, event.epoch, event.body
    FROM (SELECT first_seq, last_seq ${ofInvocation} AND first_seq >= ${around} AND first_seq < $3
      ORDER BY first_seq ${order} LIMIT $4 + 1) AS span
    CROSS JOIN cahier_event AS event
    WHERE event_key >= ${eventKey("$1", "span.first_seq")} AND event_key <= ${eventKey("$1", "span.last_seq")}
      AND seq > $2 AND seq < $3 ORDER BY seq ${order} LIMIT $4`;
  return { text, values: [...values, invocationId], backward };
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
