/**
 * Places where the storage laws may write what they like: on the storage that is examined, beside what is kept in it.
 *
 * Owns making them and taking them away again. Does not own the laws.
 */
import { existsSync } from "node:fs";
import { mkdir, mkdtemp, rm } from "node:fs/promises";
import { dirname, join } from "node:path";
import { type Fatal, fatal } from "@cahier/domain/failure/Failure";
import * as FileBlobStore from "@cahier/storage-file/FileBlobStore";
import * as FileDocumentStore from "@cahier/storage-file/FileDocumentStore";
import * as FileRunJournal from "@cahier/storage-file/FileRunJournal";
import * as FileRunMirror from "@cahier/storage-file/FileRunMirror";
import type * as SqlDatabaseModule from "@cahier/storage-sql/SqlDatabase";
import type { BlobStoreHarness } from "@cahier/testkit/laws/BlobStoreLaws";
import type { DocumentStoreHarness } from "@cahier/testkit/laws/DocumentStoreLaws";
import type { RunJournalHarness } from "@cahier/testkit/laws/RunJournalLaws";
import type { RunMirrorHarness } from "@cahier/testkit/laws/RunMirrorLaws";
import * as Effect from "effect/Effect";
import * as Redacted from "effect/Redacted";
import type * as Scope from "effect/Scope";
import type * as Storage from "../composition/Storage.ts";

type Make<Harness> = Effect.Effect<Harness, unknown, Scope.Scope>;

/** A harness of each port, fresh each time that it is made. `mirror` is there where the storage shows trees. */
export interface ProvingGround {
  readonly journal: Make<RunJournalHarness>;
  readonly blobs: Make<BlobStoreHarness>;
  readonly documents: Make<DocumentStoreHarness>;
  readonly mirror?: Make<RunMirrorHarness>;
}

/** The ground of a storage, taken away with the scope. Fails when the storage cannot be written. */
export const of = (chosen: Storage.Chosen): Effect.Effect<ProvingGround, Fatal, Scope.Scope> => {
  switch (chosen.kind) {
    case "files":
      return Effect.map(temporaryFolder(chosen.directory), onFiles);
    case "sqlite":
      return Effect.flatMap(temporaryFolder(dirname(chosen.filename)), onSqlite);
    case "postgres":
      return onPostgres(chosen.url);
    default:
      return chosen satisfies never;
  }
};

/** A folder below `directory` that goes with the scope. */
export const temporaryFolder = (directory: string): Effect.Effect<string, Fatal, Scope.Scope> =>
  Effect.acquireRelease(
    Effect.tryPromise({
      try: async () => {
        await makeFolders(directory);
        return await mkdtemp(join(directory, ".doctor-"));
      },
      catch: (cause) =>
        fatal("storage.read_only", `The folder ${directory} cannot be written. Choose another storage.`, { cause }),
    }),
    (folder) => Effect.promise(() => rm(folder, { recursive: true, force: true })),
  );

const onFiles = (folder: string): ProvingGround => {
  const fresh = numbered((number) => ({ directory: join(folder, number) }));
  return {
    journal: Effect.map(fresh, (options) => ({ open: FileRunJournal.make(options) })),
    blobs: Effect.map(fresh, (options) => ({ open: Effect.sync(() => FileBlobStore.make(options)) })),
    documents: Effect.map(fresh, (options) => ({ open: Effect.sync(() => FileDocumentStore.make(options)) })),
    mirror: Effect.map(fresh, (options) => ({ open: Effect.sync(() => FileRunMirror.make(options)) })),
  };
};

const onSqlite = Effect.fnUntraced(function* (folder: string): Effect.fn.Return<ProvingGround> {
  const { SqlDatabase, toGround } = yield* sqlModules;
  return toGround(numbered((number) => SqlDatabase.sqlite({ filename: join(folder, `${number}.sqlite`) })));
});

/** Each ground is a schema of its own in the same database. */
const onPostgres = Effect.fnUntraced(function* (
  url: Redacted.Redacted,
): Effect.fn.Return<ProvingGround, Fatal, Scope.Scope> {
  const { SqlDatabase, toGround } = yield* sqlModules;
  const { sql } = yield* SqlDatabase.postgres({ url, maxConnections: 1 }).pipe(Effect.mapError(noSchema));
  const prefix = `cahier_doctor_${process.pid}_${Date.now()}`;
  const schema = Effect.acquireRelease(
    Effect.flatMap(
      numbered((number) => `${prefix}_${number}`),
      (name) => Effect.as(sql`CREATE SCHEMA ${sql(name)}`, name),
    ),
    (name) => Effect.ignore(sql`DROP SCHEMA ${sql(name)} CASCADE`),
  );
  // The first is made at once, so that a user without the right to is told so once, and not by every law.
  yield* Effect.scoped(schema).pipe(Effect.mapError(noSchema));
  return toGround(
    Effect.map(schema, (name) => SqlDatabase.postgres({ url: Redacted.make(inSchema(Redacted.value(url), name)) })),
  );
});

const noSchema = (cause: unknown): Fatal =>
  fatal(
    "storage.failed",
    "The storage laws need a schema of their own, and this user may make none. Grant CREATE on the database, or examine it as its owner.",
    { cause },
  );

const inSchema = (url: string, schema: string): string => {
  const found = new URL(url);
  const options = found.searchParams.get("options");
  found.searchParams.set("options", `${options === null ? "" : `${options} `}-c search_path=${schema}`);
  // A plus means itself in the settings of a server's address.
  return found.href.replaceAll("+", "%20");
};

/** A database's code is loaded when one is examined. */
const sqlModules = Effect.promise(async () => {
  const [SqlDatabase, SqlRunJournal, SqlBlobStore, SqlDocumentStore] = await Promise.all([
    import("@cahier/storage-sql/SqlDatabase"),
    import("@cahier/storage-sql/SqlRunJournal"),
    import("@cahier/storage-sql/SqlBlobStore"),
    import("@cahier/storage-sql/SqlDocumentStore"),
  ]);
  type Open = Effect.Effect<SqlDatabaseModule.SqlDatabase["Service"], SqlDatabaseModule.OpenFault, Scope.Scope>;
  const toGround = (fresh: Make<Open>): ProvingGround => ({
    journal: Effect.map(fresh, (open) => ({ open: Effect.map(open, SqlRunJournal.make) })),
    blobs: Effect.map(fresh, (open) => ({ open: Effect.map(open, SqlBlobStore.make) })),
    documents: Effect.map(fresh, (open) => ({ open: Effect.map(open, SqlDocumentStore.make) })),
  });
  return { SqlDatabase, toGround };
});

/** What a number makes, with the next number each time. */
const numbered = <A>(make: (number: string) => A): Effect.Effect<A> => {
  let last = 0;
  return Effect.sync(() => {
    last += 1;
    return make(String(last));
  });
};

/** Makes a folder and those above it, one by one: where none can be made, Node's own way never comes back. */
const makeFolders = async (folder: string): Promise<void> => {
  try {
    await mkdir(folder);
  } catch (error) {
    const code = error instanceof Error && "code" in error ? error.code : undefined;
    const above = dirname(folder);
    if (code === "EEXIST") return;
    if (code !== "ENOENT" || above === folder || existsSync(above)) throw error;
    await makeFolders(above);
    await mkdir(folder);
  }
};
