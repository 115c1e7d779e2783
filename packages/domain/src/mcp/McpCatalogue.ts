/**
 * What an MCP server was found to offer, as it is kept: runs use what is kept and never ask a server by themselves.
 *
 * Owns the document's form, and for which registration it holds. Does not own when a server is asked.
 */
import * as Result from "effect/Result";
import * as Schema from "effect/Schema";
import { validator } from "../profile/validator.ts";
import { canonicalJson } from "../tool/canonicalArguments.ts";
import { McpEndpoint, McpProtocolVersion, type McpRegistration } from "./McpRegistration.ts";
import { McpToolStated } from "./McpToolDefinition.ts";

export const catalogueKind = "cahier.mcp-catalogue";
export const catalogueSchemaVersion = 1;

const optional = Schema.optionalKey;

/** Something that a server states and that cannot be used. */
export const McpDiagnostic = Schema.Struct({
  code: Schema.String,
  tool: optional(Schema.String),
  detail: Schema.String,
});
export type McpDiagnostic = typeof McpDiagnostic.Type;

/** `discoveredAt` is a time in ISO 8601, in UTC. `reachedBy` is how the server was reached then. */
export const McpCatalogue = Schema.Struct({
  kind: Schema.Literal(catalogueKind),
  schemaVersion: Schema.Literal(catalogueSchemaVersion),
  discoveredAt: Schema.String,
  reachedBy: Schema.Struct({ endpoint: McpEndpoint, protocolVersion: McpProtocolVersion }),
  peer: Schema.Struct({ name: Schema.String, version: Schema.String }),
  protocolVersion: Schema.String,
  instructions: optional(Schema.String),
  tools: Schema.Array(McpToolStated),
  diagnostics: Schema.Array(McpDiagnostic),
});
export type McpCatalogue = typeof McpCatalogue.Type;

/** The catalogue that `input` (parsed JSON) states; a sentence where it has another form. */
export const decode = (input: unknown): Result.Result<McpCatalogue, string> =>
  Result.mapError(validate(input), ([first]) => first?.message ?? "It has another form.");

/** How a server is reached: what a catalogue and permissions hold for. */
export const wayOf = ({
  endpoint,
  protocolVersion,
}: Pick<McpRegistration, "endpoint" | "protocolVersion">): McpCatalogue["reachedBy"] => ({ endpoint, protocolVersion });

/** Whether two registrations, or what was kept of them, reach one server in one way. */
export const isSameWay = (one: McpCatalogue["reachedBy"], other: McpCatalogue["reachedBy"]): boolean =>
  canonicalJson(encodeWay(wayOf(one))) === canonicalJson(encodeWay(wayOf(other)));

/** All that a way consists of is JSON. */
const encodeWay = ({ endpoint, protocolVersion }: McpCatalogue["reachedBy"]): Schema.Json => ({
  protocolVersion,
  endpoint: { ...endpoint },
});

const validate = validator(McpCatalogue);
