import type { Profile } from "@cahier/domain/profile/Profile";
import * as ProfileLayer from "@cahier/domain/profile/ProfileLayer";
import { decodeResolved, resolveProfile } from "@cahier/domain/profile/resolveProfile";
import { assert, describe, it } from "@effect/vitest";
import * as Result from "effect/Result";

const whole: Profile = {
  kind: "cahier.agentProfile",
  schemaVersion: 1,
  id: "writer",
  displayName: "Writer",
  tools: {
    allow: ["builtin:workspace.write_file", "builtin:workspace.commit", "builtin:workspace.finish"],
    maxRounds: 9,
  },
};

const merged = (layers: ReadonlyArray<ProfileLayer.PartialProfile>): Profile =>
  Result.getOrThrow(ProfileLayer.merge(whole, layers));

const issuesOf = (input: unknown) =>
  Result.match(ProfileLayer.decode(input, { layer: "preset", source: "preset:openai/Novel" }), {
    onFailure: (issues) => issues.map(({ code, path }) => [code, path]),
    onSuccess: () => [],
  });

describe("a profile made of layers", () => {
  it("takes each field of an object from the highest layer that states it, and lists whole", () => {
    const profile = merged([
      {
        context: { windowTokens: 9000, toolResults: { form: "summary" } },
        tools: { maxCallsPerTool: { a: 1, b: 2 } },
        workspace: { visibleRoots: ["output", "scratch"] },
      },
      { ...whole, context: { toolResults: { budgetTokens: 5 } }, workspace: { visibleRoots: ["output"] } },
      { tools: { maxCallsPerTool: { b: 3 } }, displayName: "Today" },
    ]);
    assert.deepStrictEqual(profile.context, {
      windowTokens: 9000,
      toolResults: { form: "summary", budgetTokens: 5 },
    });
    assert.deepStrictEqual(profile.tools?.maxCallsPerTool, { a: 1, b: 3 });
    assert.deepStrictEqual(profile.workspace?.visibleRoots, ["output"]);
    assert.deepStrictEqual(profile.tools?.allow, whole.tools?.allow);
    assert.strictEqual(profile.displayName, "Today");
  });

  it("keeps the id of the profile that was chosen", () => {
    assert.strictEqual(merged([{ id: "other" }, whole, { id: "third" }]).id, "writer");
  });

  it("keeps what any layer denies: tools, Skills, and rules of policy", () => {
    const denial = { tools: ["mcp/*"], permission: "deny" } as const;
    const profile = merged([
      { tools: { deny: ["a"], policy: [denial, { tools: ["b"], permission: "ask" }] }, skills: { deny: ["style"] } },
      { ...whole, skills: { deny: [] } },
      { tools: { deny: ["c"], policy: [{ tools: ["mcp/*"], permission: "always" }] }, skills: { deny: ["plot"] } },
    ]);
    assert.deepStrictEqual(profile.tools?.deny, ["a", "c"]);
    assert.deepStrictEqual(profile.skills?.deny, ["style", "plot"]);
    assert.deepStrictEqual(profile.tools?.policy, [denial, { tools: ["mcp/*"], permission: "always" }]);
  });

  it("takes the model and the preset whole from a layer that states their mode", () => {
    const ref = { apiId: "openai", name: "Novel" };
    const lower: ProfileLayer.PartialProfile = {
      model: { mode: "connectionRef", connectionRef: "home", modelId: "m" },
      preset: { mode: "ref", ref, reasoningEffort: "high" },
    };
    assert.deepStrictEqual(merged([lower, whole, { model: { modelId: "n" } }]).model, { ...lower.model, modelId: "n" });
    const other = merged([lower, whole, { model: { mode: "currentPromptSnapshot" }, preset: { mode: "none" } }]);
    assert.deepStrictEqual([other.model, other.preset], [{ mode: "currentPromptSnapshot" }, { mode: "none" }]);
  });

  it("takes no layer with fields that a profile does not have, or of another kind or version", () => {
    assert.deepStrictEqual(issuesOf({}), []);
    assert.deepStrictEqual(issuesOf({ tools: { maxRound: 3 } }), [
      ["agent.profile_contract_invalid", "tools.maxRound"],
    ]);
    assert.deepStrictEqual(issuesOf(null), [["agent.profile_contract_invalid", ""]]);
    assert.deepStrictEqual(issuesOf({ kind: "other" }), [["agent.profile_kind_invalid", "kind"]]);
    assert.deepStrictEqual(issuesOf({ schemaVersion: 4 }), [["agent.profile_schema_unsupported", "schemaVersion"]]);
  });

  it("says for each layer where it came from; one that is not made of layers says nothing of them", () => {
    const layers = [
      { layer: "builtIn", source: "built_in" },
      { layer: "run", source: "start" },
    ] as const;
    const context = { source: "built_in", purpose: "direct" } as const;
    const layered = Result.getOrThrow(resolveProfile(whole, { ...context, layers }));
    assert.deepStrictEqual(layered.sourceTrace, { profileSource: "built_in", layers });
    const plain = Result.getOrThrow(resolveProfile(whole, context));
    assert.deepStrictEqual(plain.sourceTrace, { profileSource: "built_in" });
    for (const profile of [layered, plain])
      assert.deepStrictEqual(Result.getOrThrow(decodeResolved(JSON.parse(JSON.stringify(profile)))), profile);
  });
});
