/**
 * Puts what a user says on the record of a run.
 *
 * Owns recording it with the run's own writer, or by claiming a run that nobody carries on. Does not own what is taken
 * (`domain/guidance/Guidance`) nor telling it to the agent.
 */
import { type Fatal, fatal } from "@cahier/domain/failure/Failure";
import {
  acknowledge,
  admitGuidance,
  previewOf,
  type QueuedGuidance,
  type SubmittedGuidance,
} from "@cahier/domain/guidance/Guidance";
import { rootInvocation, type RunId } from "@cahier/domain/identity/Identity";
import { draft } from "@cahier/domain/run/RunEvent";
import type { RunState } from "@cahier/domain/run/RunState";
import type { TextMetrics } from "@cahier/domain/workspace/TextMetrics";
import { RunJournal } from "@cahier/ports/RunJournal";
import * as Effect from "effect/Effect";
import * as Result from "effect/Result";
import * as Identifiers from "../identity/Identifiers.ts";
import * as Payloads from "../payload/Payloads.ts";
import { claimRun, foregroundOf } from "./claimRun.ts";
import { Ownership } from "./Ownership.ts";
import * as paths from "./paths.ts";
import type { RunResources } from "./RunContext.ts";

/** The id of what another process has said: the same however often its request is found. */
export const guidanceIdOf = (requestId: string): string => requestId.replace(/^request_/, "guidance_");

/** Why a run cannot be told this, if it cannot. */
export const requireAdmitted = (state: RunState, guidance: SubmittedGuidance): Effect.Effect<TextMetrics, Fatal> =>
  Effect.fromResult(Result.mapError(admitGuidance(state, guidance), ({ code, message }) => fatal(code, message)));

/** Records it, durably. What a request has brought already is not recorded again. */
export const takeGuidance = (
  { nextHex, payloads, writer }: Pick<RunResources, "nextHex" | "payloads" | "writer">,
  guidance: SubmittedGuidance,
  requestId?: string,
): Effect.Effect<QueuedGuidance, Fatal> =>
  writer.exclusively(
    Effect.gen(function* () {
      const state = writer.state();
      const guidanceId = requestId === undefined ? `guidance_${nextHex()}` : guidanceIdOf(requestId);
      if (requestId !== undefined && state.guidance.requests.includes(requestId))
        return acknowledge(state, guidanceId, guidance);
      const metrics = yield* requireAdmitted(state, guidance);
      const { clientGuidanceId } = guidance;
      const said = guidance.text.toWellFormed();
      const text = yield* payloads.store(paths.submittedGuidance(guidanceId), said);
      const invocationId = state.foreground ?? rootInvocation;
      writer.record({
        ...draft("user_guidance_submitted", invocationId, {
          guidanceId,
          ...(clientGuidanceId === undefined ? {} : { clientGuidanceId }),
          invocationId,
          chars: metrics.chars,
          words: metrics.words,
          preview: previewOf(said),
          text,
          submittedAt: new Date(writer.now()).toISOString(),
          status: "queued",
        }),
        ...(requestId === undefined ? {} : { requestId }),
      });
      yield* writer.flush;
      return acknowledge(writer.state(), guidanceId, guidance);
    }),
  );

/** Claims a run that nobody carries on, records it, and lets the run go as it was. */
export const leaveGuidance = Effect.fn("Runs.leaveGuidance")(function* (
  runId: RunId,
  guidance: SubmittedGuidance,
): Effect.fn.Return<QueuedGuidance, Fatal, RunJournal | Payloads.Requirements | Ownership> {
  const journal = yield* RunJournal;
  const ownership = yield* Ownership;
  const { next } = yield* Identifiers.Identifiers;
  const writer = yield* claimRun(runId);
  const payloads = yield* Payloads.make(runId);
  const leave = Effect.suspend(() => {
    writer.record(draft("run_owner_changed", foregroundOf(writer), { owner: null, reason: "guidance" }));
    return writer.flush;
  });
  return yield* takeGuidance({ nextHex: next, payloads, writer }, guidance).pipe(
    Effect.onExit(() => Effect.ignore(leave)),
    Effect.ensuring(
      Effect.andThen(
        journal.release(runId),
        Effect.sync(() => ownership.letGo(runId)),
      ),
    ),
  );
});
