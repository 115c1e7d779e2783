/**
 * What a storage holds, read by this process past the one that was killed: every run, and what is wrong.
 */
import { listRuns, showRun } from "@cahier/application/run/RunReader";
import type { Fatal } from "@cahier/domain/failure/Failure";
import { RunId } from "@cahier/domain/identity/Identity";
import * as Effect from "effect/Effect";
import { checkHidden } from "../../src/cli/checkHidden.ts";
import { checkRuns } from "../../src/cli/checkRuns.ts";
import * as Host from "../../src/composition/Host.ts";
import * as Storage from "../../src/composition/Storage.ts";

/** A run that was admitted. `state` says in words how it stands; `revision` is null while one goes on. */
export interface Seen {
  readonly runId: string;
  readonly isEnded: boolean;
  readonly state: string;
  readonly commits: number;
  readonly revision: string | null | undefined;
}

/** The runs that were admitted, newest first; of one that never was nothing is known. */
export interface Sight {
  readonly runs: ReadonlyArray<Seen>;
  readonly wrong: ReadonlyArray<string>;
}

/** Everything of a storage. */
export const lookAt = (storage: string): Effect.Effect<Sight, Fatal> =>
  Effect.gen(function* () {
    const findings = [...(yield* checkRuns), ...(yield* checkHidden)];
    const listed = yield* listRuns({});
    const shown = yield* Effect.forEach(listed, ({ runId }) => showRun(RunId.make(runId)));
    return {
      runs: shown.flatMap(({ standing, state }) =>
        state.runId === null || state.createdAt === null
          ? []
          : [
              {
                runId: state.runId,
                isEnded: standing === "ended",
                state: [
                  ...(standing === "ended" ? [] : [standing]),
                  state.status,
                  ...(state.revision === null ? [] : [`revision ${state.revision.outcome ?? "under way"}`]),
                ].join(", "),
                commits: state.commits.length,
                revision: state.revision === null ? undefined : state.revision.outcome,
              },
            ],
      ),
      wrong: findings
        .filter(({ outcome }) => outcome !== "passed")
        .map(({ check, detail }) => `${check}: ${detail ?? ""}`),
    };
  }).pipe(Effect.provide(Host.layer(Storage.choose({ storage }, {}))), Effect.scoped);
