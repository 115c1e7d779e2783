import { assert, describe, it } from "@effect/vitest";
import { existsSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import * as Effect from "effect/Effect";
import * as CardFile from "../src/card/CardFile.ts";
import * as fields from "../src/internal/fields.ts";
import * as ChatRecord from "../src/material/ChatRecord.ts";
import * as MaterialFile from "../src/material/MaterialFile.ts";
import * as UserSettings from "../src/material/UserSettings.ts";
import * as Assembly from "../src/prompt/Assembly.ts";
import * as Encodings from "../src/tokens/Encodings.ts";

const root = resolve(import.meta.dirname, "../../..");
const samples = join(process.env["CAHIER_FIXTURES"] ?? resolve(root, "../shared/fixtures"), "sillytavern");
const why = existsSync(samples) ? "" : " (skipped: set CAHIER_FIXTURES to the folder of the recorded fixtures)";
const at = (name: string): string => join(samples, name);
const read = (name: string): unknown => JSON.parse(readFileSync(at(name), "utf8"));

describe.skipIf(why !== "")(`what SillyTavern 1.19 itself sent with its default content${why}`, () => {
  for (const turn of [1, 2]) {
    it.effect(`is what is assembled from the same files for turn ${turn}`, () =>
      Effect.gen(function* () {
        const request = fields.object({ file: read(`requests/req-0${turn}.json`) }, "file");
        const [header = {}, ...lines] = readFileSync(at("chat-seraphina.jsonl"), "utf8")
          .trim()
          .split("\n")
          .map((line) => fields.object({ line: JSON.parse(line) }, "line"));
        const sheet = yield* CardFile.readSheet(at("card-seraphina.png"));
        const book = yield* MaterialFile.readLorebook(at("lorebook-eldoria.json"));
        const settings = yield* UserSettings.decode(read("settings-excerpt.json"));
        const { messages } = Assembly.assemble({
          preset: yield* MaterialFile.readPreset(at("Default.json")),
          turns: "single",
          settings,
          card: { ...sheet, world: "lorebook-eldoria" },
          cardFileName: "Seraphina",
          tags: [],
          group: [],
          chat: lines.slice(0, turn * 2).map(ChatRecord.line),
          metadata: ChatRecord.metadata(fields.object(header, "chat_metadata")),
          globalVariables: new Map(),
          lorebooks: new Map([[book.name, book]]),
          generationType: "normal",
          historyMessages: -1,
          includesWorldInfo: true,
          scansPersonaAtDepth: turn > 1,
          agent: { agentSystemPrompt: "", agentTask: "" },
          model: "gpt-4o",
          counter: yield* Encodings.load("o200k_base"),
          now: 0,
          zoneMinutes: 0,
          random: () => 0.5,
          seed: "captured",
        });
        assert.deepStrictEqual(
          messages.map(({ content, name, role }) => ({ role, content, ...(name === undefined ? {} : { name }) })),
          request["messages"],
        );
      }),
    );
  }
});
