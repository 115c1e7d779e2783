/**
 * Lets a run go that this living process does not carry on any more, so that another one may take it.
 */
import type { Fatal } from "@cahier/domain/failure/Failure";
import { rootInvocation, type RunId } from "@cahier/domain/identity/Identity";
import { draft } from "@cahier/domain/run/RunEvent";
import { isTerminal } from "@cahier/domain/run/RunStatus";
import { RunJournal } from "@cahier/ports/RunJournal";
import * as Effect from "effect/Effect";
import { loadWritable } from "./loadState.ts";
import { Ownership } from "./Ownership.ts";
import { changeStatus } from "./RunContext.ts";
import * as RunWriter from "./RunWriter.ts";

/**
 * Appends to the run's journal that nobody carries it on, and `stopped` as the reason. Reads the journal anew: what was
 * appended last is not known after a failed append. A run that has ended or that another owner has taken stays as it
 * is, and so does one whose journal does not take the release.
 */
export const releaseRun = Effect.fn("Runs.release")(
  function* (runId: RunId, stopped: Fatal): Effect.fn.Return<void, Fatal, RunJournal | Ownership> {
    if (stopped.reason._tag === "journal") return;
    const journal = yield* RunJournal;
    const { self } = yield* Ownership;
    const { state, epoch } = yield* loadWritable(journal, runId);
    if (isTerminal(state.status) || state.owner?.ownerId !== self.ownerId || state.epoch !== epoch) return;
    const writer = yield* RunWriter.make(runId, epoch, state);
    const invocationId = state.foreground ?? rootInvocation;
    changeStatus(writer, invocationId, "interrupted", stopped.reason.code);
    writer.record(draft("run_owner_changed", invocationId, { owner: null, reason: stopped.reason.code }));
    yield* writer.flush;
  },
  // Without the release the run still belongs to this process, which can take it up again.
  (releasing) => Effect.ignore(releasing),
);
