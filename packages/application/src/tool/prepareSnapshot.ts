/**
 * From the catalogue and a profile to the frozen tools of an invocation.
 */
import { type CompleteProfile, visibleTools } from "@cahier/domain/profile/CompleteProfile";
import type { ToolDefinition } from "@cahier/domain/model/ModelRequest";
import type { ToolDescriptor } from "@cahier/domain/tool/ToolDescriptor";
import { builtinAlias, type InvocationToolSnapshot } from "@cahier/domain/tool/ToolSnapshot";
import type * as Schema from "effect/Schema";
import type { Tool } from "./Tool.ts";
import { inAliases } from "./toolNames.ts";

/** The tools that the profile shows and that are for models, in its order, under aliases that stay for the whole invocation. */
export const prepareSnapshot = (
  id: string,
  catalog: ReadonlyArray<Tool>,
  profile: CompleteProfile,
): InvocationToolSnapshot => ({
  schemaVersion: 1,
  id,
  maxCallsPerInvocation: profile.tools.maxCallsPerRun,
  bindings: visibleTools(profile).flatMap((toolId) => {
    const tool = catalog.find((known) => known.descriptor.id === toolId);
    if (tool === undefined || tool.descriptor.visibility === "user") return [];
    const maxCalls = profile.tools.maxCallsPerTool[toolId];
    return [
      {
        descriptor: reworded(tool.descriptor, profile.tools.toolDescriptions[toolId]),
        modelAlias: builtinAlias(tool.descriptor.id),
        ...(maxCalls === undefined ? {} : { maxCalls }),
      },
    ];
  }),
});

/** What the provider is told of the tools. */
export const definitionsOf = (snapshot: InvocationToolSnapshot): ReadonlyArray<ToolDefinition> =>
  snapshot.bindings.map(({ descriptor, modelAlias }) => ({
    name: modelAlias,
    description: inAliases(snapshot, descriptor.description),
    inputSchema: descriptor.inputSchema,
  }));

const reworded = (
  descriptor: ToolDescriptor,
  words: CompleteProfile["tools"]["toolDescriptions"][string] | undefined,
): ToolDescriptor => {
  if (words === undefined) return descriptor;
  const properties = descriptor.inputSchema["properties"] as { readonly [name: string]: Schema.Json } | undefined;
  return {
    ...descriptor,
    ...(words.description === undefined ? {} : { description: words.description }),
    inputSchema: {
      ...descriptor.inputSchema,
      ...(properties === undefined
        ? {}
        : {
            properties: Object.fromEntries(
              Object.entries(properties).map(([name, property]) => {
                const description = words.properties?.[name];
                return [
                  name,
                  description === undefined ? property : { ...(property as Record<string, Schema.Json>), description },
                ];
              }),
            ),
          }),
    },
  };
};
