/**
 * Ends what a run waits for when the time is up that its profile gives it.
 */
import * as Purse from "@cahier/domain/budget/Purse";
import { type Fatal, fatal } from "@cahier/domain/failure/Failure";
import { rootInvocation } from "@cahier/domain/identity/Identity";
import { millisecondsBetween, wallMs } from "@cahier/domain/run/RunState";
import * as Effect from "effect/Effect";
import { invocationOf, type RunContext } from "./RunContext.ts";
import type { RunWriter } from "./RunWriter.ts";

/** The same effect, or `agent.time_budget_exhausted` once the run has worked for as long as it may. */
export const withinTime = <E>(context: RunContext, effect: Effect.Effect<void, E>): Effect.Effect<void, E | Fatal> => {
  const { kind, context: own } = invocationOf(context);
  const isOfRun = kind === "root" || kind === "revision";
  const frozen = isOfRun ? own : context.writer.state().invocations[rootInvocation]?.context;
  const limit = frozen?.limits.budget?.wallMs;
  if (limit === undefined) return effect;
  return Effect.suspend(() =>
    Effect.timeoutOrElse(effect, {
      duration: Math.max(0, leftOf(context.writer, limit)),
      orElse: () => Effect.fail(timeIsUp(limit)),
    }),
  );
};

/** How long it is until the run has worked for `limit` milliseconds; for ever without one. */
export const leftOf = (writer: RunWriter, limit: number | undefined): number =>
  limit === undefined ? Number.POSITIVE_INFINITY : limit - wallMs(writer.state()) - elapsedMs(writer);

/** Milliseconds since the last event of the run. */
export const elapsedMs = ({ now, state }: RunWriter): number => {
  const { updatedAt } = state();
  return updatedAt === null ? 0 : millisecondsBetween(updatedAt, new Date(now()).toISOString());
};

const timeIsUp = (limit: number): Fatal => {
  const spent = Purse.charge(Purse.make({ wallMs: limit }), { wallMs: limit });
  return fatal("agent.time_budget_exhausted", Purse.overdrawn(spent)?.message ?? "The run's time is used up.");
};
