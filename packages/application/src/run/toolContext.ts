/**
 * What a tool sees of the run that called it.
 *
 * Owns that nothing is made which no tool asks for, and that the time of a call stands still while it waits. Does not own running it
 * (`steps/runTool`).
 */
import type { CallState } from "@cahier/domain/run/RunState";
import type { WorkspaceAccess } from "@cahier/domain/workspace/WorkspaceRoot";
import * as Effect from "effect/Effect";
import { callKey } from "../tool/callKey.ts";
import type * as Countdown from "../tool/Countdown.ts";
import type { ToolContext } from "../tool/Tool.ts";
import * as paths from "./paths.ts";
import { invocationOf, type RunContext } from "./RunContext.ts";
import { type SampledSoFar, samplerOf } from "./sampleModel.ts";
import { identityOf } from "./steps/closeCall.ts";
import { allowedBy } from "./steps/recordResponse.ts";

/** What is counted while a call runs: its time, where it has its own, and what it has had of the run's model. */
export interface Course {
  readonly sampled: SampledSoFar;
  readonly countdown?: Countdown.Countdown;
  /** Completes when the work is cancelled; never without it. */
  readonly stopped?: Effect.Effect<void>;
  /** Whether the call is over; without it, it takes no time. */
  readonly isOver?: () => boolean;
}

/** What a tool sees of the run at a call. `countdown` stands still while the tool waits for a person or for the run's model. */
export const toolContextOf = (
  context: RunContext,
  call: CallState,
  { countdown, isOver = () => true, sampled, stopped = Effect.never }: Course,
): ToolContext => {
  const paused: Countdown.Countdown["paused"] = countdown?.paused ?? ((effect) => effect);
  const pausing =
    <Given, A, E>(wait: (given: Given) => Effect.Effect<A, E>) =>
    (given: Given): Effect.Effect<A, E> =>
      paused(wait(given));
  let asker: ToolContext["ask"] | undefined;
  let sampler: ToolContext["sample"] | undefined;
  const state = context.writer.state();
  const invocation = invocationOf(context);
  const { access, messageBodyPath, snapshot } = context.setup;
  return {
    runId: context.writer.runId,
    call: identityOf(call),
    // Most tools have no use for it.
    get key() {
      return callKey(state, invocation, call);
    },
    state,
    invocation,
    input: context.setup.input,
    skills: context.setup.skills,
    files: context.files,
    agents: context.agents,
    nextHex: context.nextHex,
    // Long results are read-only files, and until there is one nobody need hear of their folder.
    access: Object.keys(state.readableViews).length === 0 ? access : withMount(access, paths.toolResultsRoot),
    messageBodyPath,
    snapshot,
    get isApproved() {
      return call.decision?.approved === true || allowedBy(context, identityOf(call).toolId) !== undefined;
    },
    stopped,
    onProgress: watched(context, call, isOver),
    get ask() {
      return (asker ??= pausing(
        context.questions.askerOf({ invocationId: invocation.id, round: invocation.turn?.round ?? 0, call }),
      ));
    },
    get sample() {
      return (sampler ??= pausing(samplerOf(context, call, sampled)));
    },
  };
};

const watched = (context: RunContext, call: CallState, isOver: () => boolean): ToolContext["onProgress"] => {
  const { invocationId, onProgress } = context;
  if (onProgress === undefined) return undefined;
  return (progress) => {
    if (!isOver()) onProgress(progress, { ...identityOf(call), invocationId });
  };
};

const withMount = (access: WorkspaceAccess, mount: string): WorkspaceAccess => ({
  ...access,
  readOnlyMounts: [...access.readOnlyMounts, mount],
});
