import { assert, describe, it } from "@effect/vitest";
import type { CommitReceipt } from "@cahier/ports/ChatHost";
import * as Effect from "effect/Effect";
import * as SillyTavernChatHost from "../src/SillyTavernChatHost.ts";
import * as ChatFolder from "./support/ChatFolder.ts";
import * as RandomChat from "./support/RandomChat.ts";

const { answer, at, chatText, greeting, linesOf, parsed, question, request } = ChatFolder;
const host = SillyTavernChatHost.make();

/** Each takes some twenty durable writes. */
const seeds = 30;

describe("a commit to a chat file", () => {
  it.effect("adds one line at the end and changes no other byte", () =>
    Effect.gen(function* () {
      const before = chatText(greeting, question);
      const chat = yield* ChatFolder.make(before);
      const frozen = yield* host.freeze(chat, "normal");
      const receipt = yield* host.commit(request(chat, frozen.revision));
      const after = yield* chat.text;
      assert.isTrue(after.startsWith(`${before}\n`));
      const line = after.slice(before.length + 1);
      assert.isFalse(line.includes("\n"));
      const message = parsed(line);
      assert.deepInclude(message, { name: "Orla", is_user: false, is_system: false, swipe_id: 0 });
      assert.strictEqual(message["mes"], 'She says: "Come in."\nThe door opens. 你好 \u2028');
      assert.deepStrictEqual(message["swipes"], [message["mes"]]);
      assert.deepStrictEqual(at(message, "swipe_info", 0, "extra"), message["extra"]);
      assert.strictEqual(at(message, "extra", "model"), "scripted");
      assert.notProperty(message, "gen_started");
      assert.deepInclude(at(message, "extra", "cahier", "agent"), {
        persistStateStatus: "not_committed",
        commitId: receipt.commitId,
        commitSeq: 1,
        rollback: { strategy: "deleteMessage", swipeId: 0 },
      });
      assert.deepInclude(receipt, { messageIndex: 2, messageId: receipt.commitId });
      assert.strictEqual((yield* host.freeze(chat, "normal")).revision, receipt.revision);
    }),
  );

  it.effect("of a swipe adds to the last message and shows it", () =>
    Effect.gen(function* () {
      const before = chatText(greeting, question, answer);
      const chat = yield* ChatFolder.make(before);
      const frozen = yield* host.freeze(chat, "swipe");
      assert.lengthOf(frozen.messages, 2);
      const receipt = yield* host.commit(request(chat, frozen.revision, { generationType: "swipe", text: "Clocks." }));
      const lines = linesOf(yield* chat.text);
      assert.deepStrictEqual(lines.slice(0, -1), linesOf(before).slice(0, -1));
      const message = parsed(lines.at(-1));
      assert.deepInclude(message, {
        mes: "Clocks.",
        swipe_id: 2,
        gen_started: null,
        send_date: "2026-11-30T02:00:00.000Z",
      });
      assert.deepStrictEqual(message["swipes"], ["Dust.", "Letters, mostly.", "Clocks."]);
      assert.deepStrictEqual(at(message, "swipe_info", 2, "extra"), message["extra"]);
      assert.deepStrictEqual(at(message, "swipe_info", 1), at(parsed(answer), "swipe_info", 1));
      assert.strictEqual(at(message, "extra", "reasoning"), undefined);
      assert.strictEqual(receipt.messageIndex, 2);
    }),
  );

  it.effect("of a swipe keeps what the user changed in the shown one, and hands on what belongs to the message", () =>
    Effect.gen(function* () {
      const edited = { ...parsed(answer), mes: "Letters, only.", extra: { model: "small", bookmark_link: "branch" } };
      const before = chatText(greeting, JSON.stringify(edited));
      const chat = yield* ChatFolder.make(before);
      const { revision } = yield* host.freeze(chat, "swipe");
      const receipt = yield* host.commit(request(chat, revision, { generationType: "swipe", text: "Clocks." }));
      const message = parsed(linesOf(yield* chat.text).at(-1));
      assert.deepStrictEqual(message["swipes"], ["Dust.", "Letters, only.", "Clocks."]);
      assert.strictEqual(at(message, "swipe_info", 1, "extra", "bookmark_link"), "branch");
      assert.strictEqual(at(message, "extra", "bookmark_link"), "branch");
      yield* host.withdraw(chat, receipt, receipt.revision);
      assert.strictEqual(yield* chat.text, before);
    }),
  );

  it.effect("of a swipe leaves the macros of an untouched greeting in its swipe", () =>
    Effect.gen(function* () {
      const fresh = { ...parsed(greeting), mes: "Hello, Mira.", swipes: ["Hello, {{user}}."] };
      const chat = yield* ChatFolder.make(chatText(JSON.stringify(fresh)).replace(',"tainted":true', ""));
      const { revision } = yield* host.freeze(chat, "swipe");
      yield* host.commit(request(chat, revision, { generationType: "swipe", text: "Good evening." }));
      assert.deepStrictEqual(parsed(linesOf(yield* chat.text).at(-1))["swipes"], ["Hello, {{user}}.", "Good evening."]);
    }),
  );

  it.effect("of a regenerate puts a new message in the place of the last", () =>
    Effect.gen(function* () {
      const before = chatText(greeting, question, answer);
      const chat = yield* ChatFolder.make(before);
      const { revision } = yield* host.freeze(chat, "regenerate");
      const receipt = yield* host.commit(request(chat, revision, { generationType: "regenerate", text: "Clocks." }));
      const lines = linesOf(yield* chat.text);
      assert.deepStrictEqual(lines.slice(0, -1), linesOf(before).slice(0, -1));
      assert.deepStrictEqual(parsed(lines.at(-1))["swipes"], ["Clocks."]);
      assert.strictEqual(receipt.messageIndex, 2);
    }),
  );

  it.effect("of the same run changes the message that its first commit made", () =>
    Effect.gen(function* () {
      const before = chatText(greeting, question, answer);
      for (const generationType of ["normal", "swipe", "regenerate"] as const) {
        const chat = yield* ChatFolder.make(before);
        const { revision } = yield* host.freeze(chat, generationType);
        const first = yield* host.commit(request(chat, revision, { generationType, text: "One." }));
        const second = yield* host.commit(
          request(chat, first.revision, { generationType, mode: "append", text: " Two.", previous: first }),
        );
        const third = yield* host.commit(
          request(chat, second.revision, { generationType, text: "Three.", previous: first }),
        );
        assert.strictEqual(third.messageId, first.messageId);
        assert.strictEqual(third.messageIndex, first.messageIndex);
        const lines = linesOf(yield* chat.text);
        assert.lengthOf(lines, generationType === "normal" ? 5 : 4);
        const message = parsed(lines.at(-1));
        assert.strictEqual(message["mes"], "Three.");
        assert.strictEqual(at(message, "swipes", -1), "Three.");
        assert.deepStrictEqual(at(message, "swipe_info", -1, "extra"), message["extra"]);
        assert.strictEqual(at(message, "extra", "cahier", "agent", "commitSeq"), 3);
        for (const receipt of [first, second, third]) {
          const found = yield* host.lookup(chat, receipt.commitId);
          assert.deepStrictEqual(found, { ...third, commitId: receipt.commitId });
        }
      }
    }),
  );

  it.effect("that appends adds to the text that the run published before", () =>
    Effect.gen(function* () {
      const chat = yield* ChatFolder.make(chatText(greeting, question));
      const { revision } = yield* host.freeze(chat, "normal");
      const first = yield* host.commit(request(chat, revision, { text: "One." }));
      yield* host.commit(request(chat, first.revision, { mode: "append", text: " Two.", previous: first }));
      assert.strictEqual(parsed(linesOf(yield* chat.text).at(-1))["mes"], "One. Two.");
    }),
  );

  it.effect("asked for again changes nothing and gives the same receipt", () =>
    Effect.gen(function* () {
      const chat = yield* ChatFolder.make(chatText(greeting, question));
      const { revision } = yield* host.freeze(chat, "normal");
      const wanted = request(chat, revision);
      const receipt = yield* host.commit(wanted);
      const after = yield* chat.text;
      assert.deepStrictEqual(yield* host.commit(wanted), receipt);
      assert.strictEqual(yield* chat.text, after);
    }),
  );

  it.effect("is not found by an id that only stands in a message's text", () =>
    Effect.gen(function* () {
      const chat = yield* ChatFolder.make(chatText(greeting, question));
      const { revision } = yield* host.freeze(chat, "normal");
      const other = request(chat, revision);
      yield* host.commit(request(chat, revision, { text: `I have seen ${other.commitId}.` }));
      assert.isNull(yield* host.lookup(chat, other.commitId));
    }),
  );
});

describe("bytes that a commit does not own", () => {
  it.effect(
    "stay the same in chats of any spelling, and withdrawing gives the chat from before",
    () =>
      Effect.gen(function* () {
        const chat = yield* ChatFolder.make("");
        for (let seed = 0; seed < seeds; seed += 1) {
          const before = RandomChat.chat(seed);
          for (const generationType of ["normal", "swipe", "regenerate"] as const) {
            yield* chat.write(before);
            const { revision } = yield* host.freeze(chat, generationType);
            const first = yield* host.commit(request(chat, revision, { generationType }));
            const receipt = yield* host.commit(
              request(chat, first.revision, { generationType, mode: "append", previous: first }),
            );
            yield* assertUntouched(before, yield* chat.text, generationType);
            yield* assertSwipesFit(chat, receipt);
            const stated = yield* host.writeMetadata(chat, receipt, receipt.revision, { persistStateId: "state_1" });
            yield* host.withdraw(chat, first, stated);
            const expected = generationType === "regenerate" ? withoutLast(before) : before;
            assert.strictEqual(yield* chat.text, expected, `seed ${seed}, ${generationType}`);
          }
        }
      }),
    60_000,
  );

  it.effect("include bytes of other lines that are no UTF-8", () =>
    Effect.gen(function* () {
      const odd = Buffer.from(question).map((byte) => (byte === "?".charCodeAt(0) ? 0xff : byte));
      const before = Buffer.concat([Buffer.from(`${chatText(greeting)}\n`), odd, Buffer.from(`\n${answer}`)]);
      const chat = yield* ChatFolder.make(before);
      const { revision } = yield* host.freeze(chat, "swipe");
      const receipt = yield* host.commit(request(chat, revision, { generationType: "swipe" }));
      yield* host.withdraw(chat, receipt, receipt.revision);
      assert.strictEqual((yield* host.freeze(chat, "swipe")).revision, revision);
    }),
  );
});

describe("withdrawing", () => {
  it.effect("a swipe beside newer ones leaves the newer ones and what is shown", () =>
    Effect.gen(function* () {
      const chat = yield* ChatFolder.make(chatText(greeting, question, answer));
      const { revision } = yield* host.freeze(chat, "swipe");
      const first = yield* host.commit(request(chat, revision, { generationType: "swipe", text: "Clocks." }));
      const second = yield* host.commit(request(chat, first.revision, { generationType: "swipe", text: "Maps." }));
      yield* host.withdraw(chat, first, second.revision);
      const message = parsed(linesOf(yield* chat.text).at(-1));
      assert.deepInclude(message, { mes: "Maps.", swipe_id: 2 });
      assert.deepStrictEqual(message["swipes"], ["Dust.", "Letters, mostly.", "Maps."]);
      assert.deepStrictEqual(at(message, "swipe_info", -1, "extra"), message["extra"]);
    }),
  );

  it.effect("a message that the user has swiped on keeps the user's swipe", () =>
    Effect.gen(function* () {
      const chat = yield* ChatFolder.make(chatText(greeting, question));
      const { revision } = yield* host.freeze(chat, "normal");
      const first = yield* host.commit(request(chat, revision, { text: "Clocks." }));
      const second = yield* host.commit(request(chat, first.revision, { generationType: "swipe", text: "Maps." }));
      yield* host.withdraw(chat, first, second.revision);
      const message = parsed(linesOf(yield* chat.text).at(-1));
      assert.deepInclude(message, { mes: "Maps.", swipe_id: 0 });
      assert.deepStrictEqual(message["swipes"], ["Maps."]);
    }),
  );

  it.effect("what the chat no longer has is refused", () =>
    Effect.gen(function* () {
      const chat = yield* ChatFolder.make(chatText(greeting, question));
      const { revision } = yield* host.freeze(chat, "normal");
      const receipt = yield* host.commit(request(chat, revision));
      const left = yield* host.withdraw(chat, receipt, receipt.revision);
      const fault = yield* Effect.flip(host.withdraw(chat, receipt, left));
      assert.strictEqual(fault.reason._tag, "Refused");
      const late = yield* Effect.flip(host.commit(request(chat, left, { previous: receipt })));
      assert.strictEqual(late.reason._tag, "Refused");
    }),
  );
});

describe("state metadata", () => {
  it.effect("is written into the message and its swipe, and cannot replace what commits write", () =>
    Effect.gen(function* () {
      const chat = yield* ChatFolder.make(chatText(greeting, question));
      const { revision } = yield* host.freeze(chat, "normal");
      const receipt = yield* host.commit(request(chat, revision));
      const stated = yield* host.writeMetadata(chat, receipt, receipt.revision, {
        persistStateId: "state_1",
        persistStateStatus: "committed",
      });
      const message = parsed(linesOf(yield* chat.text).at(-1));
      const agent = at(message, "extra", "cahier", "agent");
      assert.deepInclude(agent, { persistStateId: "state_1", persistStateStatus: "committed" });
      assert.deepStrictEqual(at(message, "swipe_info", 0, "extra", "cahier", "agent"), agent);
      const fault = yield* Effect.flip(host.writeMetadata(chat, receipt, stated, { commits: [] }));
      assert.strictEqual(fault.reason._tag, "Refused");
    }),
  );
});

const withoutLast = (text: string): string => {
  const terminated = text.endsWith("\n");
  const lines = text.split(/(?<=\n)/);
  const rest = lines.slice(0, -1).join("");
  return terminated ? rest : rest.replace(/\r?\n$/, "");
};

const assertUntouched = (before: string, after: string, generationType: string) =>
  Effect.sync(() => {
    if (generationType === "normal") {
      assert.isTrue(after.startsWith(before));
      assert.strictEqual(after.endsWith("\n"), before.endsWith("\n"));
      return;
    }
    const [first, second] = [before, after].map((text) => text.split(/(?<=\n)/));
    assert.deepStrictEqual(second?.slice(0, -1), first?.slice(0, -1));
    assert.strictEqual(/\r?\n$/.exec(after)?.[0], /\r?\n$/.exec(before)?.[0]);
  });

const assertSwipesFit = Effect.fnUntraced(function* (chat: ChatFolder.Chat, receipt: CommitReceipt) {
  const message = parsed(linesOf(yield* chat.text)[receipt.messageIndex + 1]);
  const { swipes, swipe_info: infos, swipe_id: shown, mes } = message;
  assert.isArray(swipes);
  assert.isArray(infos);
  if (!Array.isArray(swipes) || !Array.isArray(infos) || typeof shown !== "number") return;
  assert.lengthOf(infos, swipes.length);
  assert.strictEqual(swipes[shown], mes);
});
