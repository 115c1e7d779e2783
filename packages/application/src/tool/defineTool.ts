/**
 * Makes a built-in tool from a parameter schema and a typed function.
 */
import { type Denied, type Fatal, type Recoverable, recoverable } from "@cahier/domain/failure/Failure";
import type { FailureCode } from "@cahier/domain/failure/FailureCode";
import type { JsonObject } from "@cahier/domain/tool/ToolArguments";
import { type EffectClass, type StatedAnnotations, unstatedAnnotations } from "@cahier/domain/tool/ToolDescriptor";
import { builtin } from "@cahier/domain/tool/ToolId";
import type { Refusal } from "@cahier/domain/workspace/Refusal";
import * as Effect from "effect/Effect";
import * as Result from "effect/Result";
import * as Schema from "effect/Schema";
import { checkArguments } from "./checkArguments.ts";
import type { JsonSchema } from "./compileSchema.ts";
import type { Tool, ToolContext, ToolOutcome } from "./Tool.ts";

/** How long, in milliseconds, a call of a built-in tool may take unless its profile says less. */
export const defaultTimeoutMs = 120_000;

interface ToolDefinition<Parameters> {
  /** Without the provider: `workspace.read_file`. */
  readonly name: string;
  readonly title: string;
  readonly description: string;
  /**
   * States names, types and bounds: the gate checks calls against its JSON Schema, in which objects are closed. A bound
   * that is refused with another code than `tool.invalid_arguments` is not stated here but held by the tool.
   */
  readonly parameters: Schema.Codec<Parameters, unknown>;
  readonly annotations?: StatedAnnotations;
  readonly effectClass: EffectClass;
  /** What a call does, in a sentence with `{argument}` or `{argument|words}` in it: see `ToolDescriptor`. */
  readonly sideEffect?: string;
  readonly runsApart?: true;
  /** A longer result goes the way of long results. */
  readonly maxOutputTokens?: number;
  readonly run: (
    parameters: Parameters,
    context: ToolContext,
  ) => Effect.Effect<ToolOutcome, Recoverable | Denied | Fatal>;
}

/**
 * A tool whose input schema is that of its parameters. The gate has checked the arguments when it runs, by the schema
 * that the invocation was given: a call that waited while the program was upgraded may not fit the parameters any more,
 * and is then answered with `tool.invalid_arguments`. A tool never runs on less than the whole of its arguments.
 */
export const defineTool = <Parameters>(definition: ToolDefinition<Parameters>): Tool => {
  const decode = Schema.decodeUnknownResult(definition.parameters, { onExcessProperty: "error" });
  const inputSchema = inputSchemaOf(definition.parameters);
  return {
    descriptor: {
      id: builtin(definition.name),
      title: definition.title,
      description: definition.description,
      inputSchema,
      annotations: { ...unstatedAnnotations, ...definition.annotations },
      effectClass: definition.effectClass,
      ...(definition.sideEffect === undefined ? {} : { sideEffect: definition.sideEffect }),
      source: "builtin",
      visibility: "model",
      permission: "always",
      budget: {
        timeoutMs: defaultTimeoutMs,
        ...(definition.maxOutputTokens === undefined ? {} : { maxOutputTokens: definition.maxOutputTokens }),
      },
    },
    ...(definition.runsApart === undefined ? {} : { runsApart: definition.runsApart }),
    run: (argumentsValue, context) => {
      const decoded = decode(argumentsValue);
      return Result.isFailure(decoded)
        ? Effect.fail(unfit(inputSchema, context.call.name, argumentsValue, decoded.failure))
        : definition.run(decoded.success, context);
    },
  };
};

/** A refusal of the domain as a failure that the model can act on. */
export const refused = (refusal: Refusal<FailureCode>): Recoverable => recoverable(refusal.code, refusal.message);

/** The value of a domain decision, or its refusal. */
export const admit = <A>(decision: Result.Result<A, Refusal<FailureCode>>): Effect.Effect<A, Recoverable> =>
  Effect.fromResult(Result.mapError(decision, refused));

/** `name` is what the model calls the tool; `cause` is why the arguments do not decode. */
const unfit = (inputSchema: JsonSchema, name: string, given: JsonObject, cause: Schema.SchemaError): Recoverable => {
  const refusal = checkArguments(inputSchema, name, given);
  const message =
    refusal === undefined
      ? `The arguments of ${name} do not fit. ${cause.message}`
      : `The parameters of ${name} have changed since it was offered, so the call was not run. ${refusal.message} Call it with arguments that fit both, or go on without it.`;
  return recoverable("tool.invalid_arguments", message, { cause });
};

/** JSON Schema 2020-12 without the bounds that every safe integer has, and without saying again that an object is open. */
const inputSchemaOf = (parameters: Schema.Top): JsonSchema => {
  const { definitions, schema } = Schema.toJsonSchemaDocument(parameters, { onExcessProperty: "error" });
  // A struct of nothing takes anything; the arguments of a call are an object.
  if (!("type" in schema)) return { type: "object", properties: {}, additionalProperties: false };
  const whole = Object.keys(definitions).length === 0 ? schema : { ...schema, $defs: definitions };
  return JSON.parse(
    JSON.stringify(whole, (key, value: unknown) =>
      ((key === "minimum" || key === "maximum") && Math.abs(Number(value)) === Number.MAX_SAFE_INTEGER) ||
      (key === "allOf" && JSON.stringify(value) === openObject)
        ? undefined
        : value,
    ),
  ) as JsonSchema;
};

/** How the schemas of objects with any further fields come out. */
const openObject = '[{"type":"object","additionalProperties":{}}]';
