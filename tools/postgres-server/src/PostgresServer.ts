/**
 * A PostgreSQL server of its own for the tests: on loopback, its data in a folder that goes with it.
 *
 * Owns finding the programs, starting and stopping. The server runs as the user `postgres` where the tests run as root,
 * because it refuses to be root. It does not sync to the disk: that is PostgreSQL's work, not this package's.
 */
import * as childProcess from "node:child_process";
import * as fs from "node:fs";
import * as os from "node:os";
import * as nodePath from "node:path";

/** `url` is of the database `postgres`, with the rights of its owner. */
export interface PostgresServer {
  readonly url: string;
  /** Runs a shell's worth of SQL as the owner, outside the code under test. */
  readonly execute: (sql: string, url?: string) => string;
  readonly stop: () => void;
}

const installed = "/usr/lib/postgresql";

const versions = fs.existsSync(installed)
  ? fs
      .readdirSync(installed)
      .filter((version) => fs.existsSync(nodePath.join(installed, version, "bin/initdb")))
      .toSorted((one, other) => Number(one) - Number(other))
  : [];

/** True where no server can be started. */
export const isLacking: boolean = versions.length === 0;

/** Ends the titles of tests that need a server: why they are skipped, where they are. */
export const reason: string = isLacking
  ? ` (not run: no PostgreSQL below ${installed}; apt-get install postgresql)`
  : "";

const isRoot = process.getuid?.() === 0;

const run = (program: string, ...args: ReadonlyArray<string>): string => {
  const path = nodePath.join(installed, versions.at(-1) ?? "", "bin", program);
  const [command, ...given] = isRoot ? ["runuser", "-u", "postgres", "--", path, ...args] : [path, ...args];
  return childProcess.execFileSync(command ?? path, given, {
    stdio: ["ignore", "pipe", "pipe"],
    encoding: "utf8",
    cwd: "/",
  });
};

/** `pg_ctl` keeps its output open for the server, so nobody may wait for its end. */
const runSilent = (...args: ReadonlyArray<string>): void => {
  const path = nodePath.join(installed, versions.at(-1) ?? "", "bin/pg_ctl");
  const [command, ...given] = isRoot ? ["runuser", "-u", "postgres", "--", path, ...args] : [path, ...args];
  childProcess.execFileSync(command ?? path, given, { stdio: "ignore", cwd: "/" });
};

const start = (): PostgresServer => {
  const folder = fs.mkdtempSync(nodePath.join(os.tmpdir(), "cahier-postgres-"));
  if (isRoot) {
    const [uid, gid] = ["-u", "-g"].map((flag) =>
      Number(childProcess.execFileSync("id", [flag, "postgres"], { encoding: "utf8" })),
    );
    fs.chownSync(folder, uid ?? 0, gid ?? 0);
  }
  const data = nodePath.join(folder, "data");
  run("initdb", "-D", data, "-U", "postgres", "--auth=trust", "--no-sync", "-E", "UTF8", "--locale=C");
  const port = startOn(folder, data, 3);
  const url = `postgres://postgres@127.0.0.1:${port}/postgres`;
  return {
    url,
    execute: (sql, as = url) =>
      run("psql", "-d", as, "-X", "-q", "-A", "-t", "-v", "ON_ERROR_STOP=1", "-c", sql).trim(),
    stop: () => {
      runSilent("-D", data, "-m", "immediate", "-w", "stop");
      fs.rmSync(folder, { recursive: true, force: true });
    },
  };
};

/** A port that another takes meanwhile is given up for the next. */
const startOn = (folder: string, data: string, attempts: number): number => {
  const port = 20_000 + Math.floor(Math.random() * 40_000);
  const settings = {
    listen_addresses: "127.0.0.1",
    port,
    unix_socket_directories: folder,
    max_connections: 400,
    fsync: "off",
    full_page_writes: "off",
  };
  const options = Object.entries(settings).map(([name, value]) => `-c ${name}=${value}`);
  try {
    runSilent("-D", data, "-w", "-l", nodePath.join(folder, "log"), "-o", options.join(" "), "start");
    return port;
  } catch (error) {
    if (attempts <= 1) throw error;
    return startOn(folder, data, attempts - 1);
  }
};

/** The server of one test file: started when it is first asked for, stopped at the end of the file. */
export interface LazyServer {
  readonly get: () => PostgresServer;
  readonly stop: () => void;
  /** Makes a schema, so that each test has an empty database. */
  readonly freshSchema: () => string;
  /** Connects to a schema, with further settings (`-c name=value`). */
  readonly urlOf: (schema: string, settings?: string) => string;
}

export const lazy = (): LazyServer => {
  const started: Array<PostgresServer> = [];
  const schemas: Array<string> = [];
  const get = (): PostgresServer => {
    if (started[0] === undefined) started.push(start());
    return started[0] ?? start();
  };
  return {
    get,
    stop: () => {
      for (const server of started.splice(0)) server.stop();
    },
    freshSchema: () => {
      const schema = `test_${schemas.push("made")}`;
      get().execute(`CREATE SCHEMA ${schema}`);
      return schema;
    },
    urlOf: (schema, settings = "") =>
      `${get().url}?options=${encodeURIComponent(`-c search_path=${schema} ${settings}`.trim())}`,
  };
};
