import { assert, describe, it } from "@effect/vitest";
import * as Effect from "effect/Effect";
import * as MemoryChatHost from "../src/doubles/MemoryChatHost.ts";
import * as ChatHostLaws from "../src/laws/ChatHostLaws.ts";
import * as ChatHostMutants from "../src/mutants/ChatHostMutants.ts";
import { verify, verifyMutants } from "../src/vitest.ts";

const makeHarness = Effect.sync((): ChatHostLaws.ChatHostHarness => {
  const storage = MemoryChatHost.makeStorage();
  const add = (
    seeds: ReadonlyArray<ChatHostLaws.Seed>,
    stableChatId?: null,
    metadata?: MemoryChatHost.MemoryChat["metadata"],
  ) =>
    Effect.sync(() => MemoryChatHost.addChat(storage, `chat ${storage.chats.size + 1}`, seeds, stableChatId, metadata));
  return {
    open: Effect.sync(() => MemoryChatHost.make(storage)),
    chat: (seeds) => add(seeds),
    anonymous: (seeds) => add(seeds, null),
    read: (chat) =>
      Effect.sync(() =>
        (storage.chats.get(chat.location)?.messages ?? []).map((message) => ({
          role: message.role,
          text: MemoryChatHost.textOf(message),
          swipes: [...message.swipes],
          extra: JSON.stringify([message.agent, message.state]),
        })),
      ),
    bytes: (chat) =>
      Effect.sync(() => {
        const found = storage.chats.get(chat.location);
        return new TextEncoder().encode(JSON.stringify([found?.changes, found?.messages, found?.metadata]));
      }),
    disturb: (chat, text) => Effect.sync(() => MemoryChatHost.disturb(storage, chat.location, text)),
    missing: { location: "nowhere" },
    supports: [],
    metadata: {
      chat: (seeds, metadata) => add(seeds, undefined, metadata),
      set: (chat, key, value) => Effect.sync(() => MemoryChatHost.annotate(storage, chat.location, { [key]: value })),
    },
  };
});

verify("MemoryChatHost", ChatHostLaws.laws, makeHarness);
verifyMutants("ChatHost", ChatHostLaws.laws, ChatHostMutants.mutants, makeHarness);

describe("MemoryChatHost", () => {
  it.effect("records every call in order, the refused ones included", () =>
    Effect.gen(function* () {
      const storage = MemoryChatHost.makeStorage();
      const chat = MemoryChatHost.addChat(storage, "a chat", [{ role: "user", text: "Hello." }]);
      const host = MemoryChatHost.make(storage);
      yield* host.freeze(chat, "normal");
      yield* Effect.flip(
        host.appendUserMessage(chat, { text: "x", revision: "stale", at: "2026-01-02T03:04:05.006Z" }),
      );
      assert.deepStrictEqual(storage.calls, [
        { operation: "freeze", location: "a chat" },
        { operation: "appendUserMessage", location: "a chat" },
      ]);
    }),
  );

  it.effect("tells no metadata of a chat that has none, and that which another program has given it", () =>
    Effect.gen(function* () {
      const storage = MemoryChatHost.makeStorage();
      const chat = MemoryChatHost.addChat(storage, "a chat", [{ role: "user", text: "Hello." }]);
      const host = MemoryChatHost.make(storage);
      assert.isFalse("metadata" in (yield* host.freeze(chat, "normal")));
      MemoryChatHost.annotate(storage, "elsewhere", { turns: 1 });
      assert.strictEqual(storage.chats.size, 1);
      MemoryChatHost.annotate(storage, "a chat", { turns: 1 });
      assert.deepStrictEqual((yield* host.freeze(chat, "normal")).metadata, { turns: 1 });
    }),
  );
});
