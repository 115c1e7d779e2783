/**
 * The settings that only one source has, and the address that follows from them.
 *
 * Owns their names, their rules and the addresses of Vertex AI, Workers AI and Amazon Bedrock. They are set in
 * `endpoint.sourceSpecific`: `vertexai_auth_mode` (`express` with a key, `full` with an access token, a project and a
 * region), `vertexai_project_id`, `vertexai_region`, `workers_ai_account_id`, `aws_bedrock_region`, and
 * `aws_bedrock_endpoint_template`, an address with `{region}` in it.
 */
import type * as Schema from "effect/Schema";
import { type ConnectionIssue, issue } from "./ConnectionIssue.ts";
import type { ConnectionSource } from "./connectionNames.ts";
import { isLinkLocal, isPlainAddress } from "./plainAddress.ts";

type Settings = Readonly<Record<string, Schema.Json>>;

/** Everything that is wrong with the settings of a source. What has been checked gives an address (`addressOf`). */
export function* checkSourceSpecific(source: ConnectionSource, stated: Schema.Json): Generator<ConnectionIssue> {
  if (!isSettings(stated)) {
    yield issue("llm_connection.source_specific_type_invalid", place, "The settings of a source are a JSON object.");
    return;
  }
  for (const [name, value] of Object.entries(stated)) {
    const path = [...place, name];
    const owner = Object.hasOwn(owners, name) ? owners[name] : undefined;
    if (owner === undefined)
      yield issue(
        "llm_connection.source_specific_unknown",
        path,
        `No source has this setting. There are: ${Object.keys(owners).join(", ")}.`,
      );
    else if (owner.source !== source)
      yield issue(
        "llm_connection.source_specific_source_mismatch",
        path,
        `This is a setting of ${owner.source}, and the connection's source is ${source}. Remove it.`,
      );
    else if (typeof value !== "string" || !owner.accepts(value))
      yield issue("llm_connection.source_specific_type_invalid", path, owner.form);
  }
  if (source === "vertexai") yield* checkVertexAi(stated);
  if (source === "workers_ai" && stated["workers_ai_account_id"] === undefined)
    yield issue(
      "llm_connection.workers_ai_account_required",
      [...place, "workers_ai_account_id"],
      "Name the account that is to be used.",
    );
  if (source === "aws_bedrock" && stated["aws_bedrock_region"] === undefined)
    yield issue(
      "llm_connection.aws_bedrock_custom_template_incomplete",
      [...place, "aws_bedrock_region"],
      "Name the region, such as eu-central-1: it is a part of the address.",
    );
}

/** The address that checked settings lead to; none where the source's own holds. */
export const addressOf = (source: ConnectionSource, settings: Settings): string | undefined => {
  const text = (key: string): string => {
    const value = settings[key];
    return typeof value === "string" ? value : "";
  };
  if (source === "workers_ai")
    return `https://api.cloudflare.com/client/v4/accounts/${text("workers_ai_account_id")}/ai/v1`;
  if (source === "aws_bedrock")
    return (text("aws_bedrock_endpoint_template") || "https://bedrock-runtime.{region}.amazonaws.com/openai/v1")
      .replaceAll("{region}", text("aws_bedrock_region"))
      .replace(/\/+$/, "");
  if (source !== "vertexai" || settings["vertexai_auth_mode"] !== "full") return undefined;
  const region = text("vertexai_region");
  const host = region === "global" ? "aiplatform.googleapis.com" : `${region}-aiplatform.googleapis.com`;
  return `https://${host}/v1/projects/${text("vertexai_project_id")}/locations/${region}/publishers/google`;
};

const place = ["endpoint", "sourceSpecific"];

const isSettings = (stated: Schema.Json): stated is Settings =>
  typeof stated === "object" && stated !== null && !Array.isArray(stated);

interface Setting {
  readonly source: ConnectionSource;
  readonly accepts: (value: string) => boolean;
  readonly form: string;
}

/** They become parts of addresses, so nothing may stand in them that leads elsewhere. */
const name = (source: ConnectionSource): Setting => ({
  source,
  accepts: (value) => /^[a-z0-9](?:[a-z0-9:.-]*[a-z0-9])?$/i.test(value) && !value.includes(".."),
  form: "This is a name of letters, digits and hyphens.",
});

const host = (source: ConnectionSource): Setting => ({
  source,
  accepts: (value) => /^[a-z0-9-]+$/.test(value),
  form: "This is a name of lower-case letters, digits and hyphens.",
});

const owners: Readonly<Record<string, Setting>> = {
  vertexai_auth_mode: { source: "vertexai", accepts: () => true, form: "This is express or full." },
  vertexai_project_id: name("vertexai"),
  vertexai_region: host("vertexai"),
  workers_ai_account_id: name("workers_ai"),
  aws_bedrock_region: host("aws_bedrock"),
  aws_bedrock_endpoint_template: {
    source: "aws_bedrock",
    accepts: (value) => {
      const address = value.replaceAll("{region}", "region");
      return value.includes("{region}") && isPlainAddress(address) && !isLinkLocal(address);
    },
    form: "This is an http or https address with {region} in it, without a user, a password or a key.",
  },
};

function* checkVertexAi(settings: Settings): Generator<ConnectionIssue> {
  const mode = settings["vertexai_auth_mode"] ?? "express";
  const path = [...place, "vertexai_auth_mode"];
  if (mode !== "express" && mode !== "full")
    yield issue(
      "llm_connection.vertexai_auth_mode_unsupported",
      path,
      "Set it to express (with an API key) or to full (with an access token, a project and a region).",
    );
  if (mode === "full" && (settings["vertexai_project_id"] === undefined || settings["vertexai_region"] === undefined))
    yield issue(
      "llm_connection.vertexai_auth_mode_unsupported",
      path,
      "The mode full needs vertexai_project_id and vertexai_region.",
    );
}
