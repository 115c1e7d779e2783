/**
 * The least that keeps some bytes for good: one write and one sync of a file, or one row in a transaction of its own.
 *
 * The other side of the append comparison. It knows no events, checks nothing and fences nobody off. Each writer is as
 * durable as the storage that it stands beside, through the same driver.
 */
import * as PgClient from "@effect/sql-pg/PgClient";
import * as Effect from "effect/Effect";
import * as Layer from "effect/Layer";
import * as ManagedRuntime from "effect/ManagedRuntime";
import * as Reactivity from "effect/reactivity/Reactivity";
import * as Redacted from "effect/Redacted";
import * as fs from "node:fs";
import * as path from "node:path";
import { DatabaseSync } from "node:sqlite";
import type { StorageKind } from "../storage/Storage.ts";

export interface BareWriter extends AsyncDisposable {
  /** Keeps each text for good before the next; texts end with a line break. */
  readonly write: (texts: ReadonlyArray<string>) => Promise<void>;
  /** The lines that are kept. */
  readonly lines: () => Promise<number>;
}

/** A writer to a fresh place; what lies in files lies in `folder`. */
export const open = (kind: StorageKind, folder: string): BareWriter => {
  switch (kind.name) {
    case "files":
      return toFile(path.join(folder, "bare"));
    case "SQLite":
      return toSqlite(path.join(folder, "bare.sqlite"));
    case "PostgreSQL":
      return toPostgres(kind.server.urlOf(kind.server.freshSchema()));
    default:
      return kind satisfies never;
  }
};

/** What each writer does, for the note above a table. */
export const doing = {
  files: "writeSync and fdatasync",
  SQLite: "BEGIN IMMEDIATE, INSERT of one row, COMMIT with WAL and FULL",
  PostgreSQL: "one prepared INSERT of one row, which is its own transaction, with synchronous_commit",
} as const satisfies Record<StorageKind["name"], string>;

const toFile = (file: string): BareWriter => {
  const descriptor = fs.openSync(file, "a");
  return {
    write: async (texts) => {
      for (const text of texts) {
        fs.writeSync(descriptor, text);
        // oxlint-disable-next-line no-await-in-loop -- each is kept before the next.
        await new Promise<void>((resolve, reject) => {
          fs.fdatasync(descriptor, (error) => (error === null ? resolve() : reject(error)));
        });
      }
    },
    lines: async () => linesOf(fs.readFileSync(file, "utf8")),
    [Symbol.asyncDispose]: async () => fs.closeSync(descriptor),
  };
};

const toSqlite = (file: string): BareWriter => {
  const database = new DatabaseSync(file);
  database.exec("PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL");
  database.exec("CREATE TABLE bare (number INTEGER PRIMARY KEY, body TEXT NOT NULL)");
  const [begin, insert, commit] = ["BEGIN IMMEDIATE", "INSERT INTO bare (body) VALUES (?)", "COMMIT"].map((text) =>
    database.prepare(text),
  );
  return {
    write: async (texts) => {
      for (const text of texts) {
        begin?.run();
        insert?.run(text);
        commit?.run();
      }
    },
    lines: async () =>
      database
        .prepare("SELECT body FROM bare")
        .all()
        .reduce((sum, row) => sum + linesOf(String(row["body"])), 0),
    [Symbol.asyncDispose]: async () => database.close(),
  };
};

const toPostgres = (url: string): BareWriter => {
  const client = PgClient.layer({
    url: Redacted.make(url),
    maxConnections: 1,
    startupParameters: { synchronous_commit: "on" },
  });
  const effects = ManagedRuntime.make(Layer.orDie(client.pipe(Layer.provide(Reactivity.layer))));
  const run = <A>(use: (sql: PgClient.PgClient) => Effect.Effect<A, unknown>): Promise<A> =>
    effects.runPromise(Effect.flatMap(PgClient.PgClient, use));
  const made = run((sql) =>
    sql.unsafe("CREATE TABLE bare (number INTEGER GENERATED ALWAYS AS IDENTITY PRIMARY KEY, body TEXT NOT NULL)"),
  );
  return {
    write: async (texts) => {
      await made;
      await run((sql) =>
        Effect.gen(function* () {
          for (const text of texts) yield* sql.unsafe("INSERT INTO bare (body) VALUES ($1)", [text]);
        }),
      );
    },
    lines: async () => {
      const rows = await run((sql) => sql.unsafe<{ readonly body: string }>("SELECT body FROM bare"));
      return rows.reduce((sum, { body }) => sum + linesOf(body), 0);
    },
    [Symbol.asyncDispose]: () => effects.dispose(),
  };
};

const linesOf = (text: string): number => text.split("\n").length - 1;
