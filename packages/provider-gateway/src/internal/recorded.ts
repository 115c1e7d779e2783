/**
 * Tells the request log of a call once that has ended, however it has.
 */
import type { ExchangeOutcome } from "@cahier/domain/model/ModelExchange";
import type { ModelResponse } from "@cahier/domain/model/ModelResponse";
import type { ModelFault } from "@cahier/ports/ModelGateway";
import * as Cause from "effect/Cause";
import * as Clock from "effect/Clock";
import * as Effect from "effect/Effect";
import * as Exit from "effect/Exit";
import * as Option from "effect/Option";
import type { RequestLog } from "../RequestLog.ts";
import type { Recorder } from "./Recorder.ts";

/** The same call; it waits for the log. Nothing is told where nothing was sent. */
export const recorded = (
  call: Effect.Effect<ModelResponse, ModelFault>,
  recorder: Recorder,
  log: RequestLog,
): Effect.Effect<ModelResponse, ModelFault> =>
  Effect.onExit(call, (exit) =>
    Effect.flatMap(Clock.currentTimeMillis, (nowMs) => {
      const told = recorder.exchange(outcomeOf(exit), nowMs, detailOf(exit));
      return told === undefined ? Effect.void : log.record(told);
    }),
  );

const outcomeOf = (exit: Exit.Exit<ModelResponse, ModelFault>): ExchangeOutcome => {
  if (Exit.isSuccess(exit)) return "answered";
  return Cause.hasInterruptsOnly(exit.cause) ? "interrupted" : "failed";
};

const detailOf = (exit: Exit.Exit<ModelResponse, ModelFault>): string | undefined =>
  Exit.isSuccess(exit) ? undefined : Option.getOrUndefined(Cause.findErrorOption(exit.cause))?.detail;
