/**
 * The delegated agents of a run that are at work in this process: one fiber each, as the journal has it.
 *
 * Owns starting and stopping them, and telling those that wait when something has changed. Does not own what an agent does
 * (`carryOn`) nor who is to be at work: that follows from the state (`openChildren`).
 */
import type { Denied, Fatal } from "@cahier/domain/failure/Failure";
import { fatal } from "@cahier/domain/failure/Failure";
import type { InvocationId } from "@cahier/domain/identity/Identity";
import { openChildren } from "@cahier/domain/run/activeInvocations";
import { wallMs } from "@cahier/domain/run/RunState";
import { taskOf } from "@cahier/domain/run/tasks";
import * as Cause from "effect/Cause";
import * as Deferred from "effect/Deferred";
import * as Effect from "effect/Effect";
import type * as Fiber from "effect/Fiber";
import type * as Scope from "effect/Scope";
import { isHostTrouble, resumable } from "../failure/hostTrouble.ts";
import type { RunResources } from "./RunContext.ts";
import { elapsedMs } from "./withinTime.ts";
import { failChild, type Reason } from "./steps/endTask.ts";

export interface Crew {
  /** Starts and stops agents as the state has it now; free when no task has changed. */
  readonly follow: Effect.Effect<void>;
  /** Whether a task has changed since `follow`. */
  readonly isBehind: () => boolean;
  /** A number that rises with every change that somebody may wait for. */
  readonly version: () => number;
  /** Waits until the number is another one. */
  readonly changedSince: (version: number) => Effect.Effect<void>;
  /** Tells everybody who waits to look again. */
  readonly tell: () => void;
  /** Fails when an agent met a trouble that is not its own: of this host, or of the journal. */
  readonly trouble: Effect.Effect<never, Fatal>;
}

/** A crew whose agents live as long as `scope`. `carryOn` is the work of one of them, until it has ended or waits for people. */
export const make = Effect.fnUntraced(function* (
  resources: RunResources,
  scope: Scope.Scope,
  carryOn: (invocationId: InvocationId, crew: Crew) => Effect.Effect<void, Denied | Fatal>,
) {
  const { gateway, writer } = resources;
  const troubled = yield* Deferred.make<never, Fatal>();
  const fibers = new Map<InvocationId, Fiber.Fiber<void>>();
  const waiting = new Set<() => void>();
  let version = 0;
  let followed: unknown;

  const tell = (): void => {
    version += 1;
    // Whoever is woken may wait again at once.
    for (const wake of Array.from(waiting)) wake();
  };

  const changedSince: Crew["changedSince"] = (since) =>
    Effect.callback<void>((resume) => {
      if (version !== since) return resume(Effect.void);
      const wake = (): void => {
        waiting.delete(wake);
        resume(Effect.void);
      };
      waiting.add(wake);
      return Effect.sync(() => void waiting.delete(wake));
    });

  const follow: Crew["follow"] = Effect.suspend(() => {
    const { tasks } = writer.state();
    if (tasks === followed) return Effect.void;
    followed = tasks;
    // Whoever has ended otherwise ends its fiber by itself.
    for (const [id, fiber] of fibers)
      if (writer.state().invocations[id]?.status === "cancelled") fiber.interruptUnsafe();
    const fresh = openChildren(writer.state()).filter((id) => !fibers.has(id));
    return Effect.andThen(Effect.forEach(fresh, start, { discard: true }), Effect.sync(tell));
  });

  const start = (id: InvocationId): Effect.Effect<void> =>
    Effect.map(Effect.forkIn(work(id), scope), (fiber) => void fibers.set(id, fiber));

  /** Whatever an agent meets ends its task, or the work on the whole run. */
  const work = (id: InvocationId): Effect.Effect<void> =>
    withinTask(id).pipe(
      Effect.catch((failure) =>
        isHostTrouble(failure)
          ? // When the journal is what failed it takes nothing more; the failure that is told is the same.
            Effect.andThen(Effect.ignore(writer.exclusively(writer.flush)), Effect.fail(resumable(failure)))
          : failTask(id, failure.reason),
      ),
      // Whoever waits for its result may read of it in the journal.
      Effect.andThen(writer.exclusively(writer.flush)),
      Effect.catchCause((cause) =>
        Cause.hasInterruptsOnly(cause) ? Effect.interrupt : Effect.asVoid(Deferred.failCause(troubled, cause)),
      ),
      Effect.ensuring(
        Effect.suspend(() => {
          tell();
          return gateway.closeSession(`${writer.runId}:${id}`);
        }),
      ),
      Effect.andThen(follow),
    );

  const failTask = (id: InvocationId, reason: Reason): Effect.Effect<void> =>
    Effect.ignore(writer.exclusively(Effect.sync(() => failChild(writer, id, reason))));

  /** A task that takes longer than it may is failed, wherever its agent is. Time in which nobody works does not count. */
  const withinTask = (id: InvocationId): Effect.Effect<void, Denied | Fatal> =>
    Effect.suspend(() => {
      const task = taskOf(writer.state(), id);
      if (task === undefined || task.timeoutMs === null) return carryOn(id, crew);
      const spent = task.startedWallMs === null ? 0 : wallMs(writer.state()) + elapsedMs(writer) - task.startedWallMs;
      const limit = task.timeoutMs;
      return Effect.timeoutOrElse(carryOn(id, crew), {
        duration: Math.max(0, limit - spent),
        orElse: () =>
          Effect.fail(
            fatal(
              "agent.task_timeout",
              `The task took longer than the ${limit / 1000} seconds that it may take, and was ended.`,
            ),
          ),
      });
    });

  const crew: Crew = {
    follow,
    isBehind: () => writer.state().tasks !== followed,
    version: () => version,
    changedSince,
    tell,
    trouble: Deferred.await(troubled),
  };
  return crew;
});
