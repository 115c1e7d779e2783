/**
 * A directory of its own on this machine's disk, removed with the scope.
 */
import * as Effect from "effect/Effect";
import * as fs from "node:fs";
import * as os from "node:os";
import * as nodePath from "node:path";

export const make = Effect.acquireRelease(
  Effect.sync(() => fs.mkdtempSync(nodePath.join(os.tmpdir(), "cahier-storage-sql-"))),
  (directory) => Effect.sync(() => fs.rmSync(directory, { recursive: true, force: true })),
);
