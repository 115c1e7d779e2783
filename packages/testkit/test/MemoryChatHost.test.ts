import { assert, describe, it } from "@effect/vitest";
import * as Effect from "effect/Effect";
import * as MemoryChatHost from "../src/doubles/MemoryChatHost.ts";
import * as ChatHostLaws from "../src/laws/ChatHostLaws.ts";
import * as ChatHostMutants from "../src/mutants/ChatHostMutants.ts";
import { verify, verifyMutants } from "../src/vitest.ts";

const makeHarness = Effect.sync((): ChatHostLaws.ChatHostHarness => {
  const storage = MemoryChatHost.makeStorage();
  const add = (seeds: ReadonlyArray<ChatHostLaws.Seed>, stableChatId?: null) =>
    Effect.sync(() => MemoryChatHost.addChat(storage, `chat ${storage.chats.size + 1}`, seeds, stableChatId));
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
        return new TextEncoder().encode(JSON.stringify([found?.changes, found?.messages]));
      }),
    disturb: (chat, text) => Effect.sync(() => MemoryChatHost.disturb(storage, chat.location, text)),
    missing: { location: "nowhere" },
    supports: [],
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
});
