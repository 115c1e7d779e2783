/**
 * What became of a call, from what the function of an extension did.
 */
import type { ExtensionFault } from "@cahier/ports/ExtensionTools";
import type { SourceOutcome } from "@cahier/ports/ToolSource";
import * as Effect from "effect/Effect";
import * as Predicate from "effect/Predicate";
import type * as Schema from "effect/Schema";

/** Runs the function to its outcome; a defect of it is an error of the tool. */
export const outcomeOf = (run: Effect.Effect<Schema.Json | undefined, ExtensionFault>): Effect.Effect<SourceOutcome> =>
  run.pipe(
    Effect.flatMap((given) => Effect.sync(() => answerOf(given))),
    Effect.catchTag("ExtensionFault", (fault) => Effect.succeed(faulted(fault))),
    Effect.catchDefect(() => Effect.succeed(failed("The tool threw an error."))),
  );

/** A call of a tool that cannot be reached. */
export const notSent = (message: string): SourceOutcome => ({
  _tag: "NotSent",
  code: "extension.tool_unavailable",
  message,
});

const answerOf = (given: Schema.Json | undefined): SourceOutcome => {
  const value = given ?? null;
  if (!isJson(value, 256)) return failed("The tool gave something that is no JSON.");
  return { _tag: "Answered", content: typeof value === "string" ? value : JSON.stringify(value) };
};

const faulted = ({ kind, detail }: ExtensionFault): SourceOutcome => {
  switch (kind) {
    case "failed":
      return failed(detail);
    case "notReached":
      return notSent(detail);
    case "lost":
      return { _tag: "Unknown", code: "tool.outcome_unknown", message: detail };
    default:
      return kind satisfies never;
  }
};

const failed = (content: string): SourceOutcome => ({
  _tag: "Answered",
  content,
  errorCode: "extension.tool_error",
});

const isJson = (value: unknown, levels: number): boolean => {
  if (value === null || typeof value === "string" || typeof value === "boolean") return true;
  if (typeof value === "number") return Number.isFinite(value);
  if (levels === 0 || typeof value !== "object") return false;
  if (Array.isArray(value)) return value.every((item) => isJson(item, levels - 1));
  return isPlain(value) && Object.values(value).every((item) => isJson(item, levels - 1));
};

const isPlain = (value: object): boolean => {
  const prototype: unknown = Object.getPrototypeOf(value);
  return (prototype === null || prototype === Object.prototype) && Predicate.isObject(value);
};
