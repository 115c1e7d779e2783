/**
 * Every tool that this runtime has, whatever its source.
 *
 * Owns merging what is always there with what sources offer now. Does not own which of them an invocation gets, nor how a
 * call reaches a source (`outsideTool`).
 */
import type { ToolDescriptor } from "@cahier/domain/tool/ToolDescriptor";
import { Shell } from "@cahier/ports/Shell";
import type { SourceCatalogue, SourceDiagnostic, ToolSource } from "@cahier/ports/ToolSource";
import * as Context from "effect/Context";
import * as Effect from "effect/Effect";
import * as Layer from "effect/Layer";
import * as Option from "effect/Option";
import type { Tool } from "./Tool.ts";
import { builtinToolsWith } from "./builtin/catalog.ts";
import { outsideTool } from "./outsideTool.ts";
import type { Described } from "./prepareSnapshot.ts";

/**
 * What there is now. `diagnostics` say what of the sources cannot be used, and why; `whyAbsent` says it of one tool by its id, and
 * nothing where no source has something to say.
 */
export interface Catalogue {
  readonly tools: ReadonlyArray<Described>;
  readonly diagnostics: ReadonlyArray<SourceDiagnostic>;
  readonly whyAbsent: (toolId: string) => ReadonlyArray<SourceDiagnostic>;
}

export class Tools extends Context.Service<
  Tools,
  {
    /** The same value for as long as nothing has changed. */
    readonly catalogue: Effect.Effect<Catalogue>;
    /** What runs the calls of a tool that an invocation was given. A built-in tool may be gone; a source is asked at each call. */
    readonly toolOf: (descriptor: ToolDescriptor) => Tool | undefined;
  }
>()("@cahier/application/tool/Tools") {}

/** The given tools, and those of sources as they are at any time. */
export const make = (own: ReadonlyArray<Tool>, sources: ReadonlyArray<ToolSource> = []): Tools["Service"] => {
  const byId = new Map(own.map((tool) => [tool.descriptor.id as string, tool]));
  const alone: Catalogue = { tools: own, diagnostics: [], whyAbsent: () => [] };
  const kept: { of: ReadonlyArray<SourceCatalogue>; catalogue: Catalogue } = { of: [], catalogue: alone };
  return {
    catalogue:
      sources.length === 0
        ? Effect.succeed(alone)
        : Effect.map(
            Effect.forEach(sources, ({ catalogue }) => catalogue, { concurrency: "unbounded" }),
            (found) => {
              const isSame = found.length === kept.of.length && found.every((one, index) => one === kept.of[index]);
              if (!isSame) {
                kept.of = found;
                kept.catalogue = merged(own, sources, found);
              }
              return kept.catalogue;
            },
          ),
    toolOf: (descriptor) =>
      byId.get(descriptor.id) ?? (descriptor.source === "builtin" ? undefined : outsideTool(sources, descriptor)),
  };
};

/** The built-in tools, those given, and those of the sources. `workspace.shell` is one of them where a `Shell` is provided. */
export const layer = (more: ReadonlyArray<Tool> = [], sources: ReadonlyArray<ToolSource> = []): Layer.Layer<Tools> =>
  Layer.effect(
    Tools,
    Effect.map(Effect.serviceOption(Shell), (shell) =>
      make([...builtinToolsWith(Option.getOrUndefined(shell)), ...more], sources),
    ),
  );

/** A tool that a source may not offer is left out, and hides no other. */
const merged = (
  own: ReadonlyArray<Tool>,
  sources: ReadonlyArray<ToolSource>,
  found: ReadonlyArray<SourceCatalogue>,
): Catalogue => {
  const tools: Array<Described> = [...own];
  const diagnostics: Array<SourceDiagnostic> = [];
  const taken = new Set(own.map(({ descriptor }) => descriptor.id as string));
  for (const [index, catalogue] of found.entries()) {
    const provider = sources[index]?.provider;
    diagnostics.push(...catalogue.diagnostics);
    for (const tool of catalogue.tools) {
      const { id, source } = tool.descriptor;
      if (source !== provider || !id.startsWith(`${provider}/`)) {
        const message = `${id} is not offered: the tools of this source have ids that begin with ${provider}/.`;
        diagnostics.push({ code: "tool.id_invalid", toolId: id, message });
      } else if (taken.has(id)) {
        const message = `${id} is offered by two sources; that of the first is the one. Give one of the two another name.`;
        diagnostics.push({ code: "tool.catalog_duplicate_id", toolId: id, message });
      } else {
        taken.add(id);
        tools.push(tool);
      }
    }
  }
  return {
    tools,
    diagnostics,
    whyAbsent: (toolId) => {
      const stated = diagnostics.filter((one) => one.toolId === toolId);
      return stated.length > 0 ? stated : found.flatMap((one) => one.whyAbsent?.(toolId) ?? []);
    },
  };
};
