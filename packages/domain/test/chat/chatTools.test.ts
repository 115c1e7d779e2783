import { assert, describe, it } from "@effect/vitest";
import * as Result from "effect/Result";
import type { ChatMessage, ChatRole } from "../../src/chat/Chat.ts";
import { type MessageRange, readMessages } from "../../src/chat/readMessages.ts";
import * as Chat from "../../src/chat/search.ts";

const message = (index: number, text: string, role: ChatRole = "user", hidden = false): ChatMessage => ({
  index,
  role,
  name: role,
  text,
  hidden,
  ...(index === 0 ? { sendDate: "2026-01-01" } : {}),
});

const chat: ReadonlyArray<ChatMessage> = [
  message(0, "The lighthouse stood on the cliff."),
  message(1, "Mira climbed the stairs of the LIGHTHOUSE.\nThe stairs were wet.", "assistant"),
  message(2, "灯台の光が海を照らした。", "user"),
  message(3, "A note: cliff, stairs.", "system", true),
  message(4, "The café by the sea was closed.", "assistant"),
  message(5, "她走上灯塔的楼梯。", "assistant"),
];

const found = (request: Chat.ChatSearch) =>
  Result.getOrThrow(Chat.search(chat, request)).hits.map(({ index }) => index);

const codeOf = (result: Result.Result<unknown, { readonly code: string; readonly message: string }>) =>
  Result.isFailure(result) ? result.failure.code : "none";

describe("a search of the chat", () => {
  it.each([
    ["lighthouse", [1, 0]],
    ["LightHouse stairs", [1, 0, 3]],
    ["cliff", [3, 0]],
    ["灯台", [2]],
    ["灯塔 楼梯", [5]],
    ["海", [2]],
    ["CAFÉ", [4]],
    ["ｌｉｇｈｔｈｏｕｓｅ", [1, 0]],
    ["dragon", []],
  ])("for %j finds the messages %j, best first and the newer of equals before the older", (query, expected) => {
    assert.deepStrictEqual(found({ query }), expected);
  });

  it("puts whoever has the words together and as written before whoever has them apart", () => {
    const apart = [
      message(0, "The red door."),
      message(1, "door\nred"),
      message(2, "a red door"),
      message(3, "door, red"),
    ];
    const hits = Result.getOrThrow(Chat.search(apart, { query: "red door" })).hits;
    assert.deepStrictEqual(
      hits.map(({ index }) => index),
      [2, 0, 3, 1],
    );
  });

  it("tells of each hit where it stands, and how long the message is", () => {
    const { hits, query } = Result.getOrThrow(Chat.search(chat, { query: "wet" }));
    assert.strictEqual(query, "wet");
    assert.deepStrictEqual(hits, [
      {
        index: 1,
        role: "assistant",
        name: "assistant",
        score: 3,
        snippet: "The stairs were wet.",
        chars: 63,
        words: 11,
        ref: "chat:current#1",
      },
    ]);
  });

  it("can be narrowed to a role, to hidden or shown messages, to a range and to the newest", () => {
    const query = "the cliff stairs 灯";
    assert.deepStrictEqual(
      found({ query, role: "assistant" }).toSorted((one, other) => one - other),
      [1, 4, 5],
    );
    assert.deepStrictEqual(found({ query, hidden: true }), [3]);
    assert.deepStrictEqual(
      found({ query, hidden: false }).toSorted((one, other) => one - other),
      [0, 1, 2, 4, 5],
    );
    assert.deepStrictEqual(
      found({ query, startMessage: 1, endMessage: 2 }).toSorted((one, other) => one - other),
      [1, 2],
    );
    assert.deepStrictEqual(
      found({ query, scanLimit: 2 }).toSorted((one, other) => one - other),
      [4, 5],
    );
    assert.lengthOf(found({ query, limit: 1 }), 1);
  });

  it.each([
    { query: "" },
    { query: "  \n" },
    { query: "a", limit: 0 },
    { query: "a", limit: 51 },
    { query: "a", limit: 1.5 },
    { query: "a", scanLimit: 0 },
    { query: "a", scanLimit: 100_001 },
    { query: "a", startMessage: -1 },
    { query: "a", startMessage: 3, endMessage: 2 },
  ])("is refused with %j", (request) => {
    assert.strictEqual(codeOf(Chat.search(chat, request)), "tool.invalid_arguments");
  });

  it("shows a part of a long line, with whole characters", () => {
    const long = message(0, `${"😀".repeat(400)}needle${"😀".repeat(400)}`);
    const [hit] = Result.getOrThrow(Chat.search([long], { query: "needle" })).hits;
    assert.include(hit?.snippet, "needle");
    assert.isTrue(hit?.snippet.isWellFormed());
    assert.isAtMost(hit?.snippet.length ?? 0, Chat.maxSnippet + 2);
  });

  it("of ten thousand messages gives no more than was asked for", () => {
    const line = "Mira went down to the harbour, where 船が静かに揺れていた, and “waited” for the tide. ";
    const many = Array.from({ length: 10_000 }, (_, index) => message(index, `${line.repeat(6)} ${index}`));
    const found = Chat.search(many, { query: "harbour tide 船が静か nowhere", limit: 7 });
    assert.lengthOf(Result.getOrThrow(found).hits, 7);
  });
});

describe("a read of messages", () => {
  const read = (...ranges: ReadonlyArray<MessageRange>) => readMessages(chat, ranges);

  it("gives whole messages in the order that is asked for", () => {
    const { messages, totalMessages } = Result.getOrThrow(read({ index: 2 }, { index: 0 }));
    assert.strictEqual(totalMessages, 6);
    assert.deepStrictEqual(messages[0], {
      index: 2,
      role: "user",
      name: "user",
      text: "灯台の光が海を照らした。",
      startChar: 0,
      endChar: 12,
      chars: 12,
      words: 11,
      totalChars: 12,
      totalWords: 11,
      truncated: false,
      ref: "chat:current#2",
    });
    assert.strictEqual(messages[1]?.sendDate, "2026-01-01");
  });

  it("gives a part by characters, which its ref names", () => {
    const { messages } = Result.getOrThrow(read({ index: 2, startChar: 3, maxChars: 2 }));
    const [{ chars, endChar, ref, startChar, text, truncated } = assert.fail()] = messages;
    assert.deepStrictEqual([text, startChar, endChar, chars, truncated], ["光が", 3, 5, 2, true]);
    assert.strictEqual(ref, "chat:current#2:chars=3..5");
  });

  it("of an empty message is an empty text", () => {
    const { messages } = Result.getOrThrow(readMessages([message(0, "")], [{ index: 0 }]));
    assert.deepStrictEqual([messages[0]?.text, messages[0]?.truncated], ["", false]);
  });

  it.each([
    ["chat.message_not_found", { index: 6 }],
    ["chat.message_not_found", { index: -1 }],
    ["chat.invalid_message_range", { index: 0, startChar: 34 }],
    ["chat.invalid_message_range", { index: 0, startChar: -1 }],
    ["chat.invalid_message_range", { index: 0, maxChars: 0 }],
    ["chat.invalid_message_range", { index: 0, maxChars: 8001 }],
  ])("is refused with %s for %j", (code, range) => {
    assert.strictEqual(codeOf(read({ index: 1 }, range)), code);
  });

  it("is refused without messages and with more than twenty", () => {
    assert.strictEqual(codeOf(read()), "tool.invalid_arguments");
    assert.strictEqual(codeOf(read(...Array.from({ length: 21 }, () => ({ index: 0 })))), "tool.invalid_arguments");
  });

  it("says how to read what is too long, alone or together", () => {
    const long = [0, 1, 2].map((index) => message(index, "x".repeat(8001)));
    assert.strictEqual(codeOf(readMessages(long, [{ index: 0 }])), "chat.read_too_large");
    const parts = [0, 1, 2].map((index) => ({ index, maxChars: 8000 }));
    assert.strictEqual(codeOf(readMessages(long, parts)), "chat.read_too_large");
    assert.strictEqual(codeOf(readMessages(long, parts.slice(1))), "none");
    assert.strictEqual(codeOf(readMessages(long, [{ index: 0, startChar: 1 }])), "none");
  });
});
