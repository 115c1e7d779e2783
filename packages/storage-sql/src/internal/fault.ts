/**
 * From a database's errors to the facts that a storage port reports.
 *
 * Owns the table of both databases' error codes.
 */
import { Corrupt, Unavailable } from "@cahier/ports/StorageFault";
import * as Effect from "effect/Effect";
import type { SqlError } from "effect/sql/SqlError";

/** The fact behind an error. */
export const unavailable = (operation: string, error: SqlError): Unavailable => {
  const { cause } = error.reason;
  const detail = cause instanceof Error && cause.message !== "" ? cause.message : error.message;
  return new Unavailable({ operation, kind: kindOf(codeOf(cause)), detail, cause });
};

/** A value or name that these tables cannot hold. */
export const invalid = (operation: string, detail: string): Unavailable =>
  new Unavailable({ operation, kind: "invalid", detail });

/** Turns the fact that the database's own pages are damaged into `Corrupt`, where the port can say so. */
export const malformedAsCorrupt =
  (entity: string, id: string) =>
  <A, E, R>(effect: Effect.Effect<A, E | Unavailable, R>): Effect.Effect<A, E | Unavailable | Corrupt, R> =>
    Effect.catchIf(
      effect,
      (fault): fault is E & Unavailable => isMalformed(fault),
      (fault) => Effect.fail(new Corrupt({ entity, id, detail: fault.detail })),
    );

/** True when the database says that its pages are damaged. */
const isMalformed = (fault: unknown): boolean => {
  if (!(fault instanceof Unavailable)) return false;
  const code = codeOf(fault.cause);
  return typeof code === "number" ? malformed.has(code & 0xff) : malformed.has(code);
};

/** SQLite's number or PostgreSQL's five characters. */
const codeOf = (cause: unknown): number | string | undefined => {
  if (!(cause instanceof Error)) return undefined;
  if ("errcode" in cause && typeof cause.errcode === "number") return cause.errcode;
  return "code" in cause && typeof cause.code === "string" ? cause.code : undefined;
};

const kindOf = (code: number | string | undefined): Unavailable["kind"] => {
  if (typeof code === "number") return ofSqlite[code] ?? ofSqlite[code & 0xff] ?? "other";
  if (code === undefined) return "other";
  return ofPostgres[code] ?? (code.startsWith("28") ? "denied" : "other");
};

/** SQLITE_CORRUPT, SQLITE_NOTADB; data_corrupted, index_corrupted. */
const malformed: ReadonlySet<unknown> = new Set([11, 26, "XX001", "XX002"]);

/**
 * SQLITE_PERM, SQLITE_READONLY, SQLITE_FULL, SQLITE_TOOBIG, SQLITE_AUTH; and SQLITE_IOERR_SHMSIZE, which is how it meets a full
 * disk when it makes the memory that its connections share.
 */
const ofSqlite: Readonly<Record<number, Unavailable["kind"]>> = {
  3: "denied",
  8: "readOnly",
  13: "full",
  18: "invalid",
  23: "denied",
  4874: "full",
};

/** disk_full, read_only_sql_transaction, insufficient_privilege, character_not_in_repertoire, program_limit_exceeded. */
const ofPostgres: Readonly<Record<string, Unavailable["kind"]>> = {
  "53100": "full",
  "25006": "readOnly",
  "42501": "denied",
  "22021": "invalid",
  "54000": "invalid",
};
