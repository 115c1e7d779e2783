/**
 * A PostgreSQL server whose commits are on the disk when they return, as users have it.
 *
 * The server of the tests does not sync. So this one is that server, started again on the same data without the settings
 * that keep it from syncing.
 */
import * as PostgresServer from "@cahier/postgres-server/PostgresServer";
import { execFileSync } from "node:child_process";
import * as path from "node:path";

export interface DurableServer extends Disposable {
  /** Makes an empty schema and gives its name. */
  readonly freshSchema: () => string;
  readonly urlOf: (schema: string) => string;
  /** Bytes of a schema's tables with their indexes. */
  readonly bytesOf: (schema: string) => number;
}

/** Starts a server; disposing of it stops it and removes its data. */
export const start = (): DurableServer => {
  const lazy = PostgresServer.lazy();
  const { execute, url } = lazy.get();
  try {
    restart(execute);
    const [fsync, pages] = ["fsync", "full_page_writes"].map((name) => execute(`SHOW ${name}`));
    if (fsync !== "on" || pages !== "on") throw new Error("the PostgreSQL server does not sync");
  } catch (error) {
    lazy.stop();
    throw error;
  }
  return {
    freshSchema: lazy.freshSchema,
    urlOf: (schema) => lazy.urlOf(schema),
    bytesOf: (schema) => Number(execute(sizeOf(schema), url)),
    [Symbol.dispose]: lazy.stop,
  };
};

const restart = (execute: (sql: string) => string): void => {
  const setting = (name: string): string => execute(`SHOW ${name}`);
  const data = setting("data_directory");
  const kept = ["listen_addresses", "port", "unix_socket_directories", "max_connections"];
  const options = kept.map((name) => `-c ${name}=${setting(name)}`).join(" ");
  const program = path.join(execute("SELECT setting FROM pg_config WHERE name = 'BINDIR'"), "pg_ctl");
  const given = [program, "-D", data, "-m", "fast", "-w", "-l", path.join(data, "log"), "-o", options, "restart"];
  const [command = program, ...args] = process.getuid?.() === 0 ? ["runuser", "-u", "postgres", "--", ...given] : given;
  execFileSync(command, args, { stdio: "ignore", cwd: "/" });
};

const sizeOf = (schema: string): string =>
  `SELECT sum(pg_total_relation_size(oid)) FROM pg_class WHERE relkind = 'r' AND relnamespace = '${schema}'::regnamespace`;
