/**
 * All tools of all sources: keyed and sorted by id.
 *
 * Owns merging. Does not own where tools come from nor which of them an invocation gets. What is merged may be more
 * than descriptors: whatever carries one.
 */
import * as Result from "effect/Result";
import { quote, refuse, type Refusal } from "../workspace/Refusal.ts";
import type { ToolDescriptor } from "./ToolDescriptor.ts";

/** Anything that has a descriptor. */
export interface Described {
  readonly descriptor: Pick<ToolDescriptor, "id">;
}

/** `tools` ascending by id; `byId` holds the same. */
export interface ToolCatalog<Tool extends Described> {
  readonly tools: ReadonlyArray<Tool>;
  readonly byId: ReadonlyMap<string, Tool>;
}

/** One catalogue of several sources, in which order does not matter. Two tools with one id are refused. */
export const merge = <Tool extends Described>(
  sources: ReadonlyArray<ReadonlyArray<Tool>>,
): Result.Result<ToolCatalog<Tool>, Refusal<"tool.catalog_duplicate_id">> => {
  const byId = new Map<string, Tool>();
  for (const source of sources) {
    for (const tool of source) {
      const { id } = tool.descriptor;
      if (byId.has(id))
        return refuse(
          "tool.catalog_duplicate_id",
          `The tool ${quote(id)} is offered twice. Give one of the two another id, or remove it.`,
        );
      byId.set(id, tool);
    }
  }
  const entries = [...byId].toSorted(([one], [other]) => (one < other ? -1 : 1));
  return Result.succeed({ tools: entries.map(([, tool]) => tool), byId: new Map(entries) });
};
