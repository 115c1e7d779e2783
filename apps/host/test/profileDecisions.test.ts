/**
 * What is decided of stored profiles without looking at a storage: diagnoses, repairs, and new names of presets.
 */
import { assert, describe, it } from "@effect/vitest";
import { type Diagnosis, diagnose, type Surroundings, wanted } from "../src/profiles/Diagnosis.ts";
import { repairAll } from "../src/profiles/repairProfile.ts";
import { readRetargeting, requireTarget, retargeted } from "../src/profiles/retargetPresets.ts";

const writing = ["read_file", "write_file", "commit", "finish"].map((name) => `builtin:workspace.${name}`);

const catalogue = writing.map((id) => ({ id, inputSchema: {} }));

const profile = (changes: object = {}) => ({
  kind: "cahier.agentProfile",
  schemaVersion: 1,
  id: "critic",
  displayName: "Critic",
  delegation: { callable: true, allowAsSubagent: true },
  tools: { allow: writing, maxRounds: 5 },
  ...changes,
});

const surroundings: Surroundings = { catalogue, preset: "there", connection: "there", extensionTools: [] };

const of = (changes: object, around: Partial<Surroundings> = {}, id = "critic"): Diagnosis =>
  diagnose(id, profile(changes), { ...surroundings, ...around });

const usesOf = (found: Diagnosis): string =>
  [
    ...(found.previewAvailable ? ["preview"] : []),
    ...(found.promptAssemblyAvailable ? ["promptAssembly"] : []),
    ...(found.directRunAvailable ? ["directRun"] : []),
    ...(found.subAgentAvailable ? ["subAgent"] : []),
  ].join(" ");

const told = (found: Diagnosis) =>
  found.diagnostics.map(({ blocks, code, repairActions }) => [code, blocks.join(" "), repairActions.join(" ")]);

const every = "preview promptAssembly directRun subAgent";

describe("the diagnosis of a profile", () => {
  it("finds nothing wrong with one that can be used, and says what for", () => {
    assert.deepStrictEqual(told(of({})), []);
    assert.strictEqual(usesOf(of({})), every);
    assert.strictEqual(usesOf(of({ delegation: {} })), "preview promptAssembly directRun");
    const called = of({
      run: { directRunnable: false, presentation: "background" },
      tools: { allow: writing.slice(0, 1), maxRounds: 5 },
    });
    assert.deepStrictEqual([usesOf(called), told(called)], ["preview promptAssembly subAgent", []]);
  });

  it("blocks everything for a document that is no profile, breaks a rule, or is kept under another id", () => {
    const odd = of({ surprise: true });
    assert.deepStrictEqual(told(odd), [["agent.profile_contract_invalid", every, "openJsonEditor"]]);
    assert.deepStrictEqual([usesOf(odd), odd.storageIssue], ["", "invalidProfile"]);
    const unruly = of({ displayName: " " });
    assert.deepStrictEqual(told(unruly), [["agent.profile_display_name_required", every, "openJsonEditor"]]);
    const misplaced = of({}, {}, "editor");
    assert.deepStrictEqual(told(misplaced), [["agent.profile_contract_invalid", every, "normalizeIdentity"]]);
    assert.strictEqual(misplaced.storageIssue, "invalidFileIdentity");
  });

  it("blocks runs and tasks while there is no model, and leaves the prompt to be looked at", () => {
    const model = { mode: "connectionRef", connectionRef: "home", modelId: "qwen" };
    const cases: ReadonlyArray<readonly [Diagnosis, string, string]> = [
      [of({ model: { mode: "requiresConfiguration" } }), "agent.profile_model_requires_configuration", "selectModel"],
      [
        of({ model }, { connection: "missing" }),
        "agent.profile_model_connection_missing",
        "selectModel setModelRequiresConfiguration",
      ],
      [
        of({ model }, { connection: { invalid: "Its address is none." } }),
        "agent.profile_model_connection_invalid",
        "selectModel setModelRequiresConfiguration",
      ],
    ];
    for (const [found, code, actions] of cases) {
      assert.deepStrictEqual(told(found), [[code, "directRun subAgent", actions]]);
      assert.strictEqual(usesOf(found), "preview promptAssembly");
    }
    assert.deepStrictEqual(told(of({ model })), []);
  });

  it("blocks nothing for a preset that is not there unless the profile requires it", () => {
    const ref = { apiId: "openai", name: "Night" };
    const missing = { preset: { missing: "There is no file." } };
    const optional = of({ preset: { mode: "ref", ref } }, missing);
    assert.deepStrictEqual(told(optional), [["agent.profile_preset_missing", "", "selectPreset"]]);
    const required = of({ preset: { mode: "ref", ref, required: true } }, missing);
    assert.deepStrictEqual(told(required), [["agent.profile_preset_missing", every, "selectPreset"]]);
    const foreign = of({ preset: { mode: "ref", ref: { apiId: "novel", name: "Night" }, required: true } });
    assert.deepStrictEqual(told(foreign), [["agent.profile_preset_api_unsupported", every, "selectPreset"]]);
    const unknown = of({ preset: { mode: "ref", ref, required: true } }, { preset: "unknown" });
    assert.deepStrictEqual(told(unknown), [["agent.profile_preset_missing", "", ""]]);
    assert.deepStrictEqual(told(of({ preset: { mode: "ref", ref } })), []);
  });

  it("blocks only runs for what only a run needs", () => {
    const found = of({ tools: { allow: writing.slice(0, 1), maxRounds: 5 } });
    assert.deepStrictEqual(
      found.diagnostics.map(({ blocks, code }) => [code, blocks.join(" ")]),
      [
        ["agent.profile_output_writer_required", "directRun"],
        ["agent.profile_commit_required", "directRun"],
        ["agent.profile_finish_required", "directRun"],
      ],
    );
    assert.strictEqual(usesOf(found), "preview promptAssembly subAgent");
  });

  it("wants to know of the preset and the connection that are named, and of no others", () => {
    const ref = { apiId: "openai", name: "Night" };
    assert.deepStrictEqual(wanted(profile()), {});
    assert.deepStrictEqual(wanted({ surprise: true }), {});
    assert.deepStrictEqual(wanted(profile({ preset: { mode: "none", ref }, model: { connectionRef: "home" } })), {});
    const model = { mode: "connectionRef", connectionRef: "home", modelId: "qwen" };
    assert.deepStrictEqual(wanted(profile({ preset: { mode: "ref", ref }, model })), {
      preset: ref,
      connection: "home",
    });
  });
});

describe("a repair of a profile", () => {
  it("changes what it is asked for and nothing else", () => {
    const model = { mode: "connectionRef", connectionRef: "home", modelId: "qwen" };
    const done = repairAll(["normalizeIdentity", "requireConfiguration"], "editor", profile({ model }), "missing");
    assert.deepStrictEqual(done.value, profile({ id: "editor", model: { mode: "requiresConfiguration" } }));
    assert.deepStrictEqual(
      done.outcomes.map(({ reason }) => reason),
      [null, null],
    );
  });

  it("that is of no use says why and leaves the document", () => {
    const value = profile();
    for (const connection of ["there", undefined] as const) {
      const done = repairAll(["normalizeIdentity", "requireConfiguration"], "critic", value, connection);
      assert.strictEqual(done.value, value);
      assert.notInclude(
        done.outcomes.map(({ reason }) => reason),
        null,
      );
    }
    assert.strictEqual(
      repairAll(["normalizeIdentity"], "critic", [], undefined).outcomes[0]?.reason?.slice(0, 6),
      "It is ",
    );
  });
});

describe("a preset's new name", () => {
  const codeOf = (from: string, to: string): unknown => {
    const asked = readRetargeting(from, to);
    return "code" in asked ? asked.code : asked;
  };

  it("is refused while one of the two presets is not named whole, or both are the same", () => {
    assert.strictEqual(codeOf("Night", "openai/Day"), "agent.profile_preset_retarget_from_api_required");
    assert.strictEqual(codeOf("openai/", "openai/Day"), "agent.profile_preset_retarget_from_name_required");
    assert.strictEqual(codeOf("openai/Night", "/Day"), "agent.profile_preset_retarget_to_api_required");
    assert.strictEqual(codeOf("openai/Night", "openai/ "), "agent.profile_preset_retarget_to_name_required");
    assert.strictEqual(codeOf("openai/Night", "openai/Night"), "agent.profile_preset_retarget_same_ref");
    assert.strictEqual(codeOf("openai/Night", "novel/Day"), "agent.profile_preset_retarget_api_mismatch");
  });

  it("is refused when it is known that there is no such preset", () => {
    const asked = { from: { apiId: "openai", name: "Night" }, to: { apiId: "openai", name: "Day/Late" } };
    assert.deepStrictEqual(codeOf("openai/Night", "openai/Day/Late"), asked);
    assert.strictEqual(
      requireTarget(asked, { missing: "There is no file." })?.code,
      "agent.profile_preset_retarget_target_missing",
    );
    assert.isUndefined(requireTarget(asked, "unknown"));
    assert.isUndefined(requireTarget(asked, "there"));
  });

  it("takes the place of the old one in documents that name it, and of nothing else", () => {
    const asked = { from: { apiId: "openai", name: "Night" }, to: { apiId: "openai", name: "Day" } };
    const naming = (name: string) =>
      profile({ preset: { mode: "ref", ref: { apiId: "openai", name }, required: true } });
    assert.deepStrictEqual(retargeted(naming("Night"), asked), naming("Day"));
    for (const other of [naming("Dusk"), profile(), null, [], { preset: "Night" }]) {
      assert.isUndefined(retargeted(other, asked));
    }
  });
});
