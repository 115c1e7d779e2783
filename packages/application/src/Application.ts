/**
 * The application as one layer over the ports.
 */
import type { ToolSource } from "@cahier/ports/ToolSource";
import * as Layer from "effect/Layer";
import * as Retention from "./retention/Retention.ts";
import * as Ownership from "./run/Ownership.ts";
import * as Runs from "./run/Runs.ts";
import type { Tool } from "./tool/Tool.ts";
import * as Tools from "./tool/Tools.ts";

/** Runs, retention, ownership and tools; `tools` and what the sources offer are added to the built-in ones. */
export const layer = (tools: ReadonlyArray<Tool> = [], sources: ReadonlyArray<ToolSource> = []) =>
  Layer.mergeAll(Runs.layer, Retention.layer).pipe(
    Layer.provideMerge(Layer.mergeAll(Ownership.layer, Tools.layer(tools, sources))),
  );
