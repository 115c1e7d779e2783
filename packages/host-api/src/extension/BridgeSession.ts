/**
 * The host's end of the bridge: one connection of a page or process that has tools of extensions.
 *
 * Owns the greeting, the peer's tools for as long as it is there, and its calls. Does not own the server that takes connections, nor the
 * registry. A peer harms no other one, and costs no more memory than the limits allow, whatever it says and whether it reads or not.
 */
import { ExtensionFault, type ExtensionTools } from "@cahier/ports/ExtensionTools";
import type * as Duration from "effect/Duration";
import * as Effect from "effect/Effect";
import * as Redacted from "effect/Redacted";
import * as Result from "effect/Result";
import * as CallsInFlight from "../internal/extension/CallsInFlight.ts";
import * as PeerLine from "../internal/extension/PeerLine.ts";
import * as PeerTools from "../internal/extension/PeerTools.ts";
import { type Flaw, readHello, readMessage } from "../internal/extension/readMessage.ts";
import { sameSecret } from "../internal/extension/sameSecret.ts";
import { closeCodes, protocolVersion } from "./BridgeLimits.ts";
import type { BridgeSocket } from "./BridgeSocket.ts";
import type { PeerMessage } from "./ExtensionMessages.ts";

/**
 * `token` is what the peer must know. `acknowledgeWithin` (60 s): how long a peer may take to say that it has a call. `greetWithin`
 * (10 s): how long it may take to say hello. `pingEvery` (30 s): a peer that is asked twice and says nothing has gone.
 */
export interface Options {
  readonly token: Redacted.Redacted;
  readonly acknowledgeWithin?: Duration.Input;
  readonly greetWithin?: Duration.Input;
  readonly pingEvery?: Duration.Input;
}

/**
 * Serves one connection until it ends; never fails. Interrupting it closes the connection. With it go the tools of the peer; a call
 * that was sent and is not answered by then is lost.
 */
export const serve = Effect.fn("BridgeSession.serve")(function* (
  tools: ExtensionTools["Service"],
  socket: BridgeSocket,
  { token, acknowledgeWithin = "60 seconds", greetWithin = "10 seconds", pingEvery = "30 seconds" }: Options,
) {
  const line = yield* PeerLine.make(socket);
  const calls = CallsInFlight.make({ ...line, acknowledgeWithin });
  yield* Effect.addFinalizer(() =>
    Effect.sync(() => {
      line.quit(PeerLine.goingAway, "the host has ended the connection");
      calls.end();
    }),
  );
  const hello = yield* Effect.timeoutOrElse(line.take, { duration: greetWithin, orElse: () => Effect.succeed(null) });
  if (hello === null) return line.quit(PeerLine.policyViolated, "nobody said hello");
  if (!greets(line, hello, token)) return;
  const connection = yield* Effect.scope;
  const peerTools = PeerTools.make(tools, (given, call) => calls.call(call.toolId, given, call), connection);
  yield* Effect.raceFirst(converse(line, peerTools, calls), watch(line, pingEvery));
}, Effect.scoped);

/** Welcomes a peer that speaks these messages and knows the token; ends the connection of any other. */
const greets = (line: PeerLine.PeerLine, text: string, token: Redacted.Redacted): boolean => {
  const hello = readHello(text);
  if (Result.isFailure(hello)) {
    line.say(invalid(hello.failure));
    line.quit(PeerLine.policyViolated, "the first message is no hello");
    return false;
  }
  if (!sameSecret(hello.success.token, Redacted.value(token))) {
    line.quit(closeCodes.tokenRefused, "the token is refused");
    return false;
  }
  if (hello.success.protocol !== protocolVersion) {
    line.quit(closeCodes.versionRefused, `this host speaks version ${protocolVersion}`);
    return false;
  }
  line.say({ type: "welcome", protocol: protocolVersion });
  return true;
};

/** Answers what is said, in its order, until there is nothing to come. */
const converse = Effect.fnUntraced(function* (
  line: PeerLine.PeerLine,
  peerTools: PeerTools.PeerTools,
  calls: CallsInFlight.CallsInFlight,
) {
  while (true) {
    const text = yield* line.take;
    if (text === null) return;
    const message = readMessage(text);
    if (Result.isSuccess(message)) {
      yield* answer(message.success, line, peerTools, calls);
      continue;
    }
    const { requestId, answers } = message.failure;
    line.say(invalid(message.failure));
    if (answers && requestId !== undefined)
      calls.answer(requestId, failed("The extension gave an answer that is none."));
  }
});

const answer = (
  message: PeerMessage,
  line: PeerLine.PeerLine,
  peerTools: PeerTools.PeerTools,
  calls: CallsInFlight.CallsInFlight,
): Effect.Effect<void> => {
  switch (message.type) {
    case "pong":
      return Effect.void;
    case "acknowledge":
      return expected(line, message.requestId, calls.acknowledge(message.requestId));
    case "result":
      return expected(line, message.requestId, calls.answer(message.requestId, Effect.succeed(message.value)));
    case "error":
      return expected(line, message.requestId, calls.answer(message.requestId, failed(message.message)));
    default:
      return Effect.map(peerTools.answer(message), line.say);
  }
};

const expected = (line: PeerLine.PeerLine, requestId: string, isExpected: boolean) =>
  Effect.sync(() => {
    if (isExpected) return;
    line.say(PeerTools.refused(requestId, "extension.reply_unexpected", "Nobody waits for this answer."));
  });

/** Ends when the peer has been asked twice whether it is there, and has said nothing since. */
const watch = Effect.fnUntraced(function* (line: PeerLine.PeerLine, pingEvery: Duration.Input) {
  const silence = { asked: 0 };
  while (silence.asked < 3) {
    yield* Effect.sleep(pingEvery);
    silence.asked = line.hasSpoken() ? 1 : silence.asked + 1;
    if (silence.asked < 3) line.say({ type: "ping" });
  }
});

const invalid = ({ requestId, detail }: Flaw) => PeerTools.refused(requestId, "extension.message_invalid", detail);

const failed = (detail: string) => Effect.fail(new ExtensionFault({ kind: "failed", detail }));
