/**
 * What is said over the bridge between a host and the page or process that has tools of extensions.
 *
 * Owns the form of each message and the limits of a connection. A message is one JSON object in one text. The peer says `hello` and
 * is welcomed; then it registers tools, and is called. `requestId` is chosen by whoever asks and is repeated by whoever answers.
 * Does not own what is done about a message.
 */
import { StatedAnnotations } from "@cahier/domain/tool/ToolDescriptor";
import * as Schema from "effect/Schema";

/** What an answer repeats of its request. */
export const RequestId = Schema.String.check(Schema.isMinLength(1), Schema.isMaxLength(128));

const Id = Schema.String.check(Schema.isMinLength(1), Schema.isMaxLength(512));

/** A tool as it is registered; the rules of its names are those of `ExtensionTool`. */
export const ToolForm = Schema.Struct({
  extensionId: Schema.String,
  name: Schema.String,
  title: Schema.optionalKey(Schema.String),
  description: Schema.String,
  inputSchema: Schema.Record(Schema.String, Schema.Json),
  contexts: Schema.Array(Schema.Literals(["chat", "session"])),
  enabled: Schema.optionalKey(Schema.Boolean),
  annotations: Schema.optionalKey(StatedAnnotations),
});
export type ToolForm = typeof ToolForm.Type;

/** The first message of a peer. `name` is what people may call it. */
export const Hello = Schema.Struct({
  type: Schema.Literal("hello"),
  protocol: Schema.Int,
  token: Schema.String,
  name: Schema.optionalKey(Schema.String.check(Schema.isMaxLength(256))),
});
export type Hello = typeof Hello.Type;

/**
 * What a welcomed peer says. `tool` is a `ToolForm`, whose faults are refused with a code of their own. `acknowledge` says that a
 * call has arrived; `result` and `error` answer it. Any message shows that the peer is there; `pong` says nothing else.
 */
export const PeerMessage = Schema.Union([
  Schema.Struct({ type: Schema.Literal("register"), requestId: RequestId, tool: Schema.Json }),
  Schema.Struct({ type: Schema.Literal("unregister"), requestId: RequestId, toolId: Id }),
  Schema.Struct({ type: Schema.Literal("setEnabled"), requestId: RequestId, toolId: Id, enabled: Schema.Boolean }),
  Schema.Struct({ type: Schema.Literal("acknowledge"), requestId: RequestId }),
  Schema.Struct({ type: Schema.Literal("result"), requestId: RequestId, value: Schema.Json }),
  Schema.Struct({ type: Schema.Literal("error"), requestId: RequestId, message: Schema.String }),
  Schema.Struct({ type: Schema.Literal("pong") }),
]);
export type PeerMessage = typeof PeerMessage.Type;

/** For which call of which run a tool works. */
export const CallContext = Schema.Struct({
  runId: Schema.String,
  invocationId: Schema.String,
  callId: Schema.String,
  target: Schema.Literals(["chat", "session"]),
});
export type CallContext = typeof CallContext.Type;

/**
 * What a host says. `done` answers `unregister` and `setEnabled`. `refused` without a `requestId` is about a message that has none.
 * `cancel` says that nobody waits for a call any more: its answer would be refused.
 */
export const HostMessage = Schema.Union([
  Schema.Struct({ type: Schema.Literal("welcome"), protocol: Schema.Int }),
  Schema.Struct({ type: Schema.Literal("registered"), requestId: RequestId, toolId: Id }),
  Schema.Struct({ type: Schema.Literal("done"), requestId: RequestId }),
  Schema.Struct({
    type: Schema.Literal("refused"),
    requestId: Schema.optionalKey(RequestId),
    code: Schema.String,
    message: Schema.String,
  }),
  Schema.Struct({
    type: Schema.Literal("call"),
    requestId: RequestId,
    toolId: Id,
    arguments: Schema.Record(Schema.String, Schema.Json),
    context: CallContext,
  }),
  Schema.Struct({ type: Schema.Literal("cancel"), requestId: RequestId }),
  Schema.Struct({ type: Schema.Literal("ping") }),
]);
export type HostMessage = typeof HostMessage.Type;
