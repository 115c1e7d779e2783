/**
 * What other clients of the Model Context Protocol may do here, as far as whoever serves allows it.
 *
 * Owns doing it with the runtime in context: a run that is begun or resumed so is carried on by this process, and is left to be
 * resumed when the process ends. Does not own what is allowed.
 */
import { resolve } from "node:path";
import type { Fatal } from "@cahier/domain/failure/Failure";
import { CallId, InvocationId, type RunId } from "@cahier/domain/identity/Identity";
import { summarizeRun } from "@cahier/application/run/RunReader";
import { Runs } from "@cahier/application/run/Runs";
import { startRunFromChat } from "@cahier/application/run/startRun";
import type { Action, Actions } from "@cahier/mcp-server/Actions";
import type { ChatHost } from "@cahier/ports/ChatHost";
import type { ModelGateway } from "@cahier/ports/ModelGateway";
import type { PromptAssembler } from "@cahier/ports/PromptAssembler";
import * as Effect from "effect/Effect";
import * as Models from "../composition/Models.ts";
import { faultOf } from "./faultOf.ts";
import type { Looking } from "./runOffer.ts";

/** Every action that there is, by the name of its tool. */
export const actionNames = ["start_run", "resume_run", "cancel_run", "guide_run", "answer_approval"] as const;
export type ActionName = (typeof actionNames)[number];

/** What acting takes. */
export type Acting = ChatHost | Looking | ModelGateway | PromptAssembler | Runs;

/** The actions of these names. */
export const make = Effect.fnUntraced(function* (
  allowed: ReadonlyArray<ActionName>,
): Effect.fn.Return<Actions, never, Acting> {
  const runs = yield* Runs;
  const services = yield* Effect.context<Acting>();
  const acting =
    <Given>(act: (given: Given) => Effect.Effect<RunId, Fatal, Acting>): Action<Given> =>
    (given) =>
      act(given).pipe(Effect.flatMap(summarizeRun), Effect.mapError(faultOf), Effect.provideContext(services));
  const all = {
    start_run: acting(({ chat, generationType, message, profileId }) =>
      Effect.map(
        startRunFromChat({
          chat: { location: resolve(chat) },
          hostModel: Models.bindingOf({}, process.env),
          ...(profileId === undefined ? {} : { profile: { id: profileId } }),
          ...(generationType === undefined ? {} : { generationType }),
          ...(message === undefined ? {} : { message }),
        }),
        ({ runId }) => runId,
      ),
    ),
    resume_run: acting(({ runId }) => Effect.as(runs.resume(runId), runId)),
    cancel_run: acting(({ runId }) => Effect.as(runs.cancel(runId), runId)),
    guide_run: acting(({ runId, text }) => Effect.as(runs.submitGuidance(runId, { text }), runId)),
    answer_approval: acting(({ argumentsSha256, callId, decision, invocationId, reason, runId }) =>
      Effect.as(
        runs.decide(runId, {
          callId: CallId.make(callId),
          approved: decision === "allow",
          argumentsSha256,
          ...(invocationId === undefined ? {} : { invocationId: InvocationId.make(invocationId) }),
          ...(reason === undefined ? {} : { reason }),
        }),
        runId,
      ),
    ),
  } satisfies Required<Actions>;
  return Object.fromEntries(allowed.map((name) => [name, all[name]]));
});
