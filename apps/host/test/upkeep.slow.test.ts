/**
 * Looking after a storage: retention, forgetting chats, pruning states, and mending what a crash has left.
 */
/* oxlint-disable eslint/no-await-in-loop -- one command after the other is what these tests are about */
import { execFileSync } from "node:child_process";
import { appendFileSync, existsSync, readdirSync, readFileSync, rmSync, utimesSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { afterAll, assert, beforeAll, describe, it } from "@effect/vitest";
import { cahier, ensureBundle, type Ended, objectOf, start } from "./support/Cahier.ts";
import { node } from "./support/node.ts";
import * as Place from "./support/Place.ts";

type Answer = Readonly<Record<string, unknown>>;
type Rows = ReadonlyArray<Answer>;

beforeAll(ensureBundle);
afterAll(Place.removeAll);

const on = (place: Place.Place, ...args: ReadonlyArray<string>): Promise<Ended> =>
  cahier([...args, "--data", place.data]);

const ask = async (place: Place.Place, ...args: ReadonlyArray<string>): Promise<Answer> =>
  objectOf(await on(place, ...args, "--json"));

/** Over 8 KiB: it is a blob and stands in no event. */
const long = "It rains on the quay. ".repeat(600);

/** Runs that have ended, the first first; gives their ids. */
const runsIn = async (place: Place.Place, count: number, text: string = long): Promise<ReadonlyArray<string>> => {
  const script = place.write("script.json", Place.short(text));
  const ids: Array<string> = [];
  while (ids.length < count)
    ids.push(String((await ask(place, "run", "--chat", place.chat, "--script", script))["runId"]));
  return ids;
};

const listed = async (place: Place.Place): Promise<ReadonlyArray<unknown>> =>
  ((await ask(place, "runs", "list"))["runs"] as Rows).map(({ runId }) => runId);

/** The folder of a run's journal. */
const folderOf = (place: Place.Place, runId: string): string => {
  const found = readdirSync(place.data, { recursive: true, encoding: "utf8" }).find((path) =>
    path.endsWith(join(runId, "events.jsonl")),
  );
  return dirname(join(place.data, found ?? ""));
};

/** The path of what a data folder holds under this ending. */
const pathIn = (place: Place.Place, ending: string): string => {
  const found = readdirSync(place.data, { recursive: true, encoding: "utf8" }).find((path) => path.endsWith(ending));
  return join(place.data, found ?? ending);
};

/** Takes the content of all states out of a database, past the program. */
const forgetStates = (filename: string): void => {
  const program = `
    import { DatabaseSync } from "node:sqlite";
    new DatabaseSync(process.argv[1]).exec("DELETE FROM cahier_blob WHERE scope LIKE 'persist%'");
  `;
  execFileSync(node, ["--no-warnings", "--input-type=module", "--eval", program, filename]);
};

describe.concurrent("cahier retention", () => {
  it("shows what it would do, does it, and keeps journals longer than what is heavy", async () => {
    const place = await Place.make();
    const [oldest = "", older = "", newest = ""] = await runsIn(place, 3);
    const settings = ["--full", "1", "--history", "2"];
    const plan = await on(place, "retention", "plan", ...settings);
    assert.include(plan.stdout, `${older}: to be slimmed, `);
    assert.include(plan.stdout, `${oldest}: to be deleted, `);
    assert.lengthOf(await listed(place), 3);
    const done = await ask(place, "retention", "apply", ...settings);
    assert.deepStrictEqual([done["slimmed"], done["deleted"], done["failed"]], [[older], [oldest], []]);
    assert.deepStrictEqual(await listed(place), [newest, older]);
    assert.strictEqual((await on(place, "runs", "file", newest, "output/main.md")).stdout, long);
    assert.strictEqual((await ask(place, "runs", "show", older))["status"], "completed");
    assert.match((await on(place, "retention", "apply", ...settings)).stdout, /^0 slimmed, 0 deleted, 0 could not be/m);
    assert.strictEqual((await on(place, "doctor")).code, 0);
    // A message whose text is gone could not be given back: it stays in the chat.
    const chat = place.chatText();
    const back = ["runs", "rollback", older, "cp_000001", "--scope", "committed-message", "--json"];
    assert.strictEqual((objectOf(await on(place, ...back))["error"] as Answer)["code"], "blob.missing");
    assert.strictEqual(place.chatText(), chat);
    // A slim run is no damaged one: it is copied as it is.
    const copied = objectOf(await cahier(["storage", "copy", place.data, place.path("copy"), "--json"]));
    assert.deepStrictEqual([copied["runs"], copied["leftOut"]], [{ copied: 2, present: 0 }, []]);
  });

  it("remembers settings and refuses numbers that cannot be held", async () => {
    const place = await Place.make();
    const set = await ask(place, "retention", "settings", "--full", "3", "--history", "7", "--auto", "on");
    assert.deepStrictEqual(set, { autoPruneEnabled: true, keepFullRecentRuns: 3, keepRecentTerminalRuns: 7 });
    assert.deepStrictEqual(await ask(place, "retention", "settings"), set);
    const told = await on(place, "retention", "settings");
    assert.match(
      told.stdout,
      /\nby itself +yes, in a host that serves on and nowhere else; this program .* never does it/,
    );
    const refused = await on(place, "retention", "settings", "--full", "8", "--json");
    assert.strictEqual(refused.code, 4);
    assert.strictEqual((objectOf(refused)["error"] as Answer)["code"], "agent.retention_keep_full_recent_runs_invalid");
    assert.deepStrictEqual(await ask(place, "retention", "settings"), set);
  });
});

describe.concurrent("cahier chats forget", () => {
  it("removes all that is kept of a chat and leaves the chat alone; refused while a run of it is active", async () => {
    const place = await Place.make();
    const [runId = ""] = await runsIn(place, 1);
    const script = place.write("slow.json", Place.slow());
    const running = start(["run", "--chat", place.chat, "--script", script, "--data", place.data]);
    await running.says(/output\/main\.md/);
    const refused = await on(place, "chats", "forget", place.chat, "--json");
    assert.strictEqual((objectOf(refused)["error"] as Answer)["code"], "agent.workspace_in_use");
    assert.strictEqual((await ask(place, "runs", "show", runId))["status"], "completed");
    running.child.kill("SIGINT");
    await running.ended;
    const chat = place.chatText();
    const done = await ask(place, "chats", "forget", place.chat);
    assert.lengthOf(done["runIds"] as ReadonlyArray<unknown>, 2);
    assert.deepStrictEqual([await listed(place), place.chatText()], [[], chat]);
    const names = readdirSync(place.data, { recursive: true, encoding: "utf8" });
    assert.isFalse(names.some((path) => path.includes(runId)));
    const usage = await on(place, "chats", "forget");
    assert.match(usage.stderr, /needs FILE, --chat-id or --group-chat-id/);
  });
});

describe.concurrent("cahier states prune", () => {
  it("removes a state that no message leads to, and keeps one that a message does", async () => {
    const place = await Place.make();
    const remember = Place.call("workspace_write_file", { path: "persist/notes.md", content: "It rained." });
    const script = Place.script(remember, Place.draft("Rain."), Place.commit(), Place.finish());
    const args = ["run", "--chat", place.chat, "--script", place.write("script.json", script)];
    const state = String((await ask(place, ...args))["runId"]);
    const { stdout } = await on(place, "runs", "events", state, "--limit", "500");
    assert.match(stdout, /persistent_changes_committed +1 change under persist\//);
    assert.match(stdout, /tool_call_started +begins: internal/);
    const pruned = async () => await ask(place, "states", "prune", place.chat, state);
    assert.deepStrictEqual((await pruned())["kept"], [state]);
    writeFileSync(place.chat, Place.chatText);
    const other = await Place.make(Place.chatText.replace(/"integrity":"[^"]+"/, '"integrity":"another"'));
    assert.deepStrictEqual((await ask(place, "states", "prune", other.chat, state))["absent"], [state]);
    assert.deepStrictEqual((await pruned())["removed"], [state]);
  });
});

describe.concurrent("content of a run that no list has", () => {
  it("is left alone by retention and by doctor: the run may only have lost its record", async () => {
    const place = await Place.make();
    const [runId = ""] = await runsIn(place, 1);
    const record = readdirSync(place.data, { recursive: true, encoding: "utf8" }).find((path) =>
      path.endsWith(join("index", "runs", `${runId}.json`)),
    );
    const path = join(place.data, record ?? "");
    const bytes = readFileSync(path);
    rmSync(path);
    assert.strictEqual((await on(place, "retention", "apply")).code, 0);
    await on(place, "doctor", "--repair");
    writeFileSync(path, bytes);
    assert.strictEqual((await on(place, "runs", "file", runId, "output/main.md")).stdout, long);
  });
});

describe.concurrent("cahier doctor", () => {
  it("finds a run whose record cannot be read, which no list has", async () => {
    const place = await Place.make();
    const [runId = ""] = await runsIn(place, 1);
    writeFileSync(pathIn(place, join("index", "runs", `${runId}.json`)), "no record");
    assert.deepStrictEqual(await listed(place), []);
    const found = await on(place, "doctor");
    assert.strictEqual(found.code, 3);
    assert.match(
      found.stdout,
      new RegExp(
        `FAILED {2}${runId}: The run ${runId} is stored and in no list\\. .* is kept\\. \\[journal\\.corrupt\\]`,
      ),
    );
  });

  it("finds a state whose content is gone, in files and in a database", async () => {
    const place = await Place.make();
    const remember = Place.call("workspace_write_file", { path: "persist/notes.md", content: "It rained." });
    const script = place.write("script.json", Place.script(remember, ...Place.short().turns));
    const sqlite = place.path("runs.sqlite");
    for (const storage of [`file:${place.data}`, `sqlite:${sqlite}`]) {
      const run = ["run", "--chat", place.chat, "--script", script, "--storage", storage, "--json"];
      const stateId = String(objectOf(await cahier(run))["runId"]);
      if (storage.startsWith("file:")) {
        assert.strictEqual((await cahier(["doctor", "--storage", storage])).code, 0);
        rmSync(pathIn(place, `persist_${stateId}`), { recursive: true });
      } else forgetStates(sqlite);
      const found = await cahier(["doctor", "--storage", storage]);
      assert.strictEqual(found.code, 3);
      assert.match(
        found.stdout,
        new RegExp(`FAILED {2}state ${stateId} of chat_[0-9a-f]+: The state "${stateId}" names `),
      );
      assert.include(found.stdout, "Restore it from a backup. Until then no run begins in a chat that leads to it.");
      writeFileSync(place.chat, Place.chatText);
    }
  });
});

describe.concurrent("cahier doctor --repair", () => {
  it("puts a torn end aside, removes what stopped writes have left, and makes trees again; the runs stay as they are", async () => {
    const place = await Place.make();
    const [runId = ""] = await runsIn(place, 1);
    const folder = folderOf(place, runId);
    const journal = join(folder, "events.jsonl");
    const whole = readFileSync(journal, "utf8");
    const torn = whole.trimEnd().split("\n").at(-1)?.slice(0, -20) ?? "";
    appendFileSync(journal, torn);
    const left = join(folder, "events.jsonl.restore-0123456789abcdef");
    writeFileSync(left, "half");
    const longAgo = new Date(Date.now() - 7_200_000);
    utimesSync(left, longAgo, longAgo);
    writeFileSync(join(folder, "output", "main.md"), "somebody's own words");
    const found = await on(place, "doctor");
    assert.match(found.stdout, /to mend {2}run_[0-9a-f]{32} ends with 1 lines of an append/);
    assert.match(found.stdout, /cahier doctor --repair mends that/);
    assert.strictEqual(readFileSync(journal, "utf8"), whole + torn);
    const repaired = await ask(place, "doctor", "--repair");
    assert.deepStrictEqual([repaired["failed"], repaired["mendable"]], [0, []]);
    assert.lengthOf(repaired["mended"] as Rows, 3);
    assert.deepStrictEqual([readFileSync(journal, "utf8"), existsSync(left)], [whole, false]);
    const aside = readdirSync(folder).find((name) => name.startsWith("events.jsonl.cut-"));
    assert.strictEqual(readFileSync(join(folder, aside ?? ""), "utf8"), torn);
    assert.strictEqual(readFileSync(join(folder, "output", "main.md"), "utf8"), long);
    assert.deepStrictEqual((await ask(place, "doctor"))["mendable"], []);
  });
});
