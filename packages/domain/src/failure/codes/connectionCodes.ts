/** Codes about connections to models, and what is wrong with one. */
import type { FailureEntry } from "../FailureCode.ts";

export const connectionCodes = {
  "llm_connection.aws_bedrock_custom_template_incomplete": {
    class: "host",
    meaning: "The address of Amazon Bedrock has a place for the region, and the connection names none.",
  },
  "llm_connection.base_url_empty": { class: "host", meaning: "The connection's base URL is empty." },
  "llm_connection.base_url_invalid": {
    class: "host",
    meaning: "An address of the connection is no http or https address, or holds a user, a password or a key.",
  },
  "llm_connection.base_url_link_local": {
    class: "host",
    meaning: "An address of the connection is link-local, or that of a cloud's metadata service.",
  },
  "llm_connection.base_url_non_custom": {
    class: "host",
    meaning: "The connection's source has an address of its own and takes no base URL.",
  },
  "llm_connection.contract_invalid": { class: "host", meaning: "The connection does not have the form of one." },
  "llm_connection.custom_api_format_non_custom": {
    class: "host",
    meaning: "Only a connection of the source custom can choose a format.",
  },
  "llm_connection.custom_api_format_unsupported": {
    class: "host",
    meaning: "The connection names a format that does not exist.",
  },
  "llm_connection.custom_base_url_required": {
    class: "host",
    meaning: "A connection of the source custom does not say where its server is.",
  },
  "llm_connection.display_name_required": { class: "host", meaning: "The connection has no name for people." },
  "llm_connection.id_empty": { class: "host", meaning: "The connection has no id." },
  "llm_connection.id_invalid": {
    class: "host",
    meaning: "The connection's id has other characters than lower-case letters, digits, - and _.",
  },
  "llm_connection.id_too_long": { class: "host", meaning: "The connection's id has more than 128 characters." },
  "llm_connection.kind_invalid": { class: "host", meaning: "The document is not a connection." },
  "llm_connection.not_found": { class: "host", meaning: "No connection has this id." },
  "llm_connection.prompt_cache_unsupported": {
    class: "host",
    meaning: "The connection's format has no place for how long a prompt is kept.",
  },
  "llm_connection.reverse_proxy_empty": { class: "host", meaning: "The address of the connection's proxy is empty." },
  "llm_connection.reverse_proxy_unsupported": {
    class: "host",
    meaning: "The connection's source cannot be reached through a reverse proxy.",
  },
  "llm_connection.schema_unsupported": {
    class: "host",
    meaning: "The connection has a version that is not read here.",
  },
  "llm_connection.secret_id_required": { class: "host", meaning: "The connection's secret reference has no id." },
  "llm_connection.secret_key_mismatch": {
    class: "host",
    meaning: "The connection's secret reference names the key of another vendor.",
  },
  "llm_connection.secret_key_required": {
    class: "host",
    meaning: "The connection does not name the variable that holds its secret.",
  },
  "llm_connection.secrets_file_exposed": { class: "host", meaning: "Other users may read the file of secrets." },
  "llm_connection.secrets_file_invalid": {
    class: "host",
    meaning: "The file of secrets cannot be read, or is no JSON object of names and values.",
  },
  "llm_connection.source_specific_source_mismatch": {
    class: "host",
    meaning: "A setting of the connection belongs to another source.",
  },
  "llm_connection.source_specific_type_invalid": {
    class: "host",
    meaning: "A setting of the connection's source does not have the form that the source takes.",
  },
  "llm_connection.source_specific_unknown": { class: "host", meaning: "No source has such a setting." },
  "llm_connection.source_unsupported": { class: "host", meaning: "The connection names a source that does not exist." },
  "llm_connection.transport_unsupported": {
    class: "host",
    meaning: "The connection's format has no other transport than HTTP.",
  },
  "llm_connection.vertexai_auth_mode_unsupported": {
    class: "host",
    meaning: "Vertex AI is not reached in this way, or what the way needs is missing.",
  },
  "llm_connection.workers_ai_account_required": {
    class: "host",
    meaning: "The connection to Workers AI does not name an account.",
  },
} as const satisfies Record<string, FailureEntry>;
