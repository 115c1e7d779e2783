/**
 * The calls of one connection that wait for their answer.
 *
 * Owns which call an answer belongs to, and what becomes of a call that gets none. Does not own the connection.
 */
import type { JsonObject } from "@cahier/domain/tool/ToolArguments";
import type { ToolId } from "@cahier/domain/tool/ToolId";
import { type ExtensionCall, ExtensionFault } from "@cahier/ports/ExtensionTools";
import * as Deferred from "effect/Deferred";
import type * as Duration from "effect/Duration";
import * as Effect from "effect/Effect";
import * as Exit from "effect/Exit";
import type * as Schema from "effect/Schema";
import { maxCalls, maxMessageBytes } from "../../extension/BridgeLimits.ts";
import type { HostMessage } from "../../extension/ExtensionMessages.ts";
import { isLongerThan } from "./isLongerThan.ts";

/** How calls leave. `isOpen` is false when the peer has gone; `hasRoom` is false when it does not take what it is sent. */
export interface Outlet {
  readonly isOpen: () => boolean;
  readonly hasRoom: () => boolean;
  readonly send: (text: string) => void;
  readonly acknowledgeWithin: Duration.Input;
}

export interface CallsInFlight {
  /** Calls a tool of the peer. Interrupting it tells the peer. */
  readonly call: (
    toolId: ToolId,
    given: JsonObject,
    context: ExtensionCall,
  ) => Effect.Effect<Schema.Json, ExtensionFault>;
  /** The peer has the call. False when it is not expected to say so. */
  readonly acknowledge: (requestId: string) => boolean;
  /** The peer answers the call. False when no answer to it is expected. */
  readonly answer: (requestId: string, answer: Effect.Effect<Schema.Json, ExtensionFault>) => boolean;
  /** The peer has gone: all calls are lost. */
  readonly end: () => void;
}

/** Makes a record without any call. */
export const make = (outlet: Outlet): CallsInFlight => {
  const waiting = new Map<string, Waiting>();
  const counter = { last: 0 };

  const answer = (requestId: string, given: Effect.Effect<Schema.Json, ExtensionFault>) => {
    const entry = waiting.get(requestId);
    if (entry === undefined) return false;
    waiting.delete(requestId);
    Deferred.doneUnsafe(entry.acknowledged, Effect.void);
    Deferred.doneUnsafe(entry.answered, given);
    return true;
  };

  const begin = (toolId: ToolId, given: JsonObject, context: ExtensionCall) =>
    Effect.suspend(() => {
      if (!outlet.isOpen()) return notReached("The extension of the tool is not connected.");
      if (waiting.size >= maxCalls) return notReached("The extension has too many calls to answer.");
      if (!outlet.hasRoom()) return notReached("The extension does not take what it is sent.");
      counter.last += 1;
      const requestId = `call-${counter.last}`;
      const text = messageOf(requestId, toolId, given, context);
      if (isLongerThan(text, maxMessageBytes)) {
        return notReached(`The arguments are larger than the ${maxMessageBytes} bytes of a message.`);
      }
      const entry: Waiting = {
        requestId,
        acknowledged: Deferred.makeUnsafe(),
        answered: Deferred.makeUnsafe(),
      };
      waiting.set(requestId, entry);
      outlet.send(text);
      return Effect.succeed(entry);
    });

  /** One fiber beside the call keeps the time: a race would cost more than the call itself. */
  const wait = ({ acknowledged, answered }: Waiting) =>
    Effect.flatMap(Effect.forkChild(Effect.sleep(outlet.acknowledgeWithin)), (time) => {
      time.addObserver((exit) => {
        if (Exit.isFailure(exit) || Deferred.isDoneUnsafe(acknowledged)) return;
        Deferred.doneUnsafe(answered, lost("The extension did not say that it has the call."));
      });
      return Effect.ensuring(
        Deferred.await(answered),
        Effect.sync(() => time.interruptUnsafe()),
      );
    });

  /** A call that is still waited for when its caller goes is one that its caller gives up. */
  const leave = ({ requestId }: Waiting) =>
    Effect.sync(() => {
      if (waiting.delete(requestId)) outlet.send(JSON.stringify({ type: "cancel", requestId } satisfies HostMessage));
    });

  return {
    call: (toolId, given, context) => Effect.acquireUseRelease(begin(toolId, given, context), wait, leave),
    acknowledge: (requestId) => {
      const entry = waiting.get(requestId);
      return entry !== undefined && Deferred.doneUnsafe(entry.acknowledged, Effect.void);
    },
    answer,
    end: () => {
      const gone = lost("The extension went away while it worked on the call.");
      for (const requestId of waiting.keys()) answer(requestId, gone);
    },
  };
};

interface Waiting {
  readonly requestId: string;
  readonly acknowledged: Deferred.Deferred<void>;
  readonly answered: Deferred.Deferred<Schema.Json, ExtensionFault>;
}

const messageOf = (requestId: string, toolId: ToolId, given: JsonObject, context: ExtensionCall): string => {
  const { runId, invocationId, callId, target } = context;
  return JSON.stringify({
    type: "call",
    requestId,
    toolId,
    arguments: given,
    context: { runId, invocationId, callId, target },
  } satisfies HostMessage);
};

const notReached = (detail: string) => Effect.fail(new ExtensionFault({ kind: "notReached", detail }));

const lost = (detail: string) => Effect.fail(new ExtensionFault({ kind: "lost", detail }));
