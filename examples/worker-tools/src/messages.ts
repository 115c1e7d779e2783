/**
 * What a worker and its source say to each other. A worker may be anybody's code, so what it says is decoded.
 */
import * as Schema from "effect/Schema";

/** A tool as a worker states it. */
export const StatedTool = Schema.Struct({
  name: Schema.String.check(Schema.isPattern(/^[A-Za-z0-9._-]{1,128}$/)),
  description: Schema.String.check(Schema.isMinLength(1)),
  inputSchema: Schema.Record(Schema.String, Schema.Json),
  readOnly: Schema.optionalKey(Schema.Boolean),
});
export type StatedTool = typeof StatedTool.Type;

/** From the worker: all of its tools, at first and whenever they change; or what became of a call. */
export const FromWorker = Schema.Union([
  Schema.Struct({ type: Schema.Literal("tools"), tools: Schema.Array(StatedTool) }),
  Schema.Struct({ type: Schema.Literal("answer"), call: Schema.Int, value: Schema.Json }),
  Schema.Struct({ type: Schema.Literal("error"), call: Schema.Int, message: Schema.String }),
]);
export type FromWorker = typeof FromWorker.Type;

/** To the worker: a call, or that nobody waits for it any more. */
export type ToWorker =
  | { readonly type: "call"; readonly call: number; readonly name: string; readonly arguments: unknown }
  | { readonly type: "cancel"; readonly call: number };
