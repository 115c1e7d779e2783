/**
 * Tools of extensions that a profile selects and that no extension offers: whoever offers them may come and go.
 *
 * Pure. Owns which they are. Does not own what follows: a profile is not stored that selects one anew, and one that has it keeps it.
 */
import type { RegisteredTool } from "@cahier/ports/ExtensionTools";

/** A tool, and its place in `tools.allow`. */
export interface MissingTool {
  readonly toolId: string;
  readonly index: number;
}

/** Those of `allow` that are not registered, or that are switched off. */
export const missingExtensionTools = (
  allow: ReadonlyArray<string>,
  registered: ReadonlyArray<Pick<RegisteredTool, "enabled" | "toolId">>,
): ReadonlyArray<MissingTool> => {
  const offered = new Set<string>(registered.flatMap(({ enabled, toolId }) => (enabled ? [toolId] : [])));
  return allow.flatMap((toolId, index) =>
    toolId.startsWith("extension/") && !offered.has(toolId) ? [{ toolId, index }] : [],
  );
};
