/**
 * Where runs are kept: the storage ring of this program.
 */
import { homedir } from "node:os";
import { join, resolve } from "node:path";
import * as FileStorage from "@cahier/storage-file/FileStorage";

/** The data folder: what the caller said, else `CAHIER_STORAGE` (`file:DIR` or a path), else the user's own. */
export const dataDirectory = (
  stated: string | undefined,
  environment: Readonly<Record<string, string | undefined>>,
): string => {
  const chosen = stated ?? environment["CAHIER_STORAGE"];
  if (chosen !== undefined && chosen !== "") return resolve(chosen.replace(/^file:/, ""));
  const base = environment["XDG_DATA_HOME"];
  return join(base === undefined || base === "" ? join(homedir(), ".local", "share") : base, "cahier");
};

/** Journal, blobs, documents and readable tree in one folder. */
export const layer = (directory: string) => FileStorage.layer({ directory });
