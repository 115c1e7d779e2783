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

export const blobsFolder: ReadonlyArray<string> = ["agent-workspaces", "blobs"];

export const blobFolder = (scope: string): ReadonlyArray<string> => [...blobsFolder, scope];

export const documentsFolder: ReadonlyArray<string> = ["documents"];

export const documentFolder = (collection: string): ReadonlyArray<string> => [
  ...documentsFolder,
  ...collection.split("/"),
];

export const journalName = "events.jsonl";
export const ownersName = "owners";

/** The name of the n-th file that keeps bytes cut off a torn end. */
export const cutName = (n: number): string => `${journalName}.cut-${n}`;

/** True for the name of a file that keeps bytes cut off a torn end. */
export const isCut = (name: string): boolean => /^events\.jsonl\.cut-[1-9][0-9]*$/.test(name);

/** The name of a journal in the making; `digits` are 16 in hex. */
export const restoringName = (digits: string): string => `${journalName}.restore-${digits}`;

/** True for the name of a journal in the making. */
export const isRestoring = (name: string): boolean => /^events\.jsonl\.restore-[0-9a-f]{16}$/.test(name);

/** True for a name in a run's folder that is the journal's; also for one that differs in case, which some disks ignore. */
export const isJournals = (name: string): boolean => {
  const lower = name.toLowerCase();
  return lower === journalName || lower === ownersName || lower.startsWith(`${journalName}.`);
};

/** True for a name that is safe as one path segment. */
export const isSegment = (name: string): boolean => /^[A-Za-z0-9_-]{1,128}$/.test(name);
