/**
 * The tool ring: the built-in tools with the shell that runs their commands.
 *
 * Owns when the shell's processes begin: with the first command. They end with the layer. Does not own who may call a tool.
 */
import { builtinToolsWith } from "@cahier/application/tool/builtin/catalog";
import type { Tool } from "@cahier/application/tool/Tool";
import * as Tools from "@cahier/application/tool/Tools";
import { Shell } from "@cahier/ports/Shell";
import * as JustBash from "@cahier/shell-sandbox/JustBash";
import * as Effect from "effect/Effect";
import * as Layer from "effect/Layer";
import * as Scope from "effect/Scope";

/** The file that the bundle has for the shell's processes, beside the one that this module is in; sources have their own. */
declare const bundledShellProcess: string | undefined;

const entry: JustBash.Options =
  typeof bundledShellProcess === "string" ? { entry: new URL(bundledShellProcess, import.meta.url) } : {};

/** What the shell is, without a process of it. */
const described = JustBash.make({ processes: 0 });

const lazyShell = Effect.gen(function* () {
  const scope = yield* Effect.scope;
  const { languages, name } = yield* described;
  const started = yield* Effect.cached(Scope.provide(JustBash.make(entry), scope));
  return {
    name,
    languages,
    run: (request) => Effect.flatMap(started, (shell) => shell.run(request)),
  } satisfies Shell["Service"];
});

/** The built-in tools of this program, to look at: they run nothing. */
export const builtin: Effect.Effect<ReadonlyArray<Tool>> = Effect.scoped(Effect.map(described, builtinToolsWith));

/** The tools that runs have: the built-in ones and those given. */
export const layer = (more: ReadonlyArray<Tool> = []): Layer.Layer<Tools.Tools> =>
  Tools.layer(more).pipe(Layer.provide(Layer.effect(Shell, lazyShell)));
