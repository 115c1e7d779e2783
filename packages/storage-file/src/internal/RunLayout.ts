/**
 * Where a run's files stand below the data folder.
 *
 * Owns the names that belong to the journal. Does not own the mirrored tree beside them, except that it keeps clear of
 * these names.
 */
import type { RunId, WorkspaceId } from "@cahier/domain/identity/Identity";

export const indexFolder: ReadonlyArray<string> = ["agent-workspaces", "index", "runs"];

export const runFolder = (workspaceId: WorkspaceId, runId: RunId): ReadonlyArray<string> => [
  "agent-workspaces",
  "chats",
  workspaceId,
  "runs",
  runId,
];

export const blobFolder = (scope: string): ReadonlyArray<string> => ["agent-workspaces", "blobs", scope];

export const documentFolder = (collection: string): ReadonlyArray<string> => ["documents", ...collection.split("/")];

export const journalName = "events.jsonl";
export const ownersName = "owners";

/** The name of the n-th file that keeps bytes cut off a torn end. */
export const cutName = (n: number): string => `${journalName}.cut-${n}`;

/** True for a name in a run's folder that is the journal's; also for one that differs in case, which some disks ignore. */
export const isJournals = (name: string): boolean => {
  const lower = name.toLowerCase();
  return lower === journalName || lower === ownersName || lower.startsWith(`${journalName}.`);
};

/** True for a name that is safe as one path segment. */
export const isSegment = (name: string): boolean => /^[A-Za-z0-9_-]{1,128}$/.test(name);
