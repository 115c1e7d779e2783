/**
 * A peer that says what a test lets it say, to a session over a registry in memory.
 */
import { CallId, RunId, rootInvocation } from "@cahier/domain/identity/Identity";
import { ToolId } from "@cahier/domain/tool/ToolId";
import type { JsonObject } from "@cahier/domain/tool/ToolArguments";
import type { ExtensionTools } from "@cahier/ports/ExtensionTools";
import type { SourceCall, SourceOutcome } from "@cahier/ports/ToolSource";
import * as Effect from "effect/Effect";
import type * as Fiber from "effect/Fiber";
import * as Queue from "effect/Queue";
import * as Redacted from "effect/Redacted";
import type * as Scope from "effect/Scope";
import * as BridgeSession from "../../src/extension/BridgeSession.ts";
import * as SocketPair from "./SocketPair.ts";

export const token = "a token of a test";

export interface RawPeer {
  readonly pair: SocketPair.SocketPair;
  readonly session: Fiber.Fiber<void>;
  /** Says a message; a text is said as it is. */
  readonly say: (message: unknown) => void;
  /** The next thing that the host says. */
  readonly heard: Effect.Effect<{ readonly [member: string]: unknown }>;
}

/** A session with a peer that has said nothing. */
export const open = (
  tools: ExtensionTools["Service"],
  options: Partial<BridgeSession.Options> = {},
): Effect.Effect<RawPeer, never, Scope.Scope> =>
  Effect.gen(function* () {
    const pair = SocketPair.make();
    const inbox = yield* Queue.unbounded<{ readonly [member: string]: unknown }>();
    pair.page.listen({
      message: (text) => Queue.offerUnsafe(inbox, JSON.parse(text)),
      closed: (code, reason) => Queue.offerUnsafe(inbox, { closed: code, reason }),
    });
    const session = yield* Effect.forkScoped(
      BridgeSession.serve(tools, pair.host, { token: Redacted.make(token), ...options }),
    );
    return {
      pair,
      session,
      say: (message) => pair.page.send(typeof message === "string" ? message : JSON.stringify(message)),
      heard: Queue.take(inbox),
    };
  });

/** A session with a peer that is welcome. */
export const greeted = Effect.fnUntraced(function* (
  tools: ExtensionTools["Service"],
  options: Partial<BridgeSession.Options> = {},
) {
  const peer = yield* open(tools, options);
  peer.say({ type: "hello", protocol: 1, token });
  yield* peer.heard;
  return peer;
});

/** A session with a peer that has registered the tool `desk:colour`. */
export const withTool = Effect.fnUntraced(function* (
  tools: ExtensionTools["Service"],
  options: Partial<BridgeSession.Options> = {},
) {
  const peer = yield* greeted(tools, options);
  peer.say({ type: "register", requestId: "r", tool: form });
  yield* peer.heard;
  return peer;
});

export const form = {
  extensionId: "desk",
  name: "colour",
  description: "Names a colour.",
  inputSchema: { type: "object" },
  contexts: ["chat" as const],
};

export const toolId = ToolId.make("extension/desk:colour");

/** Calls that tool as a run does. */
export const call = (tools: ExtensionTools["Service"], given: JsonObject = {}): Effect.Effect<SourceOutcome> =>
  tools.source.call({ ...sourceCall, arguments: given });

const sourceCall: SourceCall = {
  toolId,
  arguments: {},
  runId: RunId.make("run_test"),
  invocationId: rootInvocation,
  callId: CallId.make("call of a model"),
  key: "run_test:1",
  scene: "chat",
  timeoutMs: 20_000,
  ask: () => Effect.succeed({ action: "cancel" }),
  sample: () => Effect.fail({ code: "tool.denied", message: "A test asks no model." }),
};
