/**
 * The ring of MCP servers: the gateway to them, and what is registered.
 *
 * Owns when the gateway is loaded: with the first request. The sessions and processes of servers end with the layer.
 */
import * as McpServers from "@cahier/application/mcp/McpServers";
import type { DocumentStore } from "@cahier/ports/DocumentStore";
import { McpGateway } from "@cahier/ports/McpGateway";
import * as Context from "effect/Context";
import * as Effect from "effect/Effect";
import * as Layer from "effect/Layer";
import { version } from "../cli/usage.ts";
import * as HostSecretStore from "../process/HostSecretStore.ts";
import * as LoginPage from "../process/LoginPage.ts";
import * as McpGrants from "../process/McpGrants.ts";

/** `login`: a person is there who can be shown the page on which a server is authorized. */
export interface McpOptions {
  readonly login?: boolean;
}

const lazyGateway = Effect.fnUntraced(function* ({ login = false }: McpOptions) {
  const scope = yield* Effect.scope;
  const asked = { yet: false };
  const authorizer = {
    ...McpGrants.make(McpGrants.folderOf(process.env)),
    ...LoginPage.make(process.env, login),
  };
  const load = Effect.promise(() => import("@cahier/mcp-client/McpClient")).pipe(
    Effect.flatMap((client) =>
      Layer.buildWithScope(
        client.layer({ version, authorizer }).pipe(Layer.provide(HostSecretStore.uncheckedLayer(process.env))),
        scope,
      ),
    ),
    Effect.map((services) => Context.get(services, McpGateway)),
    Effect.tap(() => Effect.sync(() => (asked.yet = true))),
    // Whoever is first may be interrupted; the next one has it nevertheless.
    Effect.uninterruptible,
  );
  const gateway = yield* Effect.cached(load);
  return McpGateway.of({
    discover: (...given) => Effect.flatMap(gateway, ({ discover }) => discover(...given)),
    call: (...given) => Effect.flatMap(gateway, ({ call }) => call(...given)),
    list: (...given) => Effect.flatMap(gateway, ({ list }) => list(...given)),
    readResource: (...given) => Effect.flatMap(gateway, ({ readResource }) => readResource(...given)),
    getPrompt: (...given) => Effect.flatMap(gateway, ({ getPrompt }) => getPrompt(...given)),
    // Without a gateway there is no session to end.
    close: (...given) =>
      Effect.suspend(() => (asked.yet ? Effect.flatMap(gateway, ({ close }) => close(...given)) : Effect.void)),
  });
});

/** The servers that are registered in a storage, and the way to them. */
export const layer = (
  options: McpOptions = {},
): Layer.Layer<McpServers.McpServers | McpGateway, never, DocumentStore> =>
  McpServers.layer.pipe(Layer.provideMerge(Layer.effect(McpGateway, lazyGateway(options))));
