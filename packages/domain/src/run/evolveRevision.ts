/**
 * How a run ends, and how a revision takes it up again: what it had completed outlives a revision that does not.
 */
import { evolveFiles } from "./evolveFiles.ts";
import type { KnownEvent } from "./RunEvent.ts";
import type { RevisionState, RunState } from "./RunState.ts";
import { isTerminal } from "./RunStatus.ts";

type RevisionEvent = Extract<
  KnownEvent,
  {
    readonly type: "run_revision_started" | "run_completed" | "run_failed" | "run_partial_success" | "run_cancelled";
  }
>;

/** The state after `event`. */
export const evolveRevision = (state: RunState, event: RevisionEvent): RunState => {
  switch (event.type) {
    case "run_revision_started":
      return started(state, event);
    case "run_completed": {
      const { revision } = event.payload;
      return {
        ...ended(state, revision?.outcome ?? "completed"),
        failure: revision?.outcome === "failed" ? { code: revision.code, message: revision.message } : null,
        persist: { ...state.persist, before: null },
      };
    }
    case "run_failed":
    case "run_partial_success":
      return { ...ended(state, "failed"), failure: { code: event.payload.code, message: event.payload.message } };
    case "run_cancelled":
      return ended(state, "cancelled");
    default:
      return event satisfies never;
  }
};

/** Whether the last revision of the run has left its message as it found it. */
export const hasChangedNothing = ({ commits, pendingCommit, revision }: RunState): boolean =>
  revision !== null && pendingCommit === null && commits.length > 0 && commits.at(-1)?.commitId === revision.commitId;

/** Whether the run has once completed and its message can be revised: whatever became of a revision since. */
export const isRevisable = ({ commits, revision, status }: RunState): boolean =>
  commits.length > 0 && (status === "completed" || (revision !== null && isTerminal(status)));

/** What a revision without a result has drafted is not what the next one begins with. */
const started = (state: RunState, event: Extract<RevisionEvent, { type: "run_revision_started" }>): RunState => {
  const isUndone = state.revision !== null && state.revision.outcome !== "completed" && hasChangedNothing(state);
  const files = isUndone ? (state.revision?.files ?? state.files) : state.files;
  return {
    ...state,
    files: evolveFiles(files, event),
    revision: { commitId: state.commits.at(-1)?.commitId ?? null, files, outcome: null },
    failure: null,
    cancelRequested: false,
    persist: { ...state.persist, withdrawn: false },
  };
};

const ended = (state: RunState, outcome: NonNullable<RevisionState["outcome"]>): RunState =>
  state.revision === null || state.revision.outcome !== null
    ? state
    : { ...state, revision: { ...state.revision, outcome } };
