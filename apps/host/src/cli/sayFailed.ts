/**
 * What a command says that failed as a whole.
 */
import type * as Effect from "effect/Effect";
import * as Output from "./Output.ts";

/** A sentence with its code on standard error, or the one JSON object. */
export const sayFailed = (
  { code, message }: { readonly code: string; readonly message: string },
  asJson: boolean,
): Effect.Effect<void> =>
  asJson
    ? Output.json({ runId: null, status: "failed", error: { code, message }, committed: [] })
    : Output.complain(message, code);
