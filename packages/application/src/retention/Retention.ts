/**
 * Keeping and removing runs: settings, plans, carrying a plan out, and doing so by itself.
 *
 * Owns that plans are carried out one after the other, and that each is made anew before it is. Does not own what a plan says
 * (`planRetention`) nor how a run is removed (`removeRun`). What is removed is in the host's log.
 */
import { type Fatal, fatal } from "@cahier/domain/failure/Failure";
import type { RunId } from "@cahier/domain/identity/Identity";
import { planRetention, type PruneCandidate, type RetentionPlan } from "@cahier/domain/retention/planRetention";
import * as Settings from "@cahier/domain/retention/RetentionSettings";
import type { BlobStore } from "@cahier/ports/BlobStore";
import { DocumentStore } from "@cahier/ports/DocumentStore";
import type { RunJournal } from "@cahier/ports/RunJournal";
import * as Context from "effect/Context";
import * as Effect from "effect/Effect";
import * as Latch from "effect/Latch";
import * as Layer from "effect/Layer";
import * as Option from "effect/Option";
import * as Result from "effect/Result";
import * as Schema from "effect/Schema";
import type * as Scope from "effect/Scope";
import * as Semaphore from "effect/Semaphore";
import { classifyStorage } from "../failure/classifyStorage.ts";
import type { Ownership } from "../run/Ownership.ts";
import { collectBlobs } from "./collectBlobs.ts";
import { finishForgetting } from "./forgetChats.ts";
import { gatherRuns } from "./gatherRuns.ts";
import * as HostLog from "./HostLog.ts";
import { deleteRun, type RemovedContent, slimRun } from "./removeRun.ts";

/** Where the settings stand. */
export const settingsCollection = "settings";
export const settingsId = "retention";

/** When plans are carried out by themselves: after the start or a change of settings, then, and after a failure. */
export const firstAfterMs = 45_000;
export const everyMs = 30 * 60_000;
export const retryAfterMs = 60_000;

/** A run that could not be slimmed or deleted, and why. */
export interface FailedRun {
  readonly runId: RunId;
  readonly action: PruneCandidate["action"];
  readonly code: string;
  readonly message: string;
}

/** What was done. `removed` is content beside journals; `collected` is what nothing referred to any more. */
export interface RetentionResult {
  readonly slimmed: ReadonlyArray<RunId>;
  readonly deleted: ReadonlyArray<RunId>;
  readonly failed: ReadonlyArray<FailedRun>;
  readonly removed: RemovedContent;
  readonly collected: RemovedContent;
  readonly afterPlan: RetentionPlan;
}

export class Retention extends Context.Service<
  Retention,
  {
    /** The settings as they are stored; the defaults where nobody has said otherwise. */
    readonly settings: Effect.Effect<Settings.RetentionSettings, Fatal>;
    /** Changes some of the settings and gives all. Numbers that cannot be held are refused with their code. */
    readonly updateSettings: (
      changes: Partial<Settings.RetentionSettings>,
    ) => Effect.Effect<Settings.RetentionSettings, Fatal>;
    /** What would be done under the settings, or under others. Nothing is changed. */
    readonly plan: (settings?: Partial<Settings.RetentionSettings>) => Effect.Effect<RetentionPlan, Fatal>;
    /**
     * Plans anew and does it, one run after the other; one that cannot be done is listed and keeps no other from it. Carried
     * out one at a time in this process; another one that works on the same run keeps it.
     */
    readonly apply: (settings?: Partial<Settings.RetentionSettings>) => Effect.Effect<RetentionResult, Fatal>;
    /**
     * Carries plans out by itself while the scope is open and the settings say so; failures are logged and tried again. It is for
     * a host that serves, for as long as it serves. A command that ends with its run is over before the first turn
     * (`firstAfterMs`) and does not call it: a run would pay for the removal of others. There people call `apply`.
     */
    readonly automatic: Effect.Effect<void, never, Scope.Scope>;
  }
>()("@cahier/application/retention/Retention") {}

type Requirements = RunJournal | BlobStore | DocumentStore | Ownership;

export const layer = Layer.effect(
  Retention,
  Effect.gen(function* () {
    const documents = yield* DocumentStore;
    const services = yield* Effect.context<Requirements>();
    const working = yield* Semaphore.make(1);
    const changed = yield* Latch.make(false);

    const stored = documents.get(settingsCollection, settingsId).pipe(
      Effect.map(({ revision, value }) => ({
        revision,
        settings: Option.getOrElse(decode(value), () => Settings.defaults),
      })),
      Effect.catchTag("NotFound", () => Effect.succeed({ revision: 0, settings: Settings.defaults })),
      Effect.mapError(classifyStorage),
    );

    const settings: Retention["Service"]["settings"] = Effect.map(stored, (found) => found.settings);

    const updateSettings: Retention["Service"]["updateSettings"] = Effect.fn("Retention.updateSettings")(
      function* (changes) {
        const present = yield* stored;
        const next = yield* checked({ ...present.settings, ...changes });
        yield* documents
          .put(settingsCollection, settingsId, present.revision, next)
          .pipe(Effect.mapError(classifyStorage));
        yield* changed.open;
        return next;
      },
    );

    const plan: Retention["Service"]["plan"] = Effect.fn("Retention.plan")(function* (changes = {}) {
      const asked = yield* checked({ ...(yield* settings), ...changes });
      return planRetention(yield* gatherRuns(), asked);
    }, Effect.provideContext(services));

    const apply: Retention["Service"]["apply"] = Effect.fn("Retention.apply")(
      function* (changes = {}) {
        yield* finishForgetting;
        const { candidates } = yield* plan(changes);
        const done = yield* Effect.forEach(candidates, (candidate) =>
          Effect.map(Effect.result(carryOut(candidate)), (result) => ({ candidate, result })),
        );
        const ofAction = (action: PruneCandidate["action"]) =>
          done
            .filter(({ candidate, result }) => candidate.action === action && Result.isSuccess(result))
            .map(({ candidate }) => candidate.runId);
        return {
          slimmed: ofAction("slim_heavy_artifacts"),
          deleted: ofAction("delete_run"),
          failed: done.flatMap(({ candidate, result }) =>
            Result.isSuccess(result) ? [] : [failedRun(candidate, result.failure)],
          ),
          removed: done.reduce(
            (sum, { result }) => (Result.isSuccess(result) ? add(sum, result.success) : sum),
            nothing,
          ),
          collected: yield* collected,
          afterPlan: yield* plan(changes),
        };
      },
      (applying) => working.withPermits(1)(applying),
      Effect.provideContext(services),
    );

    const automatic: Retention["Service"]["automatic"] = Effect.gen(function* () {
      let delay = firstAfterMs;
      for (;;) {
        yield* changed.close;
        const isChanged = yield* Effect.raceFirst(
          Effect.as(Effect.sleep(delay), false),
          Effect.as(changed.await, true),
        );
        delay = isChanged ? firstAfterMs : yield* once;
      }
    }).pipe(Effect.forkScoped, Effect.asVoid);

    /** One turn; gives the time to the next. */
    const once: Effect.Effect<number> = Effect.gen(function* () {
      const { autoPruneEnabled } = yield* settings;
      if (autoPruneEnabled) yield* apply();
      return everyMs;
    }).pipe(
      Effect.catch((failure) =>
        Effect.as(Effect.logWarning(`Runs could not be removed by themselves: ${failure.message}`), retryAfterMs),
      ),
    );

    return Retention.of({ settings, updateSettings, plan, apply, automatic });
  }),
);

const decode = Schema.decodeUnknownOption(Settings.RetentionSettings);

const checked = (settings: Settings.RetentionSettings): Effect.Effect<Settings.RetentionSettings, Fatal> =>
  Effect.fromResult(Result.mapError(Settings.check(settings), ({ code, message }) => fatal(code, message)));

const carryOut = (candidate: PruneCandidate): Effect.Effect<RemovedContent, Fatal, Requirements> => {
  const { action, reason, runId: subject } = candidate;
  switch (action) {
    case "slim_heavy_artifacts":
      return HostLog.recording({ action: "run_slimmed", subject, reason }, Effect.map(slimRun(candidate), plain));
    case "delete_run":
      return HostLog.recording({ action: "run_deleted", subject, reason }, Effect.map(deleteRun(candidate), plain));
    default:
      return action satisfies never;
  }
};

/** What nothing refers to any more; that it cannot be collected now takes nothing from what was done. */
const collected = Effect.gen(function* () {
  const found = yield* collectBlobs();
  if (found.blobs > 0)
    yield* HostLog.recording(
      { action: "blobs_collected", subject: "storage", reason: "unreferenced" },
      Effect.succeed(plain(found)),
    );
  return found;
}).pipe(
  Effect.catch((failure: Fatal) =>
    Effect.as(Effect.logWarning(`Content that is left behind was not collected: ${failure.message}`), nothing),
  ),
);

const nothing: RemovedContent = { blobs: 0, bytes: 0 };

const plain = ({ blobs, bytes }: RemovedContent) => ({ blobs, bytes });

const add = (one: RemovedContent, other: RemovedContent): RemovedContent => ({
  blobs: one.blobs + other.blobs,
  bytes: one.bytes + other.bytes,
});

const failedRun = ({ action, runId }: PruneCandidate, { message, reason }: Fatal): FailedRun => ({
  runId,
  action,
  code: reason.code,
  message,
});
