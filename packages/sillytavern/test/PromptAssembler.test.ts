import { assert, describe, it } from "@effect/vitest";
import type { ChatMessage, FrozenChat } from "@cahier/domain/chat/Chat";
import { StableChatId } from "@cahier/domain/identity/Identity";
import * as Message from "@cahier/domain/model/Message";
import { anchorMarker, type Character, type PromptInput } from "@cahier/ports/PromptAssembler";
import * as Effect from "effect/Effect";
import * as SillyTavernPromptAssembler from "../src/SillyTavernPromptAssembler.ts";
import * as Macros from "../src/prompt/Macros.ts";
import * as PromptCase from "./support/PromptCase.ts";

const assembler = SillyTavernPromptAssembler.make();

const message = (
  index: number,
  role: "user" | "assistant",
  text: string,
  changes: Partial<ChatMessage> = {},
): ChatMessage => ({
  index,
  role,
  name: role === "user" ? "Mira" : "Orla",
  text,
  hidden: false,
  ...changes,
});

const chat: FrozenChat = {
  ref: { kind: "character", characterId: "orla", fileName: "evening" },
  stableChatId: StableChatId.make("4c1f-own"),
  userName: "Mira",
  characterName: "Orla",
  messages: [
    message(0, "assistant", "Who knocks?"),
    message(1, "user", "Only {{user}}."),
    message(2, "user", "secret", { hidden: true }),
    message(3, "assistant", "Come in."),
  ],
  revision: "r1",
};

const character: Character = {
  name: "Orla",
  description: "{{char}} keeps the tower.",
  personality: "dry with <USER>",
  scenario: "Night.",
  firstMessage: "Who knocks?",
  exampleMessages: "<START>\n{{user}}: Hi\n{{char}}: Hm.\n<start>\n{{CHAR}}: Yes?",
  systemPrompt: "{{original}}\nBe brief, {{ Char }}.",
  postHistoryInstructions: "Stay as <BOT>.",
};

const input: PromptInput = {
  generationType: "normal",
  chat,
  character,
  agentSystemPrompt: "You write in files. {{user}}",
  initialChatHistoryMessages: -1,
};

const lines = (changes: Partial<PromptInput> = {}) =>
  Effect.map(assembler.assemble({ ...input, ...changes }), ({ messages }) =>
    messages.map((found) => `${found.role}: ${Message.textOf(found)}`),
  );

describe("the prompt of a card and a chat", () => {
  it.effect("has the parts in the order of the default preset, with the names filled in", () =>
    Effect.gen(function* () {
      assert.deepStrictEqual(yield* lines(), [
        "system: You write in files. {{user}}",
        "system: Be brief, Orla.",
        "system: Orla keeps the tower.",
        "system: dry with Mira",
        "system: Night.",
        "system: [Example Chat]\nMira: Hi\nOrla: Hm.",
        "system: [Example Chat]\nOrla: Yes?",
        "system: [Start a new Chat]",
        "assistant: Who knocks?",
        "user: Only Mira.",
        "assistant: Come in.",
        "system: Stay as Orla.",
      ]);
    }),
  );

  it.effect("of an empty card is the system prompt and the history", () =>
    Effect.gen(function* () {
      const empty = Object.fromEntries(Object.keys(character).map((key) => [key, ""]));
      for (const changes of [{ character: { ...character, ...empty } }, {}]) {
        const { character: _, ...bare } = input;
        const { messages } = yield* assembler.assemble({ ...bare, ...changes });
        assert.deepStrictEqual(
          messages.map(({ role }) => role),
          ["system", "assistant", "user", "assistant"],
        );
      }
    }),
  );

  it.effect("takes the last messages that are not hidden", () =>
    Effect.gen(function* () {
      const history = (count: number) =>
        Effect.map(lines({ initialChatHistoryMessages: count }), (all) =>
          all.filter((line) => !line.startsWith("system")),
        );
      assert.deepStrictEqual(yield* history(0), []);
      assert.deepStrictEqual(yield* history(2), ["user: Only Mira.", "assistant: Come in."]);
      assert.lengthOf(yield* history(9), 3);
    }),
  );

  it.effect("sends a narrator as the system, and names a speaker that is neither the character nor the user", () =>
    Effect.gen(function* () {
      const messages = [
        message(0, "assistant", "The bell rang.", { name: "Narrator", metadata: { type: "narrator" } }),
        message(1, "assistant", "I made the ladder.", { name: "Orm", metadata: { force_avatar: true } }),
        message(2, "user", "Who speaks?", { name: "Ann", metadata: {} }),
        message(3, "user", "I do.", { metadata: { force_avatar: true } }),
      ];
      const all = yield* lines({ chat: { ...chat, messages } });
      assert.deepStrictEqual(all.slice(-5, -1), [
        "system: The bell rang.",
        "assistant: Orm: I made the ladder.",
        "user: Who speaks?",
        "user: I do.",
      ]);
    }),
  );

  it.effect("of a group names every speaker but the user's own persona", () =>
    Effect.gen(function* () {
      const group: FrozenChat = {
        ...chat,
        ref: { kind: "group", chatId: "g" },
        messages: [
          message(0, "assistant", "Hm.", { name: "Tam" }),
          message(1, "user", "Yes."),
          message(2, "user", "No.", { name: "Ann" }),
        ],
      };
      const { character: _, ...bare } = input;
      const { messages } = yield* assembler.assemble({ ...bare, chat: group });
      assert.deepStrictEqual(messages.slice(1).map(Message.textOf), ["Tam: Hm.", "Yes.", "Ann: No."]);
    }),
  );

  it.effect("is not empty and holds no anchor's marker", () =>
    Effect.gen(function* () {
      const { character: _, ...bare } = input;
      const nothing = { ...bare, agentSystemPrompt: " ", initialChatHistoryMessages: 0 };
      assert.strictEqual((yield* Effect.flip(assembler.assemble(nothing))).reason._tag, "Empty");
      const marker = anchorMarker("agentSystemPrompt");
      const marked = { ...input, character: { ...character, scenario: `Night. ${marker}` } };
      assert.deepStrictEqual((yield* Effect.flip(assembler.assemble(marked))).reason, {
        _tag: "MarkerUnmaterialized",
        marker,
      });
    }),
  );
});

describe("the prompt of a user's preset", () => {
  it.effect(
    "has the agent's prompt, the preset's blocks and activated lore, with names where the preset asks for them",
    () =>
      Effect.gen(function* () {
        const { input: recorded } = yield* PromptCase.load("names-completion");
        const books = yield* PromptCase.load("lore-everywhere");
        const { messages } = yield* SillyTavernPromptAssembler.make({
          material: { preset: recorded.preset, lorebooks: [...books.input.lorebooks.values()], model: "gpt-4o" },
        }).assemble({ ...input, chat: { ...chat, messages: [message(0, "user", "The bell rings.")] } });
        const found = messages.map((one) => [one.role, one.name, Message.textOf(one)]);
        assert.deepStrictEqual(found[0], ["system", undefined, "You write in files. {{user}}"]);
        assert.deepStrictEqual(found[1], [
          "system",
          undefined,
          "Write the part of Orla in a story told together with Mira.\nBe brief, Orla.",
        ]);
        assert.deepInclude(found, ["user", "Mira", "The bell rings."]);
        assert.isTrue(found.some(([, , text]) => text?.includes("Before the character, order 100.")));
      }),
  );

  it.effect("that does not fit is refused, and names the block without room", () =>
    Effect.gen(function* () {
      const { input: recorded } = yield* PromptCase.load("default-order");
      const assembling = SillyTavernPromptAssembler.make({ material: { preset: recorded.preset } }).assemble({
        ...input,
        agentSystemPrompt: "word ".repeat(9000),
      });
      const fault = yield* Effect.flip(assembling);
      assert.deepStrictEqual(fault.reason, { _tag: "RequiredOverBudget", identifier: "agentSystemPrompt" });
      assert.include(fault.detail, "agentSystemPrompt");
    }),
  );
});

describe("macros", () => {
  it("are filled in once, and names are taken as they are", () => {
    const values = { character: "$& {{user}}", user: "<BOT>" };
    assert.strictEqual(Macros.expand("{{char}}|{{USER}}|<char>|<user>", values), "$& {{user}}|<BOT>|$& {{user}}|<BOT>");
  });

  it("that are not known stay", () => {
    const values = { character: "Orla", user: "Mira" };
    assert.strictEqual(
      Macros.expand("{{random:a,b}} {{original}} {{chars}} <b>", values),
      "{{random:a,b}} {{original}} {{chars}} <b>",
    );
  });
});
