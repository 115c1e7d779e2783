/**
 * How events change what a run knows of what its agents remember.
 */
import type { Sha256 } from "../payload/Sha256.ts";
import { persistentFiles } from "./remembered.ts";
import type { KnownEvent } from "./RunEvent.ts";
import type { RunState } from "./RunState.ts";

export type PersistEvent = Extract<
  KnownEvent,
  {
    readonly type:
      | "persistent_projection_initialized"
      | "persistent_file_projected"
      | "persistent_changes_committed"
      | "persistent_state_withdrawn"
      | "persistent_state_metadata_update_requested"
      | "persistent_state_metadata_updated"
      | "persistent_state_metadata_update_failed";
  }
>;

/** The state after `event`. A published state is what the next changes are told from. */
export const evolvePersist = (state: RunState, event: PersistEvent): RunState => {
  const { persist } = state;
  switch (event.type) {
    case "persistent_projection_initialized":
      return { ...state, persist: { ...persist, stateId: event.payload.stateId } };
    case "persistent_file_projected": {
      const { path, content } = event.payload;
      return { ...state, persist: { ...persist, base: { ...persist.base, [path]: content.sha256 } } };
    }
    case "persistent_changes_committed":
      return {
        ...state,
        persist: {
          ...persist,
          stateId: event.payload.stateId,
          base: digests(state),
          published: { stateId: event.payload.stateId, baseStateId: event.payload.baseStateId },
          before: { stateId: persist.stateId, base: persist.base },
          publishedCount: persist.publishedCount + 1,
        },
      };
    case "persistent_state_withdrawn":
      return { ...state, persist: { ...persist, ...persist.before, before: null, withdrawn: true } };
    case "persistent_state_metadata_update_requested":
      return { ...state, persist: { ...persist, naming: event.payload.stateId } };
    case "persistent_state_metadata_updated": {
      const { commitId, revision, stateId } = event.payload;
      return {
        ...state,
        persist: { ...persist, naming: null, named: { stateId, commitId } },
        commits: state.commits.map((commit, index) =>
          index === state.commits.length - 1 ? { ...commit, revision } : commit,
        ),
      };
    }
    case "persistent_state_metadata_update_failed":
      return { ...state, persist: { ...persist, naming: null } };
    default:
      return event satisfies never;
  }
};

const digests = (state: RunState): { readonly [path: string]: Sha256 } =>
  Object.fromEntries(persistentFiles(state).map(({ path, sha256 }) => [path, sha256]));
