/**
 * Skills on the command line: installed from everywhere they may come from, shown, moved, exported and removed.
 */
import { existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, assert, beforeAll, describe, it } from "@effect/vitest";
import { cahier, ensureBundle, type Ended, objectOf } from "./support/Cahier.ts";
import * as Place from "./support/Place.ts";

const skills = (place: Place.Place, ...words: ReadonlyArray<string>): Promise<Ended> =>
  cahier(["skills", ...words, "--data", place.data], { cwd: place.folder });

const skillText = (name: string, body = "Slow down."): string =>
  `---\nname: ${name}\ndescription: How ${name} is done.\n---\n\n${body}\n`;

/** A folder with a `SKILL.md` below the place's; gives its path. */
const folderOf = (place: Place.Place, path: string, text: string): string => {
  const folder = place.path(path);
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, "SKILL.md"), text);
  return folder;
};

interface Item {
  readonly name?: string;
  readonly origin: string;
  readonly scope: string;
  readonly action?: string | null;
  readonly error?: { readonly code: string; readonly message: string };
  readonly changes: ReadonlyArray<{ readonly path: string; readonly change: string }>;
}

const itemsOf = (ended: Ended): ReadonlyArray<Item> => objectOf(ended)["items"] as ReadonlyArray<Item>;

const codeOf = (ended: Ended): unknown => (objectOf(ended)["error"] as { readonly code: string }).code;

const installed = async (place: Place.Place): Promise<ReadonlyArray<string>> => {
  const listed = objectOf(await skills(place, "list", "--json"))["skills"];
  return (listed as ReadonlyArray<{ name: string; scope: string }>).map(({ name, scope }) => `${name} ${scope}`);
};

/** What a preset or a card carries under `extensions`. */
const carrying = (...names: ReadonlyArray<string>) => ({
  cahier: {
    skills: {
      version: 1,
      items: names.map((name) => ({
        skillName: name,
        bundleFormat: "inline-files-v1",
        files: [{ path: "SKILL.md", content: skillText(name) }],
      })),
    },
  },
});

beforeAll(ensureBundle);
afterAll(Place.removeAll);

describe("skills", () => {
  it("are installed from a folder, listed, shown, and removed", async () => {
    const place = await Place.make();
    assert.match((await skills(place, "list")).stdout, /^No Skill is installed here; cahier skills install FOLDER/);
    const folder = folderOf(place, "pacing", skillText("pacing"));
    const planned = await skills(place, "install", folder, "--dry-run");
    assert.match(planned.stdout, /^pacing: would be installed \(global, from /);
    assert.deepStrictEqual(await installed(place), []);
    assert.match((await skills(place, "install", folder)).stdout, /^pacing: installed \(global, from /);
    assert.match((await skills(place, "install", folder)).stdout, /^pacing: installed already /);
    assert.match(
      (await skills(place, "list")).stdout,
      /^SKILL +SCOPE +FILES +DESCRIPTION\npacing +global +1 +How pacing/,
    );
    const shown = objectOf(await skills(place, "show", "pacing", "--json"))["skill"] as Readonly<
      Record<string, unknown>
    >;
    assert.deepStrictEqual(shown["sources"], [{ source: `folder:${folder}`, label: "pacing" }]);
    assert.include((await skills(place, "show", "pacing")).stdout, "file SKILL.md");
    assert.strictEqual((await skills(place, "remove", "pacing")).stdout, "pacing is removed from global.\n");
    const gone = await skills(place, "show", "pacing", "--json");
    assert.deepStrictEqual([gone.code, codeOf(gone)], [4, "skill.not_installed"]);
  });

  it("that another one has the name of wait for a decision, and what differs is shown", async () => {
    const place = await Place.make();
    await skills(place, "install", folderOf(place, "pacing", skillText("pacing")));
    const other = folderOf(place, "pacing", skillText("pacing", "Hurry."));
    const refused = await skills(place, "install", other, "--json");
    assert.deepStrictEqual([refused.code, codeOf(refused)], [4, "skill.conflict"]);
    assert.deepStrictEqual(itemsOf(refused)[0]?.changes, [{ path: "SKILL.md", change: "changed" }]);
    const told = await skills(place, "install", other);
    assert.match(told.stderr, /\[skill\.conflict\]\n$/);
    assert.match(told.stdout, /^ {2}changed SKILL\.md\n {2}Give --on-conflict replace/);
    const planned = await skills(place, "install", other, "--dry-run", "--json");
    assert.deepStrictEqual([planned.code, itemsOf(planned)[0]?.action], [0, null]);
    const skipped = await skills(place, "install", other, "--on-conflict", "skip", "--json");
    assert.deepStrictEqual([skipped.code, itemsOf(skipped)[0]?.action], [0, "skipped"]);
    const replaced = await skills(place, "install", other, "--on-conflict", "replace", "--json");
    assert.deepStrictEqual([replaced.code, itemsOf(replaced)[0]?.action], [0, "replaced"]);
  });

  it("of a folder of folders are installed each for itself, and links are followed nowhere", async () => {
    const place = await Place.make();
    folderOf(place, "many/pacing", skillText("pacing"));
    folderOf(place, "many/broken", "\0");
    mkdirSync(place.path("many/notes"));
    symlinkSync(folderOf(place, "elsewhere", skillText("elsewhere")), place.path("many/linked"));
    symlinkSync(place.write("read.me", "x"), place.path("many/read.me"));
    const ended = await skills(place, "install", place.path("many"), "--json");
    assert.strictEqual(ended.code, 4);
    assert.deepStrictEqual(
      itemsOf(ended).map(({ action, error }) => error?.code ?? action),
      ["skill.front_matter_invalid", "installed", "skill.symlink_refused"],
    );
    assert.deepStrictEqual(await installed(place), ["pacing global"]);
    const none = await skills(place, "install", place.path("many/notes"), "--json");
    assert.deepStrictEqual([none.code, codeOf(none)], [4, "skill.skill_file_missing"]);
    const linked = await skills(place, "install", place.path("many/linked"), "--json");
    assert.deepStrictEqual([linked.code, codeOf(linked)], [4, "skill.symlink_refused"]);
  });

  it("are exported to an archive that gives the same Skill, and no file is replaced unasked", async () => {
    const place = await Place.make();
    await skills(place, "install", folderOf(place, "pacing", skillText("pacing")));
    const exported = await skills(place, "export", "pacing");
    assert.strictEqual(exported.stdout, "pacing is written to pacing.zip.\n");
    const before = readFileSync(place.path("pacing.zip"));
    const again = await skills(place, "export", "pacing", "--json");
    assert.deepStrictEqual([again.code, codeOf(again)], [4, "usage.invalid"]);
    writeFileSync(place.path("pacing.zip"), "x");
    assert.strictEqual((await skills(place, "export", "pacing", "--force")).code, 0);
    assert.deepStrictEqual(readFileSync(place.path("pacing.zip")), before);
    const back = await skills(place, "install", place.path("pacing.zip"), "--json");
    assert.strictEqual(itemsOf(back)[0]?.action, "already_installed");
    const nowhere = await skills(place, "export", "pacing", place.path("no/where.zip"), "--json");
    assert.deepStrictEqual([nowhere.code, codeOf(nowhere)], [4, "usage.invalid"]);
    assert.isFalse(existsSync(place.path("no")));
  });

  it("that break the published format are exported with what breaks it", async () => {
    const place = await Place.make();
    await skills(place, "install", folderOf(place, "pacing", "# Only a text\n"));
    const exported = await skills(place, "export", "pacing");
    assert.match(exported.stdout, /Other programs may refuse it:\n {2}.*\(front_matter_missing\)\n/);
  });

  it("in an archive that is none are refused", async () => {
    const place = await Place.make();
    const ended = await skills(place, "install", place.write("odd.ttskill", "no zip"), "--json");
    assert.deepStrictEqual([ended.code, codeOf(ended)], [4, "skill.archive_invalid"]);
  });

  it("that a preset and a card carry are installed for whoever uses these, and go with them", async () => {
    const place = await Place.make();
    const preset = place.write("Night.json", {
      prompts: [],
      prompt_order: [],
      extensions: carrying("pacing", "dialogue"),
    });
    const card = place.write("Ilse.json", {
      spec: "chara_card_v2",
      data: { name: "Ilse", description: "A clockmaker.", extensions: carrying("pacing") },
    });
    const ended = await skills(place, "install", "--preset", preset, "--card", card, "--json");
    assert.deepStrictEqual(
      itemsOf(ended).map(({ action, name, scope }) => [name, scope, action]),
      [
        ["pacing", "preset:openai/Night", "installed"],
        ["dialogue", "preset:openai/Night", "installed"],
        ["pacing", "character:Ilse", "installed"],
      ],
    );
    await skills(
      place,
      "install",
      folderOf(place, "dialogue", skillText("dialogue")),
      "--scope",
      "preset:openai/Night",
    );
    const removed = await skills(place, "remove", "--source", "preset:openai/Night");
    assert.match(
      removed.stdout,
      /^pacing is removed from preset:openai\/Night\.\ndialogue stays in preset:openai\/Night: folder:/m,
    );
    assert.deepStrictEqual(await installed(place), ["dialogue preset:openai/Night", "pacing character:Ilse"]);
    assert.match((await skills(place, "remove", "--source", "preset:openai/None")).stdout, /^No Skill came from /);
  });

  it("that a preset carries in a form which nobody knows are told of, and the others installed", async () => {
    const place = await Place.make();
    const { cahier: own } = carrying("pacing");
    const items = [{ skillName: "odd", bundleFormat: "tar" }, ...own.skills.items];
    const preset = place.write("Night.json", { extensions: { cahier: { skills: { version: 1, items } } } });
    const ended = await skills(place, "install", "--preset", preset, "--scope", "global", "--json");
    assert.deepStrictEqual(
      itemsOf(ended).map(({ action, error }) => error?.code ?? action),
      ["installed", "skill.archive_invalid"],
    );
    assert.deepStrictEqual(await installed(place), ["pacing global"]);
    const bare = await skills(place, "install", "--preset", place.write("Bare.json", {}));
    assert.deepStrictEqual([bare.code, bare.stdout], [0, "There is no Skill in what was named.\n"]);
  });

  it("are moved from one scope to another", async () => {
    const place = await Place.make();
    await skills(place, "install", folderOf(place, "pacing", skillText("pacing")));
    const moved = await skills(place, "move", "pacing", "--to", "profile:critic");
    assert.strictEqual(moved.stdout, "pacing is installed in profile:critic.\n");
    await skills(place, "install", folderOf(place, "pacing", skillText("pacing", "Hurry.")));
    const refused = await skills(place, "move", "pacing", "--to", "profile:critic", "--json");
    assert.deepStrictEqual([refused.code, codeOf(refused)], [4, "skill.conflict"]);
    const skipped = await skills(place, "move", "pacing", "--to", "profile:critic", "--on-conflict", "skip");
    assert.match(skipped.stdout, /^pacing stays in global/);
    assert.deepStrictEqual(await installed(place), ["pacing global", "pacing profile:critic"]);
  });

  it("are refused on a command line that says nothing clear", async () => {
    const place = await Place.make();
    const refusals: ReadonlyArray<readonly [ReadonlyArray<string>, string]> = [
      [["install"], "usage.invalid"],
      [["install", "-"], "usage.invalid"],
      [["install", place.path("none")], "skill.skill_file_missing"],
      [["install", "http://example.invalid/SKILL.md"], "skill.download_failed"],
      [["install", "--preset", place.path("none.json")], "usage.invalid"],
      [["install", "--preset", place.write("cut.json", "{")], "usage.invalid"],
      [["install", "--card", place.path("none.png")], "card.not_found"],
      [["install", "--card", place.write("odd.json", {})], "card.not_a_card"],
      [["list", "--scope", "preset:Night"], "usage.invalid"],
      [["move", "pacing"], "usage.invalid"],
      [["remove"], "usage.invalid"],
      [["remove", "pacing", "--source", "character:Ilse"], "usage.invalid"],
      [["remove", "--source", "somewhere"], "usage.invalid"],
      [["remove", "--source", "character:Ilse", "--scope", "global"], "usage.invalid"],
    ];
    const ended = await Promise.all(refusals.map(([words]) => skills(place, ...words, "--json")));
    assert.deepStrictEqual(
      ended.map((one) => [one.code, codeOf(one)]),
      refusals.map(([, code]) => [4, code]),
    );
  });
});
