import { assert, describe, it } from "@effect/vitest";
import * as Effect from "effect/Effect";
import type { ChatLine } from "../src/material/ChatRecord.ts";
import * as Assembly from "../src/prompt/Assembly.ts";
import * as TokenCounter from "../src/tokens/TokenCounter.ts";
import * as PromptCase from "./support/PromptCase.ts";

/** What remains different from SillyTavern, with its reason; a case that has become equal must leave the list. */
const different: Readonly<Record<string, string>> = {};

const line = (name: string, text: string, isUser: boolean): ChatLine => ({
  name,
  text,
  isUser,
  isSystem: false,
  isNarrator: false,
  hasAvatar: isUser,
  swipes: null,
  swipe: null,
  sentAt: null,
});

const requests = Effect.fnUntraced(function* (name: string) {
  const { expected, input, turns } = yield* PromptCase.load(name);
  const found: Array<unknown> = [];
  let { chat, metadata } = input;
  turns.forEach(({ reply, send }, turn) => {
    if (send !== undefined) chat = [...chat, line("Tomas", send, true)];
    const assembled = Assembly.assemble({ ...input, chat, metadata, scansPersonaAtDepth: turn > 0 });
    const wanted = expected[turn];
    found.push({
      messages: assembled.messages.map(({ content, name: speaker, role }) => ({
        role,
        content,
        ...(speaker === undefined ? {} : { name: speaker }),
      })),
      parts: assembled.messages.map((message) => [message.part, TokenCounter.ofMessage(input.counter, message)]),
      activated: assembled.activated.map(({ entry }) => ({ world: entry.world, uid: entry.uid })),
      ...(wanted?.timedWorldInfo === undefined ? {} : { timedWorldInfo: assembled.timed }),
      ...(wanted?.variables === undefined ? {} : { variables: Object.fromEntries(assembled.variables) }),
    });
    chat = [...chat, line("Ilse", reply, false)];
    metadata = { ...metadata, timed: assembled.timed, variables: assembled.variables };
  });
  return { found, expected: [...expected] };
});

describe("prompts against SillyTavern's own requests", () => {
  for (const name of PromptCase.names) {
    it.effect(`are equal message by message for the case ${name}`, () =>
      Effect.gen(function* () {
        const { expected, found } = yield* requests(name);
        if (name in different) assert.notDeepEqual(found, expected, "this case has become equal");
        else assert.deepStrictEqual(found, expected);
      }),
    );
  }

  it.effect("take the book of a card as SillyTavern imports it", () =>
    Effect.gen(function* () {
      const { book, imported } = yield* PromptCase.load("book-in-the-card-imported");
      assert.strictEqual(`${book?.name}.json`, imported?.name);
      const entries = Object.fromEntries((book?.entries ?? []).map(({ file, uid }) => [`${uid}`, file]));
      assert.deepStrictEqual(entries, imported?.file["entries"]);
    }),
  );

  it("have at least twelve cases", () => {
    assert.isAtLeast(PromptCase.names.length, 12);
  });
});
