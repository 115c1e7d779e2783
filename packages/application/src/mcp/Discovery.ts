/**
 * What a server offers, as its user is told: the tools and how each stands, and what could not be used.
 */
import type { McpDiagnostic } from "@cahier/domain/mcp/McpCatalogue";
import type { McpRegistration } from "@cahier/domain/mcp/McpRegistration";
import type { KnownCatalogue } from "./Catalogues.ts";
import { goneTools, type KnownTool, standingOf } from "./standing.ts";

/**
 * What a server offers. `from` is where that is known from, `discoveredAt` (ISO 8601) when the server was asked. `isStale`: it
 * has said since that its tools are others. `staleTools` are permitted and not offered any more.
 */
export interface Discovery {
  readonly registrationId: string;
  readonly displayName: string;
  readonly peer: { readonly name: string; readonly version: string };
  readonly protocolVersion: string;
  readonly instructions?: string;
  readonly discoveredAt: string;
  readonly from: "memory" | "storage" | "network";
  readonly isStale: boolean;
  readonly tools: ReadonlyArray<KnownTool>;
  readonly diagnostics: ReadonlyArray<McpDiagnostic>;
  readonly staleTools: ReadonlyArray<string>;
}

/** What is known of a server, as people are told. */
export const discoveryOf = (
  registration: McpRegistration,
  { catalogue, isStale, notKept }: KnownCatalogue,
  from: Discovery["from"],
): Discovery => ({
  registrationId: registration.id,
  displayName: registration.displayName,
  peer: catalogue.peer,
  protocolVersion: catalogue.protocolVersion,
  ...(catalogue.instructions === undefined ? {} : { instructions: catalogue.instructions }),
  discoveredAt: catalogue.discoveredAt,
  from,
  isStale,
  tools: catalogue.tools.map((tool) => standingOf(registration, tool)),
  diagnostics: [
    ...catalogue.diagnostics,
    ...(notKept === undefined ? [] : [{ code: "mcp.catalog_persistence_failed", detail: notKept }]),
  ],
  staleTools: goneTools(registration, catalogue),
});
