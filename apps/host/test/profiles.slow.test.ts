/**
 * The stored profiles: what is saved, shown, listed and deleted, and what is refused.
 */
import { globSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, assert, beforeAll, describe, it } from "@effect/vitest";
import { cahier, ensureBundle, objectOf } from "./support/Cahier.ts";
import * as Place from "./support/Place.ts";

const profile = (changes: object = {}) => ({
  kind: "cahier.agentProfile",
  schemaVersion: 1,
  id: "critic",
  displayName: "Critic \u001b[31m",
  delegation: { callable: true, allowAsSubagent: true },
  tools: { allow: ["builtin:workspace.read_file"], maxRounds: 5 },
  ...changes,
});

const profiles = (place: Place.Place, ...words: ReadonlyArray<string>) =>
  cahier(["profiles", ...words, "--data", place.data]);

const codeOf = async (place: Place.Place, ...words: ReadonlyArray<string>): Promise<unknown> => {
  const ended = await profiles(place, ...words, "--json");
  assert.strictEqual(ended.code, 4);
  return (objectOf(ended)["error"] as { readonly code: string }).code;
};

beforeAll(ensureBundle);
afterAll(Place.removeAll);

describe("stored profiles", () => {
  it("are saved, listed with what each can be used for, shown and deleted", async () => {
    const place = await Place.make();
    assert.match((await profiles(place, "list")).stdout, /^No profile is stored; cahier profiles new ID/);
    const file = place.write("critic.json", profile());
    assert.strictEqual((await profiles(place, "save", file)).stdout, "critic is stored.\n");
    assert.strictEqual((await profiles(place, "save", file)).stdout, "critic is stored in place of the one before.\n");
    const listed = await profiles(place, "list");
    assert.match(listed.stdout, /^PROFILE +FOR +NAME\ncritic +task +Critic /);
    assert.notInclude(listed.stdout, "\u001b");
    assert.deepStrictEqual(objectOf(await profiles(place, "show", "critic", "--json")), {
      profile: profile(),
      revision: 2,
      issues: [],
    });
    assert.include((await profiles(place, "show", "critic")).stdout, '\n  "id": "critic",\n');
    assert.strictEqual((await profiles(place, "delete", "critic")).stdout, "critic is deleted.\n");
    assert.strictEqual(await codeOf(place, "show", "critic"), "agent.profile_not_found");
    assert.strictEqual(await codeOf(place, "delete", "critic"), "agent.profile_not_found");
    assert.strictEqual(await codeOf(place, "show", "../critic"), "agent.profile_not_found");
  });

  it("that break a rule are refused, and the one before stays", async () => {
    const place = await Place.make();
    await profiles(place, "save", place.write("critic.json", profile()));
    const odd = place.write("odd.json", profile({ surprise: true }));
    assert.strictEqual(await codeOf(place, "save", odd), "agent.profile_contract_invalid");
    const unruly = place.write("unruly.json", profile({ tools: { allow: ["builtin:task.return"], maxRounds: 5 } }));
    assert.strictEqual(await codeOf(place, "save", unruly), "agent.profile_task_return_runtime_only");
    assert.strictEqual(
      await codeOf(place, "save", place.write("text.json", "nothing")),
      "agent.profile_contract_invalid",
    );
    assert.deepStrictEqual(objectOf(await profiles(place, "show", "critic", "--json"))["profile"], profile());
  });

  it("are listed for what they are ready for, and with what they lack for what they offer", async () => {
    const place = await Place.make();
    const offers = { callable: true, allowAsSubagent: true, allowAsHandoffTarget: true };
    await profiles(place, "save", place.write("critic.json", profile({ delegation: offers })));
    const listed = await profiles(place, "list");
    assert.match(listed.stdout, /^critic +task +Critic /m);
    assert.match(
      listed.stdout,
      /^critic, not for handoff: Nothing could write the output; .* \[agent\.profile_output_writer_required\]$/m,
    );
  });

  it("that somebody has changed by hand are listed with what is wrong", async () => {
    const place = await Place.make();
    await profiles(place, "save", place.write("critic.json", profile()));
    const [file = ""] = globSync(join(place.data, "**", "critic.json"));
    writeFileSync(file, "{");
    const listed = await profiles(place, "list");
    assert.strictEqual(listed.code, 0);
    assert.match(listed.stdout, /\[storage\.[a-z_]+\]|\[journal\.[a-z_]+\]/);
  });
});
