/**
 * What a permission is worth for the tool that a server offers now.
 *
 * Pure. Owns when a permission holds. Does not own what is offered to runs, nor what is said about it.
 */
import { type DefinitionChange, drift } from "@cahier/domain/mcp/drift";
import type { McpCatalogue } from "@cahier/domain/mcp/McpCatalogue";
import { type McpRegistration, permissionOf } from "@cahier/domain/mcp/McpRegistration";
import { definitionOf, type McpToolStated } from "@cahier/domain/mcp/McpToolDefinition";

/**
 * A tool of a server. `off`: not permitted. `holds`: permitted, and as it was then. `paused`: permitted for a server that was
 * reached otherwise. `changed`: permitted, and described otherwise since; `changes` says how.
 */
export interface KnownTool {
  readonly tool: McpToolStated;
  readonly permission: "off" | "ask" | "allow";
  readonly standing: "off" | "holds" | "paused" | "changed";
  readonly changes: ReadonlyArray<DefinitionChange>;
}

/** How the tool stands under the registration; the same value for the same two. */
export const standingOf = (registration: McpRegistration, tool: McpToolStated): KnownTool => {
  const known = standings.get(registration) ?? new WeakMap<McpToolStated, KnownTool>();
  standings.set(registration, known);
  const found = known.get(tool) ?? compared(registration, tool);
  known.set(tool, found);
  return found;
};

/** The names of tools that are permitted and that the server does not offer any more. */
export const goneTools = (registration: McpRegistration, { tools }: McpCatalogue): ReadonlyArray<string> => {
  const offered = new Set(tools.map(({ name }) => name));
  return Object.keys(registration.toolPermissions).filter((name) => !offered.has(name));
};

/** Every call of a tool asks, and registrations and tools are values: what has been compared once stays so. */
const standings = new WeakMap<McpRegistration, WeakMap<McpToolStated, KnownTool>>();

const compared = (registration: McpRegistration, tool: McpToolStated): KnownTool => {
  const given = permissionOf(registration, tool.name);
  if (given === undefined) return { tool, permission: "off", standing: "off", changes: [] };
  const { definition, isPaused, permission } = given;
  const changes = drift(definition, definitionOf(tool));
  if (isPaused === true) return { tool, permission, standing: "paused", changes };
  return { tool, permission, standing: changes.length === 0 ? "holds" : "changed", changes };
};
