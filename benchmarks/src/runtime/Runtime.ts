/**
 * The whole runtime as the program composes it, over a storage: the gateway over a transport, SillyTavern's chats, the
 * application on top.
 */
import * as Application from "@cahier/application/Application";
import type { Tool } from "@cahier/application/tool/Tool";
import { OwnerId } from "@cahier/domain/identity/Identity";
import { HostProcess } from "@cahier/ports/HostProcess";
import { SecretStore } from "@cahier/ports/SecretStore";
import { NotFound } from "@cahier/ports/StorageFault";
import type { ToolSource } from "@cahier/ports/ToolSource";
import * as Gateway from "@cahier/provider-gateway/Gateway";
import type { Transport } from "@cahier/provider-gateway/transport/Transport";
import * as UndiciTransport from "@cahier/provider-gateway/transport/UndiciTransport";
import * as SillyTavernChatHost from "@cahier/sillytavern/SillyTavernChatHost";
import * as SillyTavernPromptAssembler from "@cahier/sillytavern/SillyTavernPromptAssembler";
import * as Effect from "effect/Effect";
import * as Layer from "effect/Layer";
import type { Storage } from "../storage/Storage.ts";

/** What the layer provides. */
export type Services = Layer.Success<ReturnType<typeof layer>>;

/** `tools`, and what `sources` offer, are added to the built-in ones. */
export const layer = (
  storage: Storage["layer"],
  tools: ReadonlyArray<Tool> = [],
  transport: Layer.Layer<Transport> = UndiciTransport.layer(),
  sources: ReadonlyArray<ToolSource> = [],
) =>
  Application.layer(tools, sources).pipe(
    Layer.provideMerge(
      Layer.mergeAll(modelsOver(transport), SillyTavernChatHost.layer(), SillyTavernPromptAssembler.layer, host),
    ),
    Layer.provideMerge(storage),
  );

/** A store without any secret. */
export const noSecrets = Layer.succeed(SecretStore, {
  resolve: ({ key }) => Effect.fail(new NotFound({ entity: "secret", id: key })),
  has: () => Effect.succeed(false),
  keys: Effect.succeed([]),
});

const modelsOver = (transport: Layer.Layer<Transport>) =>
  Gateway.layer().pipe(Layer.provide(Layer.merge(transport, noSecrets)));

const host = Layer.succeed(HostProcess, {
  self: { ownerId: OwnerId.make("owner_benchmark"), machine: "here", pid: process.pid, startedAt: "0" },
  liveness: () => Effect.succeed("running" as const),
  stopRequested: Effect.never,
});
