/**
 * Every tool that this runtime has, whatever its source.
 */
import * as Context from "effect/Context";
import * as Layer from "effect/Layer";
import type { Tool } from "./Tool.ts";
import { builtinTools } from "./builtin/catalog.ts";

export class Tools extends Context.Service<Tools, { readonly catalog: ReadonlyArray<Tool> }>()(
  "@cahier/application/tool/Tools",
) {}

/** The built-in tools and those given. */
export const layer = (more: ReadonlyArray<Tool> = []): Layer.Layer<Tools> =>
  Layer.succeed(Tools, { catalog: [...builtinTools, ...more] });
