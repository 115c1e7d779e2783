import { existsSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { assert, describe, it } from "@effect/vitest";
import * as Effect from "effect/Effect";
import * as SillyTavernChatHost from "../src/SillyTavernChatHost.ts";
import * as CardFile from "../src/card/CardFile.ts";
import * as ChatFolder from "./support/ChatFolder.ts";

const root = resolve(import.meta.dirname, "../../..");
const samples = join(process.env["CAHIER_FIXTURES"] ?? resolve(root, "../shared/fixtures"), "sillytavern");
const why = existsSync(samples) ? "" : " (skipped: set CAHIER_FIXTURES to the folder of the recorded fixtures)";
const host = SillyTavernChatHost.make();
const chats = ["chat-seraphina", "chat-swipe-hide-reasoning", "chat-checkpoint"];

describe.skipIf(why !== "")(`chats that SillyTavern 1.19 itself wrote${why}`, () => {
  for (const name of chats) {
    for (const generationType of ["normal", "swipe", "regenerate"] as const) {
      it.effect(`${name}: a ${generationType} run changes one line and nothing else`, () =>
        Effect.gen(function* () {
          const before = readFileSync(join(samples, `${name}.jsonl`), "utf8");
          const chat = yield* ChatFolder.make(before);
          const frozen = yield* host.freeze(chat, generationType);
          const receipt = yield* host.commit(
            ChatFolder.request(chat, frozen.revision, { generationType, characterName: frozen.characterName }),
          );
          const [old, now] = [before.split("\n"), (yield* chat.text).split("\n")];
          const kept = generationType === "normal" ? old : old.slice(0, -1);
          assert.deepStrictEqual(now.slice(0, kept.length), kept);
          assert.lengthOf(now, kept.length + 1);
          for (const line of now) assert.isNotEmpty(ChatFolder.parsed(line));
          const message = ChatFolder.parsed(now.at(-1));
          assert.strictEqual(message["name"], "Seraphina");
          assert.strictEqual(ChatFolder.at(message, "swipes", -1), message["mes"]);
          assert.strictEqual(receipt.messageIndex, kept.length - 1);
          if (generationType === "regenerate") return;
          yield* host.withdraw(chat, receipt, receipt.revision);
          assert.strictEqual(yield* chat.text, before);
        }),
      );
    }
  }
});

describe.skipIf(why !== "")(`cards that other programs wrote${why}`, () => {
  const cards: ReadonlyArray<readonly [string, string]> = [
    ["card-seraphina.png", "Seraphina"],
    ["cards/content_Assistant_CapoGPT.png", "CapoGPT"],
    ["cards/contest_Assistant_Amy.png", "Amy"],
    ["cards/contest_Assistant_Gloria.png", "Gloria, PA"],
    ["cards/contest_Assistant_Sakana.png", "Sakana"],
    ["cards/default_CodingSensei.png", "Coding Sensei"],
    ["cards/default_FluxTheCat.png", "Flux the Cat"],
    ["cards/seraphina_tt.png", "Seraphina"],
  ];
  for (const [file, name] of cards) {
    it.effect(`${file} is ${name}`, () =>
      Effect.gen(function* () {
        const character = yield* CardFile.read(join(samples, file));
        assert.strictEqual(character.name, name);
        assert.isNotEmpty(character.description);
      }),
    );
  }
});
