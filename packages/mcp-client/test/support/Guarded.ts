/** A server that asks for authorization, and the authorization server in front of it, on one loopback port. */
import { createHash, randomUUID } from "node:crypto";
import type { ServerResponse } from "node:http";
import * as Effect from "effect/Effect";
import * as Loopback from "./Loopback.ts";
import * as Raw from "./Raw.ts";

export interface Guarded {
  readonly url: string;
  readonly requests: ReadonlyArray<Loopback.Seen>;
  /** The calls of tools that were let through. */
  readonly calls: ReadonlyArray<string>;
  /** What is granted counts no more; `refresh` says whether it can be renewed. */
  readonly expire: (refresh: "refreshable" | "for good") => void;
  /** What the tool needs more than the rest. */
  readonly demand: (scope: string) => void;
}

/** `token` answers requests for tokens before the ordinary answers: false leaves them to these. */
export const serve = (token: (form: URLSearchParams, seen: Loopback.Seen, response: ServerResponse) => boolean = no) =>
  Effect.gen(function* () {
    const state = { access: new Map<string, string>(), refresh: new Set<string>(), codes: new Map<string, Code>() };
    const calls: Array<string> = [];
    const demanded: Array<string> = [];

    const grant = (response: ServerResponse, scope: string) => {
      const [access, refresh] = [`access-${randomUUID()}`, `refresh-${randomUUID()}`];
      state.access.set(access, scope);
      state.refresh.add(refresh);
      answer(response, 200, { access_token: access, refresh_token: refresh, token_type: "Bearer", scope });
    };

    const exchange = (form: URLSearchParams, response: ServerResponse) => {
      const kind = form.get("grant_type");
      if (kind === "client_credentials") return grant(response, form.get("scope") ?? "");
      if (kind === "refresh_token" && state.refresh.delete(form.get("refresh_token") ?? ""))
        return grant(response, "read");
      const code = state.codes.get(form.get("code") ?? "");
      const hash = createHash("sha256")
        .update(form.get("code_verifier") ?? "")
        .digest("base64url");
      if (kind === "authorization_code" && code?.challenge === hash) return grant(response, code.scope);
      return answer(response, 400, { error: "invalid_request" });
    };

    const authorize = ({ searchParams: given }: URL, origin: string, response: ServerResponse) => {
      const code = `code-${randomUUID()}`;
      state.codes.set(code, { challenge: given.get("code_challenge") ?? "", scope: given.get("scope") ?? "" });
      const back = new URL(given.get("redirect_uri") ?? "");
      for (const [name, value] of [
        ["code", code],
        ["state", given.get("state") ?? ""],
        ["iss", origin],
      ] as const) {
        back.searchParams.set(name, value);
      }
      response.writeHead(302, { location: back.href }).end();
    };

    const guarded = (seen: Loopback.Seen, origin: string, response: ServerResponse) => {
      const scope = state.access.get((seen.headers.authorization ?? "").replace("Bearer ", ""));
      const metadata = `resource_metadata="${origin}/.well-known/oauth-protected-resource/mcp"`;
      if (scope === undefined) {
        return answer(response, 401, { error: "no" }, { "www-authenticate": `Bearer scope="read", ${metadata}` });
      }
      const asked = seen.method === "POST" ? (JSON.parse(seen.body) as Raw.Asked) : undefined;
      if (asked?.method !== "tools/call") return Raw.ordinarily(seen, response);
      const lack = demanded.find((name) => !scope.split(" ").includes(name));
      if (lack !== undefined) {
        const challenge = `Bearer error="insufficient_scope", scope="${lack}", ${metadata}`;
        return answer(response, 403, { error: "no" }, { "www-authenticate": challenge });
      }
      calls.push(scope);
      return Raw.ordinarily(seen, response);
    };

    const { url, requests } = yield* Loopback.serve((seen, response) => {
      const origin = `http://${seen.headers.host ?? ""}`;
      const asked = new URL(seen.path, origin);
      if (asked.pathname === "/mcp") return guarded(seen, origin, response);
      if (asked.pathname === "/authorize") return authorize(asked, origin, response);
      if (asked.pathname === "/register")
        return answer(response, 201, { ...(JSON.parse(seen.body) as object), client_id: "registered" });
      if (asked.pathname === "/token") {
        const form = new URLSearchParams(seen.body);
        return token(form, seen, response) ? undefined : exchange(form, response);
      }
      const found = documents(origin)[asked.pathname];
      return found === undefined ? answer(response, 404, {}) : answer(response, 200, found);
    });
    return {
      url,
      requests,
      calls,
      expire: (refresh) => {
        state.access.clear();
        if (refresh === "for good") state.refresh.clear();
      },
      demand: (scope) => void demanded.push(scope),
    } satisfies Guarded;
  });

interface Code {
  readonly challenge: string;
  readonly scope: string;
}

const no = () => false;

/** Writes JSON. */
export const answer = (
  response: ServerResponse,
  status: number,
  value: unknown,
  headers: Record<string, string> = {},
): void => {
  response.writeHead(status, { "content-type": "application/json", ...headers }).end(JSON.stringify(value));
};

const documents = (origin: string): Readonly<Record<string, unknown>> => ({
  "/.well-known/oauth-protected-resource/mcp": { resource: `${origin}/mcp`, authorization_servers: [origin] },
  "/.well-known/oauth-authorization-server": {
    issuer: origin,
    authorization_endpoint: `${origin}/authorize`,
    token_endpoint: `${origin}/token`,
    registration_endpoint: `${origin}/register`,
    response_types_supported: ["code"],
    code_challenge_methods_supported: ["S256"],
    token_endpoint_auth_methods_supported: ["none", "client_secret_basic"],
  },
});
