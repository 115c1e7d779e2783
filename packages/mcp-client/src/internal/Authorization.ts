/**
 * Requests to a server that asks for authorization: each has the token, and one that is refused for want of one is made
 * again once it is granted.
 *
 * Owns when authorization is asked for, and how often. The protocol's library does the asking: it finds the authorization
 * server, registers, exchanges and refreshes. A request that was refused was not looked at, so making it again repeats nothing.
 */
import type { McpAuthorization, McpFault, McpServer } from "@cahier/ports/McpGateway";
import type * as Library from "@modelcontextprotocol/client";
import type { FetchLike, OAuthClientProvider, OAuthDiscoveryState } from "@modelcontextprotocol/client";
import type * as Effect from "effect/Effect";
import { randomUUID } from "node:crypto";
import type { Authorizer } from "../Authorizer.ts";
import * as Exchange from "./Exchange.ts";
import { type Grants, spellingsOf } from "./Grants.ts";
import type { Hide } from "./hide.ts";
import { limits } from "./limits.ts";

export interface Circumstances {
  readonly sdk: typeof Library;
  readonly server: McpServer;
  readonly url: string;
  readonly authorization: McpAuthorization;
  /** The secret of the stated registration. */
  readonly secret: string | undefined;
  readonly authorizer: Authorizer | undefined;
  readonly grants: Grants;
  readonly hide: Hide;
  readonly run: <A, E>(effect: Effect.Effect<A, E>) => Promise<A>;
}

/** Puts tokens on the requests of `fetch`; asking for them goes over the same connections, without the headers of the server. */
export const over = (fetch: FetchLike, circumstances: Circumstances): FetchLike => {
  const { grants } = circumstances;
  const renew = renewal(fetch, circumstances);
  const attempt = async (input: string | URL, init: RequestInit | undefined, renewed: number): Promise<Response> => {
    const used = grants.tokens()?.access_token;
    const headers = new Headers(init?.headers);
    if (used !== undefined) headers.set("authorization", `Bearer ${used}`);
    const response = await fetch(input, { ...init, headers });
    const lack = lackOf(circumstances.sdk, response);
    if (lack === undefined) return response;
    const exchange = Exchange.current();
    if (exchange !== undefined) exchange.left = false;
    // What only listens or ends a session is not worth a person's time.
    if (init?.method !== "POST" || renewed >= most[lack.kind]) return response;
    await response.text().catch(() => "");
    await renew(lack, used, exchange);
    return attempt(input, init, renewed + 1);
  };
  return (input, init) => attempt(input, init, 0);
};

/** `token`: there is none that counts; `scope`: it does not allow enough. */
interface Lack {
  readonly kind: "token" | "scope";
  readonly scope: string | undefined;
  readonly metadata: URL | undefined;
}

/** How often authorization is asked for in one request: a server that refuses what it has granted does not get better. */
const most = { token: 1, scope: 2 } as const;

const lackOf = (sdk: typeof Library, response: Response): Lack | undefined => {
  if (response.status !== 401 && response.status !== 403) return undefined;
  const { resourceMetadataUrl: metadata, scope, error } = sdk.extractWWWAuthenticateParams(response);
  if (response.status === 401) return { kind: "token", scope, metadata };
  return error === "insufficient_scope" ? { kind: "scope", scope, metadata } : undefined;
};

type Renew = (lack: Lack, used: string | undefined, exchange: Exchange.Exchange | undefined) => Promise<void>;

/** Asks for authorization, once for all requests that want it at a time. */
const renewal = (fetch: FetchLike, circumstances: Circumstances): Renew => {
  const { grants, run } = circumstances;
  const state: { flight: Promise<void> | undefined } = { flight: undefined };
  const authorize = authorizing(fetch, circumstances);
  const renew: Renew = async (lack, used, exchange) => {
    if (grants.tokens()?.access_token !== used) return;
    await run(grants.load);
    if (grants.tokens()?.access_token !== used) return;
    await authorize(lack, exchange);
    await run(grants.save);
  };
  return async (lack, used, exchange) => {
    state.flight ??= Exchange.within(undefined, () => renew(lack, used, exchange)).finally(() => {
      state.flight = undefined;
    });
    try {
      await state.flight;
    } catch (error) {
      const reason = `the server could not be authorized: ${circumstances.hide.text(reasonOf(circumstances.sdk, error))}`;
      if (exchange !== undefined) exchange.trouble = reason;
      throw new AuthorizationFault(reason);
    }
  };
};

/** Its message is for the operator and repeats no secret. */
class AuthorizationFault extends Error {}

const authorizing = (fetch: FetchLike, circumstances: Circumstances) => {
  const { sdk, authorization, authorizer, grants, hide, server, run } = circumstances;
  const asked: { scope: string | undefined; metadata: URL | undefined } = { scope: undefined, metadata: undefined };
  const fetchFn = quietly(fetch, hide);
  return async (lack: Lack, exchange: Exchange.Exchange | undefined): Promise<void> => {
    const granted = grants.tokens()?.scope;
    asked.scope = sdk.computeScopeUnion(asked.scope, lack.kind === "scope" ? granted : undefined, lack.scope);
    asked.metadata = lack.metadata ?? asked.metadata;
    const scope = asked.scope ?? authorization.scope;
    const options = {
      serverUrl: circumstances.url,
      fetchFn,
      ...(scope === undefined ? {} : { scope }),
      ...(asked.metadata === undefined ? {} : { resourceMetadataUrl: asked.metadata }),
    };
    const provider = providerOf(circumstances);
    const forceReauthorization = lack.kind === "scope" && sdk.isStrictScopeSuperset(scope, granted);
    const ask = (isAnew: boolean) => sdk.auth(provider, { ...options, forceReauthorization: isAnew });
    const outcome = await ask(forceReauthorization).catch((error: unknown) => {
      // What renews a grant may have expired as well, in whatever words the server says so.
      const mayAskAnew = error instanceof sdk.OAuthError && grants.tokens()?.refresh_token !== undefined;
      if (forceReauthorization || !mayAskAnew) throw error;
      return ask(true);
    });
    if (outcome === "AUTHORIZED") return;
    const { page, state } = provider;
    if (authorizer === undefined || page === undefined) throw new AuthorizationFault("nobody can be shown a page here");
    // A page cannot be shown with parts left out.
    if (hide.json(page) !== page) throw new AuthorizationFault("the address of the page repeats a secret");
    const opened = authorizer.open(server.id, page);
    const back = new URL(await run(exchange === undefined ? opened : exchange.paused(opened)));
    const given = back.searchParams;
    const issuer = given.get("iss") ?? undefined;
    const code = given.get("code");
    if (given.get("state") !== state()) throw new AuthorizationFault("the page led back from another request");
    if (code === null) {
      throw new AuthorizationFault(`the page led back without a grant (${given.get("error") ?? "no reason given"})`);
    }
    hide.add([code]);
    await sdk.auth(provider, { ...options, authorizationCode: code, ...(issuer === undefined ? {} : { iss: issuer }) });
  };
};

/** The library speaks of what it was answered, also on the console: no answer that says no repeats a secret. */
const quietly =
  (fetch: FetchLike, hide: Hide): FetchLike =>
  async (input, init) => {
    const response = await fetch(input, { ...init, signal: AbortSignal.timeout(limits.connectMs) });
    if (response.ok) return response;
    const { status, headers } = response;
    return new Response(hide.json(await response.text()), { status, headers });
  };

interface Provider extends OAuthClientProvider {
  /** The page that a person has to be shown. */
  readonly page: string | undefined;
  readonly state: () => string;
}

/** One time of asking, as the library wants to be told of it. */
const providerOf = (circumstances: Circumstances): Provider => {
  const { sdk, authorization, authorizer, grants, hide, secret } = circumstances;
  const { registration } = authorization;
  const isPerson = authorization.grant === "person";
  const state = randomUUID();
  const flow: { verifier: string; discovery: OAuthDiscoveryState | undefined; page: string | undefined } = {
    verifier: "",
    discovery: undefined,
    page: undefined,
  };
  const signedWith = registration?.signedWith;
  const stated = registration === undefined ? undefined : registrationOf(registration, secret);
  if (stated !== undefined) hide.add(spellingsOf(stated));
  return {
    get page() {
      return flow.page;
    },
    state: () => state,
    redirectUrl: isPerson ? (authorizer?.redirectUrl ?? "http://127.0.0.1/") : undefined,
    clientMetadata: {
      client_name: "Cahier",
      redirect_uris: isPerson && authorizer !== undefined ? [authorizer.redirectUrl] : [],
      grant_types: isPerson ? ["authorization_code", "refresh_token"] : ["client_credentials"],
      response_types: isPerson ? ["code"] : [],
      ...(signedWith === undefined ? {} : { token_endpoint_auth_method: "private_key_jwt" }),
    },
    ...(authorizer?.clientMetadataUrl === undefined ? {} : { clientMetadataUrl: authorizer.clientMetadataUrl }),
    clientInformation: (context) => stated ?? (context === undefined ? undefined : grants.registration(context.issuer)),
    ...(stated === undefined
      ? {
          saveClientInformation: (found, context) =>
            grants.setRegistration(context?.issuer ?? found.issuer ?? "", found),
        }
      : {}),
    tokens: () => grants.tokens(),
    saveTokens: (tokens) => grants.setTokens(tokens),
    saveCodeVerifier: (verifier) => {
      flow.verifier = verifier;
      hide.add([verifier]);
    },
    codeVerifier: () => flow.verifier,
    saveDiscoveryState: (found) => void (flow.discovery = found),
    discoveryState: () => flow.discovery,
    redirectToAuthorization: (page) => void (flow.page = page.href),
    invalidateCredentials: (scope) => {
      if (scope === "all" || scope === "tokens") grants.setTokens(undefined);
      if (scope === "all" || scope === "client") grants.forgetRegistrations();
    },
    ...(isPerson
      ? {}
      : {
          prepareTokenRequest: (scope) =>
            new URLSearchParams({ grant_type: "client_credentials", ...(scope === undefined ? {} : { scope }) }),
        }),
    ...(registration === undefined || signedWith === undefined
      ? {}
      : {
          addClientAuthentication: sdk.createPrivateKeyJwtAuth({
            issuer: registration.id,
            subject: registration.id,
            privateKey: secret ?? "",
            alg: signedWith,
          }),
        }),
  };
};

const registrationOf = (
  { id, issuer, signedWith }: NonNullable<McpAuthorization["registration"]>,
  secret?: string,
) => ({
  client_id: id,
  ...(issuer === undefined ? {} : { issuer }),
  ...(secret === undefined || signedWith !== undefined ? {} : { client_secret: secret }),
});

const reasonOf = (sdk: typeof Library, error: unknown): string => {
  // What an authorization server that is not the asked one says is not told on.
  if (error instanceof sdk.IssuerMismatchError)
    return "the authorization server is another than the one that was asked";
  if (isFault(error)) return error.detail;
  return error instanceof Error ? error.message : String(error);
};

const isFault = (error: unknown): error is McpFault =>
  error instanceof Error && "_tag" in error && error._tag === "McpFault";
