/**
 * One setting says where runs are kept: the same commands on a folder, on an SQLite file and on a PostgreSQL server.
 */
import { existsSync, readFileSync } from "node:fs";
import { DatabaseSync } from "node:sqlite";
import { afterAll, assert, beforeAll, describe, it } from "@effect/vitest";
import * as PostgresServer from "@cahier/postgres-server/PostgresServer";
import { cahier, ensureBundle, objectOf } from "./support/Cahier.ts";
import * as Place from "./support/Place.ts";

type Answer = Readonly<Record<string, unknown>>;
type Rows = ReadonlyArray<Answer>;

const server = PostgresServer.lazy();

beforeAll(ensureBundle);
afterAll(async () => {
  server.stop();
  await Place.removeAll();
});

const startArgs = (place: Place.Place, script: object): ReadonlyArray<string> => [
  "run",
  "--chat",
  place.chat,
  "--script",
  place.write("script.json", script),
];

const policy = {
  kind: "cahier.policy",
  schemaVersion: 1,
  rules: [{ tools: ["builtin:workspace.write_file"], permission: "ask" }],
};

/** Runs, looks, waits, approves and checks, each in a process of its own; gives the id of the first run. */
const wholeStory = async (place: Place.Place, storage: string): Promise<string> => {
  const ask = async (...args: ReadonlyArray<string>): Promise<Answer> =>
    objectOf(await cahier([...args, "--storage", storage, "--json"]));
  const done = await ask(...startArgs(place, Place.short("Kept elsewhere.")));
  assert.strictEqual(done["status"], "completed");
  const runId = String(done["runId"]);
  assert.strictEqual(place.messages().at(-1)?.mes, "Kept elsewhere.");
  assert.strictEqual((await ask("runs", "show", runId))["status"], "completed");
  const file = await cahier(["runs", "file", runId, "output/main.md", "--storage", storage]);
  assert.strictEqual(file.stdout, "Kept elsewhere.", file.stderr);

  const set = await cahier(["policy", "set", "user", place.write("policy.json", policy), "--storage", storage]);
  assert.strictEqual(set.code, 0, set.stderr);
  const waits = await ask(...startArgs(place, Place.short("Allowed later.")));
  assert.strictEqual(waits["status"], "awaiting_approval");
  const waiting = String(waits["runId"]);
  assert.strictEqual((await ask("runs", "resume", waiting))["status"], "awaiting_approval");
  const [call] = waits["awaiting"] as Rows;
  const approved = await ask("runs", "approve", waiting, String(call?.["callId"]));
  assert.strictEqual(approved["status"], "completed");
  assert.strictEqual(place.messages().at(-1)?.mes, "Allowed later.");

  const { runs } = await ask("runs", "list");
  assert.deepStrictEqual(new Set((runs as Rows).map((run) => run["runId"])), new Set([runId, waiting]));
  const examined = await ask("doctor");
  const passed = (examined["findings"] as Rows).filter(({ outcome }) => outcome === "passed");
  assert.isAbove(passed.length, 40);
  assert.deepStrictEqual([examined["failed"], Number(examined["appendMs"]) > 0], [0, true]);
  assert.includeMembers(
    passed.map(({ check }) => check),
    [runId, waiting],
  );
  return runId;
};

describe.concurrent("an SQLite file", () => {
  it("holds runs from their start over an approval to their end, and no data folder is made", async () => {
    const place = await Place.make();
    const runId = await wholeStory(place, `sqlite:${place.path("deep/cahier.sqlite")}`);
    assert.isFalse(existsSync(place.data));
    const environment = { CAHIER_STORAGE: `sqlite:${place.path("deep/cahier.sqlite")}` };
    assert.include((await cahier(["runs", "list"], { environment })).stdout, runId);
  });

  it("is named again in the command that goes on with a run", async () => {
    const place = await Place.make();
    const storage = `sqlite:${place.path("cahier.sqlite")}`;
    await cahier(["policy", "set", "user", place.write("policy.json", policy), "--storage", storage]);
    const ended = await cahier([...startArgs(place, Place.short()), "--storage", storage]);
    assert.strictEqual(ended.code, 5, ended.stderr);
    assert.include(ended.stdout, `Go on with: cahier runs approve --storage ${storage} run_`);
  });
});

describe.skipIf(PostgresServer.isLacking)(`a PostgreSQL server${PostgresServer.reason}`, () => {
  it("holds runs from their start over an approval to their end, and no data folder is made", async () => {
    const place = await Place.make();
    const url = server.urlOf(server.freshSchema());
    const runId = await wholeStory(place, url);
    assert.isFalse(existsSync(place.data));
    assert.include((await cahier(["runs", "list"], { environment: { CAHIER_STORAGE: url } })).stdout, runId);
    // What doctor made to try the laws on is gone.
    assert.strictEqual(
      server.get().execute("SELECT count(*) FROM pg_namespace WHERE nspname LIKE 'cahier_doctor%'"),
      "0",
    );
  });

  it("is not named with its password by anything that is printed, and its runs are checked where its user may make no schema", async () => {
    const place = await Place.make();
    const schema = server.freshSchema();
    server.get().execute(`CREATE ROLE writer LOGIN; ALTER SCHEMA ${schema} OWNER TO writer`);
    const url = server.urlOf(schema).replace("postgres@", "writer:open-sesame@");
    await cahier(["policy", "set", "user", place.write("policy.json", policy), "--storage", url]);
    const ended = await cahier([...startArgs(place, Place.short()), "--storage", url]);
    assert.include(ended.stdout, 'Go on with: cahier runs approve --storage "$CAHIER_STORAGE" run_');
    const checked = await cahier(["doctor", "--storage", url]);
    assert.match(checked.stdout, /storage {2}postgres:\/\/127\.0\.0\.1:\d+\/postgres\n/);
    assert.match(checked.stdout, /left out {2}storage laws: .*Grant CREATE[^]*\n3 checks passed, 0 failed, 1 left out/);
    assert.notInclude(ended.stdout + ended.stderr + checked.stdout, "open-sesame");
  });

  it("that has foreign tables of our names is refused and left alone", async () => {
    const place = await Place.make();
    const schema = server.freshSchema();
    server.get().execute(`CREATE TABLE ${schema}.cahier_run (mine TEXT)`);
    assert.match(
      await refusal(place, server.urlOf(schema), "journal.version_unsupported"),
      /not one of Cahier's.*Name an empty/,
    );
  });

  it("that lets nobody in is refused with what to check", async () => {
    const place = await Place.make();
    const url = server.get().url.replace(/postgres$/, "absent");
    assert.match(await refusal(place, url, "storage.failed"), /cannot be opened: .*absent.*Check that the server runs/);
  });
});

/** A run is not begun on this storage: exit code 4, one line, which it gives, and the chat as it was. */
const refusal = async (place: Place.Place, storage: string, code: string): Promise<string> => {
  const before = place.chatText();
  const args = [...startArgs(place, Place.short()), "--storage", storage];
  const [told, asked] = [await cahier(args), await cahier([...args, "--json"])];
  assert.strictEqual(told.code, 4, told.stderr);
  assert.include(told.stderr, `[${code}]`);
  assert.strictEqual(told.stderr.trimEnd().split("\n").length, 1);
  assert.deepStrictEqual([asked.code, (objectOf(asked)["error"] as Answer)["code"]], [4, code]);
  assert.strictEqual(place.chatText(), before);
  return told.stderr;
};

describe.concurrent("a storage that cannot be used", () => {
  for (const [storage, says] of [
    ["mysql://user:secret@host/stories", /takes file:DIR, sqlite:FILE or postgres.* there is no storage "mysql:"/],
    ["sqlite:", /names nothing after "sqlite:"/],
    ["", /--storage is empty/],
    ["postgres:no-address", /no postgres:\/\/USER:PASSWORD@HOST/],
  ] as const) {
    it(`"${storage}" is refused as a setting`, async () => {
      const place = await Place.make();
      assert.match(await refusal(place, storage, "usage.invalid"), says);
    });
  }

  it("a setting of the environment is refused by its name, without the secret in it", async () => {
    const ended = await cahier(["runs", "list"], { environment: { CAHIER_STORAGE: "mysql://me:secret@host" } });
    assert.strictEqual(ended.code, 4);
    assert.match(ended.stderr, /CAHIER_STORAGE takes .*\[usage\.invalid\]/);
    assert.notInclude(ended.stderr, "secret");
  });

  it("--data and --storage together are refused, and so is a database behind --data", async () => {
    const place = await Place.make();
    const both = await cahier(["runs", "list", "--data", place.data, "--storage", place.data]);
    assert.deepStrictEqual([both.code, /Give either --data or --storage/.test(both.stderr)], [4, true], both.stderr);
    const database = await cahier(["runs", "list", "--data", "sqlite:stories"], { cwd: place.folder });
    assert.deepStrictEqual([database.code, /with --storage\./.test(database.stderr)], [4, true], database.stderr);
  });

  it("an SQLite file below a file is refused with what to do", async () => {
    const place = await Place.make();
    const storage = `sqlite:${place.write("file", "no folder")}/cahier.sqlite`;
    assert.match(await refusal(place, storage, "storage.failed"), /cannot be opened: .*choose another with --storage/);
  });

  it("a file that is no SQLite database is refused and left alone", async () => {
    const place = await Place.make();
    const file = place.write("notes.txt", "These are notes, and they are long enough to be no header. ".repeat(20));
    const before = readFileSync(file, "utf8");
    assert.match(
      await refusal(place, `sqlite:${file}`, "storage.failed"),
      /cannot be opened: .*Check that it is an SQLite file/,
    );
    assert.strictEqual(readFileSync(file, "utf8"), before);
  });

  it("a database of another program is refused and left alone", async () => {
    const place = await Place.make();
    const database = new DatabaseSync(place.path("other.sqlite"));
    database.exec("CREATE TABLE recipes (name TEXT)");
    database.close();
    const storage = `sqlite:${place.path("other.sqlite")}`;
    assert.match(
      await refusal(place, storage, "journal.version_unsupported"),
      /not one of Cahier's: it has a table recipes/,
    );
  });

  it("an address where no server answers is refused with what to check, without its password", async () => {
    const place = await Place.make();
    const storage = "postgres://me:open-sesame@127.0.0.1:1/stories";
    assert.match(
      await refusal(place, storage, "storage.failed"),
      /postgres:\/\/127\.0\.0\.1:1\/stories cannot be opened/,
    );
    const ended = await cahier(["runs", "list", "--storage", storage]);
    assert.notInclude(ended.stderr, "open-sesame");
  });
});

describe("--storage in the help", () => {
  it("is explained for every command that takes --data, in all its forms", async () => {
    const commands = [["run"], ["runs", "list"], ["runs", "fork"], ["policy", "set"], ["doctor"]];
    const texts = await Promise.all(commands.map((words) => cahier([...words, "--help"])));
    for (const { stdout } of texts) {
      assert.match(stdout, /--storage file:DIR\|sqlite:FILE\|postgres:\/\/\.\.\. .*CAHIER_STORAGE/);
      assert.match(stdout, /--data DIR .*short for --storage file:DIR/);
    }
  });
});
