/**
 * How a connection to an endpoint is made and unmade, for each kind of endpoint.
 */
import type { McpAuthorization, McpEndpoint, McpServer, McpValue } from "@cahier/ports/McpGateway";
import type { SecretStore } from "@cahier/ports/SecretStore";
import type * as Library from "@modelcontextprotocol/client";
import type { Client, Transport } from "@modelcontextprotocol/client";
import * as Effect from "effect/Effect";
import * as FiberSet from "effect/FiberSet";
import * as Redacted from "effect/Redacted";
import type * as Scope from "effect/Scope";
import type { Authorizer } from "../Authorizer.ts";
import * as Authorization from "./Authorization.ts";
import { ConnectFault } from "./Fault.ts";
import * as Grants from "./Grants.ts";
import * as hiding from "./hide.ts";
import * as HttpFetch from "./HttpFetch.ts";
import { limits } from "./limits.ts";
import { StdioTransport } from "./StdioTransport.ts";
import * as Wire from "./Wire.ts";

/** Headers or environment with their secrets in the clear, and what hides these. */
export interface Values {
  readonly texts: Readonly<Record<string, string>>;
  /** The secret of the registration at an authorization server. */
  readonly secret: string | undefined;
  readonly hide: hiding.Hide;
}

/** Reads the secrets of an endpoint. */
export const resolve = Effect.fnUntraced(function* (endpoint: McpEndpoint, secrets: SecretStore["Service"]) {
  const stated = Object.entries(endpoint.transport === "http" ? endpoint.headers : endpoint.environment);
  const read = yield* Effect.forEach(stated, ([name, value]) => valueOf(name, value, secrets));
  const registered = endpoint.transport === "http" ? endpoint.authorization?.registration?.secret : undefined;
  const own = registered === undefined ? undefined : yield* valueOf("the registration", registered, secrets);
  const isHttp = endpoint.transport === "http";
  const unfit = isHttp ? read.find(({ name, text }) => !isToken.test(name) || !isFieldValue.test(text)) : undefined;
  if (unfit !== undefined) {
    return yield* new ConnectFault({
      kind: "failed",
      detail: `the header ${JSON.stringify(unfit.name)} cannot be sent as it is`,
    });
  }
  return {
    texts: Object.fromEntries(read.map(({ name, text }) => [name, text])),
    secret: own?.text,
    hide: hiding.of(
      [...read, ...(own === undefined ? [] : [own])].filter(({ isSecret }) => isSecret).map(({ text }) => text),
    ),
  } satisfies Values;
});

const isToken = /^[!#$%&'*+\-.^_`|~\dA-Za-z]+$/;
const isFieldValue = /^[\t\x20-\x7e\x80-\xff]*$/;

const valueOf = (name: string, value: McpValue, secrets: SecretStore["Service"]) => {
  if (typeof value === "string") return Effect.succeed({ name, text: value, isSecret: false });
  return Effect.mapBoth(secrets.resolve(value.secret), {
    onSuccess: (secret) => ({ name, text: Redacted.value(secret), isSecret: true }),
    onFailure: (fault) =>
      new ConnectFault({
        kind: "failed",
        detail:
          fault._tag === "NotFound"
            ? `the secret ${value.secret.key}, which ${name} refers to, has no value`
            : `the secret ${value.secret.key}, which ${name} refers to, cannot be read now`,
      }),
  });
};

export interface Opened {
  readonly wire: Transport;
  /** The end of what a process has said on its error output, secrets left out. */
  readonly said: () => string;
  /** How a process has ended by itself. */
  readonly ended: () => string | undefined;
  /** Ends the session where the server keeps one, then the connection, within the time for closing. */
  readonly end: (client: Client) => Effect.Effect<void>;
}

/** Makes the transport; whatever it has opened is ended with the scope. */
export const open = (
  server: McpServer,
  values: Values,
  sdk: typeof Library,
  authorizer: Authorizer | undefined,
): Effect.Effect<Opened, ConnectFault, Scope.Scope> =>
  server.endpoint.transport === "http"
    ? openHttp(server, server.endpoint, values, sdk, authorizer)
    : openProcess(server.endpoint, values);

const openHttp = Effect.fnUntraced(function* (
  server: McpServer,
  endpoint: Extract<McpEndpoint, { readonly transport: "http" }>,
  values: Values,
  sdk: typeof Library,
  authorizer: Authorizer | undefined,
) {
  if (!URL.canParse(endpoint.url))
    return yield* new ConnectFault({ kind: "failed", detail: "the address of the server is no URL" });
  const connection = HttpFetch.make(endpoint.network ?? "public");
  const transport = new sdk.StreamableHTTPClientTransport(new URL(endpoint.url), {
    fetch:
      endpoint.authorization === undefined
        ? connection.fetch
        : yield* authorized(
            server,
            { ...endpoint, authorization: endpoint.authorization },
            connection.fetch,
            values,
            sdk,
            authorizer,
          ),
    requestInit: { headers: values.texts },
  });
  const shut = Effect.andThen(
    Effect.ignore(Effect.tryPromise(() => transport.close())),
    Effect.sync(() => connection.close()),
  );
  yield* Effect.addFinalizer(() => shut);
  return {
    wire: Wire.over(transport),
    said: () => "",
    ended: () => undefined,
    end: (client) =>
      Effect.tryPromise(() => transport.terminateSession()).pipe(
        Effect.timeout(limits.closeMs),
        Effect.ignore,
        Effect.andThen(Effect.ignore(Effect.tryPromise(() => client.close()))),
        Effect.andThen(shut),
      ),
  } satisfies Opened;
});

const authorized = Effect.fnUntraced(function* (
  server: McpServer,
  { url, authorization }: { readonly url: string; readonly authorization: McpAuthorization },
  fetch: Library.FetchLike,
  { secret, hide }: Values,
  sdk: typeof Library,
  authorizer: Authorizer | undefined,
) {
  const keeper = authorization.grant === "person" ? authorizer : undefined;
  const grants = Grants.make(server.id, url, keeper, hide);
  yield* Effect.mapError(grants.load, ({ detail }) => new ConnectFault({ kind: "failed", detail: hide.text(detail) }));
  const run = yield* FiberSet.makeRuntimePromise();
  return Authorization.over(fetch, { sdk, server, url, authorization, secret, authorizer, grants, hide, run });
});

const openProcess = Effect.fnUntraced(function* (
  endpoint: Extract<McpEndpoint, { readonly transport: "stdio" }>,
  values: Values,
) {
  const transport = new StdioTransport({
    command: endpoint.command,
    arguments: endpoint.arguments,
    environment: values.texts,
    folder: endpoint.folder,
  });
  const shut = Effect.ignore(Effect.tryPromise(() => transport.close()));
  yield* Effect.addFinalizer(() => shut);
  return {
    wire: Wire.over(transport),
    said: () => values.hide.end(transport.said.text, transport.said.isWhole),
    ended: () => transport.end,
    end: () => shut,
  } satisfies Opened;
});
