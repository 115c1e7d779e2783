/**
 * Profiles made, imported, exported, diagnosed, repaired and retargeted on the command line.
 */
import { existsSync, globSync, mkdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { afterAll, assert, beforeAll, describe, it } from "@effect/vitest";
import { cahier, ensureBundle, type Ended, objectOf } from "./support/Cahier.ts";
import * as Place from "./support/Place.ts";

const profiles = (place: Place.Place, ...words: ReadonlyArray<string>): Promise<Ended> =>
  cahier(["profiles", ...words, "--data", place.data], { cwd: place.folder });

const codeOf = (ended: Ended): unknown => (objectOf(ended)["error"] as { readonly code: string }).code;

const shown = async (place: Place.Place, id: string): Promise<Readonly<Record<string, unknown>>> =>
  objectOf(await profiles(place, "show", id, "--json"))["profile"] as Readonly<Record<string, unknown>>;

/** A profile file of the original. */
const foreign = (changes: object = {}) => ({
  kind: "tauritavern.agentProfile",
  schemaVersion: 2,
  id: "critic",
  displayName: "Critic",
  delegation: { callable: true, allowAsSubagent: true },
  model: { mode: "connectionRef", connectionRef: "home", modelId: "qwen" },
  run: { presentation: "background", directRunnable: false },
  tools: { allow: ["workspace.read_file", "skill.run_script"], maxRounds: 5 },
  ...changes,
});

interface Item {
  readonly id: string | null;
  readonly action: string | null;
  readonly report: ReadonlyArray<{ readonly path: string; readonly action: string }>;
  readonly error?: { readonly code: string };
}

const itemsOf = (ended: Ended): ReadonlyArray<Item> => objectOf(ended)["items"] as ReadonlyArray<Item>;

/** A SillyTavern user folder with these presets. */
const userFolder = (place: Place.Place, ...names: ReadonlyArray<string>): string => {
  mkdirSync(place.path("user/OpenAI Settings"), { recursive: true });
  for (const name of names) place.write(`user/OpenAI Settings/${name}.json`, { prompts: [], prompt_order: [] });
  return place.path("user");
};

interface Diagnosed {
  readonly id: string;
  readonly directRunAvailable: boolean;
  readonly subAgentAvailable: boolean;
  readonly storageIssue: string | null;
  readonly diagnostics: ReadonlyArray<{ readonly code: string; readonly blocks: ReadonlyArray<string> }>;
}

const diagnosed = async (place: Place.Place, ...words: ReadonlyArray<string>): Promise<ReadonlyArray<Diagnosed>> => {
  const ended = await profiles(place, "diagnose", ...words, "--json");
  assert.strictEqual(ended.code, 0, ended.stdout);
  return objectOf(ended)["profiles"] as ReadonlyArray<Diagnosed>;
};

beforeAll(ensureBundle);
afterAll(Place.removeAll);

describe("profiles", () => {
  it("are made new, as ready as the built-in one, and copied", async () => {
    const place = await Place.make();
    assert.match(
      (await profiles(place, "new", "writer")).stdout,
      /^writer is stored\. cahier profiles show writer prints it/,
    );
    const writer = await shown(place, "writer");
    assert.deepStrictEqual(
      [writer["id"], writer["displayName"], writer["description"]],
      ["writer", "writer", undefined],
    );
    const [found] = await diagnosed(place, "writer");
    assert.deepStrictEqual([found?.directRunAvailable, found?.diagnostics], [true, []]);
    await profiles(place, "save", place.write("writer.json", { ...writer, description: "Writes." }));
    await profiles(place, "new", "second", "--from", "writer", "--name", "The second");
    assert.deepStrictEqual(await shown(place, "second"), {
      ...writer,
      description: "Writes.",
      id: "second",
      displayName: "The second",
    });
    await profiles(place, "new", "third", "--from", "default-writer");
    assert.deepStrictEqual(await shown(place, "third"), { ...writer, id: "third", displayName: "third" });
    const refusals: ReadonlyArray<readonly [ReadonlyArray<string>, string]> = [
      [["writer"], "usage.invalid"],
      [["Big"], "agent.profile_id_invalid"],
      [["x".repeat(129)], "agent.profile_id_too_long"],
      [["fourth", "--from", "nobody"], "agent.profile_not_found"],
    ];
    const ended = await Promise.all(refusals.map(([words]) => profiles(place, "new", ...words, "--json")));
    assert.deepStrictEqual(
      ended.map((one) => [one.code, codeOf(one)]),
      refusals.map(([, code]) => [4, code]),
    );
  });

  it("of the original are imported, with what became of their fields", async () => {
    const place = await Place.make();
    const file = place.write("critic.json", foreign());
    const planned = await profiles(place, "import", file, "--dry-run");
    assert.match(planned.stdout, /^critic: would be imported \(from /);
    assert.strictEqual((await profiles(place, "show", "critic")).code, 4);
    const told = await profiles(place, "import", file);
    assert.match(told.stdout, /^critic: imported \(from /);
    assert.match(told.stdout, /^ {2}renamed tools\.allow\[0\]: .*builtin:workspace\.read_file here\.$/m);
    assert.match(told.stdout, /^ {2}dropped tools\.allow\[1\]: Skills are never executed here\.$/m);
    assert.match(told.stdout, /^ {2}changed kind: /m);
    // A name that a stranger has chosen calls nobody's connection.
    assert.match(told.stdout, /^ {2}changed model\.mode: /m);
    assert.deepStrictEqual((await shown(place, "critic"))["model"], { mode: "requiresConfiguration" });
    assert.deepStrictEqual((await shown(place, "critic"))["tools"], {
      allow: ["builtin:workspace.read_file"],
      maxRounds: 5,
    });
    assert.strictEqual(itemsOf(await profiles(place, "import", file, "--json"))[0]?.action, "already_stored");
  });

  it("are imported each for itself, and none takes another's place unasked", async () => {
    const place = await Place.make();
    await profiles(place, "import", place.write("critic.json", foreign()));
    const other = place.write("other.json", foreign({ displayName: "Another" }));
    const files = [
      other,
      place.write("new.json", foreign({ id: "new" })),
      place.write("odd.json", foreign({ schemaVersion: 9 })),
      place.write("cut.json", "{"),
    ];
    const ended = await profiles(place, "import", ...files, "--json");
    assert.strictEqual(ended.code, 4);
    assert.deepStrictEqual(
      itemsOf(ended).map(({ action, error }) => error?.code ?? action),
      ["usage.invalid", "imported", "agent.profile_schema_unsupported", "agent.profile_contract_invalid"],
    );
    assert.strictEqual((await shown(place, "critic"))["displayName"], "Critic");
    assert.strictEqual(itemsOf(await profiles(place, "import", other, "--force", "--json"))[0]?.action, "replaced");
    assert.strictEqual((await shown(place, "critic"))["displayName"], "Another");
    const unruly = await profiles(place, "import", place.write("unruly.json", foreign({ displayName: " " })));
    assert.strictEqual(unruly.code, 4);
    assert.match(unruly.stderr, /\[agent\.profile_display_name_required\]/);
    assert.match(unruly.stdout, /renamed tools\.allow\[0\]/);
  });

  it("that a preset or a card carries are imported", async () => {
    const place = await Place.make();
    const items = [{ profile: foreign() }, { profile: null }];
    const preset = place.write("Night.json", { extensions: { tauritavern: { agentProfiles: { version: 1, items } } } });
    const ended = await profiles(place, "import", "--preset", preset, "--json");
    assert.deepStrictEqual(
      itemsOf(ended).map(({ action, error }) => error?.code ?? action),
      ["imported", "agent.profile_contract_invalid"],
    );
    const card = place.write("Ilse.json", { name: "Ilse", description: "A clockmaker." });
    assert.strictEqual(
      (await profiles(place, "import", "--card", card)).stdout,
      "There is no profile in what was named.\n",
    );
    const nothing = await profiles(place, "import", "--json");
    assert.deepStrictEqual([nothing.code, codeOf(nothing)], [4, "usage.invalid"]);
  });

  it("are exported without their connection, and imported again as they are then", async () => {
    const place = await Place.make();
    await profiles(place, "import", place.write("critic.json", foreign()), "--keep-connection");
    const exported = await profiles(place, "export", "critic", "out.json");
    assert.match(exported.stdout, /^critic is written to out\.json\. Its connection is left out/);
    const text = readFileSync(place.path("out.json"), "utf8");
    assert.deepStrictEqual(JSON.parse(text), {
      ...(await shown(place, "critic")),
      model: { mode: "requiresConfiguration" },
    });
    assert.strictEqual((await profiles(place, "export", "critic")).stdout, text);
    const again = await profiles(place, "export", "critic", "out.json", "--json");
    assert.deepStrictEqual([again.code, codeOf(again)], [4, "usage.invalid"]);
    assert.strictEqual((await profiles(place, "export", "critic", "out.json", "--force")).code, 0);
    await profiles(place, "import", place.path("out.json"), "--force");
    const [found] = await diagnosed(place);
    assert.deepStrictEqual(
      found?.diagnostics.map(({ code }) => code),
      ["agent.profile_model_requires_configuration"],
    );
  });

  it("are diagnosed: a connection that is gone, a preset that is not there, and how each is repaired", async () => {
    const place = await Place.make();
    const folder = userFolder(place, "Night");
    const preset = { mode: "ref", ref: { apiId: "openai", name: "Dusk" }, required: true };
    await profiles(place, "import", place.write("critic.json", foreign({ preset })), "--keep-connection");
    const [found] = await diagnosed(place, "critic", "--presets", folder);
    assert.deepStrictEqual(
      found?.diagnostics.map(({ blocks, code }) => [code, blocks.length]),
      [
        ["agent.profile_preset_missing", 4],
        ["agent.profile_model_connection_missing", 2],
      ],
    );
    const told = await profiles(place, "diagnose");
    assert.match(told.stdout, /^critic: cannot be used here, only its prompt be made\n/);
    assert.match(told.stdout, /have its model left open: cahier profiles repair critic --require-configuration/);
    assert.match(
      (await profiles(place, "repair", "critic", "--require-configuration")).stdout,
      /^critic: its connection is taken out/,
    );
    assert.deepStrictEqual((await shown(place, "critic"))["model"], { mode: "requiresConfiguration" });
    const useless = await profiles(place, "repair", "critic", "--require-configuration", "--json");
    assert.deepStrictEqual([useless.code, codeOf(useless)], [4, "usage.invalid"]);
    assert.strictEqual(codeOf(await profiles(place, "repair", "critic", "--json")), "usage.invalid");
    assert.strictEqual(codeOf(await profiles(place, "diagnose", "nobody", "--json")), "agent.profile_not_found");
    const nowhere = await profiles(place, "diagnose", "--presets", place.path("none"), "--json");
    assert.deepStrictEqual([nowhere.code, codeOf(nowhere)], [4, "usage.invalid"]);
  });

  it("whose connection cannot be used are told from those whose connection is gone", async () => {
    const place = await Place.make();
    const connection = place.write("home.json", {
      kind: "cahier.llmConnection",
      schemaVersion: 1,
      id: "home",
      displayName: "Home",
      provider: { chatCompletionSource: "custom", customApiFormat: "openai-chat" },
      endpoint: { baseUrl: "http://127.0.0.1:9/v1" },
    });
    assert.strictEqual((await cahier(["connections", "add", connection, "--data", place.data])).code, 0);
    await profiles(place, "import", place.write("critic.json", foreign()), "--keep-connection");
    const [ready] = await diagnosed(place);
    assert.deepStrictEqual([ready?.subAgentAvailable, ready?.diagnostics], [true, []]);
    const useless = await profiles(place, "repair", "critic", "--require-configuration", "--json");
    assert.strictEqual(codeOf(useless), "usage.invalid");
    const [file = ""] = globSync(join(place.data, "**", "home.json"));
    writeFileSync(file, readFileSync(file, "utf8").replace("127.0.0.1:9/v1", "me:secret@127.0.0.1:9/v1"));
    const [found] = await diagnosed(place);
    assert.deepStrictEqual(
      found?.diagnostics.map(({ code }) => code),
      ["agent.profile_model_connection_invalid"],
    );
  });

  it("that lie under another id or cannot be read are found, and put right or deleted", async () => {
    const place = await Place.make();
    await profiles(place, "new", "writer");
    const [file = ""] = globSync(join(place.data, "**", "writer.json"));
    renameSync(file, join(dirname(file), "poet.json"));
    const [poet] = await diagnosed(place);
    assert.deepStrictEqual(
      [poet?.id, poet?.storageIssue, poet?.directRunAvailable],
      ["poet", "invalidFileIdentity", false],
    );
    const printed = await profiles(place, "show", "poet");
    assert.strictEqual((JSON.parse(printed.stdout) as { readonly id: string }).id, "writer");
    assert.match(printed.stderr, /It is kept as poet; .* \[agent\.profile_contract_invalid\]\n$/);
    assert.match((await profiles(place, "repair", "poet", "--normalize-identity")).stdout, /^poet: it has the id/);
    const [own] = await diagnosed(place, "poet");
    assert.deepStrictEqual([own?.storageIssue, own?.directRunAvailable], [null, true]);
    const [kept = ""] = globSync(join(place.data, "**", "poet.json"));
    writeFileSync(kept, "{");
    for (const [damaged] of await Promise.all([diagnosed(place), diagnosed(place, "poet")])) {
      assert.deepStrictEqual([damaged?.id, damaged?.storageIssue], ["poet", "invalidJson"]);
    }
    assert.match((await profiles(place, "diagnose")).stdout, /delete it: cahier profiles delete poet/);
    assert.strictEqual((await profiles(place, "delete", "poet")).stdout, "poet is deleted.\n");
    assert.isFalse(existsSync(kept));
    assert.strictEqual((await profiles(place, "diagnose")).stdout, "No profile is stored.\n");
  });

  it("name a preset by its new name once they are retargeted", async () => {
    const place = await Place.make();
    const naming = (id: string, name: string) =>
      foreign({ id, preset: { mode: "ref", ref: { apiId: "openai", name } } });
    const files = [naming("one", "Night"), naming("two", "Dusk"), naming("three", "Night")];
    await profiles(place, "import", ...files.map((file) => place.write(`${file.id}.json`, file)));
    const folder = userFolder(place, "Late night");
    const missing = await profiles(place, "retarget", "openai/Night", "openai/Noon", "--presets", folder, "--json");
    assert.deepStrictEqual([missing.code, codeOf(missing)], [4, "agent.profile_preset_retarget_target_missing"]);
    const unnamed = await profiles(place, "retarget", "Night", "openai/Noon");
    assert.deepStrictEqual([unnamed.code, unnamed.stdout], [4, ""]);
    assert.match(unnamed.stderr, /\[agent\.profile_preset_retarget_from_api_required\]/);
    const done = await profiles(place, "retarget", "openai/Night", "openai/Late night", "--presets", folder, "--json");
    assert.deepStrictEqual(objectOf(done), { updated: 2, profileIds: ["one", "three"] });
    assert.deepStrictEqual((await shown(place, "three"))["preset"], {
      mode: "ref",
      ref: { apiId: "openai", name: "Late night" },
    });
    assert.strictEqual(
      (await profiles(place, "retarget", "openai/Night", "openai/Noon")).stdout,
      "No profile names openai/Night.\n",
    );
  });
});
