/**
 * Moving house: everything of one storage in another of any kind, and runs go on there.
 */
/* oxlint-disable eslint/no-await-in-loop -- one command after the other is what these tests are about */
import { existsSync, mkdirSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
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

const ask = async (...args: ReadonlyArray<string>): Promise<Answer> => objectOf(await cahier([...args, "--json"]));

/** Every write waits for a person, so that a run of two writes and a commit rests three times. */
const asking = {
  kind: "cahier.policy",
  schemaVersion: 1,
  rules: [{ tools: ["builtin:workspace.write_file", "builtin:workspace.commit"], permission: "ask" }],
};

const story = Place.script(
  Place.call("workspace_write_file", { path: "plan/outline.md", content: "Rain." }),
  // Over 8 KiB: it is a blob and stands in no event.
  Place.draft(`${"It rains on the quay. ".repeat(600)}The ferry comes.`),
  Place.commit(),
  Place.finish(),
);

/** A place whose run waits for its first write, on the storage. */
const waitingOn = async (storage: string, place: Place.Place): Promise<string> => {
  await cahier(["policy", "set", "user", place.write("policy.json", asking), "--storage", storage]);
  const script = place.write("script.json", story);
  const waits = await ask("run", "--chat", place.chat, "--script", script, "--storage", storage);
  assert.strictEqual(waits["status"], "awaiting_approval");
  return String(waits["runId"]);
};

/** Allows the call that the run waits for on this storage; gives the status after. */
const approveOn = async (storage: string, runId: string): Promise<unknown> => {
  const shown = await ask("runs", "show", runId, "--storage", storage);
  const [call] = shown["awaiting"] as Rows;
  return (await ask("runs", "approve", runId, String(call?.["callId"]), "--storage", storage))["status"];
};

describe.skipIf(PostgresServer.isLacking)(`cahier storage copy${PostgresServer.reason}`, () => {
  it("goes from files to SQLite to PostgreSQL to files: equal digests, and a run goes on after each hop", async () => {
    const place = await Place.make();
    const stops = [
      `file:${place.path("data")}`,
      `sqlite:${place.path("copy.sqlite")}`,
      server.urlOf(server.freshSchema()),
      `file:${place.path("home")}`,
    ] as const;
    const runId = await waitingOn(stops[0], place);
    const statuses = ["awaiting_approval", "awaiting_approval", "completed"];
    for (const [index, status] of statuses.entries()) {
      const [from = "", to = ""] = stops.slice(index);
      const copied = await ask("storage", "copy", from, to);
      assert.deepStrictEqual(copied["runs"], { copied: 1, present: 0 });
      const again = await ask("storage", "copy", from, to);
      assert.deepStrictEqual([again["hash"], again["runs"]], [copied["hash"], { copied: 0, present: 1 }]);
      assert.strictEqual(await approveOn(to, runId), status);
    }
    assert.match(place.messages().at(-1)?.mes ?? "", /The ferry comes\.$/);
    const journals = await Promise.all(stops.map((storage) => eventsOf(storage, runId)));
    // What each storage was copied from is the beginning of what became of it there.
    for (const [index, events] of journals.slice(0, -1).entries())
      assert.deepStrictEqual(journals[index + 1]?.slice(0, events.length), events);
    const tree = readdirSync(place.path("home"), { recursive: true, encoding: "utf8" });
    assert.isTrue(tree.some((path) => path.endsWith(join(runId, "output/main.md"))));
  });

  it("takes a run that waits on files to PostgreSQL, where it is approved and completes", async () => {
    const place = await Place.make();
    const from = `file:${place.path("data")}`;
    const runId = await waitingOn(from, place);
    const to = server.urlOf(server.freshSchema());
    const told = await cahier(["storage", "copy", from, to]);
    assert.deepStrictEqual([told.code, told.stderr], [0, ""]);
    assert.match(told.stdout, /runs {7}1 copied\n[^]*equal {6}[0-9a-f]{64}\n[^]*--storage "\$CAHIER_STORAGE"/);
    for (const status of ["awaiting_approval", "awaiting_approval", "completed"])
      assert.strictEqual(await approveOn(to, runId), status);
    assert.match(place.messages().at(-1)?.mes ?? "", /The ferry comes\.$/);
  });
});

const eventsOf = async (storage: string, runId: string): Promise<Rows> =>
  (await ask("runs", "events", runId, "--limit", "500", "--storage", storage))["events"] as Rows;

describe.concurrent("cahier storage copy", () => {
  it("leaves a damaged run out only when it is told to, and says which", async () => {
    const place = await Place.make();
    const script = place.write("script.json", Place.short());
    const start = ["run", "--chat", place.chat, "--script", script, "--data", place.data];
    const [damaged, whole] = [await ask(...start), await ask(...start)].map(({ runId }) => String(runId));
    const journal = readdirSync(place.data, { recursive: true, encoding: "utf8" }).find((path) =>
      path.endsWith(join(damaged ?? "", "events.jsonl")),
    );
    writeFileSync(join(place.data, journal ?? ""), "no journal\nat all\n");
    const to = `sqlite:${place.path("copy.sqlite")}`;
    const refused = await cahier(["storage", "copy", place.data, to, "--json"]);
    assert.strictEqual(refused.code, 3);
    assert.strictEqual((objectOf(refused)["error"] as Answer)["code"], "journal.corrupt");
    const ended = await cahier(["storage", "copy", place.data, to, "--leave-out-damaged", "--json"]);
    const { leftOut, runs } = objectOf(ended);
    assert.strictEqual(ended.code, 2);
    assert.deepStrictEqual(runs, { copied: 1, present: 0 });
    assert.deepStrictEqual(
      (leftOut as Rows).map(({ id, code }) => [id, code]),
      [[damaged, "journal.corrupt"]],
    );
    const listed = await ask("runs", "list", "--storage", to);
    assert.deepStrictEqual(
      (listed["runs"] as Rows).map(({ runId }) => runId),
      [whole],
    );
  });

  it("gives up a copy that was broken off, so that its storage is looked after again", async () => {
    const place = await Place.make();
    const to = place.path("copy");
    const script = place.write("script.json", Place.short());
    await ask("run", "--chat", place.chat, "--script", script, "--data", place.data);
    await ask("storage", "copy", place.data, to);
    const untouched = await cahier(["storage", "copy", "--abandon", to]);
    assert.match(untouched.stdout, /^No copy into .* was broken off; nothing is changed\.\n$/);
    markOf(to, {});
    const collecting = ["retention", "apply", "--data", to];
    assert.match((await cahier(collecting)).stderr, /was not collected: A copy into this storage is not whole/);
    assert.deepStrictEqual((await ask("storage", "copy", "--abandon", to))["abandoned"], true);
    assert.strictEqual((await cahier(collecting)).stderr, "");
    markOf(to, { owner: { ownerId: "owner_elsewhere", machine: "another", pid: 1, startedAt: "0" } });
    const refused = await cahier(["storage", "copy", "--abandon", to, "--json"]);
    assert.deepStrictEqual([refused.code, (objectOf(refused)["error"] as Answer)["code"]], [4, "storage.in_use"]);
    const told = await cahier(["storage", "copy", "--abandon", to, "--even-elsewhere"]);
    assert.deepStrictEqual([told.code, told.stdout.startsWith("The copy into ")], [0, true]);
    const absent = await cahier(["storage", "copy", "--abandon", place.path("absent")]);
    assert.deepStrictEqual([absent.code, existsSync(place.path("absent"))], [4, false]);
    for (const words of [[], [place.data], [place.data, to, "--even-elsewhere"], [to, "--abandon", to]])
      assert.match((await cahier(["storage", "copy", ...words])).stderr, /\[usage\.invalid\]/);
  });

  it("refuses a storage that is not there, one storage for both, and one that has something else", async () => {
    const place = await Place.make();
    const absent = await cahier(["storage", "copy", place.path("absent"), place.path("other")]);
    assert.deepStrictEqual([absent.code, existsSync(place.path("other"))], [4, false]);
    assert.match(absent.stderr, /There is no storage at .*Check what FROM says\. \[usage\.invalid\]/);
    const same = await cahier(["storage", "copy", place.path("a"), `file:${place.path("a")}`]);
    assert.match(same.stderr, /FROM and TO are one storage\./);
    const storages = ["one", "other"].map((name) => place.path(name));
    for (const storage of storages)
      await cahier(["policy", "set", "user", policyOf(place, storage), "--data", storage]);
    const [one = "", other = ""] = storages;
    const conflict = await cahier(["storage", "copy", one, other]);
    assert.strictEqual(conflict.code, 4);
    assert.match(conflict.stderr, /another document policies\/user\..*\[storage\.copy_conflict\]/);
  });
});

/** Leaves the mark of a copy that was broken off; one that names no owner is of nobody who lives. */
const markOf = (storage: string, value: object): void => {
  const folder = join(storage, "documents", "storage-copies");
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, "present.json"), JSON.stringify({ revision: 1, life: "0123456789abcdef", value }));
};

/** A policy that no other storage has. */
const policyOf = (place: Place.Place, name: string): string =>
  place.write("policy.json", {
    ...asking,
    rules: [{ tools: ["builtin:workspace.commit"], permission: "ask", reason: name }],
  });
