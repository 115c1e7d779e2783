/**
 * Stopping runs, losing them, and carrying them on: signals, other processes, kill -9.
 */
import { appendFileSync, readFileSync } from "node:fs";
import { watch } from "node:fs/promises";
import { afterAll, assert, beforeAll, describe, it } from "@effect/vitest";
import { cahier, ensureBundle, objectOf, type Running, start, type StartOptions } from "./support/Cahier.ts";
import { repository } from "./support/node.ts";
import * as Place from "./support/Place.ts";

type Answer = Readonly<Record<string, unknown>>;

const runArgs = (place: Place.Place, script: object): ReadonlyArray<string> => [
  "run",
  "--chat",
  place.chat,
  "--data",
  place.data,
  "--script",
  place.write("script.json", script),
];

/** A run that has written its draft and now waits for a model that does not answer; gives its id as well. */
const startSlow = async (place: Place.Place, options: StartOptions = {}): Promise<readonly [Running, string]> => {
  const running = start(runArgs(place, Place.slow()), options);
  const [runId] = await running.says(/run_[0-9a-f]{32}/);
  await running.says(/output\/main\.md/);
  return [running, runId];
};

const ask = async (place: Place.Place, ...args: ReadonlyArray<string>): Promise<Answer> =>
  objectOf(await cahier([...args, "--data", place.data, "--json"]));

const eventTypes = async (place: Place.Place, runId: string): Promise<ReadonlyArray<string>> => {
  const { events } = await ask(place, "runs", "events", runId, "--limit", "500");
  return (events as ReadonlyArray<{ readonly type: string }>).map(({ type }) => type);
};

/** A cancelled run has written down its end and touched nothing. */
const assertCancelled = async (place: Place.Place, runId: string): Promise<void> => {
  const types = await eventTypes(place, runId);
  assert.include(types, "run_cancelled");
  assert.isBelow(types.indexOf("run_cancel_requested"), types.indexOf("run_cancelled"));
  assert.isEmpty(types.slice(types.indexOf("run_cancelled") + 1).filter((type) => type !== "run_owner_changed"));
  const shown = await ask(place, "runs", "show", runId);
  assert.deepStrictEqual([shown["status"], shown["standing"], shown["owner"]], ["cancelled", "ended", null]);
  assert.strictEqual(place.chatText(), Place.chatText);
};

beforeAll(ensureBundle);
afterAll(Place.removeAll);

describe("stopping a run", () => {
  for (const signal of ["SIGINT", "SIGTERM"] as const) {
    it(`${signal} cancels it: its journal says so, the chat is as before, exit code 130`, async () => {
      const place = await Place.make();
      const [running, runId] = await startSlow(place);
      running.child.kill(signal);
      const ended = await running.ended;
      assert.deepStrictEqual([ended.code, ended.signal], [130, null]);
      assert.match(ended.stdout, /cancelled\n$/);
      await assertCancelled(place, runId);
    });
  }

  it("Ctrl-C reaches it through npm", async () => {
    const place = await Place.make();
    // A terminal signals the whole group: npm, its shell, and what they started.
    const [running, runId] = await startSlow(place, {
      command: ["npm", "run", "-s", "cahier", "--"],
      cwd: repository,
      detached: true,
    });
    process.kill(-(running.child.pid ?? 0), "SIGINT");
    const ended = await running.ended;
    assert.strictEqual(ended.code, 130, ended.stderr);
    await assertCancelled(place, runId);
  });

  it("another process cancels it, waits for its end, and says how it ended", async () => {
    const place = await Place.make();
    const [running, runId] = await startSlow(place);
    const told = await ask(place, "runs", "cancel", runId);
    assert.deepStrictEqual(told, { runId, status: "cancelled", committed: [] });
    assert.strictEqual((await running.ended).code, 130);
    await assertCancelled(place, runId);
  });

  it("cancelling it again changes nothing", async () => {
    const place = await Place.make();
    const [running, runId] = await startSlow(place);
    await ask(place, "runs", "cancel", runId);
    await running.ended;
    const before = await eventTypes(place, runId);
    assert.strictEqual((await ask(place, "runs", "cancel", runId))["status"], "cancelled");
    assert.deepStrictEqual(await eventTypes(place, runId), before);
  });

  it("a run whose process is gone is cancelled by whoever asks", async () => {
    const place = await Place.make();
    const [running, runId] = await startSlow(place);
    running.child.kill("SIGKILL");
    await running.ended;
    assert.strictEqual((await ask(place, "runs", "cancel", runId))["status"], "cancelled");
    await assertCancelled(place, runId);
  });
});

describe("a run whose process was killed", () => {
  it("stands as interrupted, and is carried on to its end where it was", async () => {
    const place = await Place.make();
    const script = Place.script(Place.draft("A draft."), Place.commit({ delayMs: 1500 }), Place.finish());
    const running = start(runArgs(place, script));
    const [runId] = await running.says(/run_[0-9a-f]{32}/);
    await running.says(/output\/main\.md/);
    running.child.kill("SIGKILL");
    await running.ended;
    assert.strictEqual((await ask(place, "runs", "show", runId))["standing"], "interrupted");
    const told = await cahier(["runs", "show", runId, "--data", place.data]);
    assert.match(told.stdout, /interrupted: nobody carries it on; cahier runs resume carries it on/);
    assert.match((await cahier(["runs", "list", "--data", place.data])).stdout, /interrupted/);

    const resumed = await cahier(["runs", "resume", runId, "--data", place.data]);
    assert.strictEqual(resumed.code, 0, resumed.stderr);
    assert.match(resumed.stdout, /resumed/);
    assert.notMatch(resumed.stdout, /output\/main\.md {2,}replace/);
    assert.deepStrictEqual(
      place.messages().map(({ mes }) => mes),
      [...messagesBefore, "A draft."],
    );
  });

  it("is resumed by one process only", async () => {
    const place = await Place.make();
    const [running, runId] = await startSlow(place);
    running.child.kill("SIGKILL");
    await running.ended;
    const first = start(["runs", "resume", runId, "--data", place.data]);
    await first.says(/resumed/);
    const second = await cahier(["runs", "resume", runId, "--data", place.data, "--json"]);
    assert.strictEqual(second.code, 4);
    assert.strictEqual((objectOf(second)["error"] as Answer)["code"], "agent.resume_unavailable");
    first.child.kill("SIGINT");
    assert.strictEqual((await first.ended).code, 130);
  });

  it("a run that has ended is not resumed", async () => {
    const place = await Place.make();
    const done = objectOf(await cahier([...runArgs(place, Place.short()), "--json"]));
    const refused = await cahier(["runs", "resume", String(done["runId"]), "--data", place.data]);
    assert.strictEqual(refused.code, 4);
    assert.match(refused.stderr, /It has ended \(completed\); there is nothing to carry on\. \[agent\.resume_unavail/);
  });
});

describe("watching a run from another process", () => {
  it("--follow gives every event once, in order, and ends with the run", async () => {
    const place = await Place.make();
    const turns = Array.from({ length: 6 }, (_, index) => Place.draft(`Draft ${index}.`, { delayMs: 60 }));
    const running = start(runArgs(place, Place.script(...turns, Place.commit(), Place.finish())));
    const [runId] = await running.says(/run_[0-9a-f]{32}/);
    const followed = await cahier(["runs", "events", runId, "--follow", "--data", place.data, "--json"]);
    assert.strictEqual((await running.ended).code, 0);
    assert.strictEqual(followed.code, 0);
    const seqs = followed.stdout
      .trimEnd()
      .split("\n")
      .map((line) => (JSON.parse(line) as { readonly seq: number }).seq);
    const { lastSeq } = await ask(place, "runs", "events", runId);
    assert.deepStrictEqual(
      seqs,
      Array.from({ length: Number(lastSeq) }, (_, index) => index + 1),
    );
  });

  it("a signal ends the watching and not the run", async () => {
    const place = await Place.make();
    const [running, runId] = await startSlow(place);
    const watching = start(["runs", "events", runId, "--follow", "--data", place.data]);
    await watching.says(/run_created/);
    watching.child.kill("SIGINT");
    assert.strictEqual((await watching.ended).code, 130);
    assert.strictEqual((await ask(place, "runs", "show", runId))["standing"], "running");
    running.child.kill("SIGINT");
    await running.ended;
  });

  it("a run goes on when nobody reads its timeline any more", async () => {
    const place = await Place.make();
    const script = Place.script(Place.draft("A draft."), Place.commit({ delayMs: 300 }), Place.finish());
    const running = start(runArgs(place, script));
    await running.says(/output\/main\.md/);
    running.child.stdout?.destroy();
    const [code] = await running.exit;
    assert.strictEqual(code, 0);
    assert.strictEqual(place.messages().at(-1)?.mes, "A draft.");
  });
});

describe("a chat that another program changes during the run", () => {
  const line = JSON.stringify({ name: "Robin", is_user: true, mes: "And the third time?", extra: {} });

  it("keeps what the other wrote, byte for byte; the run fails with chat.conflict and says what to do", async () => {
    const place = await Place.make();
    const script = Place.script(Place.draft("A draft."), Place.commit({ delayMs: 500 }), Place.finish());
    const running = start(runArgs(place, script));
    await running.says(/output\/main\.md/);
    appendFileSync(place.chat, `\n${line}`);
    const after = readFileSync(place.chat);
    const ended = await running.ended;
    assert.strictEqual(ended.code, 3);
    assert.match(ended.stderr, /^cahier: The chat has changed since .*Start the run again.* \[chat\.conflict\]\n$/);
    assert.deepStrictEqual(readFileSync(place.chat), after);
  });

  it("after a first commit the run ends as partial success, exit code 2, and keeps what it committed", async () => {
    const place = await Place.make();
    const script = Place.script(
      Place.draft("A draft."),
      Place.commit(),
      Place.draft("A better draft.", { delayMs: 500 }),
      Place.commit(),
      Place.finish(),
    );
    const running = start([...runArgs(place, script), "--json"]);
    await changed(place);
    appendFileSync(place.chat, `\n${line}`);
    const after = readFileSync(place.chat);
    const ended = await running.ended;
    assert.strictEqual(ended.code, 2);
    const { status, error, committed } = objectOf(ended);
    assert.deepStrictEqual(
      [status, (error as Answer)["code"], committed],
      ["partial_success", "chat.conflict", [{ messageIndex: 2, path: "output/main.md", chars: 8 }]],
    );
    assert.deepStrictEqual(readFileSync(place.chat), after);
  });
});

const messagesBefore = Place.chatText
  .split("\n")
  .slice(1)
  .map((line) => (JSON.parse(line) as Place.Message).mes);

/** Resolves once the chat is not as it was before the run. */
const changed = async (place: Place.Place): Promise<void> => {
  for await (const _ of watch(place.folder)) if (place.chatText() !== Place.chatText) return;
};
