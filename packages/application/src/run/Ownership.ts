/**
 * Who carries a run on: which runs this process does, its heartbeat, and whether another owner still lives.
 *
 * Owns liveness. Does not own the fence: raising the epoch is the journal's.
 */
import type { RunOwner } from "@cahier/domain/run/event/lifecycle";
import type { Fatal } from "@cahier/domain/failure/Failure";
import type { RunId } from "@cahier/domain/identity/Identity";
import { DocumentStore } from "@cahier/ports/DocumentStore";
import { HostProcess } from "@cahier/ports/HostProcess";
import * as Clock from "effect/Clock";
import * as Context from "effect/Context";
import * as Effect from "effect/Effect";
import * as Layer from "effect/Layer";
import * as Schema from "effect/Schema";
import * as Scope from "effect/Scope";
import * as Semaphore from "effect/Semaphore";
import { classifyStorage } from "../failure/classifyStorage.ts";

/** The collection of heartbeats: one document per host process. */
export const hostsCollection = "hosts";

/** How often a host that owns runs says that it lives. */
export const heartbeatIntervalMs = 10_000;

/** A host whose last heartbeat is older than this is dead. */
export const deadAfterMs = 30_000;

const Heartbeat = Schema.Struct({ at: Schema.Finite });
const decodeHeartbeat = Schema.decodeUnknownOption(Heartbeat);

export class Ownership extends Context.Service<
  Ownership,
  {
    /** This process as an owner. */
    readonly self: RunOwner;
    /**
     * Whether `owner` still carries the run on. This process knows what it carries; of another one on this machine the
     * process decides at once, of one elsewhere its last heartbeat does.
     */
    readonly isCarriedOn: (runId: RunId, owner: RunOwner) => Effect.Effect<boolean, Fatal>;
    /** Takes a run for this process, or gives false when this process has it already. */
    readonly take: (runId: RunId) => boolean;
    /** Lets a run go: this process does not carry it on any more. Idempotent. */
    readonly letGo: (runId: RunId) => void;
    /** Starts the heartbeat if it does not beat yet: its first beat is written when this returns. It ends with the layer's scope. */
    readonly beat: Effect.Effect<void, Fatal>;
  }
>()("@cahier/application/run/Ownership") {}

export const layer = Layer.effect(
  Ownership,
  Effect.gen(function* () {
    const documents = yield* DocumentStore;
    const process = yield* HostProcess;
    const scope = yield* Effect.scope;
    const { self } = process;
    const taken = new Set<RunId>();
    let beating = false;
    let revision = 0;

    const put = Effect.gen(function* () {
      const at = yield* Clock.currentTimeMillis;
      revision = yield* documents.put(hostsCollection, self.ownerId, revision, { ...self, at });
    });

    const readRevision = documents.get(hostsCollection, self.ownerId).pipe(
      Effect.map((document) => document.revision),
      Effect.catchTag("NotFound", () => Effect.succeed(0)),
      Effect.map((present) => void (revision = present)),
    );

    // The document is this process's own, so whatever stands in it is written over.
    const write = put.pipe(
      Effect.catchTag("Conflict", () => Effect.andThen(readRevision, put)),
      Effect.mapError(classifyStorage),
    );

    const starting = yield* Semaphore.make(1);
    const beat = Effect.suspend(() => {
      if (beating) return Effect.void;
      return write.pipe(
        Effect.tap(() => Effect.sync(() => void (beating = true))),
        Effect.andThen(
          Effect.sleep(heartbeatIntervalMs).pipe(
            Effect.andThen(write),
            // A heartbeat that cannot be written makes this host look dead; the journal's fence keeps that safe.
            Effect.ignore,
            Effect.forever,
            Effect.forkIn(scope),
          ),
        ),
        Effect.andThen(Effect.addFinalizer(() => documents.remove(hostsCollection, self.ownerId).pipe(Effect.ignore))),
        Effect.provideService(Scope.Scope, scope),
        Effect.asVoid,
      );
    }).pipe(starting.withPermits(1));

    const take: Ownership["Service"]["take"] = (runId) => {
      if (taken.has(runId)) return false;
      taken.add(runId);
      return true;
    };

    const isCarriedOn = Effect.fn("Ownership.isCarriedOn")(function* (
      runId: RunId,
      owner: RunOwner,
    ): Effect.fn.Return<boolean, Fatal> {
      if (owner.ownerId === self.ownerId) return taken.has(runId);
      return yield* lives(process, documents, owner);
    });

    return Ownership.of({ self, isCarriedOn, take, letGo: (runId) => void taken.delete(runId), beat });
  }),
);

/** Whether the process that `owner` names lives; of one on another machine its heartbeat in `documents` decides. */
export const lives = Effect.fnUntraced(function* (
  process: HostProcess["Service"],
  documents: DocumentStore["Service"],
  owner: RunOwner,
): Effect.fn.Return<boolean, Fatal> {
  const liveness = yield* process.liveness(owner);
  if (liveness !== "elsewhere") return liveness === "running";
  const document = yield* documents.get(hostsCollection, owner.ownerId).pipe(
    Effect.catchTag("NotFound", () => Effect.undefined),
    Effect.mapError(classifyStorage),
  );
  const heartbeat = document === undefined ? undefined : decodeHeartbeat(document.value);
  if (heartbeat === undefined || heartbeat._tag === "None") return false;
  return (yield* Clock.currentTimeMillis) - heartbeat.value.at < deadAfterMs;
});
