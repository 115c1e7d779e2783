/**
 * Profiles that select tools of extensions which are not there.
 */
import { ToolId } from "@cahier/domain/tool/ToolId";
import { afterAll, assert, beforeAll, describe, it } from "@effect/vitest";
import { missingExtensionTools } from "../src/profiles/missingExtensionTools.ts";
import { cahier, ensureBundle, objectOf } from "./support/Cahier.ts";
import * as Place from "./support/Place.ts";

type Answer = Readonly<Record<string, unknown>>;

const profileWith = (...tools: ReadonlyArray<string>) => ({
  kind: "cahier.agentProfile",
  schemaVersion: 1,
  id: "ringer",
  displayName: "Ringer",
  run: { presentation: "foreground" },
  tools: {
    maxRounds: 10,
    allow: [...["write_file", "commit", "finish"].map((name) => `builtin:workspace.${name}`), ...tools],
  },
});

const bell = "extension/bell:ring";

const begin = async () => {
  const place = await Place.make();
  const on = (...args: ReadonlyArray<string>) => cahier([...args, "--data", place.data]);
  const save = (...tools: ReadonlyArray<string>) =>
    on("profiles", "save", place.write("profile.json", profileWith(...tools)), "--json");
  return { on, place, save };
};

beforeAll(ensureBundle);
afterAll(Place.removeAll);

describe("tools of extensions that are missing", () => {
  it("are those that are not registered or that are switched off; tools from elsewhere are none", () => {
    const registered = [
      { toolId: ToolId.make(bell), enabled: true },
      { toolId: ToolId.make("extension/bell:toll"), enabled: false },
    ];
    const allow = ["mcp/a:b", "extension/bell:toll", bell, "extension/other:ring", "builtin:workspace.finish"];
    assert.deepStrictEqual(missingExtensionTools(allow, registered), [
      { toolId: "extension/bell:toll", index: 1 },
      { toolId: "extension/other:ring", index: 3 },
    ]);
  });
});

describe.concurrent("a profile with a tool of an extension that is missing", () => {
  it("is not stored when it selects the tool anew", async () => {
    const { on, save } = await begin();
    const refused = await save(bell);
    assert.strictEqual(refused.code, 4);
    const { code, message } = objectOf(refused)["error"] as Answer;
    assert.strictEqual(code, "extension.tool_unavailable");
    assert.match(String(message), /no extension offers extension\/bell:ring here now \(tools\.allow\[3\]\)/);
    assert.deepStrictEqual(objectOf(await on("profiles", "list", "--json"))["profiles"], []);
  });

  it("keeps a tool that it has already, and says so when it is stored and when it is looked at", async () => {
    const { on, place, save } = await begin();
    const brought = await on("profiles", "import", place.write("brought.json", profileWith(bell)));
    assert.strictEqual(brought.code, 0, brought.stdout + brought.stderr);
    const saved = objectOf(await save(bell));
    assert.deepStrictEqual([saved["id"], saved["missingTools"]], ["ringer", [bell]]);
    const told = await on("profiles", "save", place.write("same.json", profileWith(bell)));
    assert.include(told.stdout, `No extension offers ${bell} here now; a run does without it until one does.\n`);
    const refused = await save(bell, "extension/bell:toll");
    assert.strictEqual((objectOf(refused)["error"] as Answer)["code"], "extension.tool_unavailable");
    const { profiles } = objectOf(await on("profiles", "diagnose", "ringer", "--json"));
    const [{ diagnostics, directRunAvailable }] = profiles as readonly [Answer];
    assert.strictEqual(directRunAvailable, true);
    assert.deepInclude((diagnostics as ReadonlyArray<Answer>)[0], {
      code: "extension.tool_unavailable",
      path: "tools.allow[3]",
      blocks: [],
    });
    assert.strictEqual(objectOf(await save())["missingTools"], undefined, "a tool that is taken out is not missing");
  });
});
