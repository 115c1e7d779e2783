/**
 * The tool ring: the built-in tools with the shell that runs their commands, and the tools that come from outside.
 *
 * Owns when the shell's processes begin: with the first command. They end with the layer. Does not own who may call a tool.
 */
import * as ExtensionRegistry from "@cahier/application/extension/ExtensionRegistry";
import * as McpSource from "@cahier/application/mcp/mcpSource";
import { builtinToolsWith } from "@cahier/application/tool/builtin/catalog";
import type { Tool } from "@cahier/application/tool/Tool";
import * as Tools from "@cahier/application/tool/Tools";
import { ExtensionTools } from "@cahier/ports/ExtensionTools";
import { Shell } from "@cahier/ports/Shell";
import * as JustBash from "@cahier/shell-sandbox/JustBash";
import * as Effect from "effect/Effect";
import * as Layer from "effect/Layer";
import * as Scope from "effect/Scope";
import * as Mcp from "./Mcp.ts";

/** The file that the bundle has for the shell's processes, beside the one that this module is in; sources have their own. */
declare const bundledShellProcess: string | undefined;

const entry: JustBash.Options =
  typeof bundledShellProcess === "string" ? { entry: new URL(bundledShellProcess, import.meta.url) } : {};

/** A shell whose processes begin with the first command. */
const lazyShell = Effect.gen(function* () {
  const scope = yield* Effect.scope;
  const started = yield* Effect.cached(Scope.provide(JustBash.make(entry), scope));
  return {
    ...JustBash.description,
    run: (request, stop) => Effect.flatMap(started, (shell) => shell.run(request, stop)),
  } satisfies Shell["Service"];
});

/** The built-in tools of this program, to look at: they run nothing. */
export const builtin: Effect.Effect<ReadonlyArray<Tool>> = Effect.scoped(Effect.map(lazyShell, builtinToolsWith));

/** What is given, the tools of MCP servers and those of extensions, beside the built-in ones. */
const all = Effect.fnUntraced(function* (more: ReadonlyArray<Tool>) {
  const mcp = yield* McpSource.make;
  const extensions = yield* ExtensionTools;
  return Tools.layer(more, [mcp, extensions.source]);
});

/** The tools that runs have, and where those from outside are registered. */
export const layer = (more: ReadonlyArray<Tool> = [], mcp: Mcp.McpOptions = {}) =>
  Layer.unwrap(all(more)).pipe(
    Layer.provide(Layer.effect(Shell, lazyShell)),
    Layer.provideMerge(Layer.merge(Mcp.layer(mcp), ExtensionRegistry.layer)),
  );
