/**
 * Makes a built-in tool from a parameter schema and a typed function.
 */
import { type Denied, type Fatal, type Recoverable, recoverable } from "@cahier/domain/failure/Failure";
import type { FailureCode } from "@cahier/domain/failure/FailureCode";
import type { JsonObject } from "@cahier/domain/tool/ToolArguments";
import type { EffectClass, ToolAnnotations } from "@cahier/domain/tool/ToolDescriptor";
import { builtin } from "@cahier/domain/tool/ToolId";
import type { Refusal } from "@cahier/domain/workspace/Refusal";
import * as Effect from "effect/Effect";
import * as Result from "effect/Result";
import * as Schema from "effect/Schema";
import * as SchemaIssue from "effect/SchemaIssue";
import type { Tool, ToolContext, ToolOutcome } from "./Tool.ts";

/** The time, in milliseconds, that built-in tools state as their budget. A statement only: no call is ended by it. */
export const defaultTimeoutMs = 120_000;

interface ToolDefinition<Parameters> {
  /** Without the provider: `workspace.read_file`. */
  readonly name: string;
  readonly title: string;
  readonly description: string;
  /** Closed: unknown arguments are refused. */
  readonly parameters: Schema.Codec<Parameters, unknown>;
  readonly annotations?: Partial<ToolAnnotations>;
  readonly effectClass: EffectClass;
  readonly run: (
    parameters: Parameters,
    context: ToolContext,
  ) => Effect.Effect<ToolOutcome, Recoverable | Denied | Fatal>;
}

/** A tool whose input schema is that of its parameters and whose arguments are decoded before it runs. */
export const defineTool = <Parameters>(definition: ToolDefinition<Parameters>): Tool => {
  const decode = Schema.decodeUnknownResult(definition.parameters, { onExcessProperty: "error", errors: "all" });
  return {
    descriptor: {
      id: builtin(definition.name),
      title: definition.title,
      description: definition.description,
      inputSchema: inputSchemaOf(definition.parameters),
      annotations: {
        readOnly: false,
        destructive: false,
        idempotent: false,
        openWorld: false,
        cost: "none",
        ...definition.annotations,
      },
      effectClass: definition.effectClass,
      source: "builtin",
      visibility: "model",
      permission: "always",
      budget: { timeoutMs: defaultTimeoutMs },
    },
    run: (argumentsValue, context) => {
      const decoded = decode(argumentsValue);
      return Result.isFailure(decoded)
        ? Effect.fail(invalidArguments(definition.name, decoded.failure, argumentsValue))
        : definition.run(decoded.success, context);
    },
  };
};

/** A refusal of the domain as a failure that the model can act on. */
export const refused = (refusal: Refusal<FailureCode>): Recoverable => recoverable(refusal.code, refusal.message);

/** The value of a domain decision, or its refusal. */
export const admit = <A>(decision: Result.Result<A, Refusal<FailureCode>>): Effect.Effect<A, Recoverable> =>
  Effect.fromResult(Result.mapError(decision, refused));

const formatIssues = SchemaIssue.makeFormatterStandardSchemaV1();

const invalidArguments = (name: string, error: Schema.SchemaError, given: JsonObject): Recoverable => {
  const issues = formatIssues(error.issue).issues.map(
    (issue) => `${(issue.path ?? []).map(String).join(".") || "(arguments)"}: ${issue.message}`,
  );
  return recoverable(
    "tool.invalid_arguments",
    `The arguments of ${name} do not fit. ${issues.join("; ")}. Given were: ${Object.keys(given).join(", ") || "none"}.`,
  );
};

const inputSchemaOf = (parameters: Schema.Top): { readonly [key: string]: Schema.Json } => {
  const { schema } = Schema.toJsonSchemaDocument(parameters, { onExcessProperty: "error" });
  return JSON.parse(
    JSON.stringify(schema, (key, value: unknown) =>
      (key === "minimum" || key === "maximum") && Math.abs(Number(value)) === Number.MAX_SAFE_INTEGER
        ? undefined
        : value,
    ),
  ) as { readonly [key: string]: Schema.Json };
};
