/**
 * Prompts by a user's preset, lorebooks and settings, as they arrive at a server.
 */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, assert, beforeAll, describe, it } from "@effect/vitest";
import { cahier, ensureBundle, objectOf } from "./support/Cahier.ts";
import { repository } from "./support/node.ts";
import * as Place from "./support/Place.ts";
import * as VendorServer from "./support/VendorServer.ts";

const recorded = join(repository, "packages/sillytavern/test/fixtures/prompts/default-order");
const at = (name: string): string => join(recorded, name);

interface Sent {
  readonly messages: ReadonlyArray<{ readonly role: string; readonly content: string; readonly name?: string }>;
  readonly tools: ReadonlyArray<unknown>;
}

/** A stream of one chunk that calls one tool. */
const calling = (name: string, args: object): string => {
  const call = { index: 0, id: `call_${name}`, type: "function", function: { name, arguments: JSON.stringify(args) } };
  const chunk = (delta: object, finish: string | null) =>
    `data: ${JSON.stringify({ id: "c", object: "chat.completion.chunk", model: "gpt-4o", choices: [{ index: 0, delta, finish_reason: finish }] })}\n\n`;
  return `${chunk({ role: "assistant", tool_calls: [call] }, null)}${chunk({}, "tool_calls")}data: [DONE]\n\n`;
};

const turns = [
  calling("workspace_write_file", { path: "output/main.md", content: "She nodded." }),
  calling("workspace_commit", {}),
  calling("workspace_finish", {}),
];

beforeAll(ensureBundle);
afterAll(Place.removeAll);

/** Runs on the recorded case's chat, maybe changed, and gives its first request beside its place. */
const played = async (chat: string, ...more: ReadonlyArray<string>): Promise<readonly [Sent, Place.Place]> => {
  const server = await VendorServer.make((_, before) => ({ body: turns[before] ?? "" }));
  const place = await Place.make(chat);
  const files = ["--card", at("card.json"), "--preset", at("preset.json"), "--lorebook", at("lorebooks/Brannoch.json")];
  const words = ["--chat", place.chat, "--chat-id", "brannoch", "--data", place.data, "--model", "gpt-4o", "--json"];
  const ended = await cahier(["run", ...words, ...files, ...more], {
    environment: { OPENAI_BASE_URL: `${server.url}/v1`, OPENAI_API_KEY: "sk-none" },
  });
  await server.close();
  assert.strictEqual(objectOf(ended)["status"], "completed", ended.stdout);
  return [JSON.parse(server.received[0]?.body ?? ""), place];
};

describe("a run by a preset", () => {
  it("sends what SillyTavern itself sent for the same files, after the agent's own prompt and with its tools", async () => {
    const [sent, place] = await played(readFileSync(at("chat.jsonl"), "utf8"), "--settings", at("settings.json"));
    const expected: { readonly requests: ReadonlyArray<Sent> } = JSON.parse(readFileSync(at("expected.json"), "utf8"));
    const [own, ...rest] = sent.messages;
    assert.deepStrictEqual(rest, [...(expected.requests[0]?.messages ?? [])]);
    assert.match(own?.content ?? "", /workspace_finish/);
    assert.isAbove(sent.tools.length, 3);
    assert.strictEqual(place.messages().at(-1)?.mes, "She nodded.");
  });

  it("has the persona of the command line, the chat's own note, and every lorebook without settings that choose", async () => {
    const [header = "", ...lines] = readFileSync(at("chat.jsonl"), "utf8").split("\n");
    const note = {
      note_prompt: "It is a cold night.",
      note_interval: 1,
      note_position: 1,
      note_depth: 0,
      note_role: 0,
    };
    const noted = JSON.stringify({ ...JSON.parse(header), chat_metadata: note });
    const [sent] = await played([noted, ...lines].join("\n"), "--persona", "A stranger to {{char}}.");
    const texts = sent.messages.map(({ content }) => content);
    assert.include(texts, "A stranger to Ilse.");
    assert.include(texts, "The clock of the lighthouse loses four minutes a day.");
    assert.include(texts, "It is a cold night.");
  });

  it("is refused for a file that is no such material, with what to do, and before anything is written", async () => {
    const place = await Place.make();
    const preset = ["--preset", at("preset.json")];
    const refusals: ReadonlyArray<readonly [ReadonlyArray<string>, RegExp]> = [
      [["--preset", place.path("none.json")], /There is no file at .*none\.json\. Check the path/],
      [["--preset", place.write("cut.json", '{"prompts":')], /is no JSON, or is cut off/],
      [["--preset", at("settings.json")], /no chat-completion preset/],
      [[...preset, "--lorebook", at("preset.json")], /no lorebook/],
      [[...preset, "--settings", at("card.json")], /no settings file of SillyTavern/],
      [["--preset", place.folder], /cannot be read/],
      [
        ["--lorebook", at("lorebooks/Brannoch.json"), "--persona", "A clockmaker."],
        /Give --preset FILE with --lorebook and --persona\./,
      ],
    ];
    const ofPreset = "prompt_assembly.preset_data_invalid";
    const codes = [
      ofPreset,
      ofPreset,
      ofPreset,
      "prompt_assembly.lorebook_data_invalid",
      "prompt_assembly.settings_data_invalid",
      ofPreset,
      "usage.invalid",
    ];
    const script = place.write("script.json", Place.short());
    const ended = await Promise.all(
      refusals.map(([words]) =>
        cahier(["run", "--chat", place.chat, "--data", place.data, "--script", script, ...words, "--json"]),
      ),
    );
    ended.forEach((one, index) => {
      const error = objectOf(one)["error"] as { readonly code: string; readonly message: string };
      assert.deepStrictEqual([one.code, error.code], [4, codes[index]], error.message);
      assert.match(error.message, refusals[index]?.[1] ?? /never/);
    });
    assert.strictEqual(place.chatText(), Place.chatText);
  });
});
