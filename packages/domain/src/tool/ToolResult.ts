/**
 * What a tool call gave: content for the model, structure and references for the record.
 */
import * as Schema from "effect/Schema";
import { CallId } from "../identity/Identity.ts";
import type { Message } from "../model/Message.ts";
import { ToolContent } from "./ToolContent.ts";

/** A result as its tool gave it, where the model sees something shorter. */
export const OriginalResult = Schema.Struct({
  content: Schema.String,
  structured: Schema.optionalKey(Schema.Json),
});
export type OriginalResult = typeof OriginalResult.Type;

/**
 * The model sees `content` and the error mark only. `name` is the alias that it called. `parts` is the content as the
 * tool gave it when that was more than one text, `warnings` are for whoever reads the record, and `original` is the
 * whole of a result that was too long for the model.
 */
export const ToolResult = Schema.Struct({
  callId: CallId,
  toolId: Schema.String,
  name: Schema.String,
  content: Schema.String,
  isError: Schema.Boolean,
  errorCode: Schema.optionalKey(Schema.String),
  structured: Schema.optionalKey(Schema.Json),
  resourceRefs: Schema.Array(Schema.String),
  parts: Schema.optionalKey(Schema.Array(ToolContent)),
  warnings: Schema.optionalKey(Schema.Array(Schema.String)),
  original: Schema.optionalKey(OriginalResult),
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
