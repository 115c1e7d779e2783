import { chmod, mkdir, readdir, stat, symlink, writeFile } from "node:fs/promises";
import { basename, join } from "node:path";
import { assert, describe, it } from "@effect/vitest";
import type { GenerationType } from "@cahier/domain/chat/Chat";
import type { ChatFault, ChatLocation } from "@cahier/ports/ChatHost";
import * as Effect from "effect/Effect";
import * as SillyTavernChatHost from "../src/SillyTavernChatHost.ts";
import * as Disk from "../src/chat/internal/Disk.ts";
import * as ChatFolder from "./support/ChatFolder.ts";

const { answer, chatText, greeting, header, parsed, question, request } = ChatFolder;
const host = SillyTavernChatHost.make();

const faultOf = (chat: ChatLocation, generationType: GenerationType = "normal") =>
  Effect.flip(host.freeze(chat, generationType));

describe("a chat that cannot be read", () => {
  const malformed: ReadonlyArray<readonly [string, string, number | undefined]> = [
    ["is empty", "", undefined],
    ["is blank", "\n  \r\n", undefined],
    ["is no JSONL", "Dear diary,\ntoday", 1],
    ["is one JSON array", `[${header}]`, 1],
    ["begins without its header", `${greeting}\n${question}`, 1],
    ["has a line that is no JSON", chatText(greeting, "oops", question), 3],
    ["has a line that is no object", chatText(greeting, "[]", question), 3],
    ["ends in a half-written line", chatText(greeting, question.slice(0, 40)), 3],
  ];
  for (const [what, content, line] of malformed) {
    it.effect(`because it ${what} is malformed, with the line and what to do`, () =>
      Effect.gen(function* () {
        const chat = yield* ChatFolder.make(content);
        const fault = yield* faultOf(chat);
        assert.deepStrictEqual(fault.reason, { _tag: "Malformed", ...(line === undefined ? {} : { line }) });
        assert.match(fault.detail, /restore|give|open/i);
        assert.strictEqual(yield* chat.text, content);
      }),
    );
  }

  it.effect("says of a half-written line that it is cut off, wherever it is cut", () =>
    Effect.gen(function* () {
      const chat = yield* ChatFolder.make("");
      for (const end of [1, 2, 8, 40, question.length - 1]) {
        yield* chat.write(chatText(greeting, question.slice(0, end)));
        assert.match((yield* faultOf(chat)).detail, /^Line 3 of the chat is cut off\. .*delete that line/);
        yield* chat.write(chatText(greeting, question.slice(0, end), question));
        assert.match((yield* faultOf(chat)).detail, /^Line 3 of the chat is cut off\./);
      }
    }),
  );

  const whole: ReadonlyArray<readonly [string, string]> = [
    ["[1]", "is a JSON array"],
    ['"said"', "is a JSON string"],
    ["12", "is a JSON number"],
    ["true", "is a JSON boolean"],
    ["null", "is a JSON null"],
    ["oops", "is not JSON"],
    ["{oops", "is not JSON"],
    [`${question} and more`, "is not JSON"],
    [`${question.slice(0, -1)},}`, "is not JSON"],
    ["\0\0\0", "holds NUL bytes"],
    [`${question.slice(0, 40)}\0\0`, "holds NUL bytes"],
  ];
  for (const [line, what] of whole) {
    it.effect(`says of the line ${JSON.stringify(line).slice(0, 60)} that it ${what}, not that it is cut off`, () =>
      Effect.gen(function* () {
        const chat = yield* ChatFolder.make(chatText(greeting, line));
        const { detail } = yield* faultOf(chat);
        assert.include(detail, `Line 3 of the chat ${what}`);
        assert.include(detail, "Restore a backup of the chat");
        assert.notInclude(detail, "cut off");
        assert.notInclude(detail, "delete that line");
      }),
    );
  }

  it.effect("is missing, a folder, or a symbolic link", () =>
    Effect.gen(function* () {
      const chat = yield* ChatFolder.make(chatText(greeting));
      const missing = yield* faultOf({ location: join(chat.folder, "none.jsonl") });
      assert.strictEqual(missing.reason._tag, "Missing");
      assert.strictEqual((yield* faultOf({ location: chat.folder })).reason._tag, "Malformed");
      const link = join(chat.folder, "link.jsonl");
      yield* Effect.promise(() => symlink(chat.location, link));
      assert.deepStrictEqual((yield* faultOf({ location: link })).reason, { _tag: "Unreachable", kind: "symlink" });
    }),
  );

  it.effect("is read through a folder that is a symbolic link", () =>
    Effect.gen(function* () {
      const chat = yield* ChatFolder.make(chatText(greeting, question));
      const folder = `${chat.folder}/elsewhere`;
      yield* Effect.promise(() => symlink(chat.folder, folder));
      const frozen = yield* host.freeze({ location: join(folder, "Orla - evening.jsonl") }, "normal");
      assert.lengthOf(frozen.messages, 2);
    }),
  );
});

describe("the stable id of a chat", () => {
  it.effect("is its integrity, else the one that the caller gives, else missing", () =>
    Effect.gen(function* () {
      const chat = yield* ChatFolder.make(chatText(greeting));
      assert.strictEqual((yield* host.freeze({ ...chat, chatId: "given" }, "normal")).stableChatId, "4c1f-own");
      yield* chat.write(`{"chat_metadata":{}}\n${greeting}`);
      assert.strictEqual((yield* host.freeze({ ...chat, chatId: "given" }, "normal")).stableChatId, "given");
      assert.strictEqual((yield* faultOf(chat)).reason._tag, "StableIdMissing");
    }),
  );

  it.effect("must be a text of 1 to 512 characters", () =>
    Effect.gen(function* () {
      const chat = yield* ChatFolder.make("");
      for (const integrity of ["", 7, {}, "x".repeat(513)]) {
        yield* chat.write(`${JSON.stringify({ chat_metadata: { integrity } })}\n${greeting}`);
        assert.strictEqual((yield* faultOf(chat)).reason._tag, "StableIdInvalid");
      }
    }),
  );
});

describe("the frozen prefix", () => {
  it.effect("has the roles, hidden messages and names of the chat", () =>
    Effect.gen(function* () {
      const hidden = JSON.stringify({ ...parsed(question), is_system: true, send_date: 1_700_000_000_000 });
      const chat = yield* ChatFolder.make(chatText(greeting, hidden, '{"unknown":1}'));
      const frozen = yield* host.freeze(chat, "normal");
      assert.deepStrictEqual(
        frozen.messages.map(({ index, role, hidden, name }) => ({ index, role, hidden, name })),
        [
          { index: 0, role: "assistant", hidden: false, name: "Orla" },
          { index: 1, role: "user", hidden: true, name: "Mira" },
          { index: 2, role: "assistant", hidden: false, name: "" },
        ],
      );
      assert.strictEqual(frozen.messages[1]?.sendDate, "1700000000000");
      assert.deepInclude(frozen, { userName: "Mira", characterName: "Orla" });
      assert.deepStrictEqual(frozen.ref, { kind: "character", characterId: "Orla", fileName: "Orla - evening" });
    }),
  );

  it.effect("takes names from the header, and from the caller before that", () =>
    Effect.gen(function* () {
      const old = '{"user_name":"Ann","character_name":"Bo","chat_metadata":{"integrity":"i"}}';
      const chat = yield* ChatFolder.make(`${old}\n${greeting}\n${question}`);
      assert.deepInclude(yield* host.freeze(chat, "normal"), { userName: "Ann", characterName: "Bo" });
      const told = SillyTavernChatHost.make({ characterId: "bo_card", characterName: "Bobo", userName: "Anna" });
      const frozen = yield* told.freeze(chat, "normal");
      assert.deepInclude(frozen, { userName: "Anna", characterName: "Bobo" });
      assert.deepInclude(frozen.ref, { characterId: "bo_card" });
    }),
  );

  it.effect("of a chat without messages has the folder's name for the character", () =>
    Effect.gen(function* () {
      const chat = yield* ChatFolder.make(header);
      const frozen = yield* host.freeze(chat, "normal");
      assert.deepInclude(frozen, { userName: "User", characterName: basename(chat.folder) });
    }),
  );

  it.effect("of a swipe or regenerate needs the character's message at the end", () =>
    Effect.gen(function* () {
      const system = JSON.stringify({ ...parsed(greeting), is_system: true });
      const fixed = JSON.stringify({ ...parsed(greeting), extra: { swipeable: false } });
      const chat = yield* ChatFolder.make("");
      for (const type of ["swipe", "regenerate"] as const) {
        for (const lines of [[], [greeting, question], [greeting, system], [fixed]]) {
          yield* chat.write(chatText(...lines));
          assert.strictEqual((yield* faultOf(chat, type)).reason._tag, "TargetInvalid");
        }
      }
    }),
  );

  it.effect("is refused for what only a page of SillyTavern can do", () =>
    Effect.gen(function* () {
      const chat = yield* ChatFolder.make(chatText(greeting));
      for (const generationType of ["continue", "quiet", "impersonate"] as const) {
        const expected = { _tag: "GenerationTypeUnsupported", generationType } as const;
        assert.deepStrictEqual((yield* faultOf(chat, generationType)).reason, expected);
        const fault = yield* Effect.flip(host.commit(request(chat, "", { generationType })));
        assert.deepStrictEqual(fault.reason, expected);
      }
    }),
  );
});

describe("a group chat", () => {
  const orla = JSON.stringify({
    ...parsed(answer),
    original_avatar: "orla.png",
    force_avatar: "/thumbnail?type=avatar&file=orla.png",
    extra: { gen_id: 1 },
  });
  const tam = JSON.stringify({ ...parsed(orla), name: "Tam", original_avatar: "tam.png", extra: { gen_id: 2 } });

  it.effect("is known by its id, keeps its speakers, and may have no header", () =>
    Effect.gen(function* () {
      const chat = yield* ChatFolder.make([question, orla, tam].join("\n"));
      const frozen = yield* host.freeze({ ...chat, groupId: "group-1" }, "normal");
      assert.deepStrictEqual(frozen.ref, { kind: "group", chatId: "group-1" });
      assert.strictEqual(frozen.stableChatId, "group-1");
      assert.deepStrictEqual(
        frozen.messages.map(({ name }) => name),
        ["Mira", "Orla", "Tam"],
      );
    }),
  );

  it.effect("gets a message that SillyTavern can give to its speaker", () =>
    Effect.gen(function* () {
      const chat = yield* ChatFolder.make(chatText(question, orla, tam));
      const group = { location: chat.location, groupId: "group-1" };
      const { revision } = yield* host.freeze(group, "normal");
      const receipt = yield* host.commit(request(group, revision));
      const message = parsed(ChatFolder.linesOf(yield* chat.text).at(-1));
      assert.deepInclude(message, {
        original_avatar: "orla.png",
        force_avatar: "/thumbnail?type=avatar&file=orla.png",
      });
      assert.deepInclude(message["extra"], { gen_id: Date.parse("2026-11-30T02:00:00.000Z") });
      assert.strictEqual(receipt.messageIndex, 3);
    }),
  );

  it.effect("takes a swipe only from the speaker of the last message", () =>
    Effect.gen(function* () {
      const chat = yield* ChatFolder.make(chatText(question, tam));
      const group = { location: chat.location, groupId: "group-1" };
      const { revision } = yield* host.freeze(group, "swipe");
      const fault = yield* Effect.flip(host.commit(request(group, revision, { generationType: "swipe" })));
      assert.strictEqual(fault.reason._tag, "GroupUnsupported");
      yield* host.commit(request(group, revision, { generationType: "swipe", characterName: "Tam" }));
    }),
  );

  it.effect("regenerates a turn of one speaker, not one of several", () =>
    Effect.gen(function* () {
      const chat = yield* ChatFolder.make(chatText(question, orla, tam));
      const group = { location: chat.location, groupId: "group-1" };
      assert.lengthOf((yield* host.freeze(group, "regenerate")).messages, 2);
      const together = JSON.stringify({ ...parsed(tam), extra: { gen_id: 1 } });
      const unmarked = JSON.stringify({ ...parsed(tam), extra: {} });
      for (const last of [together, unmarked]) {
        yield* chat.write(chatText(question, orla, last));
        assert.strictEqual((yield* faultOf(group, "regenerate")).reason._tag, "GroupUnsupported");
      }
    }),
  );
});

describe("a chat that changed", () => {
  it.effect("is left alone by every write that knows an older revision", () =>
    Effect.gen(function* () {
      const chat = yield* ChatFolder.make(chatText(greeting, question));
      const { revision } = yield* host.freeze(chat, "normal");
      const receipt = yield* host.commit(request(chat, revision));
      const changed = `${yield* chat.text}\n`;
      yield* chat.write(changed);
      const writes: ReadonlyArray<Effect.Effect<unknown, ChatFault>> = [
        host.commit(request(chat, receipt.revision)),
        host.appendUserMessage(chat, { text: "Hm.", revision, at: "2026-11-30T02:00:00.000Z" }),
        host.withdraw(chat, receipt, receipt.revision),
        host.writeMetadata(chat, receipt, receipt.revision, { persistStateId: "s" }),
      ];
      for (const write of writes) {
        const fault = yield* Effect.flip(write);
        assert.strictEqual(fault.reason._tag, "Moved");
      }
      assert.strictEqual(yield* chat.text, changed);
      assert.deepStrictEqual(yield* Effect.promise(() => readdir(chat.folder)), ["Orla - evening.jsonl"]);
    }),
  );
});

describe("a file that changes while its new bytes are being written", () => {
  it.effect("keeps the change, and the new bytes are thrown away", () =>
    Effect.gen(function* () {
      const chat = yield* ChatFolder.make(chatText(greeting, question));
      const replace = Disk.replace(chat.location, Buffer.from(chatText(greeting)), Buffer.from("new"));
      assert.strictEqual((yield* Effect.flip(replace)).reason._tag, "Moved");
      assert.strictEqual(yield* chat.text, chatText(greeting, question));
      assert.deepStrictEqual(yield* Effect.promise(() => readdir(chat.folder)), ["Orla - evening.jsonl"]);
    }),
  );
});

describe("a user's line", () => {
  it.effect("is appended as SillyTavern writes one, in the user's name and picture", () =>
    Effect.gen(function* () {
      const before = chatText(greeting, question);
      const chat = yield* ChatFolder.make(before);
      const { revision } = yield* host.freeze(chat, "normal");
      const next = yield* host.appendUserMessage(chat, { text: "May I?", revision, at: "2026-11-30T02:00:00.000Z" });
      const after = yield* chat.text;
      assert.strictEqual((yield* host.freeze(chat, "normal")).revision, next);
      assert.isTrue(after.startsWith(`${before}\n`));
      assert.deepStrictEqual(parsed(after.slice(before.length + 1)), {
        ...parsed(question),
        send_date: "2026-11-30T02:00:00.000Z",
        mes: "May I?",
      });
    }),
  );
});

describe("the file of a chat", () => {
  it.effect("keeps its mode, and nothing is left beside it, not even what a killed process left", () =>
    Effect.gen(function* () {
      const chat = yield* ChatFolder.make(chatText(greeting, question));
      yield* Effect.promise(() => chmod(chat.location, 0o640));
      yield* Effect.promise(() => writeFile(join(chat.folder, ".Orla - evening.jsonl.cahier-tmp"), "half"));
      const { revision } = yield* host.freeze(chat, "normal");
      yield* host.commit(request(chat, revision));
      assert.strictEqual((yield* Effect.promise(() => stat(chat.location))).mode & 0o777, 0o640);
      assert.deepStrictEqual(yield* Effect.promise(() => readdir(chat.folder)), ["Orla - evening.jsonl"]);
    }),
  );

  it.effect("may have a name as long as the file system allows", () =>
    Effect.gen(function* () {
      const chat = yield* ChatFolder.make("");
      const location = join(chat.folder, `${"長".repeat(83)}.jsonl`);
      yield* Effect.promise(() => writeFile(location, chatText(greeting, question)));
      const { revision } = yield* host.freeze({ location }, "normal");
      yield* host.commit(request({ location }, revision));
      assert.lengthOf((yield* host.freeze({ location }, "normal")).messages, 3);
    }),
  );

  it.effect("whose temporary file cannot be written stays as it is", () =>
    Effect.gen(function* () {
      const chat = yield* ChatFolder.make(chatText(greeting, question));
      const blocked = join(chat.folder, ".Orla - evening.jsonl.cahier-tmp");
      yield* Effect.promise(() => mkdir(blocked));
      const { revision } = yield* host.freeze(chat, "normal");
      const fault = yield* Effect.flip(host.commit(request(chat, revision)));
      assert.strictEqual(fault.reason._tag, "Unreachable");
      assert.strictEqual(yield* chat.text, chatText(greeting, question));
    }),
  );
});
