/**
 * Up to which event a journal is known to be whole, and where it is damaged.
 *
 * Owns looking at each stored event once: the database compares its checksum, and a number that is missing is damage
 * too, up to the last one that the run is known to have had. What was looked at is remembered for as long as this process uses the run, and what it appends itself counts as
 * looked at.
 */
import type { RunId } from "@cahier/domain/identity/Identity";
import { Corrupt, type Unavailable } from "@cahier/ports/StorageFault";
import * as Effect from "effect/Effect";
import type { Database, Rows } from "./Dialect.ts";
import type { Concerned } from "./EventRows.ts";
import * as RunStatements from "./RunStatements.ts";

/**
 * Events 1 to `upTo` of the run with this key are whole; `damage` is at `upTo + 1`. What the last of them concerns is
 * known when this process has appended it.
 */
export interface Standing {
  readonly key: number;
  readonly upTo: number;
  readonly concerned?: Concerned;
  readonly damage?: Corrupt;
}

export interface Soundness {
  readonly known: (runId: RunId) => Standing | undefined;
  /** Looks at the events that were not looked at, up to the last of the row. */
  readonly check: (runId: RunId, row: RunStatements.RunRow) => Effect.Effect<Standing, Unavailable>;
  /** Counts events as whole that were just written after `from`, the last of which concerns `concerned`. */
  readonly advance: (runId: RunId, key: number, from: number, to: number, concerned: Concerned) => void;
  readonly forget: (runId: RunId) => void;
}

export const make = (database: Database): Soundness => {
  const standings = new Map<RunId, Standing>();
  const texts = statements(database);

  const remember = (runId: RunId, standing: Standing): Standing => {
    standings.delete(runId);
    if (standings.size >= mostRemembered) standings.delete(standings.keys().next().value ?? runId);
    standings.set(runId, standing);
    return standing;
  };

  /** Looks at the rows that begin behind `after`, up to `to`: how far they reach, and where they are damaged. */
  const look = Effect.fnUntraced(function* (key: number, after: number, to: number) {
    const [row] = yield* database.query(checking, texts.summary, [key, after, to]);
    const [present, reached] = [Number(row?.["present"] ?? 0), Number(row?.["reached"] ?? after)];
    const damaged = typeof row?.["damaged"] === "number" ? row["damaged"] : undefined;
    if (present > 0 && present === reached - after) return { reached, damaged };
    const rows = yield* database.query(checking, texts.numbers, [key, after, to]);
    const gap = firstGap(rows, after);
    return { reached, damaged: damaged === undefined ? gap : Math.min(damaged, gap) };
  });

  const check = Effect.fnUntraced(function* (runId: RunId, row: RunStatements.RunRow) {
    const known = standings.get(runId);
    const present = known?.key === row.key ? known : { key: row.key, upTo: 0 };
    if (present.damage !== undefined || present.upTo >= row.lastSeq) return remember(runId, present);
    for (let after = present.upTo; after < row.lastSeq;) {
      const { damaged, reached } = yield* look(row.key, after, Math.min(row.lastSeq, after + atOnce));
      if (damaged !== undefined) {
        return remember(runId, { key: row.key, upTo: damaged - 1, damage: damageAt(runId, damaged) });
      }
      after = reached;
      yield* Effect.yieldNow;
    }
    return remember(runId, { key: row.key, upTo: row.lastSeq });
  });

  return {
    known: (runId) => standings.get(runId),
    check,
    advance: (runId, key, from, to, concerned) => {
      const known = standings.get(runId);
      if (known?.key === key && known.upTo === from && known.damage === undefined) {
        standings.set(runId, { key, upTo: to, concerned });
      }
    },
    forget: (runId) => {
      standings.delete(runId);
    },
  };
};

/** The fact that the event `seq` cannot be read. */
export const damageAt = (runId: RunId, seq: number): Corrupt =>
  new Corrupt({ entity: "run", id: runId, detail: "the stored event is missing or was changed", line: seq, seq });

const checking = "journal.check";
const mostRemembered = 10_000;
const atOnce = 5000;

/** The first number behind `after` that no row has. */
const firstGap = (rows: Rows, after: number): number => {
  let next = after + 1;
  for (const row of rows) {
    if (Number(row["seq"]) !== next) break;
    next += Number(row["events"]);
  }
  return next;
};

const statements = ({ dialect }: Database) => {
  const [after, to] = [RunStatements.eventKey("$1", "$2"), RunStatements.eventKey("$1", "$3")];
  const part = `FROM cahier_event WHERE event_key > ${after} AND event_key <= ${to}`;
  return {
    summary: `SELECT CAST(sum(events) AS INTEGER) AS present, max(seq + events - 1) AS reached,
      min(CASE WHEN checksum <> ${RunStatements.checksumOf(dialect)} THEN seq END) AS damaged ${part}`,
    numbers: `SELECT seq, events ${part} ORDER BY event_key`,
  };
};
