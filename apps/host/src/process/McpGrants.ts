/**
 * What people have granted to this host at MCP servers: one file for each server, which only its owner may read.
 *
 * Owns where they lie and that they stand in no other place. What is in a file is secret as a whole. Does not own asking for a
 * grant (`LoginPage`).
 */
import { randomUUID } from "node:crypto";
import { chmod, mkdir, readFile, rename, rm, writeFile } from "node:fs/promises";
import { homedir } from "node:os";
import { join, resolve } from "node:path";
import { McpFault } from "@cahier/ports/McpGateway";
import * as Effect from "effect/Effect";
import * as Option from "effect/Option";
import * as Redacted from "effect/Redacted";
import type { Environment } from "./HostSecretStore.ts";

export interface McpGrants {
  readonly load: (serverId: string) => Effect.Effect<Option.Option<Redacted.Redacted>, McpFault>;
  readonly save: (serverId: string, granted: Redacted.Redacted) => Effect.Effect<void, McpFault>;
  readonly forget: (serverId: string) => Effect.Effect<void, McpFault>;
}

/** The folder that CAHIER_MCP_GRANTS names, else one of the user's own state; never one of runs. */
export const folderOf = (environment: Environment): string => {
  const stated = environment["CAHIER_MCP_GRANTS"] ?? "";
  if (stated !== "") return resolve(stated);
  const state = environment["XDG_STATE_HOME"] ?? "";
  return join(state === "" ? join(homedir(), ".local", "state") : state, "cahier", "mcp-grants");
};

/** The grants of a folder, which is made with the first one. */
export const make = (folder: string): McpGrants => {
  const pathOf = (serverId: string): string => join(folder, `${serverId.replaceAll(/[^A-Za-z0-9-]/g, "_")}.json`);
  return {
    load: (serverId) =>
      Effect.tryPromise({
        try: () => textOf(pathOf(serverId)),
        catch: (cause) => unusable(folder, (cause as NodeJS.ErrnoException).code),
      }).pipe(
        Effect.map((text) =>
          text === undefined ? Option.none() : Option.some(Redacted.make(text, { label: "an MCP grant" })),
        ),
      ),
    save: (serverId, granted) =>
      Effect.tryPromise({
        try: async () => {
          await mkdir(folder, { recursive: true, mode: 0o700 });
          await chmod(folder, 0o700);
          const beside = `${pathOf(serverId)}.${randomUUID()}`;
          try {
            await writeFile(beside, Redacted.value(granted), { mode: 0o600, flag: "wx", flush: true });
            await rename(beside, pathOf(serverId));
          } finally {
            await rm(beside, { force: true });
          }
        },
        catch: (cause) => unusable(folder, (cause as NodeJS.ErrnoException).code),
      }),
    forget: (serverId) =>
      Effect.tryPromise({
        try: () => rm(pathOf(serverId), { force: true }),
        catch: (cause) => unusable(folder, (cause as NodeJS.ErrnoException).code),
      }),
  };
};

/** Undefined where nothing was granted. */
const textOf = async (path: string): Promise<string | undefined> => {
  try {
    return await readFile(path, "utf8");
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code === "ENOENT") return undefined;
    throw cause;
  }
};

const unusable = (folder: string, code = "unknown"): McpFault =>
  new McpFault({
    code: "mcp.request_failed",
    detail: `what was granted cannot be kept in ${folder} (${code}); set CAHIER_MCP_GRANTS to a folder of your own`,
  });
