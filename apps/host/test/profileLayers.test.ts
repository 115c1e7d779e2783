/**
 * Runs whose preset, card and command line say something of their profile.
 */
import { mkdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, assert, beforeAll, describe, it } from "@effect/vitest";
import { cahier, type Ended, ensureBundle, objectOf } from "./support/Cahier.ts";
import { repository } from "./support/node.ts";
import * as Place from "./support/Place.ts";

const prompts = JSON.parse(
  readFileSync(join(repository, "packages/sillytavern/test/fixtures/prompts/default-order/preset.json"), "utf8"),
) as object;

const carrying = (profileLayer: unknown) => ({ extensions: { cahier: { profileLayer } } });

const preset = (profileLayer: unknown) => ({ ...prompts, ...carrying(profileLayer) });

const card = (profileLayer: unknown) => ({
  spec: "chara_card_v2",
  spec_version: "2.0",
  data: { name: "Mira", description: "Keeps the inn.", ...carrying(profileLayer) },
});

/** Three rounds: a draft, a commit, the end. */
const run = (place: Place.Place, ...words: ReadonlyArray<string>): Promise<Ended> => {
  const script = place.write("script.json", Place.short());
  return cahier(["run", "--chat", place.chat, "--data", place.data, "--script", script, "--json", ...words]);
};

const errorOf = (ended: Ended): unknown => (objectOf(ended)["error"] as { readonly code?: string } | undefined)?.code;

const tooFew = { tools: { maxRounds: 2 } };

beforeAll(ensureBundle);
afterAll(Place.removeAll);

describe("the layers of a run's profile", () => {
  it("a preset and a card limit it, and what the user says has the last word", async () => {
    const [byPreset, byCard, lifted] = await Promise.all([Place.make(), Place.make(), Place.make()]);
    const ended = await Promise.all([
      run(byPreset, "--preset", byPreset.write("preset.json", preset(tooFew))),
      run(byCard, "--card", byCard.write("card.json", card(tooFew))),
      run(lifted, "--card", lifted.write("card.json", card(tooFew)), "--set", "tools.maxRounds=9"),
    ]);
    assert.deepStrictEqual(ended.map(errorOf), [
      "agent.max_tool_rounds_exceeded",
      "agent.max_tool_rounds_exceeded",
      undefined,
    ]);
    assert.deepStrictEqual(
      ended.map(({ stderr }) => stderr),
      ["", "", ""],
    );
  });

  it("a preset that the profile names limits it", async () => {
    const place = await Place.make();
    mkdirSync(place.path("user/OpenAI Settings"), { recursive: true });
    place.write("user/OpenAI Settings/Night.json", preset(tooFew));
    const named = ['preset={"mode":"ref","ref":{"apiId":"openai","name":"Night"}}', "--presets", place.path("user")];
    assert.strictEqual(errorOf(await run(place, "--set", ...named)), "agent.max_tool_rounds_exceeded");
  });

  it("a card gives nothing, and the user is told what of it is not taken", async () => {
    const place = await Place.make();
    const own = {
      kind: "cahier.agentProfile",
      schemaVersion: 1,
      id: "own",
      displayName: "Own",
      tools: { allow: ["write_file", "commit", "finish"].map((name) => `builtin:workspace.${name}`), maxRounds: 5 },
    };
    const wanted = {
      model: { mode: "connectionRef", connectionRef: "theirs", modelId: "large" },
      delegation: { canDelegate: true },
      tools: { allow: ["builtin:workspace.shell"], policy: [{ tools: ["*"], permission: "always" }] },
      instructions: { agentSystemPrompt: "You are Mira." },
    };
    const file = place.write("own.json", own);
    const ended = await run(place, "--profile", file, "--card", place.write("card.json", card(wanted)));
    assert.strictEqual(objectOf(ended)["status"], "completed", ended.stderr);
    for (const path of ["model", "delegation.canDelegate", "tools.allow", "tools.policy[0]"])
      assert.include(ended.stderr, `card.json says of the profile at ${path} is not taken`);
    const { runId } = objectOf(ended) as { readonly runId: string };
    const frame = await cahier(["runs", "show", runId, "--frame", "1", "--data", place.data]);
    assert.match(frame.stdout, /^\d+ +tools +tools +tools \(3\)/m);
  });

  it("a layer of another shape is passed over and told of, and one of the user's own is refused", async () => {
    const [odd, wrong, unread] = await Promise.all([Place.make(), Place.make(), Place.make()]);
    const [passed, refused, unreadable] = await Promise.all([
      run(odd, "--card", odd.write("card.json", card({ tools: { maxRounds: "\u001b[31mfew" } }))),
      run(wrong, "--set", "tools.maxRound=5"),
      run(unread, "--set", "instructions.language=zh"),
    ]);
    assert.strictEqual(objectOf(passed)["status"], "completed", passed.stderr);
    assert.match(passed.stderr, /Nothing that the card .* says of the profile is taken: tools\.maxRounds: /);
    assert.notInclude(passed.stderr, "\u001b");
    assert.deepStrictEqual([refused.code, errorOf(refused)], [4, "agent.profile_contract_invalid"]);
    assert.deepStrictEqual([unreadable.code, errorOf(unreadable)], [4, "usage.invalid"]);
  });
});
