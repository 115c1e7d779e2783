/**
 * Registries that get wrong which tools are there.
 */
import { ToolId } from "@cahier/domain/tool/ToolId";
import type { ExtensionRefusal, ExtensionTool, ExtensionTools } from "@cahier/ports/ExtensionTools";
import type { SourceCatalogue } from "@cahier/ports/ToolSource";
import * as Effect from "effect/Effect";
import * as Scope from "effect/Scope";
import type { ExtensionToolsHarness } from "../../../laws/ExtensionToolsLaws.ts";
import type { Mutant } from "../../../Mutant.ts";
import * as Change from "../../../mutants/Change.ts";

type Tools = ExtensionTools["Service"];

const change = Change.of<Tools, ExtensionToolsHarness>();

/** Registers another tool than the one that is stated. */
const registers = (of: (tool: ExtensionTool) => ExtensionTool) =>
  change((tools) => ({ register: (tool, run) => tools.register(of(tool), run) }));

/** A refusal of this code is none: the id is given as if the tool were there. */
const forgives = (code: ExtensionRefusal["code"]) =>
  change((tools) => ({
    register: (tool, run) =>
      Effect.catchIf(
        tools.register(tool, run),
        (refusal) => refusal.code === code,
        () => Effect.succeed(ToolId.make(`extension/${tool.extensionId}:${tool.name}`)),
      ),
  }));

const catalogue = (of: (catalogue: SourceCatalogue) => SourceCatalogue) =>
  change((tools) => ({ source: { ...tools.source, catalogue: Effect.map(tools.source.catalogue, of) } }));

export const registering: ReadonlyArray<Mutant<ExtensionToolsHarness>> = [
  {
    kills: "EXT-01",
    title: "a list without what is off",
    breaks: change((tools) => ({
      list: Effect.map(tools.list, (listed) => listed.filter(({ enabled }) => enabled)),
    })),
  },
  {
    kills: "EXT-01",
    title: "a list in another order",
    breaks: change((tools) => ({ list: Effect.map(tools.list, (listed) => listed.toReversed()) })),
  },
  {
    kills: "EXT-01",
    title: "a registry that loses annotations",
    breaks: registers((tool) => ({ ...tool, annotations: {} })),
  },
  { kills: "EXT-02", title: "an id that is taken and given again", breaks: forgives("extension.tool_duplicate") },
  {
    kills: "EXT-03",
    title: "a registry that says to each that it has the tool",
    breaks: forgives("extension.tool_duplicate"),
  },
  {
    kills: "EXT-04",
    title: "a registry that takes any form",
    breaks: forgives("extension.registration_invalid"),
  },
  {
    kills: "EXT-04",
    title: "a registry that refuses what looks odd",
    breaks: change((tools) => ({
      register: (tool, run) => tools.register(tool.name.includes(":") ? { ...tool, contexts: [] } : tool, run),
    })),
  },
  {
    kills: "EXT-05",
    title: "a tool that stays when its scope has closed",
    breaks: change((tools) => ({ register: (tool, run) => outliving(tools.register(tool, run)) })),
  },
  {
    kills: "EXT-06",
    title: "a registry that calls the function that it saw first",
    breaks: change((tools) => {
      const seen = new Map<string, Parameters<Tools["register"]>[1]>();
      return {
        register: (tool, run) => {
          const first = seen.get(tool.name) ?? run;
          seen.set(tool.name, first);
          return tools.register(tool, first);
        },
      };
    }),
  },
  {
    kills: "EXT-06",
    title: "a switch that outlives its tool",
    breaks: change((tools) => {
      const off = new Set<ToolId>();
      return {
        register: (tool, run) =>
          Effect.tap(tools.register(tool, run), (id) =>
            off.has(id) ? Effect.ignore(tools.setEnabled(id, false)) : Effect.void,
          ),
        setEnabled: (id, enabled) =>
          Effect.andThen(
            Effect.sync(() => (enabled ? off.delete(id) : off.add(id))),
            tools.setEnabled(id, enabled),
          ),
      };
    }),
  },
  {
    kills: "EXT-07",
    title: "a switch that does nothing",
    breaks: change(() => ({ setEnabled: () => Effect.void })),
  },
  {
    kills: "EXT-07",
    title: "a tool that is called though it is off",
    breaks: change((tools) => ({
      source: {
        ...tools.source,
        call: (call) =>
          Effect.flatMap(tools.source.call(call), (outcome) =>
            outcome._tag === "NotSent"
              ? Effect.acquireUseRelease(
                  Effect.ignore(tools.setEnabled(call.toolId, true)),
                  () => tools.source.call(call),
                  () => Effect.ignore(tools.setEnabled(call.toolId, false)),
                )
              : Effect.succeed(outcome),
          ),
      },
    })),
  },
  {
    kills: "EXT-08",
    title: "a switch of what is not there",
    breaks: change((tools) => ({ setEnabled: (id, enabled) => Effect.ignore(tools.setEnabled(id, enabled)) })),
  },
  {
    kills: "EXT-09",
    title: "a registry that offers each tool to all scenes",
    breaks: registers((tool) => ({ ...tool, contexts: ["chat", "session"] })),
  },
  {
    kills: "EXT-09",
    title: "a registry that takes what is not said for harmless",
    breaks: catalogue((offered) => ({
      ...offered,
      tools: offered.tools.map(({ descriptor, ...tool }) => ({
        ...tool,
        descriptor: { ...descriptor, annotations: { ...descriptor.annotations, readOnly: true } },
      })),
    })),
  },
];

/** Keeps what is acquired beyond the scope: what that would release is never run. */
const outliving = <A, E>(acquire: Effect.Effect<A, E, Scope.Scope>): Effect.Effect<A, E> =>
  Effect.flatMap(Scope.make(), (scope) => Scope.provide(acquire, scope));
