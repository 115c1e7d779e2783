/**
 * An MCP server over HTTP that asks for authorization, and the authorization server in front of it, on one loopback port.
 */
import { createHash, randomUUID } from "node:crypto";
import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";

export interface GuardedServer {
  readonly url: string;
  readonly close: () => void;
}

/** One tool, `echo`, for whoever has been allowed on the page. */
export const open = async (): Promise<GuardedServer> => {
  const challenges = new Map<string, string>();
  const tokens = new Set<string>();
  const server = createServer((request, response) => {
    void text(request).then((body) => {
      const origin = `http://${request.headers.host}`;
      const asked = new URL(request.url ?? "/", origin);
      switch (asked.pathname) {
        case "/mcp":
          return tokens.has((request.headers.authorization ?? "").replace("Bearer ", ""))
            ? answerMcp(request, body, response)
            : json(response, 401, {}, { "www-authenticate": `Bearer resource_metadata="${origin}${metadata}"` });
        case "/authorize":
          return lead(asked, origin, challenges, response);
        case "/register":
          return json(response, 201, { ...(JSON.parse(body) as object), client_id: "registered" });
        case "/token":
          return exchange(new URLSearchParams(body), challenges, tokens, response);
        case metadata:
          return json(response, 200, { resource: `${origin}/mcp`, authorization_servers: [origin] });
        case "/.well-known/oauth-authorization-server":
          return json(response, 200, {
            issuer: origin,
            authorization_endpoint: `${origin}/authorize`,
            token_endpoint: `${origin}/token`,
            registration_endpoint: `${origin}/register`,
            response_types_supported: ["code"],
            code_challenge_methods_supported: ["S256"],
            token_endpoint_auth_methods_supported: ["none"],
          });
        default:
          return json(response, 404, {});
      }
    });
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`,
    close: () => {
      server.close();
      server.closeAllConnections();
    },
  };
};

const metadata = "/.well-known/oauth-protected-resource/mcp";

const json = (response: ServerResponse, status: number, value: unknown, headers: Record<string, string> = {}): void => {
  response.writeHead(status, { "content-type": "application/json", ...headers }).end(JSON.stringify(value));
};

const lead = (
  { searchParams }: URL,
  origin: string,
  challenges: Map<string, string>,
  response: ServerResponse,
): void => {
  const code = randomUUID();
  challenges.set(code, searchParams.get("code_challenge") ?? "");
  const back = new URL(searchParams.get("redirect_uri") ?? "");
  back.search = new URLSearchParams({ code, state: searchParams.get("state") ?? "", iss: origin }).toString();
  response.writeHead(302, { location: back.href }).end();
};

const exchange = (
  form: URLSearchParams,
  challenges: Map<string, string>,
  tokens: Set<string>,
  response: ServerResponse,
): void => {
  const proof = createHash("sha256")
    .update(form.get("code_verifier") ?? "")
    .digest("base64url");
  if (challenges.get(form.get("code") ?? "") !== proof) return json(response, 400, { error: "invalid_grant" });
  const access = `access-${randomUUID()}`;
  tokens.add(access);
  return json(response, 200, { access_token: access, token_type: "Bearer", expires_in: 3600 });
};

interface Asked {
  readonly id?: number;
  readonly method: string;
  readonly params?: Readonly<Record<string, unknown>>;
}

const answerMcp = ({ method }: IncomingMessage, body: string, response: ServerResponse): void => {
  if (method !== "POST") return void response.writeHead(405).end();
  const asked = JSON.parse(body) as Asked;
  if (asked.id === undefined) return void response.writeHead(202).end();
  const result = resultOf(asked);
  return json(
    response,
    200,
    result === undefined
      ? { jsonrpc: "2.0", id: asked.id, error: { code: -32_601, message: "There is no such method." } }
      : { jsonrpc: "2.0", id: asked.id, result },
  );
};

const resultOf = ({ method, params }: Asked): object | undefined => {
  switch (method) {
    case "initialize":
      return {
        protocolVersion: params?.["protocolVersion"],
        capabilities: { tools: {} },
        serverInfo: { name: "guarded", version: "1" },
      };
    case "tools/list":
      return { tools: [{ name: "echo", inputSchema: { type: "object" } }] };
    case "tools/call":
      return { content: [{ type: "text", text: "echo" }] };
    default:
      return undefined;
  }
};
