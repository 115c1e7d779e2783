/**
 * The tools of extensions that are registered in this process, and the source that they are to runs.
 *
 * Owns their forms and what a function's answer is to a model (facts of results of extensions). Does not own how a function is
 * reached that lives elsewhere: whoever registers it does.
 */
import { isNestedTooDeep } from "@cahier/domain/tool/nesting";
import { StatedAnnotations, type ToolDescriptor, unstatedAnnotations } from "@cahier/domain/tool/ToolDescriptor";
import { ToolId } from "@cahier/domain/tool/ToolId";
import { quote } from "@cahier/domain/workspace/Refusal";
import {
  type ExtensionCall,
  type ExtensionFault,
  type ExtensionFunction,
  ExtensionRefusal,
  type ExtensionTool,
  ExtensionTools,
  type RegisteredTool,
} from "@cahier/ports/ExtensionTools";
import type { SourceCall, SourceCatalogue, SourceOutcome, ToolSource } from "@cahier/ports/ToolSource";
import * as Cause from "effect/Cause";
import * as Effect from "effect/Effect";
import * as Exit from "effect/Exit";
import * as Layer from "effect/Layer";
import * as Option from "effect/Option";
import * as Result from "effect/Result";
import * as Schema from "effect/Schema";
import { compileSchema } from "../tool/compileSchema.ts";
import { defaultTimeoutMs } from "../tool/defineTool.ts";

interface Entry {
  readonly tool: RegisteredTool;
  readonly run: ExtensionFunction;
}

/** A registry with nothing in it. */
export const make = (): ExtensionTools["Service"] => {
  const entries = new Map<string, Entry>();
  const kept: { catalogue: SourceCatalogue | undefined } = { catalogue: undefined };
  const changed = (change: () => void): void => {
    change();
    kept.catalogue = undefined;
  };
  const source: ToolSource = {
    provider: "extension",
    catalogue: Effect.sync(() => (kept.catalogue ??= catalogueOf(entries))),
    call: (call) =>
      Effect.suspend(() => {
        const entry = entries.get(call.toolId);
        return entry === undefined || !entry.tool.enabled ? Effect.succeed(unavailable(call.toolId)) : run(entry, call);
      }),
  };
  return ExtensionTools.of({
    register: Effect.fn("ExtensionTools.register")((tool, run) =>
      Effect.flatMap(Effect.fromResult(admitted(tool)), (registered) =>
        Effect.acquireRelease(
          Effect.suspend(() => {
            const { toolId } = registered;
            if (entries.has(toolId)) return Effect.fail(duplicate(toolId));
            changed(() => entries.set(toolId, { tool: registered, run }));
            return Effect.succeed(toolId);
          }),
          (toolId) => Effect.sync(() => changed(() => entries.delete(toolId))),
        ),
      ),
    ),
    setEnabled: Effect.fn("ExtensionTools.setEnabled")((toolId, enabled) =>
      Effect.suspend(() => {
        const entry = entries.get(toolId);
        if (entry === undefined)
          return Effect.fail(refusal("extension.tool_unavailable", `No extension has registered ${quote(toolId)}.`));
        changed(() => entries.set(toolId, { ...entry, tool: { ...entry.tool, enabled } }));
        return Effect.void;
      }),
    ),
    list: Effect.sync(() =>
      [...entries.values()].map(({ tool }) => tool).toSorted((one, other) => (one.toolId < other.toolId ? -1 : 1)),
    ),
    source,
  });
};

/** The registry as a layer. */
export const layer: Layer.Layer<ExtensionTools> = Layer.sync(ExtensionTools, make);

const refusal = (code: ExtensionRefusal["code"], detail: string): ExtensionRefusal =>
  new ExtensionRefusal({ code, detail });

const duplicate = (toolId: string): ExtensionRefusal =>
  refusal(
    "extension.tool_duplicate",
    `${quote(toolId)} is registered already. Unregister that one first, or give this one another name.`,
  );

const unavailable = (toolId: string): SourceOutcome => ({
  _tag: "NotSent",
  code: "extension.tool_unavailable",
  message: `${toolId} is not registered now, or it is switched off.`,
});

/** Longest definition of a tool, in characters of its JSON. */
const maxDefinitionChars = 256 * 1024;

const admitted = (tool: ExtensionTool): Result.Result<RegisteredTool, ExtensionRefusal> => {
  const wrong = faultOf(tool);
  if (wrong !== undefined)
    return Result.fail(
      refusal(
        "extension.registration_invalid",
        `The tool ${quote(`${tool.extensionId}:${tool.name}`.slice(0, 256))} cannot be offered: ${wrong}`,
      ),
    );
  const toolId = ToolId.make(`extension/${tool.extensionId}:${tool.name}`);
  return Result.succeed({ ...tool, toolId, enabled: tool.enabled ?? true });
};

const faultOf = (tool: ExtensionTool): string | undefined => {
  const form = decodeForm(tool);
  if (Result.isFailure(form)) return form.failure.message;
  if (!isOfObject(tool.inputSchema))
    return 'Its inputSchema needs "type": "object" at its root, and an object of schemas as properties, if any.';
  if (isNestedTooDeep(tool.inputSchema)) return "Its inputSchema is nested too deep.";
  if (JSON.stringify(tool).length > maxDefinitionChars)
    return `Its definition is longer than ${maxDefinitionChars} characters.`;
  const compiled = compileSchema(tool.inputSchema);
  return Result.isFailure(compiled) ? `Its inputSchema cannot be used. ${compiled.failure}` : undefined;
};

const isOfObject = Schema.is(
  Schema.Struct({
    type: Schema.Literal("object"),
    properties: Schema.optionalKey(
      Schema.Record(Schema.String, Schema.Union([Schema.Boolean, Schema.Record(Schema.String, Schema.Json)])),
    ),
    required: Schema.optionalKey(Schema.Array(Schema.String)),
  }),
);

const decodeForm = Schema.decodeUnknownResult(
  Schema.Struct({
    extensionId: Schema.String.check(
      Schema.isPattern(/^[A-Za-z0-9._-]{1,128}$/, {
        message: "extensionId is 1 to 128 of letters, digits, dots, hyphens and underscores.",
      }),
    ),
    name: Schema.String.check(
      Schema.isPattern(/^\S(?:.{0,126}\S)?$/su, {
        message: "name is 1 to 128 characters without white space at its ends.",
      }),
    ),
    title: Schema.optionalKey(Schema.String.check(Schema.isMaxLength(256))),
    description: Schema.String.check(
      Schema.isPattern(/\S/, { message: "description is what a model chooses the tool by; it must not be blank." }),
    ),
    inputSchema: Schema.Record(Schema.String, Schema.Json),
    contexts: Schema.Array(Schema.Literals(["chat", "session"])).check(
      Schema.isMinLength(1, { message: 'contexts names "chat", "session" or both.' }),
    ),
    enabled: Schema.optionalKey(Schema.Boolean),
    annotations: Schema.optionalKey(StatedAnnotations),
  }),
);

const catalogueOf = (entries: ReadonlyMap<string, Entry>): SourceCatalogue => {
  const tools = [...entries.values()].map(({ tool }) => tool);
  return {
    tools: tools
      .filter(({ enabled }) => enabled)
      .map((tool) => ({ descriptor: descriptorOf(tool), scenes: tool.contexts, groupName: tool.extensionId })),
    diagnostics: tools
      .filter(({ enabled }) => !enabled)
      .map(({ toolId }) => ({
        code: "extension.tool_unavailable",
        toolId,
        message: `${toolId} is switched off by its extension.`,
      })),
  };
};

const descriptorOf = ({
  annotations,
  description,
  inputSchema,
  name,
  title,
  toolId,
}: RegisteredTool): ToolDescriptor => ({
  id: toolId,
  title: title ?? name,
  description,
  inputSchema,
  annotations: { ...unstatedAnnotations, ...annotations },
  source: "extension",
  visibility: "model",
  permission: "ask",
  budget: { timeoutMs: defaultTimeoutMs },
});

/** Whatever the function does, there is an outcome; only an interruption from outside passes. */
const run = ({ run: answer, tool }: Entry, { arguments: given, callId, invocationId, runId, scene }: SourceCall) => {
  const call: ExtensionCall = { toolId: tool.toolId, runId, invocationId, callId, target: scene };
  return Effect.suspend(() => answer(given, call)).pipe(
    Effect.exit,
    Effect.flatMap((exit) => {
      if (Exit.isSuccess(exit)) return Effect.succeed(answered(tool, exit.value));
      if (Cause.hasInterruptsOnly(exit.cause)) return Effect.interrupt;
      const fault = Option.getOrUndefined(Cause.findErrorOption(exit.cause));
      return Effect.succeed(fault === undefined ? thrown(tool, Cause.squash(exit.cause)) : failed(tool, fault));
    }),
  );
};

const answered = ({ toolId }: RegisteredTool, value: Schema.Json | undefined): SourceOutcome => {
  if (typeof value === "string") return { _tag: "Answered", content: value };
  const json: unknown = value ?? null;
  if (!isGivenOn(json)) return error(`${toolId} answered something that is no JSON, so it cannot be given on.`);
  return {
    _tag: "Answered",
    content: JSON.stringify(json),
    ...(typeof json === "object" && json !== null && !Array.isArray(json)
      ? { structured: json as { readonly [key: string]: Schema.Json } }
      : {}),
  };
};

/** What a function in this process answers may be anything, and may throw when it is looked at. */
const isGivenOn = (value: unknown): value is Schema.Json =>
  Result.getOrElse(
    Result.try(() => !isNestedTooDeep(value as Schema.Json) && isJson(value)),
    () => false,
  );

const isJson = Schema.is(Schema.Json);

const failed = ({ toolId }: RegisteredTool, { detail, kind }: ExtensionFault): SourceOutcome => {
  switch (kind) {
    case "failed":
      return error(shortened(detail));
    case "notReached":
      return {
        _tag: "NotSent",
        code: "extension.tool_unavailable",
        message: `${toolId} was not reached. ${shortened(detail)}`,
      };
    case "lost":
      return { _tag: "Unknown", code: "extension.tool_error", message: shortened(detail) };
    default:
      return kind satisfies never;
  }
};

const thrown = ({ toolId }: RegisteredTool, cause: unknown): SourceOutcome =>
  error(`${toolId} broke off: ${shortened(cause instanceof Error ? cause.message : String(cause))}`);

const error = (content: string): SourceOutcome => ({ _tag: "Answered", content, errorCode: "extension.tool_error" });

/** What an extension says of its own failure may be anything. */
const shortened = (text: string): string => text.slice(0, longestDetail).toWellFormed();

const longestDetail = 2000;
