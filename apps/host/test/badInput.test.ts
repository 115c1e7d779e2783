/**
 * What the user can get wrong: each is refused with its own code and a sentence of what to do, and the chat is left
 * exactly as it was.
 */
import { existsSync, mkdirSync, readFileSync } from "node:fs";
import { afterAll, assert, beforeAll, describe, it } from "@effect/vitest";
import { cahier, ensureBundle, objectOf, type StartOptions } from "./support/Cahier.ts";
import * as Place from "./support/Place.ts";

interface Case {
  readonly title: string;
  readonly code: string;
  readonly exit: 3 | 4;
  /** What the sentence says of the thing that is wrong. */
  readonly says: RegExp;
  /** Text of the chat; default the demonstration's. */
  readonly chat?: string;
  /** Arguments after `run`, where not those of a run that would go well. */
  readonly args?: (place: Place.Place) => ReadonlyArray<string>;
  readonly options?: StartOptions;
}

const profileOf = (content: string | object) => (place: Place.Place) => [
  ...good(place),
  "--profile",
  place.write("profile.json", content),
];

const cardOf = (name: string, content: string | Uint8Array) => (place: Place.Place) => [
  ...good(place),
  "--card",
  place.write(name, content),
];

const scriptOf = (content: string | object) => (place: Place.Place) => [
  "--chat",
  place.chat,
  "--data",
  place.data,
  "--script",
  place.write("script.json", content),
];

const withData = (data: (place: Place.Place) => string) => (place: Place.Place) => [
  "--chat",
  place.chat,
  "--script",
  place.write("script.json", Place.short()),
  "--data",
  data(place),
];

const good = (place: Place.Place): ReadonlyArray<string> => scriptOf(Place.short())(place);

const pngSignature = Uint8Array.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);

const cases: ReadonlyArray<Case> = [
  {
    title: "a chat that is not there",
    code: "chat.not_found",
    exit: 4,
    says: /no chat file at .*Check the path/,
    args: (place) => [...good(place), "--chat", place.path("absent.jsonl")],
  },
  { title: "an empty chat", code: "chat.malformed", exit: 4, says: /is empty\. Give a chat/, chat: "" },
  {
    title: "a chat that is no JSONL",
    code: "chat.malformed",
    exit: 4,
    says: /Line 1 .* is not a JSON object\. Give/,
    chat: "Once upon a time.\nThe end.\n",
  },
  {
    title: "a half-written chat",
    code: "chat.malformed",
    exit: 4,
    says: /Line 3 of the chat is cut off\. Restore/,
    chat: Place.chatText.slice(0, -40),
  },
  {
    title: "a chat damaged in its middle",
    code: "chat.malformed",
    exit: 4,
    says: /Line 2 of the chat is not JSON\. Restore/,
    chat: Place.chatText.replace('"Odile"', '"Odile'),
  },
  {
    title: "a chat without a stable id",
    code: "agent.stable_chat_id_required",
    exit: 4,
    says: /Open and save it in SillyTavern/,
    chat: '{"user_name":"Robin","character_name":"Odile"}\n{"name":"Robin","is_user":true,"mes":"Hello."}',
  },
  {
    title: "a folder for a chat",
    code: "chat.malformed",
    exit: 4,
    says: /is not a file\. Give/,
    args: (place) => [...good(place), "--chat", place.folder],
  },
  {
    title: "a swipe where the user spoke last",
    code: "agent.swipe_target_invalid",
    exit: 4,
    says: /\./,
    args: (place) => [...good(place), "--type", "swipe"],
  },
  {
    title: "a type that there is not",
    code: "agent.invalid_generation_type",
    exit: 4,
    says: /Use normal, regenerate or swipe/,
    args: (place) => [...good(place), "--type", "remix"],
  },
  {
    title: "a type that a file cannot take",
    code: "agent.generation_type_unsupported",
    exit: 4,
    says: /Use normal, swipe or regenerate/,
    args: (place) => [...good(place), "--type", "impersonate"],
  },
  {
    title: "a card that is not there",
    code: "card.not_found",
    exit: 4,
    says: /Check the path/,
    args: (place) => [...good(place), "--card", place.path("absent.png")],
  },
  {
    title: "a text for a card",
    code: "card.not_a_card",
    exit: 4,
    says: /Give a character card/,
    args: cardOf("card.png", "I am a card."),
  },
  {
    title: "JSON that is no card",
    code: "card.not_a_card",
    exit: 4,
    says: /Give a character card/,
    args: cardOf("card.json", '{"answer": 42}'),
  },
  {
    title: "an image that is cut off",
    code: "card.damaged",
    exit: 4,
    says: /Download or export the card again/,
    args: cardOf("card.png", pngSignature),
  },
  {
    title: "a card of a format that nobody reads here",
    code: "card.unsupported",
    exit: 4,
    says: /Export the card as version 2 or 3/,
    args: cardOf("card.json", JSON.stringify({ spec: "chara_card_v9", data: { name: "Odile" } })),
  },
  {
    title: "a folder for a card",
    code: "card.unreadable",
    exit: 4,
    says: /Check that it is a file/,
    args: (place) => [...good(place), "--card", place.folder],
  },
  {
    title: "a script that is not there",
    code: "model.script_invalid",
    exit: 4,
    says: /cannot be read\. Check the path/,
    args: (place) => ["--chat", place.chat, "--data", place.data, "--script", place.path("absent.json")],
  },
  { title: "an empty script", code: "model.script_invalid", exit: 4, says: /is empty/, args: scriptOf("") },
  {
    title: "a script that is no JSON",
    code: "model.script_invalid",
    exit: 4,
    says: /correct it: the script is not JSON/,
    args: scriptOf('{"format": "cahier.script/1", "turns": ['),
  },
  { title: "a list for a script", code: "model.script_invalid", exit: 4, says: /object/, args: scriptOf("[]") },
  {
    title: "a script of another format",
    code: "model.script_invalid",
    exit: 4,
    says: /format: Expected "cahier\.script\/1"/,
    args: scriptOf({ format: "cahier.script/2", turns: [] }),
  },
  {
    title: "a script without turns",
    code: "model.script_invalid",
    exit: 4,
    says: /must have turns or agents/,
    args: scriptOf({ format: "cahier.script/1" }),
  },
  {
    title: "a script with several mistakes",
    code: "model.script_invalid",
    exit: 4,
    says: /turns\[0\]\.txt: .*; turns\[1\]\.error\.status: /,
    args: scriptOf(Place.script({ txt: "misspelt" }, { error: { status: 200 } })),
  },
  {
    title: "a script whose call has two kinds of arguments",
    code: "model.script_invalid",
    exit: 4,
    says: /turns\[0\]\.toolCalls\[0\].*both arguments and rawArguments/,
    args: scriptOf(Place.script({ toolCalls: [{ name: "workspace_finish", arguments: {}, rawArguments: "{}" }] })),
  },
  {
    title: "a profile that there is not",
    code: "agent.profile_not_found",
    exit: 4,
    says: /no profile "nobody"\. Name a stored one, a file, or default-writer/,
    args: (place) => [...good(place), "--profile", "nobody"],
  },
  {
    title: "a profile file that is not there",
    code: "agent.profile_not_found",
    exit: 4,
    says: /Check the path/,
    args: (place) => [...good(place), "--profile", place.path("absent.json")],
  },
  {
    title: "a profile that is no JSON",
    code: "agent.profile_contract_invalid",
    exit: 4,
    says: /is not JSON\. Correct it/,
    args: profileOf("{"),
  },
  {
    title: "JSON that is no profile",
    code: "agent.profile_kind_invalid",
    exit: 4,
    says: /has the kind "cahier\.agentProfile"/,
    args: profileOf({ answer: 42 }),
  },
  {
    title: "a profile without rounds",
    code: "agent.profile_max_rounds_invalid",
    exit: 4,
    says: /tools\.maxRounds/,
    args: profileOf({
      kind: "cahier.agentProfile",
      schemaVersion: 1,
      id: "mine",
      displayName: "Mine",
      run: { presentation: "foreground" },
      tools: { allow: ["builtin:workspace.commit", "builtin:workspace.finish"] },
    }),
  },
  {
    title: "a file for a data folder",
    code: "storage.failed",
    exit: 3,
    says: /data folder/,
    args: withData((place) => place.write("file", "not a folder")),
  },
  {
    title: "a data folder below a file",
    code: "storage.failed",
    exit: 3,
    says: /data folder/,
    args: withData((place) => `${place.write("file", "not a folder")}/below`),
  },
  // A folder of the kernel takes no folders, not even from root.
  ...(existsSync("/sys/kernel")
    ? [
        {
          title: "a data folder where nothing can be written",
          code: "storage.read_only",
          exit: 3,
          says: /Choose another data folder or make it writable/,
          args: withData(() => "/sys/kernel/cahier"),
        } as const,
      ]
    : []),
  {
    title: "no model and no script",
    code: "model.none_configured",
    exit: 4,
    says: /Set OPENAI_API_KEY, .*or give --script/,
    args: (place) => ["--chat", place.chat, "--data", place.data],
  },
  {
    title: "a script and a model at once",
    code: "usage.invalid",
    exit: 4,
    says: /either --script or --model/,
    args: (place) => [...good(place), "--model", "some-model"],
  },
  {
    title: "world info that is not there",
    code: "agent.invalid_worldinfo_activation_snapshot",
    exit: 4,
    says: /world info .*none\.json cannot be read\. Check the path/,
    args: (place) => [...good(place), "--world-info", place.path("none.json")],
  },
  {
    title: "world info that is no JSON",
    code: "agent.invalid_worldinfo_activation_snapshot",
    exit: 4,
    says: /is not JSON\. Correct it, or leave --world-info out/,
    args: (place) => [...good(place), "--world-info", place.write("world.json", "{")],
  },
  {
    title: "world info of another form",
    code: "agent.invalid_worldinfo_activation_snapshot",
    exit: 4,
    says: /cannot be used; correct it: .*entries/,
    args: (place) => [
      ...good(place),
      "--world-info",
      place.write("world.json", { timestampMs: 1, trigger: "normal", entries: [{ world: "Ferry" }] }),
    ],
  },
  {
    title: "a pattern that names no tool",
    code: "usage.invalid",
    exit: 4,
    says: /--approve takes a tool id or a pattern/,
    args: (place) => [...good(place), "--approve", "mcp/*", "--approve", "commit"],
  },
  {
    title: "a message without text",
    code: "usage.invalid",
    exit: 4,
    says: /--message needs some text/,
    args: (place) => [...good(place), "--message", " "],
  },
  {
    title: "a message before a regeneration",
    code: "usage.invalid",
    exit: 4,
    says: /before a normal generation only/,
    chat: `${Place.chatText}\n${JSON.stringify({ name: "Odile", is_user: false, mes: "Twice.", extra: {} })}`,
    args: (place) => [...good(place), "--type", "regenerate", "--message", "Once more."],
  },
];

beforeAll(ensureBundle);
afterAll(Place.removeAll);

describe.concurrent("bad input is refused and leaves the chat as it was", () => {
  for (const { title, code, exit, says, chat, args, options } of cases) {
    it(`${title}: ${code}, exit code ${exit}`, async () => {
      const place = await Place.make(chat);
      const before = readFileSync(place.chat);
      const ended = await cahier(["run", ...(args ?? good)(place), "--json"], options);
      const { runId, status, error, committed } = objectOf(ended);
      assert.deepStrictEqual([runId, status, committed], [null, "failed", []]);
      const { code: found, message } = error as { readonly code: string; readonly message: string };
      assert.strictEqual(found, code, message);
      assert.strictEqual(ended.code, exit);
      assert.match(message, says);
      assert.notInclude(message, "\n");
      assert.notMatch(message, /\bat .*\.[mt]s:\d+/);
      assert.strictEqual(ended.stderr, "");
      assert.deepStrictEqual(readFileSync(place.chat), before);
    });
  }

  it("a person is told the same in one line on standard error, and nothing on standard output", async () => {
    const place = await Place.make("");
    const ended = await cahier(["run", ...good(place)]);
    assert.strictEqual(ended.stdout, "");
    assert.match(ended.stderr, /^cahier: The chat file is empty\. .* \[chat\.malformed\]\n$/);
    assert.strictEqual(ended.code, 4);
  });

  it("a refused start leaves no run behind", async () => {
    const place = await Place.make("");
    mkdirSync(place.data);
    await cahier(["run", ...good(place)]);
    assert.deepStrictEqual(objectOf(await cahier(["runs", "list", "--data", place.data, "--json"])), { runs: [] });
  });
});
