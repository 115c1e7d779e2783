/**
 * Makes a new run that goes on from a moment of another one.
 *
 * Owns what the new journal begins with: the shared events under their own numbers, so that payloads which point into them
 * stay true, and the fork, all in one append. The other run is only read. Does not own where a run can be forked
 * (`forkPoint`) nor what becomes of the shared state (`evolveFork`).
 */
import { type Fatal, fatal } from "@cahier/domain/failure/Failure";
import type { EventId, RunId } from "@cahier/domain/identity/Identity";
import { rootInvocation } from "@cahier/domain/identity/Identity";
import { isBlob } from "@cahier/domain/payload/Payload";
import { payloadsIn } from "@cahier/domain/payload/payloadsIn";
import type { NewEvent, StoredEvent } from "@cahier/domain/run/EventEnvelope";
import { draft, type PayloadOf } from "@cahier/domain/run/RunEvent";
import { empty, type ForkedFrom } from "@cahier/domain/run/RunState";
import { BlobStore } from "@cahier/ports/BlobStore";
import { RunJournal } from "@cahier/ports/RunJournal";
import * as Clock from "effect/Clock";
import * as Effect from "effect/Effect";
import { classifyStorage } from "../failure/classifyStorage.ts";
import * as Identifiers from "../identity/Identifiers.ts";
import * as Payloads from "../payload/Payloads.ts";
import { Ownership } from "../run/Ownership.ts";
import * as paths from "../run/paths.ts";
import type { RunPoint } from "../run/RunPoint.ts";
import { type CarryOnOptions, Runs } from "../run/Runs.ts";
import * as RunWriter from "../run/RunWriter.ts";
import { abandonRun } from "../run/abandonRun.ts";
import { withAdvice } from "../failure/withAdvice.ts";
import { leaveTasksBehind } from "../run/steps/endTask.ts";
import type { RunHandle } from "../run/supervise.ts";
import * as Changes from "./Changes.ts";
import { placeOf } from "./placeOf.ts";
import { type Prefix, readPrefix } from "./readPrefix.ts";

/**
 * What a fork does otherwise than the run that it comes from; the prompt is shared. A profile gives it other tools and
 * limits. `message` is what the user says to the agent before its next request.
 */
export interface ForkOptions extends CarryOnOptions, Changes.AskedChanges {
  readonly message?: string;
}

/** A forked run that is being carried on. `forkedFrom.seq` is the last event that it shares. */
export interface ForkedRun extends RunHandle {
  readonly forkedFrom: ForkedFrom;
}

/**
 * Forks a run at a moment, ended or not, and carries the new one on. What the step at that moment recorded is shared to its
 * end. Nothing of it is paid for or carried out again; the fork's first commit makes a message or swipe of its own.
 */
export const forkRun = Effect.fn("Runs.fork")(function* (runId: RunId, point: RunPoint, options: ForkOptions = {}) {
  const runs = yield* Runs;
  const prefix = yield* readPrefix(runId, point);
  const { target, workspaceId } = prefix.state;
  if (target === null || workspaceId === null)
    return yield* fatal("journal.corrupt", "The journal does not say which chat the run writes to.");
  const { message } = options;
  const changes = yield* Changes.choose(prefix, yield* Payloads.make(runId), options);
  const place = yield* placeOf(
    target,
    prefix.state.invocations[prefix.state.foreground ?? rootInvocation]?.context ?? null,
  );
  const forkId = Identifiers.runId((yield* Identifiers.Identifiers).next());
  const forkedFrom = { runId, seq: prefix.state.seq };
  const writer = yield* openFork(forkId, prefix, place, { forkedFrom, message, changes }).pipe(
    Effect.onError(() => abandonRun(forkId)),
  );
  const handle = yield* runs
    .carryOn(writer, options)
    .pipe(
      Effect.mapError((failure) =>
        withAdvice(failure, `The fork is there as the run ${forkId}: resume it instead of forking again.`),
      ),
    );
  return { ...handle, forkedFrom } satisfies ForkedRun;
});

interface Fork {
  readonly forkedFrom: ForkedFrom;
  readonly message: string | undefined;
  readonly changes: Changes.Changes;
}

/** Makes the journal of the fork: bulk first, then everything in one append. */
const openFork = Effect.fnUntraced(function* (
  forkId: RunId,
  prefix: Prefix,
  target: PayloadOf<"run_created">["target"],
  { changes, forkedFrom, message }: Fork,
): Effect.fn.Return<RunWriter.RunWriter, Fatal, RunJournal | BlobStore | Ownership> {
  const journal = yield* RunJournal;
  const ownership = yield* Ownership;
  const { events, state } = prefix;
  const [first, ...others] = events;
  const { foreground, presentation, profileId, workspaceId } = state;
  if (first === undefined || workspaceId === null || profileId === null || foreground === null)
    return yield* fatal("journal.corrupt", "The journal does not say how the run began.");
  const createdAt = new Date(yield* Clock.currentTimeMillis).toISOString();
  yield* journal.create({ runId: forkId, workspaceId, createdAt }).pipe(Effect.mapError(classifyStorage));
  ownership.take(forkId);
  yield* ownership.beat;
  yield* copyBlobs(forkedFrom.runId, forkId, events);
  const payloads = yield* Payloads.make(forkId);
  const spoken =
    message === undefined ? {} : { message: yield* payloads.store(paths.userMessage(foreground, state.seq), message) };
  const writer = yield* RunWriter.make(forkId, 1, empty);
  const ofProfile =
    changes.profile === undefined
      ? {}
      : { profileId: changes.profile.profileId, presentation: changes.profile.found.profile.run.presentation };
  writer.recordAt(
    first.timestamp,
    draft("run_created", rootInvocation, { workspaceId, target, presentation, profileId, ...ofProfile }),
  );
  const copied = copies((yield* Identifiers.Identifiers).next);
  for (const event of others) writer.copy(copied(event));
  writer.record(
    draft("run_forked", foreground, { from: forkedFrom.runId, seq: forkedFrom.seq, ...spoken }),
    draft("run_owner_changed", foreground, { owner: ownership.self, reason: "forked" }),
  );
  leaveTasksBehind(writer);
  yield* Changes.record(writer, foreground, payloads, prefix, changes);
  yield* writer.flush;
  return writer;
});

/** Copies events one after the other: each has an id of its own, and what names another event names its copy. */
const copies = (next: () => string): ((event: StoredEvent) => NewEvent) => {
  const ids = new Map<EventId, EventId>();
  return ({ causality, epoch: _epoch, id, runId: _runId, seq: _seq, ...event }) => {
    const copy = Identifiers.eventId(next());
    ids.set(id, copy);
    const parent = causality?.parentEventId;
    const cause = parent === undefined ? causality : { ...causality, parentEventId: ids.get(parent) ?? parent };
    return { id: copy, ...event, ...(cause === undefined ? {} : { causality: cause }) };
  };
};

/** Content of one run is not readable from another: what the shared events name is stored for the fork as well. */
const copyBlobs = Effect.fnUntraced(function* (
  from: RunId,
  to: RunId,
  events: ReadonlyArray<StoredEvent>,
): Effect.fn.Return<void, Fatal, BlobStore> {
  const blobs = yield* BlobStore;
  const named = new Set(
    events.flatMap(({ payload }) =>
      payloadsIn(payload)
        .filter(isBlob)
        .map(({ sha256 }) => sha256),
    ),
  );
  yield* Effect.forEach(named, (sha256) => Effect.flatMap(blobs.get(from, sha256), (bytes) => blobs.put(to, bytes)), {
    concurrency: 8,
    discard: true,
  }).pipe(Effect.mapError(classifyStorage));
});
