/**
 * The statements of the journal.
 *
 * Owns their text, in both databases' words, and the values of pages and lists. A write's values are: 1 the run's key,
 * 2 the epoch, 3 the last number; the columns of its inserts follow.
 *
 * THE FENCE. Nothing of the run's row changes in an append, but in one after which the run is at rest: its guard finds the row
 * where the epoch is the caller's and the last event has the number that the caller knows. Of two that have found the same last event, only one can insert
 * the next, because both would give it the same key.
 */
import { RunId, WorkspaceId } from "@cahier/domain/identity/Identity";
import { concerns, type StoredEvent } from "@cahier/domain/run/EventEnvelope";
import type { ListOptions, ReadOptions, RunRecord } from "@cahier/ports/RunJournal";
import type { Dialect, Row, Value } from "./Dialect.ts";
import type { IsWanted } from "./EventBody.ts";

/**
 * Where a run stands. One that is removed and made again has another key. `lastSeq` is the last number that it is known to have
 * had: an event up to there that is not stored is missing. `restSeq` is that of its last rest.
 */
export interface RunRow {
  readonly key: number;
  readonly epoch: number;
  readonly lastSeq: number;
  readonly restSeq: number;
}

/** A statement that is made for its options. */
export interface Query {
  readonly text: string;
  readonly values: ReadonlyArray<Value>;
}

export type RunStatements = ReturnType<typeof make>;

export const make = (dialect: Dialect) => {
  return {
    checkOf: dialect.checkOf,

    find: `SELECT run_key, epoch AS run_epoch, rest_seq, ${lastSeq} AS last_seq FROM cahier_run WHERE run_id = $1`,

    create: `INSERT INTO cahier_run (run_id, workspace_id, created_at, epoch) VALUES ($1, $2, $3, 1)
      ON CONFLICT (run_id) DO NOTHING RETURNING run_key`,

    append: `SELECT run_key, epoch FROM cahier_run
      WHERE run_key = $1 AND epoch = $2 AND ${lastSeq} = $3${dialect.share}`,

    /** An append of `count` events after which nobody owns the run. */
    appendLast: (count: number) => `UPDATE cahier_run SET rest_seq = $3 + ${count}
      WHERE run_key = $1 AND epoch = $2 AND ${lastSeq} = $3 RETURNING run_key, epoch`,

    /** A claim writes one event. */
    claim: `UPDATE cahier_run SET epoch = epoch + 1, rest_seq = $3 + 1
      WHERE run_key = $1 AND epoch = $2 AND ${lastSeq} = $3 RETURNING run_key, epoch`,

    /** The run with this key has had events up to $2. */
    rest: "UPDATE cahier_run SET rest_seq = $2 WHERE run_key = $1 AND rest_seq < $2 RETURNING run_key",

    /** The same for a run in the making, whose epoch follows its events. */
    appendRestored: `UPDATE cahier_run SET epoch = $2
      WHERE run_key = $1 AND epoch <= $2 AND ${lastSeq} = $3 RETURNING run_key, epoch`,

    /** Makes the run in the making ($1) the run ($2), with its workspace and age. */
    commitRestored: `UPDATE cahier_run SET run_id = $2, workspace_id = $3, created_at = $4, rest_seq = ${lastSeq}
      WHERE run_id = $1 AND NOT EXISTS (SELECT 1 FROM cahier_run WHERE run_id = $2) RETURNING run_key`,

    /** The ids between two, which are those of runs in the making. */
    restoring: `SELECT run_id, ${lastSeq} AS last_seq FROM cahier_run WHERE run_id > $1 AND run_id < $2 ORDER BY run_id`,

    /** Given: the number of the row's first event, how many there are, their text, its check. */
    insertEvents: `INSERT INTO cahier_event (event_key, run_key, seq, events, epoch, body, checksum) ${dialect.rows(
      4,
      ["INTEGER", "INTEGER", "TEXT", "BIGINT"],
      ({ epoch, key }, [seq = "", events = "", body = "", check = ""]) => {
        const checksum = dialect.checksumBound([key, seq, events, epoch], body, check);
        return [eventKey(key, seq), key, seq, events, epoch, body, checksum];
      },
    )}`,

    /**
     * An append of one row that finds its run as the guard does, or has none and is left out. Given: the same as for
     * `insertEvents`.
     */
    appendRow:
      dialect.insertOrLeaveOut === undefined
        ? undefined
        : `${dialect.insertOrLeaveOut} cahier_event (event_key, run_key, seq, events, epoch, body, checksum)
      VALUES (${eventKey("$1", "$4")}, (SELECT run_key FROM cahier_run WHERE run_key = $1 AND epoch = $2 AND ${lastSeq} = $3),
        $4, $5, $2, $6, ${dialect.checksumBound(["$1", "$4", "$5", "$2"], "$6", "$7")})`,

    /** Given: the invocation, the number of the first event inside or outside, and which of both. */
    insertEdges: `INSERT INTO cahier_event_edge (run_key, invocation_id, seq, inside) ${dialect.rows(
      8,
      ["TEXT", "INTEGER", "INTEGER"],
      ({ key }, given) => [key, ...given],
    )}`,

    /** The row that an event is in. */
    rowOf: `SELECT seq, events, epoch, body FROM cahier_event
      WHERE event_key = (${rowBefore("$1", "$2")})`,

    /** The first statement keeps appends away until the others are done. */
    remove: [
      "UPDATE cahier_run SET epoch = epoch WHERE run_id = $1 RETURNING run_key",
      `DELETE FROM cahier_event_edge WHERE run_key = (${keyOf})`,
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

/** The run that a found row tells of. */
export const runOf = (row: Row | undefined): RunRow | undefined =>
  row === undefined
    ? undefined
    : {
        key: Number(row["run_key"]),
        epoch: Number(row["run_epoch"]),
        lastSeq: Math.max(Number(row["last_seq"]), Number(row["rest_seq"])),
        restSeq: Number(row["rest_seq"]),
      };

/** The record of a row of a list. */
export const recordOf = (row: Row): RunRecord => ({
  runId: RunId.make(String(row["run_id"])),
  workspaceId: WorkspaceId.make(String(row["workspace_id"])),
  createdAt: String(row["created_at"]),
});

/** The number of the last event of the row of `cahier_run` that a statement is about. */
const lastSeq = `COALESCE((SELECT last.seq + last.events - 1 FROM cahier_event AS last
      WHERE last.event_key > ${eventKey("cahier_run.run_key", "0")} AND last.event_key < ${eventKey("cahier_run.run_key + 1", "0")}
      ORDER BY last.event_key DESC LIMIT 1), 0)`;

/** The key of the last row that begins at an event or before it. */
const rowBefore = (runKey: string, seq: string): string =>
  `SELECT start.event_key FROM cahier_event AS start
      WHERE start.event_key > ${eventKey(runKey, "0")} AND start.event_key <= ${eventKey(runKey, seq)}
      ORDER BY start.event_key DESC LIMIT 1`;

const keyOf = "SELECT run_key FROM cahier_run WHERE run_id = $1";

/**
 * The rows of a page in their order, each with the run's row; of a run without any, the run's row alone. `isWanted` tells its events apart, and `cut` takes as many as it has.
 */
export interface PageQuery extends Query {
  readonly isWanted: IsWanted;
  readonly cut: (events: ReadonlyArray<StoredEvent>) => ReadonlyArray<StoredEvent>;
}

/** A page of the events up to `lastSeq` of the run with this key; no row when there is no run with this id. */
const page = (runId: RunId, key: number, lastSeq: number, options: ReadOptions): PageQuery => {
  const { afterSeq, beforeSeq, invocationId } = options;
  const backward = afterSeq === undefined && beforeSeq !== undefined;
  const limit = clamp(options.limit ?? 100, 1, 500);
  const first = clamp(afterSeq ?? 0, 0, lastSeq) + 1;
  const last = clamp(beforeSeq ?? lastSeq + 1, 1, lastSeq + 1) - 1;
  const isWanted: IsWanted = (seq) => seq >= first && seq <= last;
  const cut = (events: ReadonlyArray<StoredEvent>): ReadonlyArray<StoredEvent> => {
    const kept = invocationId === undefined ? events : events.filter((event) => concerns(event, invocationId));
    return backward ? kept.slice(-limit) : kept.slice(0, limit);
  };
  if (invocationId === undefined) {
    // Numbers have no gaps, so the page's ends are known.
    const [from, to] = backward
      ? [Math.max(first, last + 1 - limit), last]
      : [first, Math.min(last, first + limit - 1)];
    return { text: pageOfAll, values: [key, from, to, runId], isWanted, cut };
  }
  const text = backward ? pageOfInvocation.backward : pageOfInvocation.forward;
  return { text, values: [key, first, last, limit, invocationId, runId], isWanted, cut };
};

/** With the run's row, which is found once, so that one message to the database gives both. */
const withRun = (runId: string, rows: string): string =>
  `WITH run AS MATERIALIZED (
      SELECT run_key, epoch AS run_epoch, rest_seq, ${lastSeq} AS last_seq FROM cahier_run WHERE run_id = ${runId}
    ) SELECT run.run_key, run.run_epoch, run.rest_seq, run.last_seq, part.seq, part.events, part.epoch, part.body
    FROM run LEFT JOIN (${rows}) AS part ON TRUE ORDER BY part.seq`;

/** The page's first event may stand in the middle of its row. */
const pageOfAll = withRun(
  "$4",
  `SELECT seq, events, epoch, body FROM cahier_event
    WHERE event_key >= COALESCE((${rowBefore("$1", "$2")}), ${eventKey("$1", "$2")})
      AND event_key <= ${eventKey("$1", "$3")}`,
);

/**
 * The edges of an invocation tell which events are its own, so the rows of a page are known before any is read: those of
 * the parts between its edges, from the first part that counts until there are enough events. An edge is a row's first
 * event; only where the page begins within a part is the row to be looked for. SQLite keeps the order of a cross join,
 * and PostgreSQL has no other way to a row.
 */
const rowsOfInvocation = (order: "ASC" | "DESC"): string => {
  const edges = "FROM cahier_event_edge WHERE run_key = $1 AND invocation_id = $5";
  const around = `COALESCE((SELECT seq ${edges} AND seq <= $2 ORDER BY seq DESC LIMIT 1), 0)`;
  const near = `SELECT seq, inside ${edges} AND seq >= ${around} AND seq <= $3 ORDER BY seq ${order} LIMIT 2 * $4 + 2`;
  const between = `SELECT seq AS edge, CASE WHEN seq < $2 THEN $2 ELSE seq END AS low,
    COALESCE(lead(seq) OVER (ORDER BY seq) - 1, $3) AS high, inside FROM (${near}) AS near`;
  const counted = `SELECT edge, low, high, sum(high - low + 1) OVER (ORDER BY low ${order}) - (high - low + 1) AS before
    FROM (${between}) AS part WHERE inside = 1`;
  const [low, high] =
    order === "ASC"
      ? ["low", "CASE WHEN high - low + 1 > $4 - before THEN low + $4 - before - 1 ELSE high END"]
      : ["CASE WHEN high - low + 1 > $4 - before THEN high - $4 + before + 1 ELSE low END", "high"];
  const cut = `SELECT edge, ${low} AS low, ${high} AS high FROM (${counted}) AS counted WHERE before < $4`;
  return `SELECT event.seq, event.events, event.epoch, event.body FROM (${cut}) AS part
    CROSS JOIN cahier_event AS event
    WHERE event_key >= CASE WHEN part.low = part.edge THEN ${eventKey("$1", "part.low")} ELSE (${rowBefore("$1", "part.low")}) END
      AND event_key <= ${eventKey("$1", "part.high")}`;
};

const pageOfInvocation = {
  forward: withRun("$6", rowsOfInvocation("ASC")),
  backward: withRun("$6", rowsOfInvocation("DESC")),
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
