/**
 * A registration of an MCP server as people and other programs write it, before its rules are checked.
 */
import * as Schema from "effect/Schema";
import { SecretReference } from "../model/ModelRequest.ts";
import { McpToolDefinition } from "./McpToolDefinition.ts";

const closed = <const Fields extends Schema.Struct.Fields>(fields: Fields): Schema.Struct<Fields> =>
  Schema.Struct(fields).annotate({
    messageUnexpectedKey: "This is not a field of a registration; remove it or correct its name.",
  });

const optional = Schema.optionalKey;
const text = optional(Schema.String);

/** A value that is stated, or one that a secret has. */
export const McpValue = Schema.Union([Schema.String, Schema.Struct({ secret: SecretReference })]);
export type McpValue = typeof McpValue.Type;

/** What this side is called at an authorization server that knows it already; `signedWith`: the secret is a private key in PEM. */
const ClientRegistration = closed({
  id: Schema.String,
  issuer: text,
  secret: optional(McpValue),
  signedWith: text,
});

/** How a server that asks for authorization comes to grant it: by a person, or to this side for what it is registered as. */
export const McpAuthorization = Schema.Union([
  closed({ grant: Schema.Literal("person"), registration: optional(ClientRegistration), scope: text }),
  closed({ grant: Schema.Literal("client"), registration: ClientRegistration, scope: text }),
]);
export type McpAuthorization = typeof McpAuthorization.Type;

const values = optional(Schema.Record(Schema.String, McpValue));

/** What must be there may be missing here, so that each thing is refused with its own code and a sentence. */
export const WrittenMcpRegistration = closed({
  kind: Schema.String,
  schemaVersion: Schema.Finite,
  id: text,
  displayName: text,
  endpoint: Schema.Union([
    closed({
      transport: Schema.Literal("http"),
      url: text,
      headers: values,
      network: optional(Schema.Literal("private")),
      authorization: optional(McpAuthorization),
    }),
    closed({
      transport: Schema.Literal("stdio"),
      command: text,
      arguments: optional(Schema.Array(Schema.String)),
      environment: values,
      folder: text,
    }),
  ]),
  protocolVersion: text,
  state: optional(Schema.Literals(["active", "paused"])),
  allowsSampling: optional(Schema.Boolean),
  toolPermissions: optional(
    Schema.Record(
      Schema.String,
      closed({
        permission: Schema.Literals(["off", "ask", "allow"]),
        definition: McpToolDefinition,
        isPaused: optional(Schema.Literal(true)),
      }),
    ),
  ),
  discovery: text,
});
export type WrittenMcpRegistration = typeof WrittenMcpRegistration.Type;
