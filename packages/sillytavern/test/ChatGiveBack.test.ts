import { assert, describe, it } from "@effect/vitest";
import * as Effect from "effect/Effect";
import * as SillyTavernChatHost from "../src/SillyTavernChatHost.ts";
import * as ChatFolder from "./support/ChatFolder.ts";

const { answer, at, chatText, greeting, linesOf, parsed, question, request } = ChatFolder;

const host = SillyTavernChatHost.make();

/** One message as different programs may have spelled it. */
const spellings: ReadonlyArray<readonly [string, string]> = [
  ["as SillyTavern writes it", chatText(greeting, question, answer)],
  ["with Windows line ends", `${chatText(greeting, question, answer).replaceAll("\n", "\r\n")}\r\n`],
  [
    "with spaces, big numbers, escapes and keys that appear twice",
    `${chatText(greeting, question)}\n{ "mes" : "Letters\\u002c \\u4f60", "is_user":false , "name":"Orla","n":12345678901234567890.50, "extra" : {"x":1,"x":2} }\n\n`,
  ],
];

describe("what a regenerate replaced", () => {
  it.effect.each(spellings)("is given back byte for byte: a message %s", ([, content]) =>
    Effect.gen(function* () {
      const chat = yield* ChatFolder.make(content);
      const { revision } = yield* host.freeze(chat, "regenerate");
      const replaced = yield* host.capture(chat, "last", revision);
      const first = yield* host.commit(request(chat, revision, { generationType: "regenerate" }));
      const marked = yield* host.writeMetadata(chat, first, first.revision, { persistStateId: "state" });
      const last = yield* host.commit(request(chat, marked, { generationType: "regenerate", previous: first }));
      const made = yield* chat.text;
      const message = yield* host.capture(chat, first, last.revision);
      const given = yield* host.withdraw(chat, first, last.revision, replaced);
      assert.strictEqual(yield* chat.text, content);
      assert.strictEqual(given, revision);
      const again = request(chat, given, { generationType: "regenerate", previous: first, message, text: "Come in." });
      yield* host.commit(again);
      const before = parsed(linesOf(made).at(-1));
      const after = parsed(linesOf(yield* chat.text).at(-1));
      const agent = ["extra", "cahier", "agent"] as const;
      assert.strictEqual(after["mes"], "Come in.");
      assert.strictEqual(at(after, "extra", "model"), "scripted");
      for (const key of ["persistStateId", "runId", "rollback", "artifacts"])
        assert.deepStrictEqual(at(after, ...agent, key), at(before, ...agent, key), key);
      assert.deepStrictEqual(at(after, ...agent, "commits", -1, "commitId"), again.commitId);
    }).pipe(Effect.scoped),
  );

  it.effect("is not captured where its line is no UTF-8", () =>
    Effect.gen(function* () {
      const broken = Buffer.concat([
        Buffer.from(`${chatText(greeting, question)}\n{"name":"Orla","is_user":false,"mes":"`),
        Buffer.from([0xff, 0xfe]),
        Buffer.from('"}'),
      ]);
      const chat = yield* ChatFolder.make(broken);
      const { revision } = yield* host.freeze(chat, "regenerate");
      assert.strictEqual((yield* Effect.flip(host.capture(chat, "last", revision))).reason._tag, "Malformed");
    }).pipe(Effect.scoped),
  );

  it.effect("is not written where it is no message, or does not say which commit made it", () =>
    Effect.gen(function* () {
      const chat = yield* ChatFolder.make(chatText(greeting, question, answer));
      const { revision } = yield* host.freeze(chat, "regenerate");
      const message = yield* host.capture(chat, "last", revision);
      const first = yield* host.commit(request(chat, revision, { generationType: "regenerate" }));
      const before = yield* chat.text;
      for (const replaced of ["", "[]", '{"mes":\n"two lines"}', "no JSON"]) {
        const fault = yield* Effect.flip(host.withdraw(chat, first, first.revision, replaced));
        assert.strictEqual(fault.reason._tag, "Refused", replaced);
      }
      const nameless = request(chat, first.revision, { generationType: "regenerate", message });
      assert.strictEqual((yield* Effect.flip(host.commit(nameless))).reason._tag, "Refused");
      assert.strictEqual(yield* chat.text, before);
    }).pipe(Effect.scoped),
  );
});
