import { assert, describe, it } from "@effect/vitest";
import * as Arbitrary from "effect/Arbitrary";
import * as Effect from "effect/Effect";
import * as Schema from "effect/Schema";
import * as SillyTavernChatHost from "../src/SillyTavernChatHost.ts";
import type { Rollback } from "../src/chat/internal/AgentMetadata.ts";
import * as Swipe from "../src/chat/internal/Swipe.ts";
import * as ChatFolder from "./support/ChatFolder.ts";

const { answer, at, chatText, greeting, linesOf, parsed, question, request } = ChatFolder;

/** What other programs leave in `swipe_id`; `undefined` is none at all. */
const ids: ReadonlyArray<unknown> = [0, 1, 2, undefined, null, "1", "", -1, 7, 0.5, true, [0], {}];

/** Few texts, so that some are equal. */
const text = Schema.Literals(["", "one", "two", "three"]);

const swipeTexts = Arbitrary.schema(Schema.Array(text));
const shownText = Arbitrary.schema(text);
const idPosition = Arbitrary.schema(Schema.Literals(ids.map((_, index) => index)));
const isPristine = Arbitrary.schema(Schema.Boolean);

const lineOf = (swipes: ReadonlyArray<string>, mes: unknown, id: unknown): string =>
  JSON.stringify({
    name: "Orla",
    is_user: false,
    send_date: "2026-11-30T01:02:00.000Z",
    mes,
    extra: { model: "small" },
    swipes,
    swipe_id: id,
    swipe_info: swipes.map((_, index) => ({ send_date: `2026-11-30T01:0${index % 10}:00.000Z`, extra: { index } })),
  });

const added = (line: string, pristine = false): { readonly line: string; readonly rollback: Rollback } => {
  const told: Array<Rollback> = [];
  const result = Swipe.add(line, {
    text: "new",
    at: "2026-11-30T02:00:00.000Z",
    pristine,
    extra: (rollback) => {
      told.push(rollback);
      return { rollback };
    },
  });
  const rollback = told[0];
  assert.isDefined(rollback);
  return { line: result, rollback };
};

const swipesOf = (line: string): ReadonlyArray<unknown> => {
  const swipes = parsed(line)["swipes"];
  return Array.isArray(swipes) ? swipes : [];
};

const isPosition = (id: unknown, swipes: ReadonlyArray<string>): id is number =>
  typeof id === "number" && Number.isInteger(id) && id >= 0 && id < swipes.length;

describe("a swipe of a message whose swipe_id names none of its swipes", () => {
  for (const [what, id] of [
    ["missing", undefined],
    ["null", null],
    ["a text", "1"],
    ["out of range", 7],
  ] as const) {
    it(`${what}, is added after the swipe that the message shows, and no text is written over`, () => {
      const { line } = added(lineOf(["one", "two"], "two", id));
      assert.deepStrictEqual(swipesOf(line), ["one", "two", "new"]);
      assert.deepStrictEqual(at(parsed(line), "swipe_info", 0, "extra"), { index: 0 });
      assert.deepStrictEqual(at(parsed(line), "swipe_info", 1, "extra"), { model: "small" });
    });

    it(`${what}, comes after the text that the message shows, which becomes a swipe where it was none`, () => {
      const { line } = added(lineOf(["one", "two"], "shown", id));
      assert.deepStrictEqual(swipesOf(line), ["one", "two", "shown", "new"]);
      assert.deepStrictEqual(at(parsed(line), "swipe_info", 2), {
        send_date: "2026-11-30T01:02:00.000Z",
        extra: { model: "small" },
      });
    });
  }

  it.effect("is taken out again from the chat, which then has the bytes from before", () =>
    Effect.gen(function* () {
      const host = SillyTavernChatHost.make();
      const before = chatText(greeting, question, JSON.stringify({ ...parsed(answer), swipe_id: "5", mes: "Shown." }));
      const chat = yield* ChatFolder.make(before);
      const { revision } = yield* host.freeze(chat, "swipe");
      const receipt = yield* host.commit(request(chat, revision, { generationType: "swipe", text: "Clocks." }));
      const message = parsed(linesOf(yield* chat.text).at(-1));
      assert.deepInclude(message, { mes: "Clocks.", swipe_id: 3 });
      assert.deepStrictEqual(message["swipes"], ["Dust.", "Letters, mostly.", "Shown.", "Clocks."]);
      yield* host.withdraw(chat, receipt, receipt.revision);
      assert.strictEqual(yield* chat.text, before);
    }),
  );
});

describe("over any swipes, any shown text and any swipe_id", () => {
  it.prop(
    "adding a swipe loses no text, but for the one that the user has edited",
    [swipeTexts, shownText, idPosition, isPristine],
    ([swipes, mes, id, pristine]) => {
      const line = lineOf(swipes, mes, ids[id]);
      const after = swipesOf(added(line, pristine).line);
      const valid = isPosition(ids[id], swipes);
      const kept = valid && !pristine ? swipes.with(Number(ids[id]), mes) : swipes;
      const isThere = kept.includes(mes) || (pristine && valid);
      assert.deepStrictEqual(after, [...kept, ...(isThere ? [] : [mes]), "new"]);
    },
    { arbitrary: { runs: 1000 } },
  );

  it.prop(
    "taking the added swipe out gives the line from before",
    [swipeTexts, shownText, idPosition, isPristine],
    ([swipes, mes, id, pristine]) => {
      const before = lineOf(swipes, mes, ids[id]);
      const { line, rollback } = added(before, pristine);
      assert.strictEqual(Swipe.take(line, rollback.swipeId, rollback.previous), before);
    },
    { arbitrary: { runs: 1000 } },
  );

  it.prop(
    "taking any swipe out loses no other text",
    [swipeTexts, shownText, idPosition, Arbitrary.schema(Schema.Int)],
    ([some, mes, id, seed]) => {
      const swipes = ["first", ...some, "last"];
      const taken = Math.abs(seed) % swipes.length;
      const line = Swipe.take(lineOf(swipes, mes, ids[id]), taken, undefined);
      const left = swipes.toSpliced(taken, 1);
      assert.deepStrictEqual(swipesOf(line), left);
      const shows = parsed(line)["mes"];
      const isTaken = ids[id] === taken || (!isPosition(ids[id], swipes) && swipes.indexOf(mes) === taken);
      assert.strictEqual(shows, isTaken ? left[Math.min(taken, left.length - 1)] : mes);
    },
    { arbitrary: { runs: 1000 } },
  );

  it("a message that shows no text at all leaves every swipe as it is", () => {
    for (const mes of [undefined, null, 5]) {
      for (const id of ids) {
        const before = lineOf(["one", "two", "three"], mes, id);
        const { line, rollback } = added(before);
        assert.deepStrictEqual(swipesOf(line).slice(0, 3), ["one", "two", "three"]);
        assert.isTrue(swipesOf(line).every((swipe) => typeof swipe === "string"));
        assert.strictEqual(Swipe.take(line, rollback.swipeId, rollback.previous), before);
      }
    }
  });
});
