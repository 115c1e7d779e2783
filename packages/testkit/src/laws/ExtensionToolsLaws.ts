/**
 * The laws of ExtensionTools.
 *
 * That its `source` keeps the laws of sources is checked by `ToolSourceLaws`.
 */
import type { ExtensionTools } from "@cahier/ports/ExtensionTools";
import type * as Effect from "effect/Effect";
import type * as Scope from "effect/Scope";
import { answering } from "../internal/laws/extensionTools/Answering.ts";
import { registering } from "../internal/laws/extensionTools/Registering.ts";
import type * as Law from "../Law.ts";

/** `open` gives one in which nothing is registered. */
export interface ExtensionToolsHarness {
  readonly open: Effect.Effect<ExtensionTools["Service"], unknown, Scope.Scope>;
}

export const laws: ReadonlyArray<Law.Law<ExtensionToolsHarness>> = [...registering, ...answering];
