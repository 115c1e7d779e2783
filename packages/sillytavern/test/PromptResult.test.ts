import { assert, describe, it } from "@effect/vitest";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { ChatMessage, FrozenChat } from "@cahier/domain/chat/Chat";
import { StableChatId } from "@cahier/domain/identity/Identity";
import * as Message from "@cahier/domain/model/Message";
import type { PromptInput } from "@cahier/ports/PromptAssembler";
import * as Effect from "effect/Effect";
import type * as Schema from "effect/Schema";
import * as ChatRecord from "../src/material/ChatRecord.ts";
import * as Lorebook from "../src/material/Lorebook.ts";
import * as Preset from "../src/material/Preset.ts";
import * as PresetFolder from "../src/material/PresetFolder.ts";
import * as UserSettings from "../src/material/UserSettings.ts";
import * as SillyTavernPromptAssembler from "../src/SillyTavernPromptAssembler.ts";

const message = (index: number, text: string): ChatMessage => ({
  index,
  role: index % 2 === 0 ? "assistant" : "user",
  name: index % 2 === 0 ? "Orla" : "Mira",
  text,
  hidden: false,
});

const chat: FrozenChat = {
  ref: { kind: "character", characterId: "orla", fileName: "evening" },
  stableChatId: StableChatId.make("4c1f-own"),
  userName: "Mira",
  characterName: "Orla",
  messages: [message(0, "Who knocks?"), message(1, "Only me."), message(2, "Come in."), message(3, "The bell rings.")],
  revision: "r1",
};

const input: PromptInput = {
  generationType: "normal",
  chat,
  character: {
    name: "Orla",
    description: "Orla keeps the tower.",
    personality: "",
    scenario: "Night.",
    firstMessage: "Who knocks?",
    exampleMessages: "<START>\nOrla: Hm.",
    systemPrompt: "",
    postHistoryInstructions: "Stay as Orla.",
  },
  agentSystemPrompt: "You write in files.",
  initialChatHistoryMessages: -1,
};

const task = "Check the tides.";

const presetFile = (main: string) => ({
  prompts: [
    { identifier: "main", role: "system", content: main },
    { identifier: "worldInfoBefore", marker: true },
    { identifier: "chatHistory", marker: true },
    { identifier: "worldInfoAfter", marker: true },
  ],
  prompt_order: [
    {
      character_id: 100001,
      order: ["main", "worldInfoBefore", "chatHistory", "worldInfoAfter"].map((identifier) => ({
        identifier,
        enabled: true,
      })),
    },
  ],
});

const material = Effect.gen(function* () {
  const entry = (uid: number, changes: object) => ({
    uid,
    key: ["bell"],
    content: `entry ${uid}`,
    position: 0,
    ...changes,
  });
  const entries = [
    entry(0, { comment: "The bell", sticky: 3 }),
    entry(1, { constant: true, key: [], position: 1 }),
    ...[2, 3, 4, 5, 6, 7].map((position) => entry(position, { position, outletName: "out" })),
    entry(8, { key: ["nobody says this"] }),
  ];
  const book = yield* Lorebook.decode("tower", { entries: Object.fromEntries(entries.map((one) => [one.uid, one])) });
  return { preset: yield* Preset.decode(presetFile("Write.{{setvar::seen::yes}}")), lorebooks: [book] };
});

const withMaterial = (options: SillyTavernPromptAssembler.Options = {}) =>
  Effect.map(material, (given) => SillyTavernPromptAssembler.make({ material: given, ...options }));

const textOf = (messages: ReadonlyArray<Message.Message>): string => messages.map(Message.textOf).join("\n");

describe("the parts of a prompt without a preset", () => {
  it.effect("are told in the order in which they are sent, with those that are empty or before the history", () =>
    Effect.gen(function* () {
      const { components, messages, tokens } = yield* SillyTavernPromptAssembler.make().assemble({
        ...input,
        agentTask: task,
        initialChatHistoryMessages: 3,
        model: "gpt-4o",
      });
      assert.deepStrictEqual(
        components.map(({ identifier, kind, skipped }) => [identifier, kind, skipped]),
        [
          ["agentSystemPrompt", "system", null],
          ["agentTask", "task", null],
          ["charDescription", "character", null],
          ["scenario", "character", null],
          ["dialogueExamples 0", "examples", null],
          ["newMainChat", "preset", null],
          ["chat:current#0", "history", "historyLimit"],
          ["chat:current#1", "history", null],
          ["chat:current#2", "history", null],
          ["chat:current#3", "history", null],
          ["postHistoryInstructions", "character", null],
          ["charSystemPrompt", "character", "empty"],
          ["charPersonality", "character", "empty"],
        ],
      );
      assert.deepStrictEqual(messages[1], Message.text("user", task));
      const sum = components.reduce((total, { tokens: counted }) => total + (counted ?? 0), 3);
      assert.deepStrictEqual(tokens, { count: sum, counter: "o200k_base", isExact: true, budget: null });
    }),
  );

  it.effect("within a budget leave out what has no room, and are refused without room for the agent", () =>
    Effect.gen(function* () {
      const assembler = SillyTavernPromptAssembler.make();
      const long = { ...input, agentTask: task, character: { ...input.character!, description: "word ".repeat(500) } };
      const { components, tokens } = yield* assembler.assemble({ ...long, budgetTokens: 120 });
      const skipped = components.filter((part) => part.skipped === "overBudget").map(({ identifier }) => identifier);
      assert.deepStrictEqual(skipped, ["charDescription"]);
      assert.isAtMost(tokens.count, 120);
      assert.strictEqual(tokens.budget, 120);
      const fault = yield* Effect.flip(assembler.assemble({ ...long, budgetTokens: 15 }));
      assert.deepStrictEqual(fault.reason, { _tag: "RequiredOverBudget", identifier: "agentTask" });
      assert.include(fault.detail, "larger context");
    }),
  );
});

describe("a prompt by a preset", () => {
  it.effect("tells the world info that is active, with its places", () =>
    Effect.gen(function* () {
      const assembler = yield* withMaterial();
      const { activated, messages } = yield* assembler.assemble(input);
      assert.deepInclude(activated, { timestampMs: 0, trigger: "normal" });
      assert.deepStrictEqual(activated?.entries.map(({ position, uid }) => [uid, position]).toSorted(), [
        [0, "before"],
        [1, "after"],
        [2, "an_top"],
        [3, "an_bottom"],
        [4, "depth"],
        [5, "em_top"],
        [6, "em_bottom"],
        [7, "outlet"],
      ]);
      assert.deepStrictEqual(
        activated?.entries.find(({ uid }) => uid === 0),
        { world: "tower", uid: 0, displayName: "The bell", constant: false, position: "before", content: "entry 0" },
      );
      assert.deepInclude(
        activated?.entries.find(({ uid }) => uid === 2),
        { displayName: "bell" },
      );
      assert.include(textOf(messages), "entry 1");
    }),
  );

  it.effect("leaves world info out where it is not to enter, and tells it all the same", () =>
    Effect.gen(function* () {
      const assembler = yield* withMaterial();
      const { activated, components, messages } = yield* assembler.assemble({
        ...input,
        includeActivatedWorldInfo: false,
      });
      assert.notInclude(textOf(messages), "entry");
      assert.lengthOf(activated?.entries ?? [], 8);
      assert.lengthOf(
        components.filter(({ skipped }) => skipped === "excluded"),
        8,
      );
    }),
  );

  it.effect("without lorebooks knows of no world info", () =>
    Effect.gen(function* () {
      const { preset } = yield* material;
      const assembled = yield* SillyTavernPromptAssembler.make({ material: { preset } }).assemble(input);
      assert.isFalse("activated" in assembled);
    }),
  );

  it.effect("says what the chat is to keep, and nothing where that is what it has", () =>
    Effect.gen(function* () {
      const assembler = yield* withMaterial();
      const metadata = { integrity: "4c1f-own", variables: { count: 2, sheet: { hp: 3 } } };
      const { chatState } = yield* assembler.assemble({ ...input, chat: { ...chat, metadata } });
      assert.deepStrictEqual(Object.keys(chatState ?? {}), ["timedWorldInfo", "variables"]);
      assert.deepStrictEqual(chatState?.["variables"], { sheet: { hp: 3 }, count: 2, seen: "yes" });
      assert.deepInclude(chatState?.["timedWorldInfo"], { cooldown: {} });
      const kept = { ...metadata, ...chatState };
      assert.hasAllKeys(ChatRecord.metadata(kept).timed.sticky, ["tower.0"]);
      const messages = [...chat.messages, message(4, "It does."), message(5, "So.")];
      const later = yield* assembler.assemble({ ...input, chat: { ...chat, metadata: kept, messages } });
      assert.isFalse("chatState" in later);
    }),
  );

  it.effect("has lore for the tags that the user gave the character in the settings, or that the material names", () =>
    Effect.gen(function* () {
      const { preset } = yield* material;
      const entry = { uid: 0, key: [], constant: true, content: "sea lore", characterFilter: { tags: ["tag-sea"] } };
      const lorebooks = [yield* Lorebook.decode("tower", { entries: { 0: entry } })];
      const settings = yield* UserSettings.decode({
        world_info_settings: { world_info: { globalSelect: ["tower"] } },
        tag_map: { "orla.png": ["tag-sea", 3], "other.png": ["tag-hill"] },
      });
      const activeWith = (changes: object) =>
        Effect.map(
          SillyTavernPromptAssembler.make({ material: { preset, lorebooks, settings, ...changes } }).assemble(input),
          ({ activated }) => activated?.entries.length,
        );
      assert.strictEqual(yield* activeWith({}), 1);
      assert.strictEqual(yield* activeWith({ tags: [] }), 0);
      assert.strictEqual(yield* activeWith({ settings: { ...settings, characterTags: new Map() } }), 0);
    }),
  );

  it.effect("names everybody but the user in a group, a narrator too", () =>
    Effect.gen(function* () {
      const assembler = yield* withMaterial();
      const messages = [
        { ...message(0, "The bell rang."), name: "Narrator", metadata: { type: "narrator" } },
        message(1, "Who knocks?"),
        { ...message(2, "Only me."), name: "Tam", metadata: {} },
      ];
      const assembled = (group: boolean) =>
        Effect.map(
          assembler.assemble({
            ...input,
            chat: { ...chat, messages, ...(group ? { ref: { kind: "group", chatId: "g" } as const } : {}) },
          }),
          (made) => made.messages.map((found) => `${found.role}: ${Message.textOf(found)}`),
        );
      assert.includeMembers(
        [...(yield* assembled(true))],
        ["system: Narrator: The bell rang.", "user: Who knocks?", "assistant: Tam: Only me."],
      );
      assert.includeMembers([...(yield* assembled(false))], ["system: The bell rang.", "assistant: Only me."]);
    }),
  );

  it.effect("is made again of what was frozen, whatever files whoever makes it has", () =>
    Effect.gen(function* () {
      const given = yield* material;
      const first = SillyTavernPromptAssembler.make({ material: given });
      const { material: frozen, messages } = yield* first.assemble({ ...input, keepsMaterial: true });
      assert.isDefined(frozen);
      assert.isFalse("material" in (yield* first.assemble(input)));
      // As it comes back from a journal.
      const kept = JSON.parse(JSON.stringify(frozen)) as Schema.Json;
      const { preset: _preset, ...others } = given;
      for (const assembler of [
        SillyTavernPromptAssembler.make(),
        SillyTavernPromptAssembler.make({ material: { preset: given.preset } }),
      ]) {
        const again = yield* assembler.assemble({ ...input, material: kept });
        assert.deepStrictEqual(again.messages, messages);
        assert.isFalse("material" in again);
      }
      assert.isNotEmpty(Object.keys(others));
    }),
  );

  it.effect("goes by the metadata of the frozen chat", () =>
    Effect.gen(function* () {
      const noteOf = (text: string) => ({ note_prompt: text });
      const assembler = SillyTavernPromptAssembler.make({ material: yield* material });
      const ofChat = yield* assembler.assemble({ ...input, chat: { ...chat, metadata: noteOf("the chat's note") } });
      assert.include(textOf(ofChat.messages), "the chat's note");
      const without = yield* assembler.assemble({ ...input, chat: { ...chat, metadata: {} } });
      assert.notInclude(textOf(without.messages), "note");
      assert.notInclude(textOf((yield* assembler.assemble(input)).messages), "note");
    }),
  );

  it.effect("tells the parameters that the preset states, and none where it states none", () =>
    Effect.gen(function* () {
      const assembler = yield* withMaterial({
        presets: () => Preset.decode({ ...presetFile("Write."), temperature: 0.7, seed: 3, openai_max_tokens: 900 }),
      });
      const named = { ...input, preset: { apiId: "openai", name: "Warm" } };
      const { parameters } = yield* assembler.assemble(named);
      assert.deepStrictEqual(parameters, { temperature: 0.7, seed: 3, maxOutputTokens: 900 });
      assert.isFalse("parameters" in (yield* assembler.assemble(input)));
      assert.isFalse("parameters" in (yield* SillyTavernPromptAssembler.make().assemble(input)));
    }),
  );

  it.effect("is counted for the model that reads it, whatever model the material names", () =>
    Effect.gen(function* () {
      const given = yield* material;
      const assembler = SillyTavernPromptAssembler.make({ material: { ...given, model: "gpt-4o" } });
      assert.strictEqual((yield* assembler.assemble(input)).tokens.counter, "o200k_base");
      const { tokens } = yield* assembler.assemble({ ...input, model: "gpt-4" });
      assert.strictEqual(tokens.counter, "cl100k_base");
      assert.strictEqual((yield* assembler.assemble({ ...input, model: "claude" })).tokens.isExact, false);
    }),
  );

  it.effect("is limited by the smaller of the preset's context and the budget", () =>
    Effect.gen(function* () {
      const { preset } = yield* material;
      const assembler = yield* withMaterial();
      const own = preset.context - preset.response;
      for (const [budgetTokens, limit] of [
        [own + 1000, own],
        [200, 200],
      ] as const) {
        const { tokens } = yield* assembler.assemble({ ...input, budgetTokens });
        assert.strictEqual(tokens.budget, limit);
        assert.isAtMost(tokens.count, limit);
      }
      const fault = yield* Effect.flip(assembler.assemble({ ...input, budgetTokens: 4 }));
      assert.deepStrictEqual(fault.reason, { _tag: "RequiredOverBudget", identifier: "agentSystemPrompt" });
    }),
  );
});

describe("a preset by name", () => {
  it.effect("takes the place of the assembler's own and keeps its lorebooks", () =>
    Effect.gen(function* () {
      const named = yield* Preset.decode(presetFile("Another beginning."));
      const assembler = yield* withMaterial({ presets: () => Effect.succeed(named) });
      const { messages } = yield* assembler.assemble({ ...input, preset: { apiId: "openai", name: "Other" } });
      assert.include(textOf(messages), "Another beginning.");
      assert.include(textOf(messages), "entry 1");
      assert.notInclude(textOf((yield* assembler.assemble(input)).messages), "Another");
    }),
  );

  it.effect("is read from the user's folder, and is missing by its name where it cannot be", () =>
    Effect.gen(function* () {
      const folder = mkdtempSync(join(tmpdir(), "cahier-presets-"));
      yield* Effect.addFinalizer(() => Effect.sync(() => rmSync(folder, { recursive: true })));
      const place = join(folder, "OpenAI Settings");
      mkdirSync(place);
      writeFileSync(join(place, "Mine.v2.json"), JSON.stringify(presetFile("From the folder.")));
      writeFileSync(join(place, "Broken.json"), "{");
      writeFileSync(join(folder, "outside.json"), JSON.stringify(presetFile("From elsewhere.")));
      const assembler = SillyTavernPromptAssembler.make({ presets: PresetFolder.lookup(folder) });
      const asked = (name: string, apiId = "openai") => assembler.assemble({ ...input, preset: { apiId, name } });
      assert.include(textOf((yield* asked("Mine.v2")).messages), "From the folder.");
      for (const [name, apiId] of [
        ["Other", "openai"],
        ["Broken", "openai"],
        ["../outside", "openai"],
        ["..\\outside", "openai"],
        ["", "openai"],
        ["Mine.v2", "novel"],
      ] as const) {
        const fault = yield* Effect.flip(asked(name, apiId));
        assert.deepStrictEqual(fault.reason, { _tag: "PresetMissing", apiId, name });
      }
    }),
  );

  it.effect("is missing where the assembler has no presets", () =>
    Effect.gen(function* () {
      const assembler = yield* withMaterial();
      const fault = yield* Effect.flip(assembler.assemble({ ...input, preset: { apiId: "openai", name: "Other" } }));
      assert.strictEqual(fault.reason._tag, "PresetMissing");
      assert.include(fault.detail, "Other");
    }),
  );
});
