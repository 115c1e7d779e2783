import { assert, describe, it } from "@effect/vitest";
import * as Effect from "effect/Effect";
import * as SillyTavernChatHost from "../src/SillyTavernChatHost.ts";
import * as ChatFolder from "./support/ChatFolder.ts";

const host = SillyTavernChatHost.make();

/** A message of the character with these swipes, of which the last is shown. */
const swiped = (...extras: ReadonlyArray<object>): string =>
  JSON.stringify({
    name: "Orla",
    is_user: false,
    mes: `${extras.length}`,
    extra: extras.at(-1) ?? {},
    swipes: extras.map((_, index) => `${index + 1}`),
    swipe_id: extras.length - 1,
    swipe_info: extras.map((extra) => ({ extra })),
  });

const named = (stateId: string, status = "committed") => ({
  cahier: { agent: { persistStateId: stateId, persistStateStatus: status, runId: "run_1" } },
});

const agents = Effect.fnUntraced(function* (...lines: ReadonlyArray<string>) {
  const chat = yield* ChatFolder.make(ChatFolder.chatText(...lines));
  const { messages } = yield* host.freeze(chat, "normal");
  return messages.map(({ agent }) => agent);
});

describe("what runs have left in a chat file", () => {
  it.effect("is given of the swipe that is shown, with the states that its other swipes name", () =>
    Effect.gen(function* () {
      const found = yield* agents(ChatFolder.greeting, ChatFolder.question, swiped(named("one"), {}, named("two")));
      assert.deepStrictEqual(found, [
        undefined,
        undefined,
        { persistStateId: "two", persistStateStatus: "committed", otherStateIds: ["one"] },
      ]);
    }),
  );

  it.effect("is given as it stands, whatever it is", () =>
    Effect.gen(function* () {
      const odd = { cahier: { agent: { persistStateStatus: 5 } } };
      assert.deepStrictEqual(yield* agents(swiped(odd)), [{ persistStateStatus: 5 }]);
      const none = { cahier: { agent: { runId: "run_1" } } };
      assert.deepStrictEqual(yield* agents(swiped(none), swiped({ cahier: 1 }), swiped({})), [
        undefined,
        undefined,
        undefined,
      ]);
    }),
  );

  it.effect("is read as well where the chat was written under the original's name", () =>
    Effect.gen(function* () {
      const original = { tauritavern: { agent: { persistStateId: "old", persistStateStatus: "committed" } } };
      assert.deepStrictEqual(yield* agents(swiped(original)), [
        { persistStateId: "old", persistStateStatus: "committed" },
      ]);
    }),
  );

  it.effect("says of a new message that its state is not committed, until it is named", () =>
    Effect.gen(function* () {
      const chat = yield* ChatFolder.make(ChatFolder.chatText(ChatFolder.greeting, ChatFolder.question));
      const { revision } = yield* host.freeze(chat, "normal");
      const receipt = yield* host.commit(ChatFolder.request(chat, revision));
      const before = yield* host.freeze(chat, "normal");
      assert.deepStrictEqual(before.messages.at(-1)?.agent, { persistStateStatus: "not_committed" });
      yield* host.writeMetadata(chat, receipt, receipt.revision, {
        persistStateId: "state",
        persistStateStatus: "committed",
      });
      const after = yield* host.freeze(chat, "normal");
      assert.deepStrictEqual(after.messages.at(-1)?.agent, {
        persistStateId: "state",
        persistStateStatus: "committed",
      });
    }),
  );
});
