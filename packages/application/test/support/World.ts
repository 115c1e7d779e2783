/**
 * A whole runtime in memory: storages that several processes share, a chat, a scripted model, and the application.
 *
 * Owns how a test's processes are put together. Does not own playing runs (`play`).
 */
import * as Application from "@cahier/application/Application";
import { builtinTools } from "@cahier/application/tool/builtin/catalog";
import type { Tool } from "@cahier/application/tool/Tool";
import { OwnerId } from "@cahier/domain/identity/Identity";
import type { ModelBinding } from "@cahier/domain/model/ModelRequest";
import { BlobStore } from "@cahier/ports/BlobStore";
import { ChatHost } from "@cahier/ports/ChatHost";
import { DocumentStore } from "@cahier/ports/DocumentStore";
import { HostProcess, type Liveness } from "@cahier/ports/HostProcess";
import { ModelGateway } from "@cahier/ports/ModelGateway";
import { PromptAssembler } from "@cahier/ports/PromptAssembler";
import { RunJournal } from "@cahier/ports/RunJournal";
import { RunMirror } from "@cahier/ports/RunMirror";
import { SecretStore } from "@cahier/ports/SecretStore";
import { Shell } from "@cahier/ports/Shell";
import type { ToolSource } from "@cahier/ports/ToolSource";
import * as Gateway from "@cahier/provider-gateway/Gateway";
import { Transport, TransportFault } from "@cahier/provider-gateway/transport/Transport";
import * as MemoryBlobStore from "@cahier/storage-memory/MemoryBlobStore";
import * as MemoryDocumentStore from "@cahier/storage-memory/MemoryDocumentStore";
import * as MemoryRunJournal from "@cahier/storage-memory/MemoryRunJournal";
import * as MemoryRunMirror from "@cahier/storage-memory/MemoryRunMirror";
import * as MemorySecretStore from "@cahier/storage-memory/MemorySecretStore";
import * as MemoryChatHost from "@cahier/testkit/doubles/MemoryChatHost";
import * as PlainPromptAssembler from "@cahier/testkit/doubles/PlainPromptAssembler";
import * as Effect from "effect/Effect";
import * as Layer from "effect/Layer";

/** The ids of every tool that an agent has a use for which works alone. */
export const soloTools: ReadonlyArray<string> = builtinTools
  .map(({ descriptor }) => descriptor.id as string)
  .filter((id) => !/^builtin:(?:agent|task)\./.test(id));

export const chatLocation = { location: "memory:chat" };

/** What outlives a process: the storages, the chat, and which processes live. */
export interface World {
  readonly journals: MemoryRunJournal.Storage;
  readonly blobs: MemoryBlobStore.Storage;
  readonly documents: MemoryDocumentStore.Storage;
  readonly mirrors: MemoryRunMirror.Storage;
  readonly chats: MemoryChatHost.Storage;
  /** How processes are seen by others; one that is not named here is gone. */
  readonly liveness: Map<string, Liveness>;
}

/** Empty storages and a chat of two lines at `chatLocation`. */
export const make = (): World => {
  const chats = MemoryChatHost.makeStorage();
  MemoryChatHost.addChat(chats, chatLocation.location, [
    { role: "assistant", text: "The ferry is late." },
    { role: "user", text: "Then we wait." },
  ]);
  return {
    journals: MemoryRunJournal.makeStorage(),
    blobs: MemoryBlobStore.makeStorage(),
    documents: MemoryDocumentStore.makeStorage(),
    mirrors: MemoryRunMirror.makeStorage(),
    chats,
    liveness: new Map(),
  };
};

/** One process: its name, and what of it a test replaces or looks into. */
export interface ProcessOptions {
  readonly name?: string;
  readonly tools?: ReadonlyArray<Tool>;
  readonly sources?: ReadonlyArray<ToolSource>;
  readonly journal?: (journal: RunJournal["Service"]) => RunJournal["Service"];
  readonly blobs?: (blobs: BlobStore["Service"]) => BlobStore["Service"];
  readonly documents?: (documents: DocumentStore["Service"]) => DocumentStore["Service"];
  readonly chatHost?: (chatHost: ChatHost["Service"]) => ChatHost["Service"];
  readonly assembler?: (assembler: PromptAssembler["Service"]) => PromptAssembler["Service"];
  /** What runs the commands of `workspace.shell`; without it there is no such tool. */
  readonly shell?: Shell["Service"];
  readonly gateway?: (gateway: ModelGateway["Service"]) => ModelGateway["Service"];
}

/**
 * Runs an effect in a process of its own over the storages of `world`. The process lives as long as the effect; it
 * shares nothing with another one but the world.
 */
export const inProcess =
  (world: World, options: ProcessOptions = {}) =>
  <A, E, R>(effect: Effect.Effect<A, E, R>) =>
    Effect.provide(effect, process(world, options), { local: true });

const process = (world: World, options: ProcessOptions) => {
  const same = <A>(value: A): A => value;
  const storage = Layer.mergeAll(
    Layer.sync(RunJournal, () => (options.journal ?? same)(MemoryRunJournal.make(world.journals))),
    Layer.sync(BlobStore, () => (options.blobs ?? same)(MemoryBlobStore.make(world.blobs))),
    Layer.sync(DocumentStore, () => (options.documents ?? same)(MemoryDocumentStore.make(world.documents))),
    Layer.sync(RunMirror, () => MemoryRunMirror.make(world.mirrors)),
    Layer.sync(SecretStore, () => MemorySecretStore.make({})),
  );
  const outside = Layer.mergeAll(
    Layer.sync(ChatHost, () => (options.chatHost ?? same)(MemoryChatHost.make(world.chats))),
    Layer.sync(PromptAssembler, () => (options.assembler ?? same)(PlainPromptAssembler.make())),
    hostProcess(world, options.name ?? "first"),
    options.shell === undefined ? Layer.empty : Layer.succeed(Shell, options.shell),
    Layer.effect(ModelGateway, Effect.map(Gateway.make(), options.gateway ?? same)).pipe(Layer.provide(noNetwork)),
  );
  return Application.layer(options.tools, options.sources).pipe(
    Layer.provideMerge(outside),
    Layer.provideMerge(storage),
  );
};

const hostProcess = (world: World, name: string) =>
  Layer.effect(
    HostProcess,
    Effect.acquireRelease(
      Effect.sync(() => {
        const self = { ownerId: OwnerId.make(`owner_${name}`), machine: "here", pid: name.length, startedAt: "0" };
        if (!world.liveness.has(self.ownerId)) world.liveness.set(self.ownerId, "running");
        return HostProcess.of({
          self,
          liveness: (owner) => Effect.sync(() => world.liveness.get(owner.ownerId) ?? "gone"),
          stopRequested: Effect.never,
        });
      }),
      ({ self }) => Effect.sync(() => world.liveness.delete(self.ownerId)),
    ),
  );

const noNetwork = Layer.succeed(Transport, {
  send: () => Effect.fail(new TransportFault({ kind: "connect", detail: "there is no network in this test" })),
});

/** One turn of the scripted model, as its file states it. */
export interface Turn {
  readonly text?: string;
  readonly reasoning?: string;
  readonly toolCalls?: ReadonlyArray<{
    readonly id?: string | null;
    readonly name: string;
    readonly arguments?: unknown;
    readonly rawArguments?: string;
  }>;
  readonly usage?: { readonly inputTokens: number; readonly outputTokens: number; readonly cachedTokens?: number };
  readonly error?: unknown;
  readonly delayMs?: number;
}

export const scripted = (turns: ReadonlyArray<Turn>): ModelBinding => ({
  source: "scripted",
  format: "scripted",
  modelId: "script",
  script: JSON.stringify({ format: "cahier.script/1", turns }),
});

/** One tool call as a turn. */
export const call = (name: string, args: unknown = {}): Turn => calls([name, args]);

/** Several tool calls as one turn. */
export const calls = (...given: ReadonlyArray<readonly [name: string, args?: unknown]>): Turn => ({
  toolCalls: given.map(([name, args]) => ({ name, arguments: args ?? {} })),
});

export const write = (content: string, path = "output/main.md"): Turn =>
  call("workspace_write_file", { path, content });
export const commit: Turn = call("workspace_commit");
export const finish: Turn = call("workspace_finish");

/** Draft, publish, end. */
export const publishing: ReadonlyArray<Turn> = [write("They wait by the river."), commit, finish];

/** What a reader of the chat sees. */
export const textsOf = (world: World): ReadonlyArray<string> =>
  (world.chats.chats.get(chatLocation.location)?.messages ?? []).map(MemoryChatHost.textOf);

/** The chat as it was made. */
export const beginning: ReadonlyArray<string> = ["The ferry is late.", "Then we wait."];
