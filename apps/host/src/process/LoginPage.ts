/**
 * The page of an authorization server on which a person lets this host use an MCP server.
 *
 * Owns telling where the page is, and the address on this machine that it leads back to. Does not own what was granted.
 */
import { createServer } from "node:http";
import { McpFault } from "@cahier/ports/McpGateway";
import * as Effect from "effect/Effect";
import type { Environment } from "./HostSecretStore.ts";

export interface LoginPage {
  readonly redirectUrl: string;
  readonly open: (serverId: string, page: string) => Effect.Effect<string, McpFault>;
}

/** Authorization servers know this host by the address, so it stays the same: CAHIER_LOGIN_PORT says another port. */
export const make = (environment: Environment, isAllowed: boolean): LoginPage => {
  const port = portIn(environment["CAHIER_LOGIN_PORT"]);
  const redirectUrl = `http://127.0.0.1:${port}${path}`;
  return {
    redirectUrl,
    open: (serverId, page) =>
      isAllowed
        ? Effect.timeoutOrElse(ledBack(port, page), {
            duration: patienceMs,
            orElse: () => Effect.fail(refused(`nobody allowed it within ${patienceMs / 60_000} minutes`)),
          })
        : Effect.fail(refused(`somebody has to allow it on a page: run "cahier mcp discover ${serverId} --login"`)),
  };
};

const defaultPort = 47_017;
const path = "/callback";
const patienceMs = 600_000;

const portIn = (stated = ""): number => {
  const port = Number(stated);
  return Number.isInteger(port) && port > 0 && port < 65_536 ? port : defaultPort;
};

/**
 * Tells of the page, and waits for the visit that it leads back to: one with the `state` of the page. Others may come from any page
 * that is open in the browser, and end nothing.
 */
const ledBack = (port: number, page: string): Effect.Effect<string, McpFault> =>
  Effect.acquireUseRelease(
    Effect.sync(() => createServer()),
    (server) =>
      Effect.callback<string, McpFault>((resume) => {
        const state = URL.parse(page)?.searchParams.get("state");
        server.on("request", (request, response) => {
          const visited = new URL(request.url ?? "/", `http://127.0.0.1:${port}`);
          const isBack =
            request.method === "GET" && visited.pathname === path && visited.searchParams.get("state") === state;
          response.writeHead(isBack ? 200 : 404, { "content-type": "text/plain; charset=utf-8", connection: "close" });
          response.end(
            isBack ? "Cahier has heard of it. You can close this page.\n" : "There is nothing here.\n",
            () => {
              if (isBack) resume(Effect.succeed(visited.href));
            },
          );
        });
        server.on("error", ({ code = "unknown" }: NodeJS.ErrnoException) =>
          resume(Effect.fail(refused(`nothing can listen at the port ${port} (${code}); set CAHIER_LOGIN_PORT`))),
        );
        server.listen(port, "127.0.0.1", () => {
          process.stderr.write(`Open this page to let Cahier use the server:\n${page}\n`);
        });
      }),
    (server) =>
      Effect.sync(() => {
        server.close();
        server.closeAllConnections();
      }),
  );

const refused = (detail: string): McpFault => new McpFault({ code: "mcp.request_failed", detail });
