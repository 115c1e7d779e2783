/**
 * From the catalogue, a scene and a profile to the frozen tools of an invocation.
 *
 * Owns which tools an invocation gets and in which words. Does not own what policy decides, how aliases are made nor
 * the rules of a snapshot: it asks the domain for each. A descriptor is never changed: a profile rewords its copy.
 */
import type { ExitPolicy } from "@cahier/domain/invocation/Invocation";
import type { ToolDefinition } from "@cahier/domain/model/ModelRequest";
import { decide, type PolicyLayers } from "@cahier/domain/policy/decide";
import type { PolicyDecision } from "@cahier/domain/policy/PolicyDecision";
import { type CompleteProfile, visibleTools } from "@cahier/domain/profile/CompleteProfile";
import * as ToolAlias from "@cahier/domain/tool/ToolAlias";
import * as ToolCatalog from "@cahier/domain/tool/ToolCatalog";
import type { ToolDescriptor } from "@cahier/domain/tool/ToolDescriptor";
import { builtin } from "@cahier/domain/tool/ToolId";
import * as ToolSnapshot from "@cahier/domain/tool/ToolSnapshot";
import type { Refusal } from "@cahier/domain/workspace/Refusal";
import type { Scene, SourceTool } from "@cahier/ports/ToolSource";
import * as Result from "effect/Result";
import type * as Schema from "effect/Schema";
import { inAliases } from "./toolNames.ts";

/** A tool of a catalogue, as it is offered: see `SourceTool`. */
export type Described = SourceTool;

/**
 * `catalog` holds the tools of all sources. `exitPolicy` decides how the work ends, by default as the scene has it. Who
 * returns a task's result calls other agents only if it `delegates`.
 * `earlierAliases` are those that invocations of the same run gave before, by tool id; `aliasMaxLength` is for a
 * protocol that takes less than 64 characters.
 */
export interface SnapshotRequest {
  readonly id: string;
  readonly catalog: ReadonlyArray<Described>;
  readonly scene: Scene;
  readonly profile: Pick<CompleteProfile, "tools">;
  readonly layers: PolicyLayers;
  readonly exitPolicy?: ExitPolicy;
  readonly delegates?: boolean;
  readonly earlierAliases?: ReadonlyMap<string, string>;
  readonly aliasMaxLength?: number;
}

export type SnapshotRefusal = ToolSnapshot.SnapshotRefusal | Refusal<"tool.catalog_duplicate_id">;

/**
 * The tools that the profile names, the scene has and policy shows, in the profile's order, under aliases that stay for
 * the whole invocation. A tool that policy denies is there and cannot be called. How the work ends is not the
 * profile's: the tools for that are put in or taken out last.
 */
export const prepareSnapshot = (
  request: SnapshotRequest,
): Result.Result<ToolSnapshot.InvocationToolSnapshot, SnapshotRefusal> => {
  const merged = mergeOnce(request.catalog);
  if (Result.isFailure(merged)) return Result.fail(merged.failure);
  const { byId, tools } = merged.success;
  const { earlierAliases, profile, scene } = request;
  const layersOf = narrowing(request.layers);
  const chosen = visibleTools(profile).flatMap((id) => {
    const tool = byId.get(id);
    return tool === undefined || !isInScene(scene, tool)
      ? []
      : [{ descriptor: tool.descriptor, policy: decideOn(layersOf(id), tool) }];
  });
  const shown = withCompletion(
    chosen.filter(({ policy }) => policy.visible),
    request.exitPolicy ?? (scene === "chat" ? "run_finish_allowed" : "reply_allowed"),
    byId,
    request.delegates === true,
  );
  const aliases = ToolAlias.assign(
    shown.map(({ descriptor: { id } }) => ({ id, ...serverNameOf(byId.get(id)) })),
    {
      builtins: tools
        .filter(({ descriptor }) => descriptor.source === "builtin")
        .map(({ descriptor }) => descriptor.id),
      ...(earlierAliases === undefined ? {} : { earlier: earlierAliases }),
      ...(request.aliasMaxLength === undefined ? {} : { maxLength: request.aliasMaxLength }),
    },
  );
  return ToolSnapshot.check({
    schemaVersion: 1 as const,
    id: request.id,
    maxCallsPerInvocation: profile.tools.maxCallsPerRun,
    bindings: shown.map(({ descriptor, policy }) => ({
      descriptor: reworded(descriptor, profile.tools.toolDescriptions[descriptor.id]),
      modelAlias: aliases.get(descriptor.id) ?? "",
      ...(policy.budget.maxCalls === undefined ? {} : { maxCalls: policy.budget.maxCalls }),
      policy,
    })),
  });
};

/** What the provider is told of the tools. */
export const definitionsOf = (snapshot: ToolSnapshot.InvocationToolSnapshot): ReadonlyArray<ToolDefinition> =>
  snapshot.bindings.map(({ descriptor, modelAlias }) => ({
    name: modelAlias,
    description: inAliases(snapshot, descriptor.description),
    inputSchema: descriptor.inputSchema,
  }));

/** The aliases of a snapshot by tool id: the next invocation of the run takes them over. */
export const aliasesOf = (snapshot: ToolSnapshot.InvocationToolSnapshot): ReadonlyMap<string, string> =>
  new Map(snapshot.bindings.map(({ descriptor, modelAlias }) => [descriptor.id, modelAlias]));

type Catalog = Result.Result<ToolCatalog.ToolCatalog<Described>, Refusal<"tool.catalog_duplicate_id">>;

/** A catalogue is one list for as long as nothing is added to it, so it is sorted once. */
const merged = new WeakMap<ReadonlyArray<Described>, Catalog>();

const mergeOnce = (catalog: ReadonlyArray<Described>): Catalog => {
  const known = merged.get(catalog);
  if (known !== undefined) return known;
  const made = ToolCatalog.merge([catalog]);
  merged.set(catalog, made);
  return made;
};

/** The layers as they concern one tool: of a profile's long lists only what names it. */
const narrowing = (layers: PolicyLayers): ((id: string) => PolicyLayers) => {
  const { allow, deny, maxCallsPerTool, policy, timeoutMs } = layers.profile;
  const [allowed, denied] = [new Set(allow), new Set(deny)];
  return (id) => ({
    ...layers,
    profile: {
      maxCallsPerTool,
      policy,
      timeoutMs,
      allow: allowed.has(id) ? [id] : [],
      deny: denied.has(id) ? [id] : [],
    },
  });
};

/** What all layers come to for a tool, that of its own source among them. */
export const decideOn = (layers: PolicyLayers, { descriptor, permission }: Described): PolicyDecision =>
  decide(
    permission === undefined ? layers : { ...layers, source: [{ tools: [descriptor.id], permission }] },
    descriptor,
  );

const serverNameOf = (tool: Described | undefined): { readonly serverName?: string } =>
  tool?.groupName === undefined ? {} : { serverName: tool.groupName };

/** A session has no chat to look into or to publish to. */
const isInScene = (scene: Scene, { descriptor: { id }, scenes }: Described): boolean =>
  scenes?.includes(scene) !== false &&
  (scene === "chat" || !(/^builtin:(?:agent|chat|worldinfo)\./.test(id) || chatOnly.has(id)));

const finish = builtin("workspace.finish");
const commit = builtin("workspace.commit");
const handoff = builtin("agent.handoff");
const taskReturn = builtin("task.return");
const chatOnly: ReadonlySet<string> = new Set([commit, finish, taskReturn]);

type Chosen = Pick<ToolSnapshot.ToolBinding, "descriptor"> & {
  readonly policy: NonNullable<ToolSnapshot.ToolBinding["policy"]>;
};

/**
 * Who may finish the run keeps the tool for it; who returns a task's result gets the tool for that, whatever its
 * profile says; who may only reply has neither.
 */
const withCompletion = (
  chosen: ReadonlyArray<Chosen>,
  exitPolicy: ExitPolicy,
  byId: ReadonlyMap<string, Described>,
  delegates: boolean,
): ReadonlyArray<Chosen> => {
  const rest = chosen.filter(({ descriptor: { id } }) => id !== taskReturn && id !== finish);
  switch (exitPolicy) {
    case "run_finish_allowed":
      return chosen.filter(({ descriptor: { id } }) => id !== taskReturn);
    case "reply_allowed":
      return rest;
    case "task_return_required": {
      const descriptor = byId.get(taskReturn)?.descriptor;
      const own = rest.filter(({ descriptor: { id } }) => !isOfForeground(id, delegates));
      return descriptor === undefined ? own : [...own, { descriptor, policy: given(descriptor) }];
    }
    default:
      return exitPolicy satisfies never;
  }
};

/** What only whoever has the foreground does: publish, hand over, and call others unless it `delegates`. */
const isOfForeground = (id: string, delegates: boolean): boolean =>
  id === commit || id === handoff || (id.startsWith("builtin:agent.") && !delegates);

const given = ({ budget }: ToolDescriptor): Chosen["policy"] => ({
  visible: true,
  callable: true,
  approval: false,
  reason: { layer: "tool", rule: "completion", message: "The task ends with this tool." },
  budget,
});

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
