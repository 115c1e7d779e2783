import { assert, describe, it } from "@effect/vitest";
import * as Effect from "effect/Effect";
import type * as Schema from "effect/Schema";
import * as Preset from "../src/material/Preset.ts";
import * as SillyTavernChatHost from "../src/SillyTavernChatHost.ts";
import * as SillyTavernPromptAssembler from "../src/SillyTavernPromptAssembler.ts";
import * as ChatFolder from "./support/ChatFolder.ts";
import * as RandomChat from "./support/RandomChat.ts";

const { answer, greeting, linesOf, parsed, question, request } = ChatFolder;
const host = SillyTavernChatHost.make();

/** Each takes some ten durable writes. */
const seeds = 20;

const chatState = { variables: { seen: "yes" }, timedWorldInfo: { sticky: {}, cooldown: { "tower.1": { end: 9 } } } };
const stateText = Object.entries(chatState)
  .map(([key, value]) => `${JSON.stringify(key)}:${JSON.stringify(value)}`)
  .join(",");

const fileOf = (header: string, ...lines: ReadonlyArray<string>): string => [header, ...lines].join("\n");

/** Commits chat state to a chat with this header; gives the header's line afterwards. */
const headerAfter = Effect.fnUntraced(function* (
  header: string,
  state: Readonly<Record<string, Schema.Json>> = chatState,
) {
  const chat = yield* ChatFolder.make(fileOf(header, greeting, question));
  const location = { location: chat.location, chatId: "given" };
  const { revision } = yield* host.freeze(location, "normal");
  yield* host.commit(request(location, revision, { chatState: state }));
  const [line = "", ...rest] = (yield* chat.text).split("\n");
  assert.deepStrictEqual(rest.slice(0, -1), [greeting, question]);
  return line;
});

const metadataOf = Effect.fnUntraced(function* (header: string) {
  const chat = yield* ChatFolder.make(fileOf(header, greeting));
  return (yield* host.freeze({ location: chat.location, chatId: "given" }, "normal")).metadata;
});

describe("the metadata of a frozen chat", () => {
  it.effect("is what the header has under chat_metadata, fields of other programs included", () =>
    Effect.gen(function* () {
      const metadata = { integrity: "4c1f-own", note_prompt: "Rain.", "odd key": [null, { deep: 1.5 }] };
      assert.deepStrictEqual(yield* metadataOf(JSON.stringify({ chat_metadata: metadata })), metadata);
      assert.deepStrictEqual(yield* metadataOf('{"chat_metadata":{}}'), {});
    }),
  );

  it.effect("is absent where the header has none, and without what no JSON text can say again", () =>
    Effect.gen(function* () {
      for (const header of ['{"user_name":"unused"}', '{"chat_metadata":null}', '{"chat_metadata":[1]}']) {
        assert.isUndefined(yield* metadataOf(header));
      }
      assert.deepStrictEqual(yield* metadataOf('{"chat_metadata":{"huge":{"n":1e999},"turns":2}}'), { turns: 2 });
    }),
  );
});

describe("chat state of a commit", () => {
  it.effect("takes the place of those values in the header, and every other character of it stays", () =>
    Effect.gen(function* () {
      const header = (variables: string, timed: string): string =>
        `{ "user_name":"unused" ,"chat_metadata" : {"integrity":"4c1f-own",  "variables":${variables},"n":1.0,` +
        `"v\\u0061riables2":1E+2, "timedWorldInfo" :${timed} } ,"create_date":"\\u00e9"}`;
      const after = yield* headerAfter(header('{"old": 1}', '{"sticky":{"tower.2":{}}}'));
      const [variables, timed] = Object.values(chatState).map((value) => JSON.stringify(value));
      assert.strictEqual(after, header(variables ?? "", timed ?? ""));
    }),
  );

  it.effect("adds keys that are new behind the others, also where the header had no metadata", () =>
    Effect.gen(function* () {
      for (const [before, after] of [
        ['{"chat_metadata":{"integrity":"own"}}', `{"chat_metadata":{"integrity":"own",${stateText}}}`],
        ['{"chat_metadata":{ },"user_name":"A"}', `{"chat_metadata":{${stateText} },"user_name":"A"}`],
        ['{"user_name":"A"}', `{"user_name":"A","chat_metadata":{${stateText}}}`],
        ['{"chat_metadata":null}', `{"chat_metadata":{${stateText}}}`],
        ['\uFEFF{"chat_metadata":{"a":1}}', `\uFEFF{"chat_metadata":{"a":1,${stateText}}}`],
      ] as const) {
        assert.strictEqual(yield* headerAfter(before), after);
      }
    }),
  );

  it.effect("counts for the last of several members of one name, which is the one that is read", () =>
    Effect.gen(function* () {
      const after = yield* headerAfter('{"chat_metadata":{"turns":1,"turns":2}}', { turns: 3 });
      assert.strictEqual(after, '{"chat_metadata":{"turns":1,"turns":3}}');
    }),
  );

  it.effect("may hold any text and any key", () =>
    Effect.gen(function* () {
      const state = { "line\nbreak \u2028": '"\\\ud800\u0000', ["__proto__"]: 1, "": {} };
      const after = yield* headerAfter('{"chat_metadata":{"integrity":"own"}}', state);
      const metadata = parsed(after)["chat_metadata"];
      assert.deepStrictEqual(Object.entries(Object(metadata)), [["integrity", "own"], ...Object.entries(state)]);
    }),
  );

  it.effect(
    "changes no byte but the header's and the message's in chats of any spelling",
    () =>
      Effect.gen(function* () {
        const chat = yield* ChatFolder.make("");
        for (let seed = 0; seed < seeds; seed += 1) {
          const before = RandomChat.chat(seed);
          for (const generationType of ["normal", "swipe"] as const) {
            yield* chat.write(before);
            const { metadata, revision } = yield* host.freeze(chat, generationType);
            const first = yield* host.commit(request(chat, revision, { generationType, chatState }));
            const frozen = yield* host.freeze(chat, "normal");
            assert.deepStrictEqual(frozen.metadata, { ...metadata, ...chatState });
            const last = yield* host.commit(
              request(chat, first.revision, { generationType, mode: "append", previous: first }),
            );
            yield* host.withdraw(chat, first, last.revision);
            const after = yield* chat.text;
            assert.isTrue(after.includes(`,${stateText}`), `seed ${seed}, ${generationType}`);
            assert.strictEqual(after.replace(`,${stateText}`, ""), before, `seed ${seed}, ${generationType}`);
          }
        }
      }),
    60_000,
  );

  it.effect("stays away together with a commit that is refused", () =>
    Effect.gen(function* () {
      const before = ChatFolder.chatText(greeting, question);
      const chat = yield* ChatFolder.make(before);
      const { revision } = yield* host.freeze(chat, "normal");
      const fault = yield* Effect.flip(
        host.commit(request(chat, revision, { generationType: "regenerate", chatState })),
      );
      assert.strictEqual(fault.reason._tag, "TargetInvalid");
      assert.strictEqual(yield* chat.text, before);
    }),
  );

  it.effect("is refused where the header is no UTF-8, and a commit without it is not", () =>
    Effect.gen(function* () {
      const header = Buffer.from(ChatFolder.header).map((byte) => (byte === "-".charCodeAt(0) ? 0xff : byte));
      const before = Buffer.concat([header, Buffer.from(`\n${greeting}`)]);
      const chat = yield* ChatFolder.make(before);
      const { revision } = yield* host.freeze(chat, "normal");
      const fault = yield* Effect.flip(host.commit(request(chat, revision, { chatState })));
      assert.deepStrictEqual(fault.reason, { _tag: "Malformed", line: 1 });
      assert.strictEqual((yield* host.freeze(chat, "normal")).revision, revision);
      yield* host.commit(request(chat, revision));
      assert.lengthOf((yield* host.freeze(chat, "normal")).messages, 2);
    }),
  );
});

describe("what a prompt asks a chat to keep", () => {
  it.effect("is there for the next prompt, which asks for it no more", () =>
    Effect.gen(function* () {
      const preset = yield* Preset.decode({
        prompts: [{ identifier: "main", role: "system", content: "{{setvar::seen::yes}}Write." }],
        prompt_order: [{ character_id: 100001, order: [{ identifier: "main", enabled: true }] }],
      });
      const assembler = SillyTavernPromptAssembler.make({ material: { preset } });
      const chat = yield* ChatFolder.make(ChatFolder.chatText(greeting, question));
      const assembled = Effect.map(host.freeze(chat, "normal"), (frozen) => ({
        generationType: "normal" as const,
        chat: frozen,
        agentSystemPrompt: "",
        initialChatHistoryMessages: -1,
      })).pipe(Effect.flatMap(assembler.assemble));
      const first = yield* assembled;
      assert.deepStrictEqual(first.chatState, { variables: { seen: "yes" } });
      const { revision } = yield* host.freeze(chat, "normal");
      yield* host.commit(request(chat, revision, { chatState: first.chatState ?? {} }));
      assert.isFalse("chatState" in (yield* assembled));
    }),
  );
});

describe("the metadata of a group chat", () => {
  it.effect("is in its file's header like a character's, and is read and written there", () =>
    Effect.gen(function* () {
      const chat = yield* ChatFolder.make(ChatFolder.chatText(question, answer));
      const group = { location: chat.location, groupId: "group-1" };
      const { metadata, revision } = yield* host.freeze(group, "normal");
      assert.deepStrictEqual(metadata, { integrity: "4c1f-own", tainted: true });
      yield* host.commit(request(group, revision, { chatState }));
      assert.deepStrictEqual((yield* host.freeze(group, "normal")).metadata, { ...metadata, ...chatState });
    }),
  );

  it.effect("is none where an older SillyTavern wrote no header, and chat state makes none", () =>
    Effect.gen(function* () {
      const before = [question, answer].join("\n");
      const chat = yield* ChatFolder.make(before);
      const group = { location: chat.location, groupId: "group-1" };
      const { metadata, revision } = yield* host.freeze(group, "normal");
      assert.isUndefined(metadata);
      const receipt = yield* host.commit(request(group, revision, { chatState }));
      const after = yield* chat.text;
      assert.isTrue(after.startsWith(`${before}\n`));
      assert.lengthOf(linesOf(after), 3);
      assert.strictEqual(receipt.messageIndex, 2);
      assert.isFalse("metadata" in (yield* host.freeze(group, "normal")));
    }),
  );
});
