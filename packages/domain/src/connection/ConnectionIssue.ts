/**
 * What can be wrong with a connection, each with its code.
 */
import { writePath } from "../profile/ProfileIssue.ts";

export type ConnectionCode =
  | "llm_connection.aws_bedrock_custom_template_incomplete"
  | "llm_connection.base_url_empty"
  | "llm_connection.base_url_invalid"
  | "llm_connection.base_url_link_local"
  | "llm_connection.base_url_non_custom"
  | "llm_connection.contract_invalid"
  | "llm_connection.custom_api_format_non_custom"
  | "llm_connection.custom_api_format_unsupported"
  | "llm_connection.custom_base_url_required"
  | "llm_connection.display_name_required"
  | "llm_connection.id_empty"
  | "llm_connection.id_invalid"
  | "llm_connection.id_too_long"
  | "llm_connection.kind_invalid"
  | "llm_connection.prompt_cache_unsupported"
  | "llm_connection.reverse_proxy_empty"
  | "llm_connection.reverse_proxy_unsupported"
  | "llm_connection.schema_unsupported"
  | "llm_connection.secret_id_required"
  | "llm_connection.secret_key_mismatch"
  | "llm_connection.secret_key_required"
  | "llm_connection.source_specific_source_mismatch"
  | "llm_connection.source_specific_type_invalid"
  | "llm_connection.source_specific_unknown"
  | "llm_connection.source_unsupported"
  | "llm_connection.transport_unsupported"
  | "llm_connection.vertexai_auth_mode_unsupported"
  | "llm_connection.workers_ai_account_required";

/** One thing that is wrong; `path` is where, such as `auth.secretRef.key`, empty for the whole. */
export interface ConnectionIssue {
  readonly code: ConnectionCode;
  readonly path: string;
  readonly message: string;
}

/** An issue at a path of keys. */
export const issue = (
  code: ConnectionCode,
  path: ReadonlyArray<string | number>,
  message: string,
): ConnectionIssue => ({
  code,
  path: writePath(path),
  message,
});
