/**
 * What is wrong in a storage and shows in no list of runs: runs that no list has, and states that cannot be read whole.
 *
 * Owns what doctor says of them, and the advice. Repairs nothing.
 */
import { damagedStates } from "@cahier/application/persist/damagedStates";
import { unlistedRuns } from "@cahier/application/run/unlistedRuns";
import type { Fatal } from "@cahier/domain/failure/Failure";
import type { BlobStore } from "@cahier/ports/BlobStore";
import type { DocumentStore } from "@cahier/ports/DocumentStore";
import type { RunJournal } from "@cahier/ports/RunJournal";
import * as Effect from "effect/Effect";
import type { Finding } from "./checkRuns.ts";

/** One finding for each that is wrong, and one that passed for each kind of which none is. */
export const checkHidden: Effect.Effect<
  ReadonlyArray<Finding>,
  Fatal,
  RunJournal | BlobStore | DocumentStore
> = Effect.gen(function* () {
  const runs = (yield* unlistedRuns()).map(({ failure, runId }) =>
    failed(runId, failure, "Until then what it has stored beside its journal is kept."),
  );
  const states = (yield* damagedStates()).map(({ failure, stateId, workspaceId }) =>
    failed(`state ${stateId} of ${workspaceId}`, failure, "Until then no run begins in a chat that leads to it."),
  );
  return [...orPassed(runs, "every stored run is listed"), ...orPassed(states, "every state can be read")];
});

const failed = (check: string, { message, reason }: Fatal, meanwhile: string): Finding => ({
  check,
  outcome: "failed",
  detail: `${message} ${meanwhile} [${reason.code}]`,
});

const orPassed = (findings: ReadonlyArray<Finding>, check: string): ReadonlyArray<Finding> =>
  findings.length === 0 ? [{ check, outcome: "passed" }] : findings;
