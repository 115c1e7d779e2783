import { assert, describe, it } from "@effect/vitest";
import * as Schema from "effect/Schema";
import { type ConversationItem, fitConversation, isLeftOut } from "../../src/context/fitConversation.ts";

const item = (kind: ConversationItem["kind"], tokens: number): ConversationItem => ({ kind, tokens });

const turn = (tokens: number): ReadonlyArray<ConversationItem> => [item("response", tokens), item("result", tokens)];

const shown = (items: ReadonlyArray<ConversationItem>, leftOut: number): number =>
  items.reduce((sum, { kind, tokens }, index) => (isLeftOut(kind, index, leftOut) ? sum : sum + tokens), 0);

describe("what an agent is shown of its work", () => {
  it("is all of it while that fits", () => {
    const items = [...turn(10), ...turn(10)];
    assert.strictEqual(fitConversation({ fixed: 60, items, leftOut: 0, limit: 100, target: 50 }), 0);
  });

  it("loses whole turns, oldest first, until the target is met", () => {
    const items = [...turn(10), ...turn(10), ...turn(10), ...turn(10)];
    assert.strictEqual(fitConversation({ fixed: 30, items, leftOut: 0, limit: 100, target: 70 }), 4);
  });

  it("keeps what people have said, and the last turn with everything behind it", () => {
    const items = [...turn(10), item("user", 5), ...turn(10), item("user", 5), ...turn(10), item("user", 5)];
    assert.strictEqual(fitConversation({ fixed: 0, items, leftOut: 0, limit: 40, target: 1 }), 6);
    assert.strictEqual(shown(items, 6), 35);
  });

  it("does not fit when the prompt and the last turn are too long", () => {
    const items = [...turn(10), ...turn(10)];
    assert.isUndefined(fitConversation({ fixed: 90, items, leftOut: 0, limit: 100, target: 80 }));
  });

  it("never shows again what was left out", () => {
    const items = [...turn(10), ...turn(10), ...turn(10)];
    assert.strictEqual(fitConversation({ fixed: 0, items, leftOut: 2, limit: 100, target: 80 }), 2);
  });

  it.prop(
    "is the longest end of it that a cut at a turn gives, for any conversation",
    {
      conversation: Schema.Array(
        Schema.Struct({
          kind: Schema.Literals(["response", "result", "user"]),
          tokens: Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 50 })),
        }),
      ),
      fixed: Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 100 })),
      limit: Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 400 })),
    },
    ({ conversation: given, fixed, limit }) => {
      const begin = given.findIndex(({ kind }) => kind === "response");
      // Before the first answer nobody has a result.
      const conversation = given.map((one, index) =>
        one.kind === "result" && (begin === -1 || index < begin) ? item("user", one.tokens) : one,
      );
      const target = Math.floor(limit * 0.75);
      const found = fitConversation({ fixed, items: conversation, leftOut: 0, limit, target });
      const last = conversation.findLastIndex(({ kind }) => kind === "response");
      if (found === undefined) {
        assert.isAbove(fixed + shown(conversation, Math.max(0, last)), limit);
        return;
      }
      assert.isAtMost(fixed + shown(conversation, found), limit);
      assert.isAtMost(found, Math.max(0, last));
      // A cut is before an answer, so that no result is shown without its call.
      assert.isTrue(found === 0 || conversation[found]?.kind === "response");
      const before = conversation.slice(0, found).findLastIndex(({ kind }) => kind === "response");
      if (before > 0) assert.isAbove(fixed + shown(conversation, before), target);
    },
  );
});
