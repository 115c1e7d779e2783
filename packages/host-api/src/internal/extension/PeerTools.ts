/**
 * The tools that one peer has registered.
 *
 * Owns which tools are the peer's, so that it can change no other. Each goes with its connection.
 */
import type { ToolId } from "@cahier/domain/tool/ToolId";
import type { ExtensionFunction, ExtensionTools } from "@cahier/ports/ExtensionTools";
import * as Effect from "effect/Effect";
import * as Exit from "effect/Exit";
import * as Result from "effect/Result";
import * as Schema from "effect/Schema";
import * as Scope from "effect/Scope";
import { maxTools } from "../../extension/BridgeLimits.ts";
import { type HostMessage, type PeerMessage, ToolForm } from "../../extension/ExtensionMessages.ts";
import { shorten } from "./shorten.ts";

/** A request of a peer about its tools. */
export type ToolRequest = Extract<PeerMessage, { readonly type: "register" | "unregister" | "setEnabled" }>;

export interface PeerTools {
  /** Does what is asked and gives the answer. Never fails. */
  readonly answer: (request: ToolRequest) => Effect.Effect<HostMessage>;
}

/** Makes a record without any tool; the tools that it comes to have go with the scope. Each is called by `run`. */
export const make = (tools: ExtensionTools["Service"], run: ExtensionFunction, connection: Scope.Scope): PeerTools => {
  const own = new Map<string, { readonly toolId: ToolId; readonly scope: Scope.Closeable }>();

  const register = Effect.fnUntraced(function* ({ requestId, tool }: Extract<ToolRequest, { type: "register" }>) {
    if (own.size >= maxTools) {
      return refused(requestId, "extension.registration_invalid", `A connection has at most ${maxTools} tools.`);
    }
    const form = decodeForm(tool);
    if (Result.isFailure(form)) {
      return refused(requestId, "extension.registration_invalid", shorten(form.failure.message));
    }
    const scope = yield* Scope.fork(connection);
    const outcome = yield* Effect.result(Scope.provide(tools.register(form.success, run), scope));
    if (Result.isFailure(outcome)) {
      yield* Scope.close(scope, Exit.void);
      return refused(requestId, outcome.failure.code, outcome.failure.detail);
    }
    own.set(outcome.success, { toolId: outcome.success, scope });
    return { type: "registered", requestId, toolId: outcome.success } satisfies HostMessage;
  });

  const unregister = Effect.fnUntraced(function* ({ requestId, toolId }: Extract<ToolRequest, { type: "unregister" }>) {
    const entry = own.get(toolId);
    if (entry === undefined) return unavailable(requestId, toolId);
    own.delete(toolId);
    yield* Scope.close(entry.scope, Exit.void);
    return { type: "done", requestId } satisfies HostMessage;
  });

  const setEnabled = Effect.fnUntraced(function* (request: Extract<ToolRequest, { type: "setEnabled" }>) {
    const { requestId, toolId, enabled } = request;
    const entry = own.get(toolId);
    if (entry === undefined) return unavailable(requestId, toolId);
    const outcome = yield* Effect.result(tools.setEnabled(entry.toolId, enabled));
    return Result.isFailure(outcome)
      ? refused(requestId, outcome.failure.code, outcome.failure.detail)
      : ({ type: "done", requestId } satisfies HostMessage);
  });

  return {
    answer: (request) => {
      switch (request.type) {
        case "register":
          return register(request);
        case "unregister":
          return unregister(request);
        case "setEnabled":
          return setEnabled(request);
        default:
          return request satisfies never;
      }
    },
  };
};

/** A refusal as a peer is told it. */
export const refused = (requestId: string | undefined, code: string, message: string): HostMessage => ({
  type: "refused",
  ...(requestId === undefined ? {} : { requestId }),
  code,
  message,
});

const unavailable = (requestId: string, toolId: string): HostMessage =>
  refused(
    requestId,
    "extension.tool_unavailable",
    `${shorten(toolId)} is no tool of this connection; register it first.`,
  );

const decodeForm = Schema.decodeUnknownResult(ToolForm, { onExcessProperty: "error" });
