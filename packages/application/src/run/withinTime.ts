/**
 * Ends what a run waits for when the time is up that its profile gives it.
 */
import * as Purse from "@cahier/domain/budget/Purse";
import { type Fatal, fatal } from "@cahier/domain/failure/Failure";
import { millisecondsBetween, wallMs } from "@cahier/domain/run/RunState";
import * as Effect from "effect/Effect";
import { invocationOf, type RunContext } from "./RunContext.ts";

/** The same effect, or `agent.time_budget_exhausted` once the run has worked for as long as it may. */
export const withinTime = <E>(context: RunContext, effect: Effect.Effect<void, E>): Effect.Effect<void, E | Fatal> => {
  const limit = invocationOf(context).context?.limits.budget?.wallMs;
  if (limit === undefined) return effect;
  return Effect.suspend(() => {
    const { now, state } = context.writer;
    const { updatedAt } = state();
    const since = updatedAt === null ? 0 : millisecondsBetween(updatedAt, new Date(now()).toISOString());
    const left = limit - wallMs(state()) - since;
    return Effect.timeoutOrElse(effect, {
      duration: Math.max(0, left),
      orElse: () => Effect.fail(timeIsUp(limit)),
    });
  });
};

const timeIsUp = (limit: number): Fatal => {
  const spent = Purse.charge(Purse.make({ wallMs: limit }), { wallMs: limit });
  return fatal("agent.time_budget_exhausted", Purse.overdrawn(spent)?.message ?? "The run's time is used up.");
};
