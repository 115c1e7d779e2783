/**
 * One connection to a server, from the handshake to its end.
 *
 * Owns the client of the library over a transport, requests through it, and the notice that lists have changed. Does not
 * own when it is opened anew: see `Sessions`. Secrets are read when it is opened and live as long as it does.
 */
import type { McpHost, McpServer } from "@cahier/ports/McpGateway";
import type { SecretStore } from "@cahier/ports/SecretStore";
import type { Client, ClientOptions, ServerCapabilities } from "@modelcontextprotocol/client";
import * as Effect from "effect/Effect";
import type { Authorizer } from "../Authorizer.ts";
import * as Exchange from "./Exchange.ts";
import { ConnectFault, RequestFault } from "./Fault.ts";
import type * as hiding from "./hide.ts";
import { isObject, type JsonObject } from "./json.ts";
import { judge, statusOf } from "./judge.ts";
import { limits } from "./limits.ts";
import * as questions from "./questions.ts";
import { ask, longest, type Request } from "./Request.ts";
import * as ToolCaller from "./ToolCaller.ts";
import * as Transports from "./Transports.ts";

export interface Session {
  readonly server: McpServer;
  readonly peer: { readonly name: string; readonly version: string } | undefined;
  readonly protocolVersion: string;
  readonly instructions: string | undefined;
  readonly capabilities: ServerCapabilities;
  /** Arguments are repeated in headers where a tool says so. */
  readonly repeatsInHeaders: boolean;
  readonly hide: hiding.Hide;
  /** False once the connection is gone, or the server has shown that it does not know it. */
  readonly isAlive: () => boolean;
  /** The result of a request as it came. Interrupting it tells the server, and what has not left does not leave. */
  readonly request: (exchange: Exchange.Exchange, request: Request) => Effect.Effect<JsonObject, RequestFault>;
  /** Remembers whom to tell of changed lists. */
  readonly tell: (host: McpHost | undefined) => void;
  /** What tools are called like, where headers have to repeat arguments. */
  readonly remember: (tools: ReadonlyMap<string, JsonObject>) => void;
  /** Ends the session, and every request of it, within the time for closing. */
  readonly end: Effect.Effect<void>;
}

/** How this client names itself. */
export interface Identity {
  readonly name: string;
  readonly version: string;
}

/** What a session is opened with. */
export interface Means {
  readonly secrets: SecretStore["Service"];
  readonly identity: Identity;
  readonly authorizer: Authorizer | undefined;
  /** Runs what a person does for the handshake without its time going on. */
  readonly paused: <A, E>(effect: Effect.Effect<A, E>) => Effect.Effect<A, E>;
}

/** Opens a session, which ends with its scope. */
export const open = Effect.fn("McpSession.open")(function* (server: McpServer, means: Means) {
  const sdk = yield* Effect.promise(() => import("@modelcontextprotocol/client"));
  const values = yield* Transports.resolve(server.endpoint, means.secrets);
  const attempt = (mode: Mode) =>
    Effect.gen(function* () {
      const transport = yield* Transports.open(server, values, sdk, means.authorizer);
      const client = new sdk.Client(means.identity, optionsOf(server, mode));
      const exchange = new Exchange.Exchange({ host: undefined, voice: undefined, paused: means.paused });
      yield* handshake(client, transport, exchange, values.hide);
      return make(server, client, transport, values.hide);
    });
  const mode: Mode = server.protocolVersion === "auto" ? "auto" : "stated";
  if (mode === "stated" || server.endpoint.transport === "http") return yield* attempt(mode);
  // A process may end when it is asked about a protocol that it does not know: only what it then does of itself tells.
  return yield* Effect.catchTag(attempt(mode), "ConnectFault", (fault) =>
    fault.kind === "failed" ? attempt("older") : Effect.fail(fault),
  );
});

type Mode = "auto" | "stated" | "older";

const optionsOf = (server: McpServer, mode: Mode): ClientOptions => {
  const capabilities = questions.capabilitiesOf(server);
  const version = server.protocolVersion;
  if (mode === "auto") {
    const probe = server.endpoint.transport === "stdio" ? { timeoutMs: limits.probeMs } : {};
    return { capabilities, versionNegotiation: { mode: "auto", probe } };
  }
  if (mode === "older" || version === "auto") return { capabilities };
  return version === "2026-07-28"
    ? { capabilities, versionNegotiation: { mode: { pin: version } } }
    : { capabilities, supportedProtocolVersions: [version] };
};

const handshake = (
  client: Client,
  transport: Transports.Opened,
  exchange: Exchange.Exchange,
  hide: hiding.Hide,
): Effect.Effect<void, ConnectFault> =>
  Effect.callback<void, ConnectFault>((resume) => {
    const fail = (error: unknown) => resume(Effect.fail(connectFault(exchange, error, transport, hide)));
    exchange.lose = (reason) => fail(new Error(reason));
    Exchange.within(exchange, () => client.connect(transport.wire, { timeout: longest })).then(
      () => resume(Effect.void),
      fail,
    );
    return Effect.sync(() => exchange.abandon());
  });

const connectFault = (exchange: Exchange.Exchange, error: unknown, transport: Transports.Opened, hide: hiding.Hide) => {
  const said = judge(exchange, error, {
    hide,
    hasSession: false,
    isClosed: false,
    said: transport.said,
    ended: transport.ended,
  });
  if (said instanceof RequestFault) return new ConnectFault({ kind: "failed", detail: said.detail });
  const kind = "protocolVersion" in said && !isObject(said["serverInfo"]) ? "peerInfoMissing" : "failed";
  const detail =
    kind === "failed"
      ? hide.text(error instanceof Error ? error.message : "the handshake failed")
      : "the server does not say what it is";
  return new ConnectFault({ kind, detail });
};

const make = (server: McpServer, client: Client, transport: Transports.Opened, hide: hiding.Hide): Session => {
  const active = new Set<Exchange.Exchange>();
  const state = {
    isAlive: true,
    isClosed: false,
    host: undefined as McpHost | undefined,
  };
  const isModern = client.getProtocolEra() === "modern";
  const repeatsInHeaders = isModern && server.endpoint.transport === "http";
  const tools = ToolCaller.make(client);
  Object.assign(client, { onclose: () => void (state.isAlive = false) });
  questions.answer(client, { server, hide, active: () => [...active] });
  listen(client, isModern, (list) => state.host?.listChanged?.(server.id, list));

  const request = (exchange: Exchange.Exchange, asked: Request) =>
    Effect.callback<JsonObject, RequestFault>((resume) => {
      const controller = new AbortController();
      exchange.method = asked.method;
      active.add(exchange);
      const settle = (error?: unknown) => {
        active.delete(exchange);
        const status = statusOf(error);
        if (!isModern && (status === 404 || status === 400)) state.isAlive = false;
        const found = judge(exchange, error, {
          hide,
          hasSession: transport.wire.sessionId !== undefined,
          isClosed: state.isClosed,
          said: transport.said,
          ended: transport.ended,
        });
        resume(found instanceof RequestFault ? Effect.fail(found) : Effect.succeed(found));
      };
      exchange.lose = (reason) => {
        settle(new Error(reason));
        controller.abort("the answer was lost");
      };
      Exchange.within(exchange, () =>
        asked.method === "tools/call" && repeatsInHeaders
          ? tools.call(asked, controller.signal)
          : ask(client, asked, controller.signal),
      ).then(() => settle(), settle);
      return Effect.sync(() => {
        active.delete(exchange);
        controller.abort("the caller does not wait any longer");
        exchange.abandon();
      });
    });

  const end = Effect.suspend(() => {
    state.isClosed = true;
    state.isAlive = false;
    return transport.end(client);
  });

  return {
    server,
    peer: client.getServerVersion(),
    protocolVersion: client.getNegotiatedProtocolVersion() ?? "",
    instructions: client.getInstructions(),
    capabilities: client.getServerCapabilities() ?? {},
    repeatsInHeaders,
    hide,
    isAlive: () => state.isAlive,
    request,
    tell: (host) => {
      if (host?.listChanged !== undefined) state.host = host;
    },
    remember: tools.remember,
    end,
  };
};

const lists = ["tools", "resources", "prompts"] as const;

/** In the older protocol notices come by themselves; in the newer one they are asked for, and not having them is no failure. */
const listen = (client: Client, isModern: boolean, changed: (list: (typeof lists)[number]) => void): void => {
  const capabilities = client.getServerCapabilities() ?? {};
  const told = lists.filter((list) => capabilities[list]?.listChanged === true);
  for (const list of told) client.setNotificationHandler(`notifications/${list}/list_changed`, () => changed(list));
  if (!isModern || told.length === 0) return;
  const filter = Object.fromEntries(told.map((list) => [`${list}ListChanged`, true as const]));
  Exchange.within(undefined, () => client.listen(filter, { timeout: limits.requestMs })).catch(() => undefined);
};
