/**
 * The limits of an invocation as its profile states them.
 */
import type { CompleteProfile } from "@cahier/domain/profile/CompleteProfile";
import type { ResolvedProfile } from "@cahier/domain/profile/resolveProfile";
import type { DelegationLimits, InvocationLimits } from "@cahier/domain/run/event/model";

/** What the fold decides by, without the profile at hand. What the agent may give to others is not in it. */
export const limitsOf = ({ run, tools }: ResolvedProfile): InvocationLimits => ({
  maxRounds: tools.maxRounds,
  driftRecoveryMaxAttempts: run.driftRecovery.maxAttempts,
  maxRetries: run.modelRetry.maxRetries,
  retryIntervalMs: run.modelRetry.intervalMs,
  onDenied: tools.onDenied,
  repetition: run.repetition,
  ...(Object.keys(run.budget).length === 0 ? {} : { budget: run.budget }),
});

/** Where in a run an agent works: `depth` is how many delegations lie above it, the first of which allows `parentMaxDepth`. */
export interface Place {
  readonly isSubagent: boolean;
  readonly depth: number;
  readonly parentMaxDepth: number | undefined;
}

/** Whoever began the run, or took its place. */
export const foreground: Place = { isSubagent: false, depth: 0, parentMaxDepth: undefined };

/** What the agent of a profile may give to others; undefined when that is nothing. A delegated agent never hands over. */
export const delegationOf = (
  { delegation }: Pick<CompleteProfile, "delegation">,
  { depth, isSubagent, parentMaxDepth }: Place,
): DelegationLimits | undefined => {
  const { allowNestedDelegation, maxConcurrentInvocations, maxHandoffDepth, maxInvocationsPerRun, taskTimeoutMs } =
    delegation;
  const maxDepth = isSubagent ? Math.min(delegation.maxDepth, parentMaxDepth ?? 0) : delegation.maxDepth;
  const canDelegate = delegation.canDelegate && (!isSubagent || (allowNestedDelegation && depth < maxDepth));
  const canHandoff = delegation.canHandoff && !isSubagent;
  return canDelegate || canHandoff
    ? {
        canDelegate,
        canHandoff,
        maxConcurrentInvocations,
        maxInvocationsPerRun,
        maxHandoffDepth,
        maxDepth,
        taskTimeoutMs,
      }
    : undefined;
};

/** The limits of whoever works in the foreground. */
export const foregroundLimits = (profile: ResolvedProfile): InvocationLimits => {
  const delegation = delegationOf(profile, foreground);
  return { ...limitsOf(profile), ...(delegation === undefined ? {} : { delegation }) };
};
