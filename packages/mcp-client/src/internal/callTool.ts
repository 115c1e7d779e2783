/**
 * One call of a tool, from the check of what is given to its outcome.
 *
 * Owns the decision which outcome it is. A call is "not sent" only where that is certain: nothing of it was written to a
 * connection, or the server has said that it does not know the session and so has not looked at it.
 */
import type { McpAnswer, McpCall, McpHost, McpOutcome, McpServer } from "@cahier/ports/McpGateway";
import * as Effect from "effect/Effect";
import * as FiberSet from "effect/FiberSet";
import * as catalogue from "./catalogue.ts";
import * as Countdown from "./Countdown.ts";
import * as Exchange from "./Exchange.ts";
import type { ConnectFault, RequestFault } from "./Fault.ts";
import { isObject, type JsonObject } from "./json.ts";
import { bytesOf, limits } from "./limits.ts";
import type { Session } from "./Session.ts";
import type { Sessions } from "./Sessions.ts";

/** Makes the call; never fails. */
export const callTool = Effect.fnUntraced(function* (
  sessions: Sessions,
  server: McpServer,
  call: McpCall,
  host: McpHost | undefined,
) {
  const refused = refusal(call);
  if (refused !== undefined) return refused;
  const countdown = yield* Countdown.make(call.timeoutMs);
  const exchange = new Exchange.Exchange({
    host,
    voice: yield* voiceOf(host, countdown),
    paused: countdown.paused,
  });
  const reached = { session: false };
  const attempt = once(sessions, server, call, exchange, () => void (reached.session = true));
  const outcome = yield* attempt.pipe(
    // The server has not looked at the call: it is made in another session, once.
    Effect.catchTag("SessionLost", () =>
      Effect.catchTag(attempt, "SessionLost", ({ fault }) => Effect.succeed(notQueued(fault.detail))),
    ),
    Effect.raceFirst(Effect.as(countdown.expired, undefined)),
  );
  return outcome ?? expired(exchange, call.timeoutMs, reached.session);
}, Effect.scoped);

/** Holds the exchange's fault for the one case that is tried again. */
interface SessionLost {
  readonly _tag: "SessionLost";
  readonly fault: RequestFault;
}

const once = (
  sessions: Sessions,
  server: McpServer,
  call: McpCall,
  exchange: Exchange.Exchange,
  reached: () => void,
): Effect.Effect<McpOutcome, SessionLost> =>
  Effect.gen(function* () {
    const session = yield* sessions.get(server);
    reached();
    session.tell(exchange.host);
    if (session.capabilities.tools === undefined) {
      return notSent("mcp.call_tools_capability_missing", "the server offers no tools");
    }
    return outcomeOf(yield* requested(session, call, exchange));
  }).pipe(
    Effect.scoped,
    Effect.catchTag("ConnectFault", (fault) => Effect.succeed(notConnected(fault))),
    Effect.catchTag("RequestFault", (fault) => {
      if (fault.kind !== "sessionLost") return Effect.succeed(outcomeOfFault(fault, exchange.left));
      exchange.left = false;
      return Effect.fail<SessionLost>({ _tag: "SessionLost", fault });
    }),
  );

const requested = (session: Session, call: McpCall, exchange: Exchange.Exchange) => {
  const { onProgress } = call;
  return session.request(exchange, {
    method: "tools/call",
    params: { name: call.tool, arguments: call.arguments },
    ...(onProgress === undefined
      ? {}
      : {
          onProgress: ({ progress, total, message }) => {
            if (exchange.progress === 0) return;
            exchange.progress -= 1;
            onProgress({
              done: progress,
              ...(total === undefined ? {} : { total }),
              ...(message === undefined ? {} : { message: session.hide.text(message) }),
            });
          },
        }),
  });
};

const refusal = (call: McpCall): McpOutcome | undefined => {
  if (!catalogue.isName(call.tool)) {
    return notSent("mcp.call_tool_unavailable", `the name of a tool has 1 to ${limits.toolNameBytes} bytes`);
  }
  const bytes = bytesOf(JSON.stringify(call.arguments));
  return bytes > limits.argumentBytes
    ? notSent("mcp.call_arguments_too_large", `the arguments have ${bytes} bytes of at most ${limits.argumentBytes}`)
    : undefined;
};

const voiceOf = Effect.fnUntraced(function* (host: McpHost | undefined, countdown: Countdown.Countdown) {
  const { ask, sample } = host ?? {};
  if (ask === undefined && sample === undefined) return undefined;
  const run = yield* FiberSet.makeRuntimePromise();
  return {
    ask: ask === undefined ? undefined : (question) => run(countdown.paused(ask(question))),
    sample: sample === undefined ? undefined : (serverId, request) => run(countdown.paused(sample(serverId, request))),
  } satisfies Exchange.Voice;
});

const outcomeOf = (result: JsonObject): McpOutcome => {
  const { content, structuredContent, isError } = result;
  const hasContent = Array.isArray(content) && content.every(isObject);
  if (!hasContent && (content !== undefined || structuredContent === undefined)) {
    return { _tag: "Unsupported", detail: "the server answered without a content" };
  }
  const answer: McpAnswer = {
    content: hasContent ? content : [],
    ...(structuredContent === undefined ? {} : { structuredContent }),
    isError: isError === true,
  };
  return { _tag: "Known", answer };
};

const outcomeOfFault = (fault: RequestFault, left: boolean): McpOutcome => {
  if (fault.kind === "serverError" && fault.error !== undefined) return { _tag: "ServerError", ...fault.error };
  if (fault.kind === "unsupported") return { _tag: "Unsupported", detail: fault.detail };
  if (fault.kind === "closed") {
    return left ? unknown("mcp.call_cancelled", fault.detail) : notSent("mcp.call_cancelled_before_send", fault.detail);
  }
  return left ? unknown("mcp.call_response_failed", fault.detail) : notQueued(fault.detail);
};

const expired = (exchange: Exchange.Exchange, timeoutMs: number, hadSession: boolean): McpOutcome => {
  const detail = `there was no answer within ${timeoutMs / 1000} s`;
  if (exchange.left) return unknown("mcp.call_timeout", detail);
  return hadSession
    ? notQueued(`the call could not be sent within ${timeoutMs / 1000} s`)
    : notSent("mcp.call_initialize_timeout", detail);
};

const notConnected = (fault: ConnectFault): McpOutcome =>
  notSent(fault.kind === "timeout" ? "mcp.call_initialize_timeout" : "mcp.call_initialize_failed", fault.detail);

const notQueued = (detail: string): McpOutcome => notSent("mcp.call_not_queued", detail);

const notSent = (code: string, detail: string): McpOutcome => ({ _tag: "NotSent", code, detail });

const unknown = (code: string, detail: string): McpOutcome => ({ _tag: "Unknown", code, detail });
