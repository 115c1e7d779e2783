/**
 * A fresh folder on a real disk for what a benchmark writes.
 */
import * as fs from "node:fs";
import * as os from "node:os";
import * as path from "node:path";

/** What `statfs` calls a disk that is memory: syncing is free there, so nothing durable can be measured on it. */
const memoryDisk = 0x0102_1994;

/** Makes the folder below the system's temporary folder (`TMPDIR` moves it); says so when that is no disk. */
export const makeFolder = (name: string): string => {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), `cahier-${name}-`));
  if (fs.statfsSync(folder).type === memoryDisk)
    process.stderr.write(`${os.tmpdir()} is memory, not a disk: set TMPDIR to a folder on a disk.\n`);
  return folder;
};

/** Bytes of all files below a folder. */
export const bytesBelow = (folder: string): number =>
  fs
    .readdirSync(folder, { withFileTypes: true, recursive: true })
    .filter((entry) => entry.isFile())
    .reduce((sum, entry) => sum + fs.statSync(path.join(entry.parentPath, entry.name)).size, 0);
