/**
 * Runs on chats and cards that SillyTavern 1.19 itself wrote: one message or swipe more, and no other byte changed.
 */
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { afterAll, assert, beforeAll, describe, it } from "@effect/vitest";
import { cahier, ensureBundle, objectOf } from "./support/Cahier.ts";
import { repository } from "./support/node.ts";
import * as Place from "./support/Place.ts";

const samples = join(process.env["CAHIER_FIXTURES"] ?? resolve(repository, "../shared/fixtures"), "sillytavern");
const why = existsSync(samples) ? "" : " (skipped: set CAHIER_FIXTURES to the folder of the recorded fixtures)";
const chats = ["chat-seraphina", "chat-swipe-hide-reasoning", "chat-checkpoint"];
const card = join(samples, "card-seraphina.png");
const answer = 'She smiles.\n\n"Größe," she says \u{1f33f}, \u2028and *nods*.';

type Line = Readonly<Record<string, unknown>>;

beforeAll(ensureBundle);
afterAll(Place.removeAll);

describe.skipIf(why !== "")(`a chat that SillyTavern wrote${why}`, () => {
  for (const name of chats) {
    for (const type of ["normal", "swipe", "regenerate"]) {
      it(`${name}: a ${type} run changes one line, and every line is one JSON object`, async () => {
        const original = readFileSync(join(samples, `${name}.jsonl`));
        const place = await Place.make();
        writeFileSync(place.chat, original);
        const script = place.write("script.json", Place.short(answer));
        const args = ["--chat", place.chat, "--card", card, "--script", script, "--data", place.data];
        const ended = await cahier(["run", ...args, "--type", type, "--json"]);
        assert.strictEqual(ended.code, 0, ended.stdout + ended.stderr);

        const before = original.toString("utf8").split("\n");
        const after = place.chatText().split("\n");
        const kept = type === "normal" ? before : before.slice(0, -1);
        assert.deepStrictEqual(after.slice(0, kept.length), kept);
        assert.lengthOf(after, kept.length + 1);
        for (const line of after) assert.isFalse(Array.isArray(JSON.parse(line)));

        const message = JSON.parse(after.at(-1) ?? "") as Line;
        assert.deepStrictEqual([message["name"], message["is_user"], message["mes"]], ["Seraphina", false, answer]);
        const agent = ((message["extra"] as Line)["cahier"] as Line)["agent"] as Line;
        assert.strictEqual(agent["runId"], objectOf(ended)["runId"]);
        const swipes = message["swipes"] as ReadonlyArray<string>;
        assert.strictEqual(swipes[Number(message["swipe_id"])], answer);
        if (type !== "swipe") return;
        const old = JSON.parse(before.at(-1) ?? "") as Line;
        const oldSwipes = (old["swipes"] ?? [old["mes"]]) as ReadonlyArray<string>;
        assert.deepStrictEqual(swipes, [...oldSwipes, answer]);
        assert.deepStrictEqual(Object.keys(message).slice(0, Object.keys(old).length), Object.keys(old));
      });
    }
  }

  it("a run's own swipe can follow its message", async () => {
    const place = await Place.make(readFileSync(join(samples, "chat-seraphina.jsonl"), "utf8"));
    const args = ["run", "--chat", place.chat, "--card", card, "--data", place.data, "--json"];
    await cahier([...args, "--script", place.write("one.json", Place.short("One."))]);
    await cahier([...args, "--script", place.write("two.json", Place.short("Two.")), "--type", "swipe"]);
    assert.deepStrictEqual(place.messages().at(-1)?.swipes, ["One.", "Two."]);
  });
});

describe.skipIf(why !== "")(`a card that SillyTavern wrote${why}`, () => {
  it("gives its name to the message and its text to the prompt", async () => {
    const place = await Place.make();
    const script = place.write("script.json", Place.short());
    const args = ["--chat", place.chat, "--card", card, "--script", script, "--data", place.data, "--json"];
    const { runId } = objectOf(await cahier(["run", ...args]));
    assert.strictEqual(place.messages().at(-1)?.name, "Seraphina");
    const events = await cahier(["runs", "events", String(runId), "--limit", "20", "--data", place.data, "--json"]);
    assert.match(events.stdout, /Eldoria/);
  });
});
