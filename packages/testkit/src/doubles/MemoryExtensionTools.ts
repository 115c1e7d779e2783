/**
 * A correct ExtensionTools that knows nothing of runs: the registry of tests of whoever registers tools.
 *
 * Owns which tools are there. Holds a schema to its outline only; whoever runs tools holds it to the whole of JSON Schema.
 */
import { ToolId } from "@cahier/domain/tool/ToolId";
import {
  type ExtensionFunction,
  ExtensionRefusal,
  type ExtensionTool,
  ExtensionTools,
  type RegisteredTool,
} from "@cahier/ports/ExtensionTools";
import type { SourceCall, SourceCatalogue, SourceTool } from "@cahier/ports/ToolSource";
import * as Effect from "effect/Effect";
import * as Layer from "effect/Layer";
import * as Predicate from "effect/Predicate";
import type * as Schema from "effect/Schema";
import { notSent, outcomeOf } from "../internal/doubles/outcomeOf.ts";

/** Makes one in which nothing is registered. */
export const make = (): ExtensionTools["Service"] => {
  const entries = new Map<ToolId, Entry>();
  const offer = { catalogue: catalogueOf(entries) };
  const changed = () => {
    offer.catalogue = catalogueOf(entries);
  };

  const add = (tool: ExtensionTool, run: ExtensionFunction) =>
    Effect.suspend(() => {
      const flaw = flawOf(tool);
      if (flaw !== undefined) return refuse("extension.registration_invalid", flaw);
      const toolId = ToolId.make(`extension/${tool.extensionId}:${tool.name}`);
      if (entries.has(toolId))
        return refuse("extension.tool_duplicate", `${toolId} is registered; choose another name.`);
      const entry: Entry = { run, tool: { ...tool, toolId, enabled: tool.enabled ?? true } };
      entries.set(toolId, entry);
      changed();
      return Effect.succeed(toolId);
    });

  const remove = (toolId: ToolId) =>
    Effect.sync(() => {
      entries.delete(toolId);
      changed();
    });

  return ExtensionTools.of({
    register: (tool, run) => Effect.acquireRelease(add(tool, run), remove),
    setEnabled: (toolId, enabled) =>
      Effect.suspend(() => {
        const entry = entries.get(toolId);
        if (entry === undefined) {
          return refuse("extension.tool_unavailable", `${toolId} is not registered; register it first.`);
        }
        entries.set(toolId, { ...entry, tool: { ...entry.tool, enabled } });
        changed();
        return Effect.void;
      }),
    list: Effect.sync(() => inOrder(entries).map(({ tool }) => tool)),
    source: {
      provider: "extension",
      catalogue: Effect.sync(() => offer.catalogue),
      call: (call) =>
        Effect.suspend(() => {
          const entry = entries.get(call.toolId);
          if (entry === undefined) return Effect.succeed(notSent(`${call.toolId} is not registered.`));
          if (!entry.tool.enabled) return Effect.succeed(notSent(`${call.toolId} is switched off.`));
          return outcomeOf(Effect.suspend(() => entry.run(call.arguments, contextOf(call))));
        }),
    },
  });
};

/** One in which nothing is registered, as a layer. */
export const layer: Layer.Layer<ExtensionTools> = Layer.sync(ExtensionTools, make);

interface Entry {
  readonly run: ExtensionFunction;
  readonly tool: RegisteredTool;
}

const refuse = (code: ExtensionRefusal["code"], detail: string) => Effect.fail(new ExtensionRefusal({ code, detail }));

const inOrder = (entries: ReadonlyMap<ToolId, Entry>): ReadonlyArray<Entry> =>
  [...entries.values()].toSorted((one, other) => (one.tool.toolId < other.tool.toolId ? -1 : 1));

const catalogueOf = (entries: ReadonlyMap<ToolId, Entry>): SourceCatalogue => ({
  tools: inOrder(entries)
    .filter(({ tool }) => tool.enabled)
    .map(({ tool }) => offered(tool)),
  diagnostics: [],
});

const offered = (tool: RegisteredTool): SourceTool => ({
  descriptor: {
    id: tool.toolId,
    title: tool.title ?? tool.name,
    description: tool.description,
    inputSchema: tool.inputSchema,
    annotations: {
      readOnly: false,
      destructive: true,
      idempotent: false,
      openWorld: true,
      cost: "low",
      ...tool.annotations,
    },
    source: "extension",
    visibility: "model",
    permission: "ask",
    budget: { timeoutMs: 120_000 },
  },
  scenes: tool.contexts,
  groupName: tool.extensionId,
});

const contextOf = ({ toolId, runId, invocationId, callId, scene }: SourceCall) => ({
  toolId,
  runId,
  invocationId,
  callId,
  target: scene,
});

const flawOf = ({ extensionId, name, contexts, inputSchema }: ExtensionTool): string | undefined => {
  if (!/^[A-Za-z0-9._-]{1,128}$/u.test(extensionId)) return `"${extensionId}" is no id of an extension.`;
  if (name.length < 1 || name.length > 128 || name.trim() !== name) return `"${name}" is no name of a tool.`;
  if (contexts.length === 0) return "A tool needs a context; state chat, session or both.";
  if (inputSchema["type"] !== "object") return "The arguments of a tool are an object; state that type.";
  if (!Predicate.isObject(inputSchema["properties"] ?? {})) return "The properties of a schema are an object.";
  if (!Array.isArray(inputSchema["required"] ?? [])) return "The required names of a schema are a list.";
  return isRemote(inputSchema) ? "A schema refers to another document; write it out." : undefined;
};

const isRemote = (schema: Schema.Json): boolean => {
  if (typeof schema !== "object" || schema === null) return false;
  return Object.entries(schema).some(([key, value]) =>
    (key === "$ref" || key === "$dynamicRef") && typeof value === "string" ? !value.startsWith("#") : isRemote(value),
  );
};
