/**
 * What can be wrong with the registration of an MCP server, each with its code.
 */
import { writePath } from "../profile/ProfileIssue.ts";

export type McpRegistrationCode =
  | "mcp.authorization_invalid"
  | "mcp.command_invalid"
  | "mcp.display_name_empty"
  | "mcp.endpoint_absolute_required"
  | "mcp.endpoint_fragment_forbidden"
  | "mcp.endpoint_invalid"
  | "mcp.endpoint_link_local"
  | "mcp.endpoint_scheme_invalid"
  | "mcp.endpoint_userinfo_forbidden"
  | "mcp.environment_invalid"
  | "mcp.header_invalid"
  | "mcp.permission_off_not_persisted"
  | "mcp.protocol_version_unsupported"
  | "mcp.registration_contract_invalid"
  | "mcp.registration_id_invalid"
  | "mcp.registration_id_noncanonical"
  | "mcp.registration_kind_invalid"
  | "mcp.registration_schema_unsupported"
  | "mcp.secret_in_clear"
  | "mcp.secret_key_invalid"
  | "mcp.tool_name_invalid";

/** One thing that is wrong; `path` is where, such as `endpoint.url`, empty for the whole. No message repeats a value that may be a secret. */
export interface McpIssue {
  readonly code: McpRegistrationCode;
  readonly path: string;
  readonly message: string;
}

/** An issue at a path of keys. */
export const issue = (code: McpRegistrationCode, path: ReadonlyArray<string | number>, message: string): McpIssue => ({
  code,
  path: writePath(path),
  message,
});
