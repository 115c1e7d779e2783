/**
 * The gateway to servers of the Model Context Protocol, over the protocol's own library, in both of its eras.
 *
 * Owns sessions, discovery and calls, and the codes by which they fail. Does not own registrations, permissions or kept
 * catalogues. Secrets are read when a session is opened; no fault, diagnostic or outcome repeats one.
 */
import { McpFault, McpGateway, type McpCatalogue, type McpHost, type McpServer } from "@cahier/ports/McpGateway";
import { SecretStore } from "@cahier/ports/SecretStore";
import type * as Duration from "effect/Duration";
import * as Effect from "effect/Effect";
import * as Layer from "effect/Layer";
import type { Authorizer } from "./Authorizer.ts";
import { callTool } from "./internal/callTool.ts";
import * as catalogue from "./internal/catalogue.ts";
import * as Exchange from "./internal/Exchange.ts";
import { type ConnectFault, RequestFault } from "./internal/Fault.ts";
import { isObject, type JsonObject } from "./internal/json.ts";
import { limits } from "./internal/limits.ts";
import * as paging from "./internal/paging.ts";
import * as schemaFault from "./internal/schemaFault.ts";
import type { Session } from "./internal/Session.ts";
import * as Sessions from "./internal/Sessions.ts";

/** `version` is what servers are told of this client; `idle` how long an unused session is kept, a minute by default. */
export interface Options {
  /** Without it no server can be used that a person has to authorize. */
  readonly authorizer?: Authorizer;
  readonly version?: string;
  readonly idle?: Duration.Input;
}

/** Makes the gateway over the secrets in context; its sessions and processes end with the scope. */
export const make = Effect.fnUntraced(function* (options?: Options) {
  const sessions = yield* Sessions.make(yield* SecretStore, {
    identity: { name: "cahier", version: options?.version ?? "0.0.0" },
    idle: options?.idle ?? limits.idleMs,
    authorizer: options?.authorizer,
  });
  return McpGateway.of({
    discover: Effect.fn("McpClient.discover")((server: McpServer, host?: McpHost) =>
      withSession(sessions, server, (session) => discovered(session, host)).pipe(asFault(ofDiscovery)),
    ),
    call: Effect.fn("McpClient.call")((server, call, host) => callTool(sessions, server, call, host)),
    list: Effect.fn("McpClient.list")((server, list) =>
      withSession(sessions, server, (session) => listed(session, list)).pipe(asFault(ofRequests)),
    ),
    readResource: Effect.fn("McpClient.readResource")((server, uri) =>
      withSession(sessions, server, (session) => asked(session, "resources", "resources/read", { uri })).pipe(
        asFault(ofRequests),
      ),
    ),
    getPrompt: Effect.fn("McpClient.getPrompt")((server, name, given) =>
      withSession(sessions, server, (session) =>
        asked(session, "prompts", "prompts/get", { name, arguments: given }),
      ).pipe(asFault(ofRequests)),
    ),
    close: sessions.close,
  });
});

/** The gateway as a layer. */
export const layer = (options?: Options): Layer.Layer<McpGateway, never, SecretStore> =>
  Layer.effect(McpGateway, make(options));

/** A server that does not know the session any more has not looked at the request: it is made in another, once. */
const withSession = <A, E>(
  sessions: Sessions.Sessions,
  server: McpServer,
  use: (session: Session) => Effect.Effect<A, E | RequestFault>,
): Effect.Effect<A, E | RequestFault | ConnectFault> => {
  const once = Effect.scoped(Effect.flatMap(sessions.get(server), use));
  return Effect.catchIf(once, isSessionLost, () => once);
};

const isSessionLost = (fault: unknown): boolean => fault instanceof RequestFault && fault.kind === "sessionLost";

const discovered = Effect.fnUntraced(function* (session: Session, host: McpHost | undefined) {
  session.tell(host);
  const stated =
    session.capabilities.tools === undefined
      ? []
      : yield* paging.all(session, { method: "tools/list", items: "tools", most: limits.tools });
  session.remember(
    new Map(
      stated
        .filter(isObject)
        .flatMap((tool) => (typeof tool["name"] === "string" ? [[tool["name"], tool] as const] : [])),
    ),
  );
  const validators = yield* Effect.promise(() => import("@modelcontextprotocol/client/validators/ajv"));
  const { tools, diagnostics } = catalogue.read(stated, {
    checkSchema: schemaFault.checker(validators.AjvJsonSchemaValidator),
    repeatsInHeaders: session.repeatsInHeaders,
  });
  const { peer, instructions } = session;
  const nameless =
    peer === undefined
      ? [catalogue.diagnostic("mcp.discovery_peer_info_missing", "the server does not say what it is")]
      : [];
  return {
    peer: session.hide.json({ name: peer?.name ?? "", version: peer?.version ?? "" }),
    protocolVersion: session.protocolVersion,
    ...(instructions === undefined ? {} : { instructions: session.hide.json(instructions) }),
    tools,
    diagnostics: [...diagnostics.map((found) => ({ ...found, detail: session.hide.text(found.detail) })), ...nameless],
  } satisfies McpCatalogue;
});

const lists = {
  resources: { method: "resources/list", items: "resources", capability: "resources" },
  resourceTemplates: { method: "resources/templates/list", items: "resourceTemplates", capability: "resources" },
  prompts: { method: "prompts/list", items: "prompts", capability: "prompts" },
} as const;

const listed = (session: Session, list: keyof typeof lists) => {
  const { capability, ...asked } = lists[list];
  return session.capabilities[capability] === undefined
    ? Effect.succeed([])
    : paging.all(session, { ...asked, most: Number.POSITIVE_INFINITY });
};

const asked = (session: Session, capability: "resources" | "prompts", method: string, params: JsonObject) =>
  session.capabilities[capability] === undefined
    ? Effect.fail(new RequestFault({ kind: "unsupported", detail: `the server offers no ${capability}` }))
    : session.request(new Exchange.Exchange(), { method, params }).pipe(
        Effect.timeoutOrElse({
          duration: limits.requestMs,
          orElse: () =>
            Effect.fail(
              new paging.PagingFault({
                kind: "timeout",
                detail: `there was no answer within ${limits.requestMs / 1000} s`,
              }),
            ),
        }),
      );

/** The codes of one kind of operation, by what went wrong. */
type Codes = Readonly<
  Record<
    `connect:${ConnectFault["kind"]}` | `request:${RequestFault["kind"]}` | `paging:${paging.PagingFault["kind"]}`,
    string
  >
>;

const ofDiscovery: Codes = {
  "connect:timeout": "mcp.discovery_initialize_timeout",
  "connect:failed": "mcp.discovery_initialize_failed",
  "connect:peerInfoMissing": "mcp.discovery_peer_info_missing",
  "paging:timeout": "mcp.discovery_list_timeout",
  "paging:pages": "mcp.discovery_pages_exceeded",
  "paging:items": "mcp.discovery_tools_exceeded",
  "paging:bytes": "mcp.discovery_catalogue_too_large",
  "request:serverError": "mcp.discovery_list_failed",
  "request:sessionLost": "mcp.discovery_list_failed",
  "request:closed": "mcp.discovery_list_failed",
  "request:unsupported": "mcp.discovery_list_failed",
  "request:failed": "mcp.discovery_list_failed",
};

const ofRequests: Codes = {
  "connect:timeout": "mcp.request_initialize_timeout",
  "connect:failed": "mcp.request_initialize_failed",
  "connect:peerInfoMissing": "mcp.request_initialize_failed",
  "paging:timeout": "mcp.request_timeout",
  "paging:pages": "mcp.request_list_too_long",
  "paging:items": "mcp.request_list_too_long",
  "paging:bytes": "mcp.request_list_too_long",
  "request:serverError": "mcp.request_server_error",
  "request:sessionLost": "mcp.request_failed",
  "request:closed": "mcp.request_failed",
  "request:unsupported": "mcp.request_unsupported",
  "request:failed": "mcp.request_failed",
};

const asFault = (codes: Codes) =>
  Effect.mapError((fault: ConnectFault | RequestFault | paging.PagingFault) => faultOf(codes, fault));

const faultOf = (codes: Codes, fault: ConnectFault | RequestFault | paging.PagingFault): McpFault => {
  const { detail } = fault;
  if (fault._tag === "ConnectFault") return new McpFault({ code: codes[`connect:${fault.kind}`], detail });
  if (fault._tag === "PagingFault") return new McpFault({ code: codes[`paging:${fault.kind}`], detail });
  return new McpFault({ code: codes[`request:${fault.kind}`], detail });
};
