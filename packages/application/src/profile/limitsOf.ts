/**
 * The limits of an invocation as its profile states them.
 */
import type { ResolvedProfile } from "@cahier/domain/profile/resolveProfile";
import type { InvocationLimits } from "@cahier/domain/run/event/model";

/** What the fold decides by, without the profile at hand. */
export const limitsOf = ({ run, tools }: ResolvedProfile): InvocationLimits => ({
  maxRounds: tools.maxRounds,
  driftRecoveryMaxAttempts: run.driftRecovery.maxAttempts,
  maxRetries: run.modelRetry.maxRetries,
  retryIntervalMs: run.modelRetry.intervalMs,
  onDenied: tools.onDenied,
  repetition: run.repetition,
  ...(Object.keys(run.budget).length === 0 ? {} : { budget: run.budget }),
});
