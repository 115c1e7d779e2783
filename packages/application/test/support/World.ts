/**
 * A whole runtime in memory: storage, a chat, a scripted model, and the application on top.
 */
import { OwnerId } from "@cahier/domain/identity/Identity";
import type { ModelBinding } from "@cahier/domain/model/ModelRequest";
import type { StoredEvent } from "@cahier/domain/run/EventEnvelope";
import type { RunId } from "@cahier/domain/identity/Identity";
import { ChatHost } from "@cahier/ports/ChatHost";
import { HostProcess } from "@cahier/ports/HostProcess";
import { RunJournal } from "@cahier/ports/RunJournal";
import * as Gateway from "@cahier/provider-gateway/Gateway";
import { Transport, TransportFault } from "@cahier/provider-gateway/transport/Transport";
import * as MemoryStorage from "@cahier/storage-memory/MemoryStorage";
import * as MemoryChatHost from "@cahier/testkit/doubles/MemoryChatHost";
import * as PlainPromptAssembler from "@cahier/testkit/doubles/PlainPromptAssembler";
import * as Effect from "effect/Effect";
import * as Layer from "effect/Layer";
import * as Application from "@cahier/application/Application";

export const self = { ownerId: OwnerId.make("owner_test"), machine: "here", pid: 1, startedAt: "0" };

/** Owners that a test declares to be alive. */
export const alive = new Set<string>([self.ownerId]);

const hostProcess = Layer.succeed(HostProcess, {
  self,
  liveness: (owner) => Effect.sync(() => (alive.has(owner.ownerId) ? ("running" as const) : ("gone" as const))),
  stopRequested: Effect.never,
});

const noNetwork = Layer.succeed(Transport, {
  send: () => Effect.fail(new TransportFault({ kind: "connect", detail: "there is no network in this test" })),
});

export const chatLocation = { location: "memory:chat" };

export interface Turn {
  readonly text?: string;
  readonly toolCalls?: ReadonlyArray<{
    readonly id?: string | null;
    readonly name: string;
    readonly arguments?: unknown;
    readonly rawArguments?: string;
  }>;
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
export const call = (name: string, args: unknown = {}): Turn => ({ toolCalls: [{ name, arguments: args }] });

export const layer = (storage: MemoryChatHost.Storage = aChat()) =>
  Application.layer().pipe(
    Layer.provideMerge(
      Layer.mergeAll(
        Layer.succeed(ChatHost, MemoryChatHost.make(storage)),
        PlainPromptAssembler.layer,
        hostProcess,
        Gateway.layer().pipe(Layer.provide(noNetwork)),
      ),
    ),
    Layer.provideMerge(MemoryStorage.layer()),
  );

/** A chat of two lines at `chatLocation`. */
export const aChat = (): MemoryChatHost.Storage => {
  const storage = MemoryChatHost.makeStorage();
  MemoryChatHost.addChat(storage, chatLocation.location, [
    { role: "assistant", text: "The ferry is late." },
    { role: "user", text: "Then we wait." },
  ]);
  return storage;
};

/** What a reader of the chat sees. */
export const textsOf = (storage: MemoryChatHost.Storage): ReadonlyArray<string> =>
  (storage.chats.get(chatLocation.location)?.messages ?? []).map(MemoryChatHost.textOf);

/** Every event of a run. */
export const eventsOf = Effect.fnUntraced(function* (
  runId: RunId,
): Effect.fn.Return<ReadonlyArray<StoredEvent>, unknown, RunJournal> {
  const journal = yield* RunJournal;
  return (yield* journal.read(runId, { limit: 500 })).events;
});

export const typesOf = (events: ReadonlyArray<StoredEvent>): ReadonlyArray<string> => events.map(({ type }) => type);
