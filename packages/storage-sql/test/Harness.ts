/**
 * What the laws need of this package's adapters, over any way to open a database.
 */
import * as SqlBlobStore from "@cahier/storage-sql/SqlBlobStore";
import * as SqlDocumentStore from "@cahier/storage-sql/SqlDocumentStore";
import type * as SqlDatabase from "@cahier/storage-sql/SqlDatabase";
import * as SqlRunJournal from "@cahier/storage-sql/SqlRunJournal";
import * as BlobStoreLaws from "@cahier/testkit/laws/BlobStoreLaws";
import * as DocumentStoreLaws from "@cahier/testkit/laws/DocumentStoreLaws";
import * as RunJournalLaws from "@cahier/testkit/laws/RunJournalLaws";
import * as Laws from "@cahier/testkit/vitest";
import * as Effect from "effect/Effect";
import type * as Scope from "effect/Scope";

export type Open = Effect.Effect<SqlDatabase.SqlDatabase["Service"], SqlDatabase.OpenFault, Scope.Scope>;

/** What no test can do to a database. */
const lacks = { powerLoss: "this machine keeps its power", tear: "a database commits a batch whole" };

/**
 * Registers the laws of the three ports. `make` gives a way to open one fresh database again and again, as several
 * processes would.
 */
export const verify = (subject: string, make: Effect.Effect<Open, unknown, Scope.Scope>): void => {
  Laws.verify(
    `SqlRunJournal on ${subject}`,
    RunJournalLaws.laws,
    Effect.map(make, (open) => ({
      open: Effect.map(open, SqlRunJournal.make),
      damage: (runId: string, seq: number) =>
        change(open, (sql) => {
          const key = sql`SELECT run_key FROM cahier_run WHERE run_id = ${runId}`;
          return sql`UPDATE cahier_event SET body = replace(body, 'info', 'warn') WHERE seq <= ${seq} AND seq + events > ${seq} AND run_key = (${key})`;
        }),
    })),
    lacks,
  );

  Laws.verify(
    `SqlBlobStore on ${subject}`,
    BlobStoreLaws.laws,
    Effect.map(make, (open) => ({
      open: Effect.map(open, SqlBlobStore.make),
      damage: (scope: string, sha256: string) =>
        change(
          open,
          (sql) =>
            sql`UPDATE cahier_blob SET bytes = ${new Uint8Array([1])} WHERE scope = ${scope} AND sha256 = ${sha256}`,
        ),
    })),
    lacks,
  );

  Laws.verify(
    `SqlDocumentStore on ${subject}`,
    DocumentStoreLaws.laws,
    Effect.map(make, (open) => ({
      open: Effect.map(open, SqlDocumentStore.make),
      damage: (collection: string, id: string) =>
        change(
          open,
          (sql) => sql`UPDATE cahier_document SET value = '"' WHERE collection = ${collection} AND id = ${id}`,
        ),
    })),
    lacks,
  );
};

type Sql = SqlDatabase.SqlDatabase["Service"]["sql"];

/** Changes what is stored, behind the adapters' back. */
const change = <A, E>(open: Open, statement: (sql: Sql) => Effect.Effect<A, E>): Effect.Effect<void, unknown> =>
  Effect.scoped(Effect.flatMap(open, ({ sql }) => Effect.asVoid(statement(sql))));
