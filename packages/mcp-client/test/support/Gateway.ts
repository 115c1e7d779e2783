/** The gateway under test, over secrets as values. */
import type { McpEndpoint, McpServer } from "@cahier/ports/McpGateway";
import { SecretStore } from "@cahier/ports/SecretStore";
import { NotFound } from "@cahier/ports/StorageFault";
import * as Effect from "effect/Effect";
import * as Redacted from "effect/Redacted";
import * as McpClient from "../../src/McpClient.ts";

export const secrets = (values: Readonly<Record<string, string>>) =>
  SecretStore.of({
    resolve: ({ key }) => {
      const value = values[key];
      return value === undefined
        ? Effect.fail(new NotFound({ entity: "secret", id: key }))
        : Effect.succeed(Redacted.make(value));
    },
    has: ({ key }) => Effect.succeed(values[key] !== undefined),
    keys: Effect.succeed(Object.keys(values)),
  });

export const make = (options?: McpClient.Options & { readonly secrets?: Readonly<Record<string, string>> }) =>
  McpClient.make(options).pipe(Effect.provideService(SecretStore, secrets(options?.secrets ?? {})));

type Http = Extract<McpEndpoint, { readonly transport: "http" }>;

export const http = (
  url: string,
  rest?: Partial<Omit<McpServer, "endpoint"> & Pick<Http, "headers" | "authorization">>,
): McpServer => {
  const { headers, authorization, ...others } = rest ?? {};
  return {
    id: "server",
    endpoint: {
      transport: "http",
      url,
      headers: headers ?? {},
      network: "private",
      ...(authorization === undefined ? {} : { authorization }),
    },
    protocolVersion: "auto",
    allowsSampling: false,
    ...others,
  };
};
