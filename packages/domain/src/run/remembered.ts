/**
 * What a run has changed of what its agents remember, and what is left to publish of it.
 */
import { isPersistent } from "../persist/PersistentState.ts";
import type { Sha256 } from "../payload/Sha256.ts";
import * as PathMap from "./PathMap.ts";
import type { CommitRecord, FileState, RunState } from "./RunState.ts";

/** One file under `persist/` that is not as it was in the state that the run began with or published last. */
export type PersistentChange =
  | { readonly path: string; readonly kind: "added" | "modified"; readonly sha256: Sha256 }
  | { readonly path: string; readonly kind: "deleted" };

/** The remembered files of a state of a run, in the order of their paths. */
export const persistentFiles = ({ files }: Pick<RunState, "files">): ReadonlyArray<FileState> =>
  PathMap.values(files)
    .filter(({ path }) => isPersistent(path))
    .toSorted((one, other) => (one.path < other.path ? -1 : 1));

/** What differs from the state that it would be published over, in the order of the paths. */
export const persistentChanges = (state: Pick<RunState, "files" | "persist">): ReadonlyArray<PersistentChange> => {
  const { base } = state.persist;
  const present = persistentFiles(state);
  const there = new Set(present.map(({ path }) => path));
  const changes = [
    ...present.flatMap(({ path, sha256 }): ReadonlyArray<PersistentChange> => {
      const before = base[path];
      if (before === sha256) return [];
      return [{ path, kind: before === undefined ? "added" : "modified", sha256 }];
    }),
    ...Object.keys(base)
      .filter((path) => !there.has(path))
      .map((path): PersistentChange => ({ path, kind: "deleted" })),
  ];
  return changes.toSorted((one, other) => (one.path < other.path ? -1 : 1));
};

/** The message that is to name the present state and does not yet; undefined when there is none. */
export const unnamedMessage = ({
  commits,
  persist,
}: Pick<RunState, "commits" | "persist">): CommitRecord | undefined => {
  const [first] = commits;
  if (first === undefined || persist.stateId === null) return undefined;
  const { named } = persist;
  return named?.stateId === persist.stateId && named.commitId === first.commitId ? undefined : first;
};

/** Whether a run that finishes has something to publish first. */
export const isPublishDue = (state: RunState): boolean =>
  persistentChanges(state).length > 0 || unnamedMessage(state) !== undefined;

/** The id of the state that the run would publish next. One run that is revised publishes several. */
export const nextStateId = ({ persist, runId }: Pick<RunState, "persist" | "runId">): string =>
  persist.publishedCount === 0 ? String(runId) : `${String(runId)}_${persist.publishedCount + 1}`;

/** The state that a run which does not come to its end must take back, if it may have published one. */
export const unsettledState = (state: RunState): string | undefined => {
  const { persist } = state;
  if (persist.withdrawn) return undefined;
  if (persist.before !== null)
    return persist.stateId === null || persist.named?.stateId === persist.stateId ? undefined : persist.stateId;
  return persistentChanges(state).length > 0 ? nextStateId(state) : undefined;
};
