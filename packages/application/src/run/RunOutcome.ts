/**
 * How a run stands when nobody carries it on any more.
 */
import type { RunId } from "@cahier/domain/identity/Identity";
import type { RevisionState, RunState } from "@cahier/domain/run/RunState";
import type { RunStatus } from "@cahier/domain/run/RunStatus";
import { isTerminal } from "@cahier/domain/run/RunStatus";
import type { Fatal } from "@cahier/domain/failure/Failure";

/** One commit that reached the chat; `chars` are Unicode scalars of the published file. */
export interface Committed {
  readonly messageIndex: number;
  readonly path: string;
  readonly chars: number;
}

/**
 * `status` is the journal's; `interrupted` when the run stopped without reaching an end, so that it can be resumed. `revision`
 * says what became of the last revision of a run that was revised: one that failed or was cancelled without a change in the
 * chat leaves the run `completed`, and `error` says why it failed.
 */
export interface RunOutcome {
  readonly runId: RunId;
  readonly status: RunStatus;
  readonly error?: { readonly code: string; readonly message: string };
  readonly committed: ReadonlyArray<Committed>;
  readonly revision?: NonNullable<RevisionState["outcome"]>;
}

/** The outcome of a state, and of the failure that stopped the loop if one did. */
export const outcomeOf = (runId: RunId, state: RunState, stopped?: Fatal): RunOutcome => {
  const error = stopped === undefined ? state.failure : { code: stopped.reason.code, message: stopped.message };
  const ended = stopped === undefined && (isTerminal(state.status) || state.status === "awaiting_approval");
  return {
    runId,
    status: ended ? state.status : "interrupted",
    ...(error === null ? {} : { error: { code: error.code, message: error.message } }),
    ...(ended && typeof state.revision?.outcome === "string" ? { revision: state.revision.outcome } : {}),
    committed: state.commits.map(({ messageIndex, path, chars }) => ({ messageIndex, path, chars })),
  };
};
