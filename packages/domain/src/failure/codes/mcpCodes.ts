/** Codes about MCP servers. */
import type { FailureEntry } from "../FailureCode.ts";

export const mcpCodes = {
  "mcp.call_arguments_too_large": {
    class: "recoverable",
    meaning: "The arguments of a call are longer than a server is sent.",
  },
  "mcp.call_cancelled": { class: "recoverable", meaning: "A call was given up after it was sent." },
  "mcp.call_cancelled_before_send": { class: "recoverable", meaning: "A call was given up before it was sent." },
  "mcp.call_initialize_failed": {
    class: "recoverable",
    meaning: "No session with the server could be opened for a call.",
  },
  "mcp.call_initialize_timeout": {
    class: "recoverable",
    meaning: "The server did not open a session for a call in time.",
  },
  "mcp.call_not_queued": { class: "recoverable", meaning: "A call could not be handed to the connection." },
  "mcp.call_response_failed": { class: "recoverable", meaning: "The connection broke before a call was answered." },
  "mcp.call_timeout": { class: "recoverable", meaning: "The server did not answer a call in time." },
  "mcp.call_tool_unavailable": { class: "recoverable", meaning: "The server does not offer this tool any more." },
  "mcp.call_tools_capability_missing": { class: "recoverable", meaning: "The server says that it has no tools." },
  "mcp.discovery_catalogue_too_large": {
    class: "host",
    meaning: "The tools of a server are larger together than what is kept.",
  },
  "mcp.discovery_header_invalid": {
    class: "host",
    meaning: "A server names a header for an argument that cannot be one.",
  },
  "mcp.discovery_initialize_failed": {
    class: "host",
    meaning: "No session with the server could be opened to ask for its tools.",
  },
  "mcp.discovery_initialize_timeout": { class: "host", meaning: "The server did not open a session in time." },
  "mcp.discovery_input_schema_invalid": {
    class: "host",
    meaning: "The input schema of a tool cannot be used, so the tool is left out.",
  },
  "mcp.discovery_list_failed": { class: "host", meaning: "The server did not give its tools." },
  "mcp.discovery_list_timeout": { class: "host", meaning: "The server did not give its tools in time." },
  "mcp.discovery_output_schema_dropped": {
    class: "host",
    meaning: "The output schema of a tool cannot be used and is left out.",
  },
  "mcp.discovery_pages_exceeded": {
    class: "host",
    meaning: "The tools of a server stand on more pages than are read.",
  },
  "mcp.discovery_peer_info_missing": { class: "host", meaning: "The server did not say what it is called." },
  "mcp.discovery_schema_reference_remote": {
    class: "host",
    meaning: "A schema refers to another document, which is not fetched.",
  },
  "mcp.discovery_tool_duplicate": {
    class: "host",
    meaning: "A server has several tools of one name; all are left out.",
  },
  "mcp.discovery_tool_invalid": { class: "host", meaning: "A server states a tool in a form that is none." },
  "mcp.discovery_tool_name_invalid": { class: "host", meaning: "The name of a tool is empty or too long." },
  "mcp.discovery_tool_too_large": { class: "host", meaning: "The definition of a tool is larger than what is kept." },
  "mcp.discovery_tools_exceeded": { class: "host", meaning: "A server has more tools than are kept." },
  "mcp.request_failed": { class: "host", meaning: "The server could not be asked." },
  "mcp.request_initialize_failed": { class: "host", meaning: "No session with the server could be opened." },
  "mcp.request_initialize_timeout": { class: "host", meaning: "The server did not open a session in time." },
  "mcp.request_list_too_long": { class: "host", meaning: "A list of the server is longer than what is read." },
  "mcp.request_server_error": { class: "host", meaning: "The server refused what it was asked." },
  "mcp.request_timeout": { class: "host", meaning: "The server did not answer in time." },
  "mcp.request_unsupported": { class: "host", meaning: "The server does not have what it was asked for." },
  "mcp.server_error": { class: "recoverable", meaning: "An MCP server failed while it ran a tool." },
} as const satisfies { readonly [code: string]: FailureEntry };
