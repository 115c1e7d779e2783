/**
 * Where a provider's own session with an invocation stands, so that the next request can continue it.
 *
 * Owns the form that is journalled. Does not own its meaning for a wire, which the gateway knows. It holds no content
 * and no secret; ids in it are the provider's and opaque. It is never sent as it is.
 */
import * as Schema from "effect/Schema";
import { ModelFormat } from "./ModelFormat.ts";

/**
 * `messageCursor` is the number of messages of the request that was answered last: what follows after it, the answer
 * aside, is new to the server. `previousResponseId` is what a continuation names, and absent where the server keeps
 * nothing. `transport` is absent for plain HTTP. `nativeContinuation` counts the native parts of that answer.
 */
export const ProviderState = Schema.Struct({
  source: Schema.String,
  format: ModelFormat,
  transport: Schema.optionalKey(Schema.Literal("responses_websocket")),
  messageCursor: Schema.Int,
  lastResponseId: Schema.optionalKey(Schema.String),
  previousResponseId: Schema.optionalKey(Schema.String),
  nativeContinuation: Schema.optionalKey(Schema.Struct({ format: ModelFormat, partCount: Schema.Int })),
});
export type ProviderState = typeof ProviderState.Type;
