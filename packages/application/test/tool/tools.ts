/** Tools of every source, as tests need them. */
import type { Tool, ToolOutcome } from "@cahier/application/tool/Tool";
import type { ToolAnnotations, ToolDescriptor } from "@cahier/domain/tool/ToolDescriptor";
import { ToolId } from "@cahier/domain/tool/ToolId";
import * as Effect from "effect/Effect";

/** What a test says of its tool; everything else is harmless. */
export interface ToolOptions extends Partial<Omit<ToolDescriptor, "annotations" | "id" | "source">> {
  readonly annotations?: Partial<ToolAnnotations>;
  readonly run?: Tool["run"];
}

const sourceOf = (id: string): ToolDescriptor["source"] =>
  id.startsWith("mcp/") ? "mcp" : id.startsWith("extension/") ? "extension" : "builtin";

/** A tool of this id that takes any object and says `done`. */
export const toolOf = (id: string, { annotations, run, ...rest }: ToolOptions = {}): Tool => ({
  descriptor: {
    id: ToolId.make(id),
    title: id,
    description: `What ${id} does.`,
    inputSchema: { type: "object" },
    source: sourceOf(id),
    visibility: "model",
    permission: "always",
    budget: { timeoutMs: 120_000 },
    ...rest,
    annotations: {
      readOnly: false,
      destructive: false,
      idempotent: false,
      openWorld: false,
      cost: "none",
      ...annotations,
    },
  },
  run: run ?? (() => Effect.succeed(done("done"))),
});

/** The outcome of a tool that only says something. */
export const done = (content: string): ToolOutcome => ({ _tag: "Done", content });
