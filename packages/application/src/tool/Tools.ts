/**
 * Every tool that this runtime has, whatever its source.
 */
import { Shell } from "@cahier/ports/Shell";
import * as Context from "effect/Context";
import * as Effect from "effect/Effect";
import * as Layer from "effect/Layer";
import * as Option from "effect/Option";
import type { Tool } from "./Tool.ts";
import { builtinToolsWith } from "./builtin/catalog.ts";

export class Tools extends Context.Service<Tools, { readonly catalog: ReadonlyArray<Tool> }>()(
  "@cahier/application/tool/Tools",
) {}

/** The built-in tools and those given. `workspace.shell` is one of them where a `Shell` is provided. */
export const layer = (more: ReadonlyArray<Tool> = []): Layer.Layer<Tools> =>
  Layer.effect(
    Tools,
    Effect.map(Effect.serviceOption(Shell), (shell) => ({
      catalog: [...builtinToolsWith(Option.getOrUndefined(shell)), ...more],
    })),
  );
