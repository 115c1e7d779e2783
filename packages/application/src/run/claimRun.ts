/**
 * Takes a run that nobody living owns.
 */
import { type Fatal, fatal } from "@cahier/domain/failure/Failure";
import { type InvocationId, rootInvocation, type RunId } from "@cahier/domain/identity/Identity";
import type { NewEvent } from "@cahier/domain/run/EventEnvelope";
import type { RunOwner } from "@cahier/domain/run/event/lifecycle";
import { definitions } from "@cahier/domain/run/RunEvent";
import { isTerminal } from "@cahier/domain/run/RunStatus";
import type { BlobStore } from "@cahier/ports/BlobStore";
import { RunJournal } from "@cahier/ports/RunJournal";
import * as Clock from "effect/Clock";
import * as Effect from "effect/Effect";
import { classifyStorage } from "../failure/classifyStorage.ts";
import * as Identifiers from "../identity/Identifiers.ts";
import { loadWritable } from "./loadState.ts";
import { Ownership } from "./Ownership.ts";
import * as RunWriter from "./RunWriter.ts";

/**
 * A writer on the run under a new epoch. Refused for a run that has ended, unless it is claimed `evenEnded`, was never
 * admitted, or has a living owner: a living owner is not robbed.
 */
export const claimRun = Effect.fn("Runs.claim")(function* (
  runId: RunId,
  claiming: "toCarryOn" | "evenEnded" = "toCarryOn",
): Effect.fn.Return<RunWriter.RunWriter, Fatal, RunJournal | BlobStore | Ownership> {
  const journal = yield* RunJournal;
  const ownership = yield* Ownership;
  const { state, epoch } = yield* loadWritable(journal, runId);
  if (state.foreground === null)
    return yield* unavailable(
      "It was never admitted. A message that was given with it may be in the chat already: look there, leave it out if so, and start it again.",
    );
  if (claiming === "toCarryOn" && isTerminal(state.status))
    return yield* unavailable(`It has ended (${state.status}); there is nothing to carry on.`);
  const { owner } = state;
  if (owner !== null && (yield* ownership.isCarriedOn(runId, owner)))
    return yield* unavailable(
      `Process ${owner.pid} on ${owner.machine} is carrying it on. Wait for it, or cancel the run.`,
    );
  if (!ownership.take(runId)) return yield* unavailable("This process is taking it already. Wait for it.");
  const foreground = state.foreground;
  return yield* Effect.gen(function* () {
    yield* ownership.beat;
    const claimed = yield* journal
      .claim(runId, epoch, yield* ownerEvent(foreground, ownership.self))
      .pipe(Effect.mapError(classifyStorage));
    // Whoever appended between the look and the claim did so behind what was read.
    const present = yield* loadWritable(journal, runId, undefined, state);
    return yield* RunWriter.make(runId, claimed.epoch, present.state);
  }).pipe(Effect.onError(() => Effect.sync(() => ownership.letGo(runId))));
});

/** The foreground invocation of a run, which its run-level events belong to. */
export const foregroundOf = (writer: RunWriter.RunWriter): InvocationId => writer.state().foreground ?? rootInvocation;

const unavailable = (why: string): Effect.Effect<never, Fatal> =>
  Effect.fail(fatal("agent.resume_unavailable", `The run cannot be carried on. ${why}`));

const ownerEvent = Effect.fnUntraced(function* (
  invocationId: InvocationId,
  owner: RunOwner,
): Effect.fn.Return<NewEvent> {
  const { next } = yield* Identifiers.Identifiers;
  const definition = definitions.run_owner_changed;
  return {
    id: Identifiers.eventId(next()),
    timestamp: new Date(yield* Clock.currentTimeMillis).toISOString(),
    level: definition.level,
    type: "run_owner_changed",
    v: definition.v,
    eventScope: { invocationId },
    payload: { owner: { ...owner }, reason: "claimed" },
  };
});
