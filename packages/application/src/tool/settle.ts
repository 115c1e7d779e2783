/**
 * The one place where a recoverable failure becomes a tool result.
 */
import { type Denied, type Fatal, fatal } from "@cahier/domain/failure/Failure";
import type { CallId } from "@cahier/domain/identity/Identity";
import type { InvocationToolSnapshot } from "@cahier/domain/tool/ToolSnapshot";
import type { ToolResult } from "@cahier/domain/tool/ToolResult";
import * as Effect from "effect/Effect";
import type { Tool, ToolOutcome } from "./Tool.ts";
import { inAliases } from "./toolNames.ts";

/** Which call a result answers. */
export interface CallIdentity {
  readonly callId: CallId;
  readonly toolId: string;
  readonly name: string;
}

/** What a settled call gave: an outcome to apply, or an error result for the model. */
export type Settled =
  | { readonly _tag: "Outcome"; readonly outcome: ToolOutcome }
  | { readonly _tag: "Error"; readonly result: ToolResult };

/** Runs a tool to its end. Nothing recoverable escapes; a defect of a built-in is fatal to the run. */
export const settle = (
  call: CallIdentity,
  snapshot: InvocationToolSnapshot,
  run: ReturnType<Tool["run"]>,
): Effect.Effect<Settled, Denied | Fatal> =>
  run.pipe(
    Effect.map((outcome): Settled => ({ _tag: "Outcome", outcome })),
    Effect.catchTag("Recoverable", (failure) =>
      Effect.succeed<Settled>({
        _tag: "Error",
        result: errorResult(call, failure.reason.code, inAliases(snapshot, failure.message)),
      }),
    ),
    Effect.catchDefect((cause) =>
      Effect.fail(fatal("tool.executor_failed", `The tool ${call.toolId} is broken; this is a bug of it.`, { cause })),
    ),
  );

/** An error result: the message is what the model reads, the code is for the record. */
export const errorResult = (call: CallIdentity, errorCode: string, message: string): ToolResult => ({
  ...call,
  content: message,
  isError: true,
  errorCode,
  structured: { error: { code: errorCode, message } },
  resourceRefs: [],
});
