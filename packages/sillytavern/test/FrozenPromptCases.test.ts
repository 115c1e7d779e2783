import { readFileSync } from "node:fs";
import { assert, describe, it } from "@effect/vitest";
import * as Message from "@cahier/domain/model/Message";
import * as Effect from "effect/Effect";
import * as Card from "../src/card/Card.ts";
import * as SillyTavernChatHost from "../src/SillyTavernChatHost.ts";
import * as SillyTavernPromptAssembler from "../src/SillyTavernPromptAssembler.ts";
import * as ChatFolder from "./support/ChatFolder.ts";
import * as PromptCase from "./support/PromptCase.ts";

/** What a run sends otherwise than SillyTavern, with its reason; a case that has become equal must leave the list. */
const different: Readonly<Record<string, string>> = {
  "persona-at-depth-scanned":
    "a run always scans a persona at depth: the page's first request after a chat was opened does not, and a file does not tell which that is",
};

/** What a run sends for each turn of a case: the chat goes through its file, and what the prompt leaves in it too. */
const requests = Effect.fnUntraced(function* (name: string) {
  const { expected, input, turns } = yield* PromptCase.load(name);
  const file = yield* ChatFolder.make(readFileSync(PromptCase.chatPath(name)));
  const at = { location: file.location, chatId: name };
  const host = SillyTavernChatHost.make({ characterId: "Ilse", characterName: "Ilse" });
  const { card, lorebooks, preset, settings } = input;
  const assembler = SillyTavernPromptAssembler.make({
    material: { preset, settings, lorebooks: [...lorebooks.values()], sheet: card, model: "gpt-4o" },
  });
  const found: Array<unknown> = [];
  const wanted: Array<unknown> = [];
  for (const [turn, { reply, send }] of turns.entries()) {
    if (send !== undefined) {
      const { revision } = yield* host.freeze(at, "normal");
      yield* host.appendUserMessage(at, { text: send, revision, at: "2026-01-06T08:00:00.000Z" });
    }
    const chat = yield* host.freeze(at, "normal");
    const { activated, chatState, messages, tokens } = yield* assembler.assemble({
      generationType: "normal",
      chat,
      character: Card.characterOf(card),
      agentSystemPrompt: "",
      initialChatHistoryMessages: -1,
    });
    const { revision } = chat;
    yield* host.commit(
      ChatFolder.request(at, revision, {
        text: reply,
        characterName: "Ilse",
        ...(chatState === undefined ? {} : { chatState }),
      }),
    );
    const kept = (yield* host.freeze(at, "normal")).metadata;
    const request = expected[turn];
    found.push({
      messages: messages.map((message) => ({
        role: message.role,
        content: Message.textOf(message),
        ...("name" in message && message.name !== undefined ? { name: message.name } : {}),
      })),
      tokens: tokens.count,
      activated: (activated?.entries ?? []).map(({ uid, world }) => ({ world, uid })),
      ...(request?.timedWorldInfo === undefined ? {} : { timedWorldInfo: kept?.["timedWorldInfo"] }),
      ...(request?.variables === undefined ? {} : { variables: kept?.["variables"] }),
    });
    const { parts = [], ...others } = request ?? { messages: [], activated: [] };
    wanted.push({ ...others, tokens: parts.reduce((sum, [, count]) => sum + count, primedReply) });
  }
  return { found, wanted };
});

/** Tokens that every request is charged with beside its messages. */
const primedReply = 3;

describe("prompts of runs against SillyTavern's own requests", () => {
  for (const name of PromptCase.names) {
    const reason = different[name];
    const title = reason === undefined ? "are equal message by message" : `differ (${reason})`;
    it.effect(`${title} for the case ${name}`, () =>
      Effect.gen(function* () {
        const { found, wanted } = yield* requests(name);
        if (reason === undefined) assert.deepStrictEqual(found, wanted);
        else assert.notDeepEqual(found, wanted, "this case has become equal");
      }),
    );
  }

  it("differ in no case that there is not", () => {
    assert.includeMembers([...PromptCase.names], Object.keys(different));
  });
});
