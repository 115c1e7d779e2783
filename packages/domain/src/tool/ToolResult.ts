/**
 * What a tool call gave: content for the model, structure and references for the record.
 */
import * as Schema from "effect/Schema";
import { CallId } from "../identity/Identity.ts";
import type { Message } from "../model/Message.ts";

/** The model sees `content` and the error mark only. `name` is the alias that it called. */
export const ToolResult = Schema.Struct({
  callId: CallId,
  toolId: Schema.String,
  name: Schema.String,
  content: Schema.String,
  isError: Schema.Boolean,
  errorCode: Schema.optionalKey(Schema.String),
  structured: Schema.optionalKey(Schema.Json),
  resourceRefs: Schema.Array(Schema.String),
});
export type ToolResult = typeof ToolResult.Type;

/** The message that answers the call. */
export const toMessage = (result: ToolResult): Message => ({
  role: "tool",
  parts: [
    {
      type: "toolResult",
      callId: result.callId,
      name: result.name,
      content: result.content,
      isError: result.isError,
    },
  ],
});

/** The file name segment of a call: `call_` and the first 16 hex digits of the SHA-256 of its id. */
export const callFileName = (sha256OfCallId: string): string => `call_${sha256OfCallId.slice(0, 16)}`;
