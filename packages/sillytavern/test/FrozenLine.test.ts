import { assert, describe, it } from "@effect/vitest";
import { ChatMessage } from "@cahier/domain/chat/Chat";
import * as Effect from "effect/Effect";
import * as Schema from "effect/Schema";
import * as ChatRecord from "../src/material/ChatRecord.ts";
import * as SillyTavernChatHost from "../src/SillyTavernChatHost.ts";
import * as ChatFolder from "./support/ChatFolder.ts";

const said = (fields: object): string => JSON.stringify({ name: "Orla", is_user: false, mes: "Hm.", ...fields });

const lines = [
  said({ extra: { type: "narrator" }, name: "Narrator", send_date: 1767600000000 }),
  said({ force_avatar: "/img/orm.png", name: "Orm", send_date: "1767600000000" }),
  said({ swipes: ["One.", "Hm."], swipe_id: 1, send_date: "2026-01-05T08:00:00.000Z" }),
  said({ swipes: [], send_date: "some day" }),
  said({ swipes: ["Hm."], send_date: 1e-9 }),
  said({ swipes: "none", extra: "none", force_avatar: 3, send_date: -5 }),
  said({ is_user: true, name: "Mira", is_system: true, send_date: 0 }),
  said({ is_user: true, force_avatar: "/thumbnail?type=persona&file=mira.png", send_date: "" }),
];

const frozen = Effect.gen(function* () {
  const { location } = yield* ChatFolder.make(ChatFolder.chatText(...lines));
  return yield* SillyTavernChatHost.make().freeze({ location }, "normal");
});

describe("a message of a frozen chat", () => {
  it.effect("is for a prompt what its line in the file is, also after it was stored", () =>
    Effect.gen(function* () {
      const { messages } = yield* frozen;
      const wanted = lines.map((line) => ChatRecord.line(JSON.parse(line)));
      assert.deepStrictEqual(messages.map(ChatRecord.frozenLine), wanted);
      const stored = Schema.fromJsonString(Schema.Array(ChatMessage));
      const again = yield* Schema.decodeEffect(stored)(yield* Schema.encodeEffect(stored)(messages));
      assert.deepStrictEqual(again.map(ChatRecord.frozenLine), wanted);
    }),
  );

  it.effect("tells when it was sent by a number of milliseconds as by a date, and nothing by what is no time", () =>
    Effect.gen(function* () {
      const { messages } = yield* frozen;
      const time = Date.UTC(2026, 0, 5, 8);
      const times = messages.map((message) => ChatRecord.frozenLine(message).sentAt);
      assert.deepStrictEqual(times, [time, time, time, null, 1e-9, null, null, null]);
    }),
  );

  it.effect("has its role and time for tools as before, whatever it is for a prompt", () =>
    Effect.gen(function* () {
      const { messages } = yield* frozen;
      assert.deepStrictEqual(
        messages.slice(0, 2).map(({ metadata: _metadata, ...message }) => message),
        [
          { index: 0, role: "assistant", name: "Narrator", text: "Hm.", hidden: false, sendDate: "1767600000000" },
          { index: 1, role: "assistant", name: "Orm", text: "Hm.", hidden: false, sendDate: "1767600000000" },
        ],
      );
    }),
  );

  it.effect("that was stored without such knowledge is read as a line that says no more", () =>
    Effect.gen(function* () {
      const old = { index: 0, name: "Ann", text: "Hm.", hidden: false };
      const decode = Schema.decodeUnknownEffect(ChatMessage);
      const [user, character, system] = yield* Effect.forEach(["user", "assistant", "system"], (role) =>
        Effect.map(decode({ ...old, role }), ChatRecord.frozenLine),
      );
      assert.deepInclude(user, { hasAvatar: false, isUser: true, isNarrator: false, swipes: null, swipe: null });
      assert.deepInclude(character, { hasAvatar: false, isUser: false, isNarrator: false, sentAt: null });
      assert.deepInclude(system, { isNarrator: true });
    }),
  );
});
