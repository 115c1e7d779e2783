/**
 * The rules of a registration, each with its code. What is wrong is named and never repeated where it may hold a secret.
 */
import { isLinkLocal, isPlainAddress } from "../connection/plainAddress.ts";
import { byteLength } from "../workspace/Utf8.ts";
import { quote } from "../workspace/Refusal.ts";
import { issue, type McpIssue } from "./McpIssue.ts";
import { protocolVersions } from "./protocolVersions.ts";
import { hasSecretForm, isSecretName, secretArguments } from "./secretForm.ts";
import type { McpAuthorization, McpValue, WrittenMcpRegistration } from "./WrittenMcpRegistration.ts";

/** Everything that is wrong with a registration whose form is right. */
export function* checkMcpRegistration(registration: WrittenMcpRegistration): Generator<McpIssue> {
  yield* checkId(registration.id ?? "");
  if (isBlank(registration.displayName))
    yield issue("mcp.display_name_empty", ["displayName"], "Give the server a name for people.");
  const { endpoint, protocolVersion = "auto" } = registration;
  if (endpoint.transport === "http") {
    yield* checkUrl((endpoint.url ?? "").trim());
    yield* checkHeaders(endpoint.headers ?? {});
    yield* checkAuthorization(endpoint.authorization?.registration);
  } else {
    yield* checkCommand([endpoint.command ?? "", ...(endpoint.arguments ?? [])], endpoint.folder);
    for (const index of secretArguments(endpoint.arguments ?? []))
      yield issue(
        "mcp.secret_in_clear",
        ["endpoint", "arguments", index],
        'This looks like a credential, and commands are shown and stored. Leave it out, and put it in the environment as a secret, such as {"MY_SERVER_TOKEN": {"secret": {"key": "MY_SERVER_TOKEN"}}}.',
      );
    yield* checkEnvironment(endpoint.environment ?? {});
  }
  if (!protocolVersions.some((version) => version === protocolVersion))
    yield issue(
      "mcp.protocol_version_unsupported",
      ["protocolVersion"],
      `There is no version ${quote(protocolVersion)} here. Name one of these: ${protocolVersions.join(", ")}.`,
    );
  yield* checkPermissions(registration.toolPermissions ?? {});
}

/** Whether a server may call a tool so: 1 to 256 bytes. */
export const isToolName = (name: string): boolean => name !== "" && byteLength(name) <= 256;

const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;

function* checkId(id: string): Generator<McpIssue> {
  if (uuid.test(id)) return;
  const canonical = id
    .trim()
    .toLowerCase()
    .replace(/^\{|\}$/g, "")
    .replace(/^urn:uuid:/, "");
  if (uuid.test(canonical))
    yield issue(
      "mcp.registration_id_noncanonical",
      ["id"],
      `Write the id in lower case and without anything around it: ${canonical}.`,
    );
  else yield issue("mcp.registration_id_invalid", ["id"], "The id of a server is a version 4 UUID.");
}

function* checkUrl(url: string): Generator<McpIssue> {
  const path = ["endpoint", "url"];
  if (!/^[a-z][a-z\d+.-]*:/i.test(url)) {
    const isEmpty = url === "";
    yield issue(
      isEmpty ? "mcp.endpoint_invalid" : "mcp.endpoint_absolute_required",
      path,
      "Give the whole address of the server, such as https://host/mcp.",
    );
    return;
  }
  if (!/^https?:/i.test(url)) {
    yield issue("mcp.endpoint_scheme_invalid", path, "The address of a server begins with https:// or http://.");
    return;
  }
  const parsed = /^https?:\/\/[^/]/i.test(url) ? URL.parse(url) : null;
  if (parsed === null) {
    yield issue("mcp.endpoint_invalid", path, "This is no address. Write one such as https://host/mcp.");
    return;
  }
  if (url.includes("#"))
    yield issue(
      "mcp.endpoint_fragment_forbidden",
      path,
      "What stands after # is never sent to a server. Remove it, and the #.",
    );
  if (parsed.username !== "" || parsed.password !== "")
    yield issue(
      "mcp.endpoint_userinfo_forbidden",
      path,
      'Remove the user and the password: an address is shown and stored. Put a header that names a secret in their place, such as "Authorization".',
    );
  if ([...parsed.searchParams.keys()].some((name) => isSecretName(name)))
    yield issue(
      "mcp.secret_in_clear",
      path,
      "The address holds what looks like a key, and addresses are shown and stored. Send it in a header that names a secret.",
    );
  if (isLinkLocal(url))
    yield issue(
      "mcp.endpoint_link_local",
      path,
      "No server is at a link-local address, and metadata services hand out credentials. Name another one.",
    );
}

type Values = Readonly<Record<string, McpValue>>;

function* checkHeaders(headers: Values): Generator<McpIssue> {
  const names = new Set<string>();
  for (const [name, value] of Object.entries(headers)) {
    const path = ["endpoint", "headers", name];
    if (!/^[!#$%&'*+\-.^_`|~\dA-Za-z]{1,128}$/.test(name))
      yield issue("mcp.header_invalid", path, "A header has another name: letters, digits and hyphens.");
    else if (names.has(name.toLowerCase()))
      yield issue("mcp.header_invalid", path, "There is such a header already, in another case. Keep one of them.");
    names.add(name.toLowerCase());
    if (typeof value !== "string") yield* checkSecret(value, path);
    else if (!/^[\t\x20-\x7e\x80-\xff]*$/.test(value))
      yield issue("mcp.header_invalid", path, "The value of a header is one line of Latin text.");
    else if (isSecretHeader(name, value)) yield inClear(path, 'such as {"secret": {"key": "MY_SERVER_TOKEN"}}');
  }
}

function* checkAuthorization(registration: McpAuthorization["registration"]): Generator<McpIssue> {
  if (registration === undefined) return;
  const path = ["endpoint", "authorization", "registration"];
  const { id, issuer, secret } = registration;
  if (isBlank(id))
    yield issue(
      "mcp.authorization_invalid",
      [...path, "id"],
      "Say what this side is called at the authorization server.",
    );
  if (issuer !== undefined && !isPlainAddress(issuer))
    yield issue(
      "mcp.authorization_invalid",
      [...path, "issuer"],
      "This is the address of the authorization server, http or https, without a user, a password or a key in it.",
    );
  if (typeof secret === "string")
    yield inClear([...path, "secret"], 'such as {"secret": {"key": "MY_SERVER_CLIENT_SECRET"}}');
  else if (secret !== undefined) yield* checkSecret(secret, [...path, "secret"]);
}

function* checkCommand(words: ReadonlyArray<string>, folder: string | undefined): Generator<McpIssue> {
  if (isBlank(words[0]))
    yield issue("mcp.command_invalid", ["endpoint", "command"], "Say which program is to be started.");
  if (words.some((word) => word.includes("\0")))
    yield issue("mcp.command_invalid", ["endpoint"], "A program or argument with a NUL character cannot be started.");
  if (folder !== undefined && (isBlank(folder) || folder.includes("\0")))
    yield issue("mcp.command_invalid", ["endpoint", "folder"], "Name a folder, or leave this out.");
}

function* checkEnvironment(environment: Values): Generator<McpIssue> {
  for (const [name, value] of Object.entries(environment)) {
    const path = ["endpoint", "environment", name];
    if (!isVariable(name))
      yield issue("mcp.environment_invalid", path, "A variable has a name of letters, digits and underscores.");
    if (typeof value !== "string") yield* checkSecret(value, path);
    else if (value.includes("\0"))
      yield issue("mcp.environment_invalid", path, "The value of a variable has no NUL character.");
    else if (value !== "" && (isSecretName(name) || hasSecretForm(value)))
      yield inClear(path, `such as {"secret": {"key": "${isVariable(name) ? name : "MY_SERVER_TOKEN"}"}}`);
  }
}

function* checkSecret({ secret }: Exclude<McpValue, string>, path: ReadonlyArray<string>): Generator<McpIssue> {
  // A secret that was put where its name belongs is not repeated.
  if (!isVariable(secret.key) || hasSecretForm(secret.key))
    yield issue(
      "mcp.secret_key_invalid",
      [...path, "secret", "key"],
      "Name the secret as an environment variable is named, such as MY_SERVER_TOKEN, and never write the secret itself.",
    );
}

function* checkPermissions(permissions: NonNullable<WrittenMcpRegistration["toolPermissions"]>): Generator<McpIssue> {
  for (const [name, { permission }] of Object.entries(permissions)) {
    const path = ["toolPermissions", name];
    if (!isToolName(name)) yield issue("mcp.tool_name_invalid", path, "The name of a tool has 1 to 256 bytes.");
    if (permission === "off")
      yield issue(
        "mcp.permission_off_not_persisted",
        [...path, "permission"],
        "A tool that is off is not named here. Remove it.",
      );
  }
}

const inClear = (path: ReadonlyArray<string>, how: string): McpIssue =>
  issue(
    "mcp.secret_in_clear",
    path,
    `This looks like a credential, and registrations are shown and stored. Name a secret in its place, ${how}.`,
  );

const isVariable = (name: string): boolean => /^[A-Za-z_]\w{0,127}$/.test(name);

const isSecretHeader = (name: string, value: string): boolean =>
  value.trim() !== "" && (isSecretName(name) || hasSecretForm(value));

const isBlank = (stated: string | undefined): boolean => (stated ?? "").trim() === "";
