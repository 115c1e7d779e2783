/**
 * The rules of a connection, each with its code. What is wrong is named and never repeated where it may hold a secret.
 */
import * as Option from "effect/Option";
import { quote } from "../workspace/Refusal.ts";
import { type ConnectionIssue, issue } from "./ConnectionIssue.ts";
import { ConnectionFormat, ConnectionSource, formatOf, formatOfSource, sourceOf } from "./connectionNames.ts";
import { isLinkLocal, isPlainAddress } from "./plainAddress.ts";
import { checkSourceSpecific } from "./sourceSpecific.ts";
import type { WrittenConnection } from "./WrittenConnection.ts";

/** Everything that is wrong with a connection whose form is right. */
export function* checkConnection(connection: WrittenConnection): Generator<ConnectionIssue> {
  yield* checkId(connection.id ?? "");
  if (isBlank(connection.displayName))
    yield issue("llm_connection.display_name_required", ["displayName"], "Give the connection a name for people.");
  yield* checkPrices(connection);
  const source = Option.getOrUndefined(sourceOf(connection.provider?.chatCompletionSource ?? ""));
  if (source === undefined) {
    yield issue(
      "llm_connection.source_unsupported",
      ["provider", "chatCompletionSource"],
      `Name one of these: ${ConnectionSource.literals.join(", ")}.`,
    );
    return;
  }
  yield* checkFormat(source, connection.provider?.customApiFormat);
  yield* checkAsking(source, connection.provider);
  yield* checkBaseUrl(source, connection.endpoint?.baseUrl);
  yield* checkSourceSpecific(source, connection.endpoint?.sourceSpecific ?? {});
  yield* checkAuth(source, connection.auth);
  yield* checkProxy(source, connection.routing);
}

function* checkId(id: string): Generator<ConnectionIssue> {
  if (isBlank(id)) yield issue("llm_connection.id_empty", ["id"], "Give the connection an id.");
  else if (id.length > 128) yield issue("llm_connection.id_too_long", ["id"], "An id has at most 128 characters.");
  else if (!/^[a-z0-9_-]+$/.test(id))
    yield issue("llm_connection.id_invalid", ["id"], "An id has only lower-case letters, digits, - and _.");
}

function* checkPrices({ prices }: WrittenConnection): Generator<ConnectionIssue> {
  if (prices === undefined) return;
  if (isBlank(prices.currency))
    yield issue("llm_connection.contract_invalid", ["prices", "currency"], "Name the currency, such as EUR.");
  for (const kind of ["input", "cached", "output"] as const)
    if ((prices[kind] ?? 0) < 0)
      yield issue("llm_connection.contract_invalid", ["prices", kind], "A price of a million tokens is at least 0.");
}

function* checkFormat(source: ConnectionSource, stated: string | undefined): Generator<ConnectionIssue> {
  if (isBlank(stated)) return;
  const path = ["provider", "customApiFormat"];
  if (source !== "custom")
    yield issue(
      "llm_connection.custom_api_format_non_custom",
      path,
      `The source ${source} has its own format. Remove this, or set the source to custom.`,
    );
  else if (Option.isNone(formatOf(stated ?? "")))
    yield issue(
      "llm_connection.custom_api_format_unsupported",
      path,
      `There is no format ${quote(stated ?? "")}. Name one of these: ${ConnectionFormat.literals.join(", ")}.`,
    );
}

/** What only some formats have a place for. */
function* checkAsking(
  source: ConnectionSource,
  { customApiFormat, promptCacheTtl, transport }: NonNullable<WrittenConnection["provider"]> = {},
): Generator<ConnectionIssue> {
  const stated = Option.getOrUndefined(formatOf(customApiFormat ?? ""));
  const format = source === "custom" ? (stated ?? "openai-chat") : formatOfSource(source);
  if (transport !== undefined && format !== "openai-responses")
    yield issue(
      "llm_connection.transport_unsupported",
      ["provider", "transport"],
      `Only openai-responses is spoken over a WebSocket, and the connection's format is ${format}. Remove this.`,
    );
  if (promptCacheTtl !== undefined && format !== "anthropic-messages" && !withCacheControl.includes(source))
    yield issue(
      "llm_connection.prompt_cache_unsupported",
      ["provider", "promptCacheTtl"],
      `Only anthropic-messages and the sources ${withCacheControl.join(", ")} can be told how long to keep a prompt. Remove this.`,
    );
}

/** Sources that pass on to Anthropic's models how long a prompt is to be kept. */
const withCacheControl: ReadonlyArray<ConnectionSource> = ["openrouter", "nanogpt"];

/** Servers of one's own: they are where one says, and may go without a key. */
const ownServers: ReadonlySet<ConnectionSource> = new Set(["custom", "ollama"]);

function* checkBaseUrl(source: ConnectionSource, stated: string | undefined): Generator<ConnectionIssue> {
  const path = ["endpoint", "baseUrl"];
  if (stated === undefined) {
    if (source === "custom")
      yield issue("llm_connection.custom_base_url_required", path, "Say where the server is, such as https://host/v1.");
  } else if (!ownServers.has(source))
    yield issue(
      "llm_connection.base_url_non_custom",
      path,
      `The source ${source} has its own address. Remove this, or set the source to custom.`,
    );
  else if (isBlank(stated))
    yield issue("llm_connection.base_url_empty", path, "Say where the server is, such as https://host/v1.");
  else yield* checkAddress(stated.trim(), path);
}

function* checkAuth(source: ConnectionSource, auth: WrittenConnection["auth"]): Generator<ConnectionIssue> {
  if (auth === undefined && ownServers.has(source)) return;
  const path = ["auth", "secretRef"];
  const { id, key = "" } = auth?.secretRef ?? {};
  // A secret that was put where its name belongs is not repeated.
  if (!/^[A-Za-z_]\w{0,127}$/.test(key))
    yield issue(
      "llm_connection.secret_key_required",
      [...path, "key"],
      "Name the environment variable that holds the secret, such as OPENAI_API_KEY, and never the secret itself.",
    );
  else {
    const owner = ownerOf(key);
    const isGoogle = key === "GOOGLE_API_KEY" && source === "vertexai";
    if (owner !== undefined && source !== "custom" && owner !== source && !isGoogle)
      yield issue(
        "llm_connection.secret_key_mismatch",
        [...path, "key"],
        `${key} is the key of ${owner}, and the connection's source is ${source}.`,
      );
  }
  if (isBlank(id))
    yield issue(
      "llm_connection.secret_id_required",
      [...path, "id"],
      'Give the reference an id, such as "default", that tells it from other secrets of its kind.',
    );
}

/** Whose key it is by its name, where the name says so. */
const ownerOf = (key: string): ConnectionSource | undefined => {
  const [, imported] = /^api_key_(\w+)$/.exec(key) ?? [];
  const [, variable] = /^(\w+)_API_KEY$/.exec(key) ?? [];
  return Option.getOrUndefined(sourceOf(imported ?? variable ?? ""));
};

const withProxy: ReadonlyArray<ConnectionSource> = [
  "openai",
  "anthropic",
  "gemini",
  "vertexai",
  "deepseek",
  "moonshot",
  "zai",
];

function* checkProxy(source: ConnectionSource, routing: WrittenConnection["routing"]): Generator<ConnectionIssue> {
  const proxy = routing?.reverseProxy;
  if (proxy === undefined) return;
  const path = ["routing", "reverseProxy"];
  if (!withProxy.includes(source))
    yield issue(
      "llm_connection.reverse_proxy_unsupported",
      path,
      `The source ${source} takes no reverse proxy; these do: ${withProxy.join(", ")}.`,
    );
  else if (isBlank(proxy.url))
    yield issue("llm_connection.reverse_proxy_empty", [...path, "url"], "Give the proxy's address, or leave it out.");
  else yield* checkAddress((proxy.url ?? "").trim(), [...path, "url"]);
}

function* checkAddress(address: string, path: ReadonlyArray<string>): Generator<ConnectionIssue> {
  if (!isPlainAddress(address))
    yield issue(
      "llm_connection.base_url_invalid",
      path,
      "This must be an http or https address without a user, a password or a key in it.",
    );
  else if (isLinkLocal(address))
    yield issue(
      "llm_connection.base_url_link_local",
      path,
      "No model is at a link-local address, and metadata services hand out credentials. Name another server.",
    );
}

const isBlank = (stated: string | undefined): boolean => (stated ?? "").trim() === "";
