/**
 * Where runs are kept: the storage ring of this program.
 *
 * Owns how a storage is named, and what is said when it cannot be opened. A database's code is loaded when one is named.
 */
import { homedir } from "node:os";
import { join, resolve } from "node:path";
import { classifyStorage } from "@cahier/application/failure/classifyStorage";
import { type Fatal, fatal } from "@cahier/domain/failure/Failure";
import type { BlobStore } from "@cahier/ports/BlobStore";
import type { DocumentStore } from "@cahier/ports/DocumentStore";
import type { RunJournal } from "@cahier/ports/RunJournal";
import type { OpenFault } from "@cahier/storage-sql/SqlDatabase";
import * as Effect from "effect/Effect";
import * as Layer from "effect/Layer";
import * as Redacted from "effect/Redacted";

/** One storage. A server's address may hold a password, so only a connection sees it. */
export type Chosen =
  | { readonly kind: "files"; readonly directory: string }
  | { readonly kind: "sqlite"; readonly filename: string }
  | { readonly kind: "postgres"; readonly url: Redacted.Redacted };

/** What the caller said: a folder, or a storage of any kind. */
export interface Stated {
  readonly data?: string | undefined;
  readonly storage?: string | undefined;
}

/** The storage that the caller named, else that of `CAHIER_STORAGE`, else the user's own data folder. */
export const choose = (
  { data, storage }: Stated,
  environment: Readonly<Record<string, string | undefined>>,
): Effect.Effect<Chosen, Fatal> => {
  if (data !== undefined && storage !== undefined)
    return refused("Give either --data or --storage: --data DIR is short for --storage file:DIR.");
  if (storage !== undefined) return parse(storage, "--storage");
  if (data !== undefined && isDatabase(data)) return refused("--data takes a folder. Give a database with --storage.");
  if (data !== undefined && data !== "") return Effect.succeed(files(data));
  const fromEnvironment = environment["CAHIER_STORAGE"] ?? "";
  if (fromEnvironment !== "") return parse(fromEnvironment, "CAHIER_STORAGE");
  const base = environment["XDG_DATA_HOME"];
  return Effect.succeed(
    files(join(base === undefined || base === "" ? join(homedir(), ".local", "share") : base, "cahier")),
  );
};

/** The detail of a failure that says which storage could not be opened: no run was touched. */
export const unopened = "unopenedStorage";

/** Whether a setting names a server, whose address is repeated nowhere. */
export const isServer = (stated: string): boolean => /^postgres(?:ql)?:/i.test(stated);

/** Whether two settings name one storage, as far as their words tell. */
export const isSame = (one: Chosen, other: Chosen): boolean =>
  one.kind === "postgres"
    ? other.kind === "postgres" && Redacted.value(one.url) === Redacted.value(other.url)
    : one.kind === other.kind && nameOf(one) === nameOf(other);

/** What the storage is called where people read; without a server's user, password and settings. */
export const nameOf = (chosen: Chosen): string => {
  if (chosen.kind === "files") return chosen.directory;
  if (chosen.kind === "sqlite") return `sqlite:${chosen.filename}`;
  const url = URL.parse(Redacted.value(chosen.url));
  return `postgres://${url?.host ?? ""}${url?.pathname ?? ""}`;
};

/** Journal, blobs and documents; a data folder has the readable tree beside. */
export const layer = (
  chosen: Effect.Effect<Chosen, Fatal>,
): Layer.Layer<RunJournal | BlobStore | DocumentStore, Fatal> =>
  Layer.unwrap(
    Effect.flatMap(chosen, (found) =>
      Effect.map(
        Effect.promise(() => load(found)),
        Layer.catch((fault) =>
          Layer.effectContext<RunJournal | BlobStore | DocumentStore, Fatal, never>(
            Effect.fail(notOpened(found, fault)),
          ),
        ),
      ),
    ),
  );

type Storage = Layer.Layer<RunJournal | BlobStore | DocumentStore, OpenFault>;

const load = async (chosen: Chosen): Promise<Storage> => {
  if (chosen.kind === "files") {
    return (await import("@cahier/storage-file/FileStorage")).layer({ directory: chosen.directory });
  }
  const sql = await import("@cahier/storage-sql/SqlStorage");
  return chosen.kind === "sqlite"
    ? sql.layerSqlite({ filename: chosen.filename })
    : sql.layerPostgres({ url: chosen.url });
};

const notOpened = (chosen: Chosen, fault: OpenFault): Fatal => {
  const name = nameOf(chosen);
  const details = { [unopened]: name };
  if (fault._tag === "VersionUnsupported") return fatal(fault.code, `${fault.detail} It is ${name}.`, { details });
  const advice =
    chosen.kind === "postgres"
      ? "Check that the server runs, and the address, the user and the password in --storage or CAHIER_STORAGE."
      : "Check that it is an SQLite file that you may write, in a folder that you may write, or choose another with --storage.";
  return fatal(
    classifyStorage(fault).reason.code,
    `The storage ${name} cannot be opened: ${fault.detail.replace(/\.$/, "")}. ${advice}`,
    { details },
  );
};

/** Schemes have two letters or more, so that a drive of Windows is none. */
const scheme = /^([a-z][a-z0-9+-]+):/i;

/** The storage that `stated` names; `setting` is what it was said with, for the refusal. */
export const parse = (stated: string, setting: string): Effect.Effect<Chosen, Fatal> => {
  if (isServer(stated)) {
    const url = URL.parse(stated);
    return url === null || url.hostname === ""
      ? refused(`The address in ${setting} is no postgres://USER:PASSWORD@HOST:PORT/DATABASE.`)
      : Effect.succeed({ kind: "postgres", url: Redacted.make(stated) });
  }
  const [prefix = "", name] = scheme.exec(stated) ?? [];
  const rest = stated.slice(prefix.length);
  const kind = name?.toLowerCase() ?? "file";
  if (rest === "") return refused(`${setting} is empty or names nothing after "${prefix}". It takes ${forms}.`);
  if (kind === "file") return Effect.succeed(files(stated));
  if (kind === "sqlite") return Effect.succeed({ kind: "sqlite", filename: resolve(rest) });
  return refused(`${setting} takes ${forms}; there is no storage "${kind}:".`);
};

const forms = "file:DIR, sqlite:FILE or postgres://USER:PASSWORD@HOST:PORT/DATABASE";

const isDatabase = (stated: string): boolean => isServer(stated) || /^sqlite:/i.test(stated);

const files = (stated: string): Chosen => ({ kind: "files", directory: resolve(stated.replace(/^file:/i, "")) });

const refused = (message: string): Effect.Effect<never, Fatal> => Effect.fail(fatal("usage.invalid", message));
