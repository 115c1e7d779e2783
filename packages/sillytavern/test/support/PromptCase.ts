/** The recorded cases of `fixtures/prompts` as the input of an assembly. */
import { existsSync, readdirSync, readFileSync } from "node:fs";
import * as Effect from "effect/Effect";
import * as CardSheet from "../../src/material/CardSheet.ts";
import * as ChatRecord from "../../src/material/ChatRecord.ts";
import * as Lorebook from "../../src/material/Lorebook.ts";
import * as Preset from "../../src/material/Preset.ts";
import * as UserSettings from "../../src/material/UserSettings.ts";
import type { AssemblyInput } from "../../src/prompt/AssemblyInput.ts";
import * as Encodings from "../../src/tokens/Encodings.ts";

export interface ExpectedRequest {
  readonly messages: ReadonlyArray<{ readonly role: string; readonly content: string; readonly name?: string }>;
  readonly parts: ReadonlyArray<readonly [string, number]>;
  readonly activated: ReadonlyArray<{ readonly world: string; readonly uid: number }>;
  readonly timedWorldInfo?: unknown;
  readonly variables?: unknown;
}

export interface Turn {
  readonly send?: string;
  readonly reply: string;
}

type Json = Readonly<Record<string, unknown>>;

const folder = new URL("../fixtures/prompts/", import.meta.url);

export const names: ReadonlyArray<string> = readdirSync(folder).toSorted();

/** The chat file of a case. */
export const chatPath = (name: string): URL => new URL(`${name}/chat.jsonl`, folder);

/** The case's files, read and decoded; `metadata` as the chat's header has it. */
export const load = Effect.fnUntraced(function* (name: string) {
  const parse = (path: string) => JSON.parse(readFileSync(new URL(`${name}/${path}`, folder), "utf8"));
  const read = (path: string): Json => parse(path);
  const has = (path: string): boolean => existsSync(new URL(`${name}/${path}`, folder));
  const [header = {}, ...lines] = readFileSync(chatPath(name), "utf8")
    .trim()
    .split("\n")
    .map((line): Json => JSON.parse(line));
  const books = has("lorebooks") ? readdirSync(new URL(`${name}/lorebooks/`, folder)) : [];
  const lorebooks = yield* Effect.forEach(books, (book) =>
    Lorebook.decode(book.replace(/\.json$/, ""), read(`lorebooks/${book}`)),
  );
  const card = read("card.json")["data"] as Json;
  const imported = has("imported") ? readdirSync(new URL(`${name}/imported/`, folder))[0] : undefined;
  const book =
    imported === undefined ? null : Lorebook.fromCard(card["character_book"], `${String(card["name"])}'s Lorebook`);
  const input: AssemblyInput = {
    preset: yield* Preset.decode(read("preset.json")),
    turns: "single",
    settings: yield* UserSettings.decode(read("settings.json")),
    card: { ...CardSheet.fromData(card), ...(book === null ? {} : { world: book.name }) },
    cardFileName: "Ilse",
    tags: [],
    group: [],
    chat: lines.map(ChatRecord.line),
    metadata: ChatRecord.metadata(header["chat_metadata"] as Json),
    globalVariables: new Map(),
    lorebooks: new Map([...lorebooks, ...(book === null ? [] : [book])].map((found) => [found.name, found])),
    generationType: "normal",
    historyMessages: -1,
    includesWorldInfo: true,
    scansPersonaAtDepth: false,
    agent: { agentSystemPrompt: "", agentTask: "" },
    model: "gpt-4o",
    counter: yield* Encodings.load("o200k_base"),
    now: 0,
    zoneMinutes: 0,
    random: () => 0.5,
    seed: name,
  };
  const turns: ReadonlyArray<Turn> = has("turns.json") ? parse("turns.json") : [{ reply: "" }];
  const expected: { readonly requests: ReadonlyArray<ExpectedRequest> } = parse("expected.json");
  return {
    input,
    turns,
    expected: expected.requests,
    book,
    imported: imported === undefined ? null : { name: imported, file: read(`imported/${imported}`) },
  };
});
