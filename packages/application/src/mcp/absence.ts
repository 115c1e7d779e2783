/**
 * Why a tool of a server is not offered, for whoever has named it.
 *
 * Pure. Owns what is said of tools that nothing is said about otherwise: those of paused and unknown servers, and those that are
 * not permitted. Does not own what is wrong with permitted ones (`offer`).
 */
import { permissionOf } from "@cahier/domain/mcp/McpRegistration";
import { quote } from "@cahier/domain/workspace/Refusal";
import type { SourceDiagnostic } from "@cahier/ports/ToolSource";
import { about, look, partsOf } from "./offer.ts";
import type { View } from "./Views.ts";

/** The reason; undefined for a tool that is of no MCP server, or that is offered. */
export const absenceOf = ({ failure, servers, storageIssues }: View, toolId: string): SourceDiagnostic | undefined => {
  const { name, registrationId } = partsOf(toolId);
  if (!toolId.startsWith("mcp/") || name === "") return undefined;
  const unreadable = failure ?? storageIssues.find(({ id }) => id === registrationId)?.failure;
  if (unreadable !== undefined)
    return { code: unreadable.reason.code, message: `${toolId} is not offered. ${unreadable.message}` };
  const server = servers.find(({ registration }) => registration.id === registrationId);
  if (server === undefined)
    return {
      code: "mcp.registration_not_found",
      message: `${toolId} is not offered: its server is not registered. "cahier mcp list" shows those that are.`,
    };
  const { known, registration } = server;
  const { displayName, id } = registration;
  if (registration.state === "paused")
    return about(
      registration,
      name,
      "mcp.server_paused",
      `is not offered: the server is paused. "cahier mcp resume ${id}" activates it.`,
    );
  if (permissionOf(registration, name) === undefined)
    return about(
      registration,
      name,
      "mcp.call_tool_unavailable",
      `is not offered: it is not permitted. Look at it with "cahier mcp discover ${id}"; "cahier mcp permit ${id} ${quote(name)} ask" permits it.`,
    );
  return known === undefined
    ? about(
        registration,
        name,
        "mcp.catalogue_unknown",
        `is not offered: it is not known which tools ${quote(displayName)} has. ${look(registration)}`,
      )
    : undefined;
};
