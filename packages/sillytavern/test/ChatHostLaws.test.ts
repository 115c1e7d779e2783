import { appendFile, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { ChatLocation } from "@cahier/ports/ChatHost";
import { type ChatHostHarness, laws, type Seed, type Seen } from "@cahier/testkit/laws/ChatHostLaws";
import { verify } from "@cahier/testkit/vitest";
import * as Effect from "effect/Effect";
import * as SillyTavernChatHost from "../src/SillyTavernChatHost.ts";
import { isArray } from "../src/chat/internal/json.ts";
import * as fields from "../src/internal/fields.ts";
import * as ChatFolder from "./support/ChatFolder.ts";

const makeHarness = Effect.gen(function* () {
  const { folder } = yield* ChatFolder.make("");
  let chats = 0;

  const make = (header: string, messages: ReadonlyArray<Seed>) =>
    Effect.promise(async (): Promise<ChatLocation> => {
      chats += 1;
      const location = join(folder, `law ${chats}.jsonl`);
      await writeFile(location, [header, ...messages.map(lineOf)].join("\n"));
      return { location };
    });

  return {
    open: Effect.sync(() => SillyTavernChatHost.make()),
    chat: (messages) => make(`{"chat_metadata":{"integrity":"law-${chats}"}}`, messages),
    anonymous: (messages) => make('{"chat_metadata":{},"user_name":"unused","character_name":"unused"}', messages),
    read: (chat) =>
      Effect.promise(async () =>
        ChatFolder.linesOf(await readFile(chat.location, "utf8"))
          .slice(1)
          .map(seenOf),
      ),
    bytes: (chat) => Effect.promise(() => readFile(chat.location)),
    disturb: (chat, text) => Effect.promise(() => appendFile(chat.location, `\n${lineOf({ role: "user", text })}`)),
    missing: { location: join(folder, "none.jsonl") },
    supports: [],
    metadata: {
      chat: (messages, metadata) =>
        make(JSON.stringify({ chat_metadata: { integrity: `law-${chats}`, ...metadata } }), messages),
      set: (chat, key, value) =>
        Effect.promise(async () => {
          const [line = "", ...rest] = (await readFile(chat.location, "utf8")).split("\n");
          const header = ChatFolder.parsed(line);
          const metadata = { ...fields.object(header, "chat_metadata"), [key]: value };
          await writeFile(chat.location, [JSON.stringify({ ...header, chat_metadata: metadata }), ...rest].join("\n"));
        }),
    },
  } satisfies ChatHostHarness;
});

const lineOf = (seed: Seed): string =>
  JSON.stringify({
    name: seed.role === "user" ? "User" : "Character",
    is_user: seed.role === "user",
    is_system: seed.hidden ?? false,
    send_date: "2026-11-30T01:00:00.000Z",
    mes: seed.text,
    extra: {},
  });

const seenOf = (line: string): Seen => {
  const message = ChatFolder.parsed(line);
  const swipes = message["swipes"];
  return {
    role: message["is_user"] === true ? "user" : "assistant",
    text: String(message["mes"]),
    swipes: isArray(swipes) ? swipes.map(String) : [String(message["mes"])],
    extra: JSON.stringify(message["extra"] ?? {}),
  };
};

verify("the chat host of SillyTavern's files", laws, makeHarness);
