/**
 * What a prompt costs: a scan of a large lorebook over a long chat, and a prompt of a large preset and card.
 *
 * Each is held to a limit in milliseconds of processor time. What stands beside is the bare way: every key looked up in the
 * text by itself, and JSON.parse of the same files. The scan is of books that were read before, keys not yet compiled. The
 * prompt begins with the bytes of its files; the tables of the tokenizer are loaded before, once for a process.
 */
import * as CardSheet from "@cahier/sillytavern/material/CardSheet";
import * as ChatRecord from "@cahier/sillytavern/material/ChatRecord";
import * as Preset from "@cahier/sillytavern/material/Preset";
import * as UserSettings from "@cahier/sillytavern/material/UserSettings";
import * as Assembly from "@cahier/sillytavern/prompt/Assembly";
import * as Encodings from "@cahier/sillytavern/tokens/Encodings";
import * as LoreEntry from "@cahier/sillytavern/worldinfo/LoreEntry";
import * as Scan from "@cahier/sillytavern/worldinfo/Scan";
import * as TimedEffects from "@cahier/sillytavern/worldinfo/TimedEffects";
import * as WorldInfoSettings from "@cahier/sillytavern/worldinfo/WorldInfoSettings";
import * as Effect from "effect/Effect";
import { isShort } from "./measure/isShort.ts";
import { median } from "./measure/median.ts";
import { pairs, type Sides } from "./measure/pairs.ts";
import { print, type Row, spreadOf } from "./measure/Table.ts";
import { prose } from "./model/prose.ts";

const repetitions = isShort ? { warmUps: 2, measured: 5 } : { warmUps: 4, measured: 20 };

const compare = async (what: string, limit: number, sides: Sides): Promise<Row> => {
  const found = await pairs(sides, repetitions.warmUps, repetitions.measured);
  const ours = found.map((pair) => pair.ours.cpu);
  return {
    what,
    ours: `${median(ours).toFixed(1)} ms`,
    theirs: `${median(found.map((pair) => pair.theirs.cpu)).toFixed(1)} ms`,
    value: median(ours),
    limit,
    unit: " ms",
    spread: spreadOf(ours),
  };
};

const counter = await Effect.runPromise(Encodings.load("o200k_base"));

const messages = Array.from({ length: 500 }, (_, index) => prose(index, 600));
const words = [...new Set(messages.join(" ").split(/\W+/))].filter((word) => word.length > 3);

const wordAt = (index: number): string => words[index % words.length] ?? "lamp";

/** One in a hundred keys is in the text: the others are of its letters, and so are the expressions. */
const keyAt = (index: number): string => {
  if (index % 100 === 0) return wordAt(index);
  const made = `${wordAt(index * 7).slice(0, 3)}${wordAt(index * 13).slice(1)}${index}`;
  return index % 20 === 7 ? `/\\b${made}(?:s|es)?\\b|${wordAt(index).slice(0, 4)}[xyz]+${index}/i` : made;
};

const files = Array.from({ length: 10_000 }, (_, uid) => ({
  uid,
  key: [0, 1, 2].map((at) => keyAt(uid * 3 + at)),
  content: prose(uid, 120),
  scanDepth: 100,
  order: uid % 200,
}));

/** Fresh entries, whose keys are not compiled. */
const entriesOf = (): ReadonlyArray<LoreEntry.LoreEntry> =>
  files.map((file) => LoreEntry.fromFile("Book", file, file.uid));

const largeLorebook = async (): Promise<Row> => {
  let entries: ReadonlyArray<LoreEntry.LoreEntry> = [];
  const newest = messages.toReversed();
  return compare("10,000 entries, 500 messages", 300, {
    prepare: async () => {
      entries = entriesOf();
    },
    ours: async () => {
      const found = Scan.scan({
        entries,
        settings: WorldInfoSettings.fromFile({ world_info_recursive: true, world_info_match_whole_words: true }),
        budget: 4000,
        generationType: "normal",
        character: { fileName: "Marit", tags: [] },
        timed: TimedEffects.none,
        counter,
        expand: (text) => text,
        random: () => 0.5,
        messages: newest,
        sources: {},
        injected: [],
      });
      if (found.activated.length === 0) throw new Error("nothing was activated");
    },
    theirs: async () => {
      const text = newest.slice(0, 100).join("\n").toLowerCase();
      return files.filter(({ key }) => key.some((one) => text.includes(one.toLowerCase()))).length;
    },
  });
};

/** Five megabytes: blocks of which the order turns most off, as presets that offer a choice have them, and a long card. */
const largeFiles = () => {
  const blocks = Array.from({ length: 400 }, (_, index) => ({
    identifier: `block-${index}`,
    role: "system",
    content: `{{// block ${index}}}{{setvar::mood::${index}}}${prose(index, 10_000)} {{char}} {{getvar::mood}}`,
  }));
  const standard = ["main", "charDescription", "charPersonality", "scenario", "dialogueExamples", "chatHistory"];
  const preset = JSON.stringify({
    prompts: [...standard.map((identifier) => ({ identifier, content: "" })), ...blocks],
    prompt_order: [
      {
        character_id: 100001,
        order: [...standard, ...blocks.map(({ identifier }) => identifier)].map((identifier, index) => ({
          identifier,
          enabled: index < 30,
        })),
      },
    ],
    openai_max_context: 200_000,
    openai_max_tokens: 4000,
  });
  const example = (index: number): string =>
    `<START>\n{{user}}: ${prose(index, 200)}\n{{char}}: ${prose(index + 1, 200)}\n`;
  const card = JSON.stringify({
    name: "Marit",
    description: prose(1, 100_000),
    personality: prose(2, 20_000),
    scenario: prose(3, 20_000),
    first_mes: prose(4, 10_000),
    mes_example: Array.from({ length: 200 }, (_, index) => example(index)).join(""),
    character_book: { entries: files.slice(0, 2000) },
  });
  return { preset, card };
};

const largePrompt = async (): Promise<Row> => {
  const { card, preset } = largeFiles();
  const chat = messages.map((text, index) =>
    ChatRecord.line({ mes: text, name: index % 2 === 0 ? "Marit" : "Jonas", is_user: index % 2 === 1 }),
  );
  const megabytes = ((preset.length + card.length) / 1_000_000).toFixed(1);
  return compare(`preset and card of ${megabytes} MB, 500 messages`, 200, {
    ours: async () => {
      const assembled = Assembly.assemble({
        preset: await Effect.runPromise(Preset.decode(JSON.parse(preset))),
        turns: "single",
        settings: UserSettings.initial("Jonas"),
        card: CardSheet.fromData(JSON.parse(card)),
        cardFileName: "Marit",
        tags: [],
        group: [],
        chat,
        metadata: ChatRecord.metadata({}),
        globalVariables: new Map(),
        lorebooks: new Map(),
        generationType: "normal",
        historyMessages: -1,
        includesWorldInfo: true,
        scansPersonaAtDepth: true,
        agent: { agentSystemPrompt: "You write in files.", agentTask: "" },
        model: "gpt-4o",
        counter,
        now: 0,
        zoneMinutes: 0,
        random: () => 0.5,
        seed: "bench",
      });
      if (assembled.requiredOverBudget !== null) throw new Error(`${assembled.requiredOverBudget} does not fit`);
    },
    theirs: async () => [JSON.parse(preset), JSON.parse(card)],
  });
};

print(
  "Prompts: processor time",
  "beside: each key looked up by itself, once, without rules; JSON.parse of the same files.",
  [await largeLorebook(), await largePrompt()],
);
