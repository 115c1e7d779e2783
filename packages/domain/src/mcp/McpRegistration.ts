/**
 * The registration of an MCP server: how it is reached, whether it is in use, and which of its tools are permitted.
 *
 * Owns the document's form and rules. Does not own secrets, which it only names, nor what the server offers
 * (`McpCatalogue`). A registration is made and changed by its user alone: no profile, preset, card, prompt or server does.
 */
import * as Predicate from "effect/Predicate";
import * as Result from "effect/Result";
import * as Schema from "effect/Schema";
import { validator } from "../profile/validator.ts";
import { checkMcpRegistration } from "./checkMcpRegistration.ts";
import { issue, type McpIssue } from "./McpIssue.ts";
import { McpToolDefinition } from "./McpToolDefinition.ts";
import { protocolVersions } from "./protocolVersions.ts";
import { McpAuthorization, McpValue, WrittenMcpRegistration } from "./WrittenMcpRegistration.ts";

export const registrationKind = "cahier.mcp-server";
export const registrationSchemaVersion = 1;

const optional = Schema.optionalKey;
const Values = Schema.Record(Schema.String, McpValue);

/** How a server is reached. `network: "private"` allows loopback and private addresses; a command is started without a shell. */
export const McpEndpoint = Schema.Union([
  Schema.Struct({
    transport: Schema.Literal("http"),
    url: Schema.String,
    headers: Values,
    network: optional(Schema.Literal("private")),
    authorization: optional(McpAuthorization),
  }),
  Schema.Struct({
    transport: Schema.Literal("stdio"),
    command: Schema.String,
    arguments: Schema.Array(Schema.String),
    environment: Values,
    folder: optional(Schema.String),
  }),
]);
export type McpEndpoint = typeof McpEndpoint.Type;

export const McpProtocolVersion = Schema.Literals(protocolVersions);
export type McpProtocolVersion = typeof McpProtocolVersion.Type;

/**
 * A permission belongs to the definition that its user saw: where the server states another one it does not hold. `isPaused`: it
 * was given for a server that was reached otherwise, and does not hold until it is given again.
 */
export const McpToolPermission = Schema.Struct({
  permission: Schema.Literals(["ask", "allow"]),
  definition: McpToolDefinition,
  isPaused: optional(Schema.Literal(true)),
});
export type McpToolPermission = typeof McpToolPermission.Type;

/**
 * A checked registration. A tool that is not in `toolPermissions`, by its server's own name, is off. `discovery` changes with
 * each catalogue of the server that is kept.
 */
export const McpRegistration = Schema.Struct({
  kind: Schema.Literal(registrationKind),
  schemaVersion: Schema.Literal(registrationSchemaVersion),
  id: Schema.String,
  displayName: Schema.String,
  endpoint: McpEndpoint,
  protocolVersion: McpProtocolVersion,
  state: Schema.Literals(["active", "paused"]),
  allowsSampling: Schema.Boolean,
  toolPermissions: Schema.Record(Schema.String, McpToolPermission),
  discovery: optional(Schema.String),
});
export type McpRegistration = typeof McpRegistration.Type;

/**
 * The registration that `input` (parsed JSON) states, or everything that is wrong with it. Unknown fields are refused. What is
 * left out is at its most careful: paused, without sampling, without permissions. What comes out is taken again unchanged.
 */
export const decode = (input: unknown): Result.Result<McpRegistration, ReadonlyArray<McpIssue>> => {
  const header = headerIssue(input) ?? endpointIssue(input);
  if (header !== undefined) return Result.fail([header]);
  const shaped = Result.mapError(validate(input), (found) =>
    found.map(({ path, message }) => issue("mcp.registration_contract_invalid", path, message)),
  );
  return Result.flatMap(shaped, (written) => {
    const found = [...checkMcpRegistration(written)];
    if (found.length > 0) return Result.fail(found);
    return Result.mapError(complete(completed(written)), (issues) =>
      issues.map(({ path, message }) => issue("mcp.registration_contract_invalid", path, message)),
    );
  });
};

/** What a gateway needs to reach the server. */
export const serverOf = ({ allowsSampling, endpoint, id, protocolVersion }: McpRegistration) => ({
  id,
  endpoint,
  protocolVersion,
  allowsSampling,
});

/** What the user permits of a tool; undefined where it is off. Whether it holds is another matter. */
export const permissionOf = (registration: McpRegistration, name: string): McpToolPermission | undefined =>
  Object.hasOwn(registration.toolPermissions, name) ? registration.toolPermissions[name] : undefined;

const validate = validator(WrittenMcpRegistration);
const complete = validator(McpRegistration);

const headerIssue = (input: unknown): McpIssue | undefined => {
  if (!Predicate.isObject(input) || Array.isArray(input))
    return issue("mcp.registration_contract_invalid", [], "A registration is a JSON object.");
  if (!("kind" in input) || input.kind !== registrationKind)
    return issue("mcp.registration_kind_invalid", ["kind"], `A registration has the kind "${registrationKind}".`);
  if (!("schemaVersion" in input) || input.schemaVersion !== registrationSchemaVersion)
    return issue(
      "mcp.registration_schema_unsupported",
      ["schemaVersion"],
      `This version reads registrations of schemaVersion ${registrationSchemaVersion}.`,
    );
  return undefined;
};

/** Says which kinds there are where another one is stated: the forms of all of them tell nobody that. */
const endpointIssue = (input: unknown): McpIssue | undefined => {
  const endpoint = fieldOf(input, "endpoint");
  const transport = fieldOf(endpoint, "transport");
  if (transport !== "http" && transport !== "stdio")
    return issue(
      "mcp.registration_contract_invalid",
      Predicate.isObject(endpoint) ? ["endpoint", "transport"] : ["endpoint"],
      'Say how the server is reached: by the transport "http", with a "url", or by "stdio", with a "command".',
    );
  const authorization = fieldOf(endpoint, "authorization");
  const grant = fieldOf(authorization, "grant");
  return authorization === undefined || grant === "person" || grant === "client"
    ? undefined
    : issue(
        "mcp.registration_contract_invalid",
        ["endpoint", "authorization", "grant"],
        'Access is granted by a "person" or to this side as a "client".',
      );
};

const fieldOf = (value: unknown, name: string): unknown =>
  Predicate.isObject(value) && Object.hasOwn(value, name)
    ? (value as Readonly<Record<string, unknown>>)[name]
    : undefined;

/** The same without spaces around names and addresses, and with all that was left out. */
const completed = ({ endpoint, ...written }: WrittenMcpRegistration): unknown => ({
  protocolVersion: "auto",
  state: "paused",
  allowsSampling: false,
  toolPermissions: {},
  ...written,
  displayName: (written.displayName ?? "").trim(),
  endpoint:
    endpoint.transport === "http"
      ? { headers: {}, ...endpoint, url: (endpoint.url ?? "").trim() }
      : { arguments: [], environment: {}, ...endpoint },
});
