/**
 * Runs that were left lying when their process was killed: all carried on by one command, or by the next run of the chat.
 */
/* oxlint-disable eslint/no-await-in-loop -- one command after the other is what these tests are about */
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, assert, beforeAll, describe, it } from "@effect/vitest";
import { cahier, ensureBundle, objectOf, start } from "./support/Cahier.ts";
import * as Place from "./support/Place.ts";

type Answer = Readonly<Record<string, unknown>>;
type Rows = ReadonlyArray<Answer>;

beforeAll(ensureBundle);
afterAll(Place.removeAll);

/** The model takes its time before the commit, so that the process can be killed there. */
const takingItsTime = (delayMs: number) =>
  Place.script(Place.draft("Carried on."), Place.commit({ delayMs }), Place.finish());
const slowly = takingItsTime(1200);

/** Starts a run in the place's data folder and kills its process when the draft is written; gives the run's id. */
const leftLying = async (
  place: Place.Place,
  data: string,
  { more = [], played = slowly }: { readonly more?: ReadonlyArray<string>; readonly played?: object } = {},
): Promise<string> => {
  const script = place.write("slowly.json", played);
  const running = start(["run", "--chat", place.chat, "--script", script, "--data", data, ...more]);
  const [runId] = await running.says(/run_[0-9a-f]{32}/);
  await running.says(/output\/main\.md/);
  running.child.kill("SIGKILL");
  await running.ended;
  return runId;
};

/** The profile that most runs have, but a run that was interrupted waits until a person resumes it. */
const manual = {
  kind: "cahier.agentProfile",
  schemaVersion: 1,
  id: "by-hand",
  displayName: "By hand",
  run: { resume: "manual" },
  tools: {
    allow: ["builtin:workspace.write_file", "builtin:workspace.commit", "builtin:workspace.finish"],
    maxRounds: 5,
    maxCallsPerRun: 5,
  },
};

const statusOf = async (data: string, runId: string): Promise<unknown> =>
  objectOf(await cahier(["runs", "show", runId, "--data", data, "--json"]))["status"];

describe.concurrent("runs whose process is gone", () => {
  it("are all carried on by runs resume --all, but those that want to be asked", async () => {
    const places = await Promise.all([1, 2, 3].map((number) => Place.make(chatOf(number))));
    const data = places[0]?.data ?? "";
    const profiles = places.map((place, index) =>
      index === 2 ? ["--profile", place.write("by-hand.json", manual)] : [],
    );
    const lying = await Promise.all(
      places.map((place, index) => leftLying(place, data, { more: profiles[index] ?? [] })),
    );
    const [first, second, asked = ""] = lying;
    const resumed = await cahier(["runs", "resume", "--all", "--data", data, "--json"]);
    assert.strictEqual(resumed.code, 0, resumed.stderr);
    const { left, runs } = objectOf(resumed);
    assert.deepStrictEqual(
      new Map((runs as Rows).map(({ runId, status }) => [runId, status])),
      new Map([
        [first, "completed"],
        [second, "completed"],
      ]),
    );
    assert.deepStrictEqual(left, [{ runId: asked }]);
    for (const place of places.slice(0, 2)) assert.strictEqual(place.messages().at(-1)?.mes, "Carried on.");
    const again = await cahier(["runs", "resume", "--all", "--data", data]);
    assert.match(again.stdout, new RegExp(`^${asked}: its profile wants to be asked; go on with: cahier runs resume`));
    assert.strictEqual((await cahier(["runs", "resume", asked, "--data", data])).code, 0);
    assert.strictEqual((await cahier(["runs", "resume", "--all", "--data", data])).stdout, "No run was left lying.\n");
  });

  it("go on before the next run of their chat, and runs of other chats do not", async () => {
    const [place, other] = await Promise.all([Place.make(), Place.make(chatOf(2))]);
    const lying = await leftLying(place, place.data);
    const elsewhere = await leftLying(other, place.data);
    const script = place.write("short.json", Place.short("The next one."));
    const ended = await cahier(["run", "--chat", place.chat, "--script", script, "--data", place.data, "--quiet"]);
    assert.strictEqual(ended.code, 0, ended.stderr);
    assert.include(ended.stderr, `The run ${lying} of this chat had been interrupted and was carried on: completed`);
    assert.deepStrictEqual(
      place
        .messages()
        .slice(-2)
        .map(({ mes }) => mes),
      ["Carried on.", "The next one."],
    );
    assert.strictEqual(await statusOf(place.data, elsewhere), "calling_model");
  });

  it("are cancelled by a stop signal, and no further one is begun", async () => {
    const places = await Promise.all([1, 2].map((number) => Place.make(chatOf(number))));
    const data = places[0]?.data ?? "";
    const endless = { played: takingItsTime(60_000) };
    const lying = await Promise.all(places.map((place) => leftLying(place, data, endless)));
    const running = start(["runs", "resume", "--all", "--data", data]);
    const events = lying.map((runId) => start(["runs", "events", runId, "--follow", "--data", data]));
    await Promise.all(events.map((followed) => followed.says(/run_resumed/)));
    running.child.kill("SIGINT");
    assert.strictEqual((await running.ended).code, 130);
    await Promise.all(events.map((followed) => followed.ended));
    for (const runId of lying) assert.strictEqual(await statusOf(data, runId), "cancelled");
  });

  it("of which one cannot be read are not said to be none", async () => {
    const place = await Place.make();
    const runId = await leftLying(place, place.data);
    const journal = readdirSync(place.data, { recursive: true, encoding: "utf8" }).find((path) =>
      path.endsWith(join(runId, "events.jsonl")),
    );
    const path = join(place.data, journal ?? "");
    writeFileSync(path, readFileSync(path, "utf8").replace('"info"', '"inf0"'));
    const ended = await cahier(["runs", "resume", "--all", "--data", place.data]);
    assert.deepStrictEqual(
      [ended.code, ended.stdout],
      [3, `${runId}: it cannot be read whole; cahier doctor tells why\n`],
    );
  });

  it("are named by an id or by --all, not by both", async () => {
    for (const words of [[], ["run_0123456789abcdef0123456789abcdef", "--all"]]) {
      const ended = await cahier(["runs", "resume", ...words]);
      assert.strictEqual(ended.code, 4);
      assert.include(ended.stderr, "takes either ID or --all");
    }
  });
});

/** The same chat under another stable id. */
const chatOf = (number: number): string =>
  Place.chatText.replace(/"integrity":"[^"]+"/, `"integrity":"5f1c2a34-9b7d-4f0e-8c1d-2e3f4a5b6c7${number}"`);
