/**
 * The whole runtime as the program composes it, over a data folder: journal, blobs and documents on real files, the
 * gateway over undici, SillyTavern's chats, the application on top.
 *
 * The readable mirror is left out: it is optional, and made once at a run's end.
 */
import * as Application from "@cahier/application/Application";
import type { Tool } from "@cahier/application/tool/Tool";
import { OwnerId } from "@cahier/domain/identity/Identity";
import { HostProcess } from "@cahier/ports/HostProcess";
import { SecretStore } from "@cahier/ports/SecretStore";
import { NotFound } from "@cahier/ports/StorageFault";
import * as Gateway from "@cahier/provider-gateway/Gateway";
import * as UndiciTransport from "@cahier/provider-gateway/transport/UndiciTransport";
import * as SillyTavernChatHost from "@cahier/sillytavern/SillyTavernChatHost";
import * as SillyTavernPromptAssembler from "@cahier/sillytavern/SillyTavernPromptAssembler";
import * as FileBlobStore from "@cahier/storage-file/FileBlobStore";
import * as FileDocumentStore from "@cahier/storage-file/FileDocumentStore";
import * as FileRunJournal from "@cahier/storage-file/FileRunJournal";
import * as Effect from "effect/Effect";
import * as Layer from "effect/Layer";

/** What the layer provides. */
export type Services = Layer.Success<ReturnType<typeof layer>>;

/** `tools` are added to the built-in ones. */
export const layer = (directory: string, tools: ReadonlyArray<Tool> = []) =>
  Application.layer(tools).pipe(
    Layer.provideMerge(Layer.mergeAll(models, SillyTavernChatHost.layer(), SillyTavernPromptAssembler.layer, host)),
    Layer.provideMerge(
      Layer.mergeAll(
        FileRunJournal.layer({ directory }),
        FileBlobStore.layer({ directory }),
        FileDocumentStore.layer({ directory }),
      ),
    ),
  );

const noSecrets = Layer.succeed(SecretStore, {
  resolve: ({ key }) => Effect.fail(new NotFound({ entity: "secret", id: key })),
  has: () => Effect.succeed(false),
  keys: Effect.succeed([]),
});

const models = Gateway.layer().pipe(Layer.provide(Layer.merge(UndiciTransport.layer(), noSecrets)));

const host = Layer.succeed(HostProcess, {
  self: { ownerId: OwnerId.make("owner_benchmark"), machine: "here", pid: process.pid, startedAt: "0" },
  liveness: () => Effect.succeed("running" as const),
  stopRequested: Effect.never,
});
