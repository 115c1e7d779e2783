/**
 * The one place where a recoverable failure becomes a tool result.
 *
 * Owns the end of a call: in time or not, by its own word or by a defect. Does not own what a result looks like to the
 * model (`resultOf`).
 */
import { Denied, type FailureReason, Fatal, fatal, Recoverable } from "@cahier/domain/failure/Failure";
import type { FailureCode } from "@cahier/domain/failure/FailureCode";
import { type EffectClass, effectClassOf } from "@cahier/domain/tool/ToolDescriptor";
import type { InvocationToolSnapshot, ToolBinding } from "@cahier/domain/tool/ToolSnapshot";
import type { ToolResult } from "@cahier/domain/tool/ToolResult";
import * as Cause from "effect/Cause";
import * as Effect from "effect/Effect";
import * as Exit from "effect/Exit";
import * as Option from "effect/Option";
import type { CallIdentity, Tool, ToolOutcome } from "./Tool.ts";
import { timeoutOf } from "./timeoutOf.ts";
import { inAliases } from "./toolNames.ts";

/** What a settled call gave: an outcome to apply, or an error result for the model. */
export type Settled =
  | { readonly _tag: "Outcome"; readonly outcome: ToolOutcome }
  | { readonly _tag: "Error"; readonly result: ToolResult };

/**
 * Runs a tool to its end, at most for as long as its binding allows, or until `expired`, where that is given. Nothing recoverable escapes; a defect of a
 * built-in is fatal to the run, one of another source is an error result.
 */
export const settle = (
  call: CallIdentity,
  snapshot: InvocationToolSnapshot,
  binding: ToolBinding | undefined,
  run: ReturnType<Tool["run"]>,
  expired?: Effect.Effect<void>,
): Effect.Effect<Settled, Denied | Fatal> => {
  const error = (code: FailureCode, message: string, details?: FailureReason["details"]): Settled => ({
    _tag: "Error",
    result: errorResult(call, code, message, details),
  });
  const broken = (cause: Cause.Cause<unknown>): Effect.Effect<Settled, Fatal> => {
    const code = binding === undefined ? undefined : defectCodes[binding.descriptor.source];
    return code === undefined
      ? Effect.fail(
          fatal("tool.executor_failed", `The tool ${call.toolId} is broken; this is a bug of it.`, {
            cause: Cause.squash(cause),
          }),
        )
      : Effect.succeed(error(code, brokenOff(call, binding, cause)));
  };
  // What a tool from outside fails with is only known here, whatever its type says.
  const failed = (cause: Cause.Cause<unknown>): Effect.Effect<Settled, Denied | Fatal> => {
    const failure = Option.getOrUndefined(Cause.findErrorOption(cause));
    if (failure instanceof Recoverable)
      return Effect.succeed(error(failure.reason.code, inAliases(snapshot, failure.message), failure.reason.details));
    return failure instanceof Denied || failure instanceof Fatal ? Effect.fail(failure) : broken(cause);
  };
  const settled = Effect.flatMap(Effect.exit(run), (exit) =>
    Exit.isSuccess(exit) ? Effect.succeed<Settled>({ _tag: "Outcome", outcome: exit.value }) : failed(exit.cause),
  );
  if (binding === undefined) return settled;
  const timeoutMs = timeoutOf(binding);
  const late = Effect.sync(() => error("tool.timeout", timedOut(call, binding, timeoutMs)));
  return expired === undefined
    ? Effect.timeoutOrElse(settled, { duration: timeoutMs, orElse: () => late })
    : Effect.raceFirst(settled, Effect.andThen(expired, late));
};

/** An error result: the message is what the model reads, the code and `details` are for the record. */
export const errorResult = (
  call: CallIdentity,
  errorCode: string,
  message: string,
  details: FailureReason["details"] = {},
): ToolResult => ({
  ...call,
  content: message,
  isError: true,
  errorCode,
  structured: { error: { ...details, code: errorCode, message } },
  resourceRefs: [],
});

/** What lives outside of the runtime may break; what belongs to it must not. */
const defectCodes = {
  builtin: undefined,
  mcp: "mcp.server_error",
  extension: "extension.tool_error",
} as const satisfies Record<ToolBinding["descriptor"]["source"], FailureCode | undefined>;

const brokenOff = (call: CallIdentity, binding: ToolBinding | undefined, cause: Cause.Cause<unknown>): string => {
  const [first = ""] = Cause.hasInterruptsOnly(cause) ? ["it ended itself"] : Cause.pretty(cause).split("\n");
  return `${call.name} broke off: ${first.slice(0, mostOfCause).toWellFormed()}. ${afterwards(binding)}`;
};

const mostOfCause = 300;

const timedOut = (call: CallIdentity, binding: ToolBinding | undefined, timeoutMs: number): string =>
  `${call.name} took longer than the ${timeoutMs / 1000} s that it may take, and was ended. ${afterwards(binding)}`;

/** What a model must know before it calls a tool again that did not come to its end. */
const afterwards = (binding: ToolBinding | undefined): string => {
  const effect: EffectClass = binding === undefined ? "irreversible" : effectClassOf(binding.descriptor);
  switch (effect) {
    case "irreversible":
    case "keyed":
      return "It is not known whether the call took effect. Check before you repeat it.";
    case "idempotent":
      return "It may have taken effect; to call it again does no harm.";
    case "internal":
    case "pure":
      // That a tool from outside only reads is its own word.
      return binding?.descriptor.source === "builtin"
        ? "Nothing was changed. Ask for less, or go on without it."
        : "It may have taken effect. Ask for less, or go on without it.";
    default:
      return effect satisfies never;
  }
};
