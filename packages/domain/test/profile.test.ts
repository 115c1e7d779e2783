import { assert, describe, it } from "@effect/vitest";
import * as Arbitrary from "effect/Arbitrary";
import * as Result from "effect/Result";
import type { KnownTool } from "../src/profile/CheckContext.ts";
import { checkProfile } from "../src/profile/checkProfile.ts";
import { visibleTools } from "../src/profile/CompleteProfile.ts";
import { defaultWriter, defaultWriterTools } from "../src/profile/defaultWriter.ts";
import * as Profile from "../src/profile/Profile.ts";
import { type ProfileCode, profileCodes } from "../src/profile/ProfileCode.ts";
import type { ProfileIssue } from "../src/profile/ProfileIssue.ts";
import { accessOf, decodeResolved, type ProfilePurpose, resolveProfile } from "../src/profile/resolveProfile.ts";
import { withDefaults } from "../src/profile/withDefaults.ts";

const catalogue: ReadonlyArray<KnownTool> = [
  ...[...defaultWriterTools, "builtin:agent.handoff", "builtin:dice.roll"].map((id) => ({
    id,
    inputSchema: { type: "object", properties: { path: { type: "string" }, anything: true } },
  })),
  { id: "builtin:bare", inputSchema: { type: "object" } },
];

const writer = ["builtin:workspace.write_file", "builtin:workspace.commit", "builtin:workspace.finish"];

/** A written profile that keeps every rule; sections given replace those here. */
const written = (changes: object = {}): unknown => ({
  kind: "cahier.agentProfile",
  schemaVersion: 1,
  id: "night-writer",
  displayName: "Night writer",
  tools: { allow: writer, maxRounds: 12 },
  ...changes,
});

const tools = (changes: object) => ({ tools: { allow: writer, maxRounds: 12, ...changes } });
const artifact = {
  id: "main",
  path: "output/main.md",
  kind: "markdown",
  target: "messageBody",
  required: true,
  assemblyOrder: 0,
};
const artifacts = (...changes: ReadonlyArray<object>) => ({
  output: { artifacts: changes.map((change) => ({ ...artifact, ...change })) },
});

const decoded = (changes: object = {}): Profile.Profile => Result.getOrThrow(Profile.decode(written(changes)));

const resolve = (input: unknown, purpose: ProfilePurpose = "direct") =>
  Result.flatMap(Profile.decode(input), (profile) =>
    resolveProfile(profile, {
      catalogue,
      presetExists: ({ name }) => name === "Here",
      source: "file:night-writer",
      purpose,
    }),
  );

const issuesOf = (input: unknown, purpose?: ProfilePurpose): ReadonlyArray<ProfileIssue> => {
  const resolved = resolve(input, purpose);
  return Result.isFailure(resolved) ? resolved.failure : [];
};

/** Code, the change that breaks the rule, the place that is reported, and what the profile is to be run as. */
const broken: ReadonlyArray<readonly [ProfileCode, object, string, ProfilePurpose?]> = [
  ["agent.profile_contract_invalid", { extra: 1 }, "extra"],
  ["agent.profile_contract_invalid", { run: { presentation: "sideways" } }, "run.presentation"],
  ["agent.profile_contract_invalid", { tools: { allow: "all" } }, "tools.allow"],
  ["agent.profile_kind_invalid", { kind: "other.agentProfile" }, "kind"],
  ["agent.profile_schema_unsupported", { schemaVersion: 2 }, "schemaVersion"],
  ["agent.profile_id_empty", { id: "" }, "id"],
  ["agent.profile_id_too_long", { id: "x".repeat(129) }, "id"],
  ["agent.profile_id_invalid", { id: "Night Writer" }, "id"],
  ["agent.profile_display_name_required", { displayName: " " }, "displayName"],
  ["agent.profile_preset_ref_required", { preset: { mode: "ref" } }, "preset.ref"],
  [
    "agent.profile_preset_api_invalid",
    { preset: { mode: "ref", ref: { apiId: "a b", name: "Here" } } },
    "preset.ref.apiId",
  ],
  [
    "agent.profile_preset_name_required",
    { preset: { mode: "ref", ref: { apiId: "openai", name: " " } } },
    "preset.ref.name",
  ],
  [
    "agent.profile_preset_missing",
    { preset: { mode: "ref", required: true, ref: { apiId: "openai", name: "Gone" } } },
    "preset.ref",
  ],
  [
    "agent.profile_preset_reasoning_effort_unsupported",
    { preset: { reasoningEffort: "high" } },
    "preset.reasoningEffort",
  ],
  [
    "agent.profile_model_connection_ref_required",
    { model: { mode: "connectionRef", modelId: "m" } },
    "model.connectionRef",
  ],
  [
    "agent.profile_model_id_required",
    { model: { mode: "connectionRef", connectionRef: "c", modelId: "" } },
    "model.modelId",
  ],
  ["agent.profile_model_current_snapshot_extra_fields", { model: { modelId: "m" } }, "model"],
  [
    "agent.profile_model_requires_configuration",
    { model: { mode: "requiresConfiguration" } },
    "model.mode",
    "subagent",
  ],
  [
    "agent.profile_subagent_only_background_required",
    { run: { directRunnable: false }, delegation: { callable: true, allowAsSubagent: true } },
    "run.presentation",
    "subagent",
  ],
  [
    "agent.profile_direct_runnable_disabled_requires_delegation_target",
    { run: { directRunnable: false } },
    "run.directRunnable",
    "handoff",
  ],
  ["agent.profile_model_retry_invalid", { run: { modelRetry: { maxRetries: -1 } } }, "run.modelRetry.maxRetries"],
  ["agent.profile_model_retry_invalid", { run: { modelRetry: { intervalMs: 0.5 } } }, "run.modelRetry.intervalMs"],
  [
    "agent.profile_drift_recovery_invalid",
    { run: { driftRecovery: { maxAttempts: -1 } } },
    "run.driftRecovery.maxAttempts",
  ],
  ["agent.profile_repetition_invalid", { run: { repetition: { warnAt: 5 } } }, "run.repetition"],
  ["agent.profile_run_budget_invalid", { run: { budget: { cost: 0 } } }, "run.budget.cost"],
  [
    "agent.profile_context_invalid",
    { context: { initialChatHistoryMessages: 1.5 } },
    "context.initialChatHistoryMessages",
  ],
  ["agent.profile_context_invalid", { context: { hydrateRecentWrites: -1 } }, "context.hydrateRecentWrites"],
  [
    "agent.profile_context_invalid",
    { context: { toolResults: { budgetTokens: 0 } } },
    "context.toolResults.budgetTokens",
  ],
  ["agent.profile_context_invalid", { context: { windowTokens: 0 } }, "context.windowTokens"],
  [
    "agent.profile_agent_delegate_requires_delegation",
    tools({ allow: [...writer, "builtin:agent.delegate"] }),
    "tools.allow",
  ],
  [
    "agent.profile_agent_handoff_requires_handoff",
    tools({ allow: [...writer, "builtin:agent.handoff"] }),
    "tools.allow",
  ],
  ["agent.profile_agent_list_requires_delegation", tools({ allow: [...writer, "builtin:agent.list"] }), "tools.allow"],
  ["agent.profile_delegation_callable_required", { delegation: { allowAsSubagent: true } }, "delegation.callable"],
  ["agent.profile_delegation_target_mode_required", { delegation: { callable: true } }, "delegation"],
  ["agent.profile_delegation_callers_empty", { delegation: { allowedCallers: [] } }, "delegation.allowedCallers"],
  [
    "agent.profile_delegation_description_empty",
    { delegation: { descriptionForAgents: "\n" } },
    "delegation.descriptionForAgents",
  ],
  [
    "agent.profile_delegation_concurrency_invalid",
    { delegation: { maxConcurrentInvocations: 0 } },
    "delegation.maxConcurrentInvocations",
  ],
  [
    "agent.profile_delegation_run_budget_invalid",
    { delegation: { maxInvocationsPerRun: 0 } },
    "delegation.maxInvocationsPerRun",
  ],
  [
    "agent.profile_delegation_result_budget_invalid",
    { delegation: { resultBudgetTokens: 0 } },
    "delegation.resultBudgetTokens",
  ],
  ["agent.profile_delegation_depth_invalid", { delegation: { maxDepth: 0 } }, "delegation.maxDepth"],
  ["agent.profile_delegation_timeout_invalid", { delegation: { taskTimeoutMs: 0 } }, "delegation.taskTimeoutMs"],
  ["agent.profile_handoff_depth_invalid", { delegation: { maxHandoffDepth: 0 } }, "delegation.maxHandoffDepth"],
  ["agent.profile_system_prompt_empty", { instructions: { agentSystemPrompt: " " } }, "instructions.agentSystemPrompt"],
  ["agent.profile_tools_empty", tools({ deny: writer }), "tools.allow", "subagent"],
  ["agent.profile_unknown_tool", tools({ allow: [...writer, "builtin:workspace.fly"] }), "tools.allow[3]"],
  ["agent.profile_unknown_tool", tools({ deny: ["mcp:no-registration"] }), "tools.deny[0]"],
  ["agent.profile_task_return_runtime_only", tools({ allow: [...writer, "builtin:task.return"] }), "tools.allow[3]"],
  [
    "agent.profile_tool_description_invisible",
    tools({ toolDescriptions: { "builtin:dice.roll": {} } }),
    'tools.toolDescriptions["builtin:dice.roll"]',
  ],
  [
    "agent.profile_tool_description_empty",
    tools({ toolDescriptions: { [writer[0] ?? ""]: { description: "" } } }),
    'tools.toolDescriptions["builtin:workspace.write_file"].description',
  ],
  [
    "agent.profile_tool_properties_invalid",
    tools({ toolDescriptions: { [writer[0] ?? ""]: { properties: {} } } }),
    'tools.toolDescriptions["builtin:workspace.write_file"].properties',
  ],
  [
    "agent.profile_tool_properties_invalid",
    tools({ allow: [...writer, "builtin:bare"], toolDescriptions: { "builtin:bare": { properties: { path: "x" } } } }),
    'tools.toolDescriptions["builtin:bare"].properties',
  ],
  [
    "agent.profile_unknown_tool_property",
    tools({ toolDescriptions: { [writer[0] ?? ""]: { properties: { toString: "x" } } } }),
    'tools.toolDescriptions["builtin:workspace.write_file"].properties.toString',
  ],
  [
    "agent.profile_tool_property_description_empty",
    tools({ toolDescriptions: { [writer[0] ?? ""]: { properties: { path: "" } } } }),
    'tools.toolDescriptions["builtin:workspace.write_file"].properties.path',
  ],
  [
    "agent.profile_tool_property_schema_invalid",
    tools({ toolDescriptions: { [writer[0] ?? ""]: { properties: { anything: "x" } } } }),
    'tools.toolDescriptions["builtin:workspace.write_file"].properties.anything',
  ],
  ["agent.profile_tool_policy_invalid", tools({ policy: [{ tools: [], permission: "ask" }] }), "tools.policy[0].tools"],
  ["agent.profile_max_rounds_invalid", { tools: { allow: writer } }, "tools.maxRounds"],
  ["agent.profile_max_calls_invalid", tools({ maxCallsPerRun: 0 }), "tools.maxCallsPerRun"],
  [
    "agent.profile_tool_budget_invisible",
    tools({ maxCallsPerTool: { "builtin:dice.roll": 1 } }),
    'tools.maxCallsPerTool["builtin:dice.roll"]',
  ],
  [
    "agent.profile_tool_budget_invalid",
    tools({ maxCallsPerTool: { "builtin:workspace.commit": 0 } }),
    'tools.maxCallsPerTool["builtin:workspace.commit"]',
  ],
  [
    "agent.profile_tool_timeout_invalid",
    tools({ timeoutMs: { "builtin:workspace.commit": -5 } }),
    'tools.timeoutMs["builtin:workspace.commit"]',
  ],
  [
    "agent.profile_mcp_result_inline_char_limit_invalid",
    tools({ externalResultInlineCharLimit: 0 }),
    "tools.externalResultInlineCharLimit",
  ],
  ["agent.profile_skill_visible_empty", { skills: { visible: [] } }, "skills.visible"],
  ["agent.profile_skill_name_invalid", { skills: { visible: ["*"], deny: ["My Skill"] } }, "skills.deny[0]"],
  ["agent.profile_skill_budget_invalid", { skills: { maxReadCharsPerRun: 10 } }, "skills"],
  ["agent.profile_workspace_visible_empty", { workspace: { visibleRoots: [] } }, "workspace.visibleRoots"],
  [
    "agent.profile_workspace_root_invalid",
    { workspace: { visibleRoots: ["output", "input"], writableRoots: ["output"] } },
    "workspace.visibleRoots[1]",
  ],
  [
    "agent.profile_workspace_root_invalid",
    { workspace: { visibleRoots: ["output"], writableRoots: ["output", "plan"] } },
    "workspace.writableRoots[1]",
  ],
  ["agent.plan_mode_unsupported", { plan: { mode: "strict" } }, "plan.mode"],
  ["agent.plan_nodes_unsupported", { plan: { nodes: [{ id: "a" }] } }, "plan.nodes"],
  ["agent.profile_output_empty", artifacts(), "output.artifacts"],
  ["agent.profile_artifact_id_invalid", artifacts({ id: "the main" }), "output.artifacts[0].id"],
  [
    "agent.profile_output_duplicate_id",
    artifacts({}, { path: "output/b.md", target: "hiddenRunArtifact" }),
    "output.artifacts[1].id",
  ],
  ["agent.profile_output_kind_required", artifacts({ kind: "" }), "output.artifacts[0].kind"],
  [
    "agent.profile_output_duplicate_path",
    artifacts({}, { id: "b", path: "./output//main.md", target: "hiddenRunArtifact" }),
    "output.artifacts[1].path",
  ],
  ["agent.profile_output_path_denied", artifacts({ path: "../main.md" }), "output.artifacts[0].path"],
  ["agent.profile_output_path_denied", artifacts({ path: "output" }), "output.artifacts[0].path"],
  ["agent.profile_output_path_denied", { workspace: { visibleRoots: ["plan"] } }, "output.artifacts[0].path"],
  ["agent.profile_output_path_denied", { workspace: { writableRoots: ["plan"] } }, "output.artifacts[0].path"],
  [
    "agent.profile_output_duplicate_message_body",
    artifacts({}, { id: "b", path: "output/b.md" }),
    "output.artifacts[1].target",
  ],
  ["agent.profile_output_message_body_missing", artifacts({ target: "hiddenRunArtifact" }), "output.artifacts"],
  ["agent.profile_output_writer_required", tools({ allow: writer.slice(1) }), "tools.allow", "handoff"],
  ["agent.profile_commit_required", tools({ deny: ["builtin:workspace.commit"] }), "tools.allow"],
  ["agent.profile_finish_required", tools({ allow: writer.slice(0, 2) }), "tools.allow"],
  [
    "agent.profile_not_direct_runnable",
    { run: { directRunnable: false }, delegation: { callable: true, allowAsHandoffTarget: true } },
    "run.directRunnable",
  ],
];

describe("profile rules", () => {
  it("a profile of the required fields alone keeps every rule", () => {
    assert.deepStrictEqual(issuesOf(written()), []);
  });

  it.each(broken.map(([code, changes, path, purpose]) => ({ code, changes, path, purpose })))(
    "$code is reported at $path",
    ({ code, changes, path, purpose }) => {
      const issues = issuesOf(written(changes), purpose);
      assert.deepStrictEqual(
        issues.map((issue) => [issue.code, issue.path]),
        [[code, path]],
      );
      assert.isAbove(issues[0]?.message.length ?? 0, 10);
    },
  );

  it("a profile without a model that names one all the same breaks two rules", () => {
    const issues = issuesOf(written({ model: { mode: "requiresConfiguration", modelId: "m" } }));
    assert.deepStrictEqual(
      issues.map(({ code }) => code),
      ["agent.profile_model_requires_configuration_extra_fields", "agent.profile_model_requires_configuration"],
    );
  });

  it("every code of the list is reported by some rule", () => {
    const reported = new Set<string>([
      ...broken.map(([code]) => code),
      "agent.profile_model_requires_configuration_extra_fields",
      ...defaultWriter([]).diagnostics.map(({ code }) => code),
    ]);
    assert.deepStrictEqual(
      Object.keys(profileCodes).filter((code) => !reported.has(code)),
      [],
    );
  });

  it("all broken rules are reported together", () => {
    const issues = issuesOf(written({ id: "X", displayName: "", plan: { mode: "free" }, ...artifacts() }));
    assert.deepStrictEqual(
      issues.map(({ code }) => code),
      [
        "agent.profile_id_invalid",
        "agent.profile_display_name_required",
        "agent.plan_mode_unsupported",
        "agent.profile_output_empty",
      ],
    );
  });

  it("a tool named without its provider is answered with its id", () => {
    const [issue] = issuesOf(written(tools({ allow: [...writer, "workspace.read_file"] })));
    assert.strictEqual(issue?.code, "agent.profile_unknown_tool");
    assert.include(issue?.message ?? "", "write builtin:workspace.read_file");
  });

  it("may deny a built-in tool that is not there, so that a denial outlives its tool", () => {
    assert.deepStrictEqual(issuesOf(written(tools({ deny: ["builtin:workspace.fly"] }))), []);
  });

  it("tools of servers and extensions that are away may be named", () => {
    const allow = [...writer, "mcp/5c1d:read:all", "extension/third-party/notes:add"];
    assert.deepStrictEqual(issuesOf(written(tools({ allow }))), []);
  });

  it("a subagent needs neither writer, commit nor finish, a successor no finish, a background run no commit", () => {
    const readOnly = {
      ...tools({ allow: ["builtin:workspace.read_file"] }),
      delegation: { callable: true, allowAsSubagent: true },
    };
    assert.deepStrictEqual(issuesOf(written(readOnly), "subagent"), []);
    assert.deepStrictEqual(issuesOf(written({ ...readOnly, workspace: { writableRoots: [] } }), "subagent"), []);
    assert.deepStrictEqual(issuesOf(written(tools({ allow: writer.slice(0, 2) })), "handoff"), []);
    const background = { ...tools({ deny: ["builtin:workspace.commit"] }), run: { presentation: "background" } };
    assert.deepStrictEqual(issuesOf(written(background)), []);
  });

  it.prop("the rules answer for any profile", [Arbitrary.schema(Profile.Profile)], ([profile]) => {
    const issues = checkProfile(withDefaults(profile), { catalogue });
    assert.isTrue(issues.every(({ code, message }) => code in profileCodes && message !== ""));
  });
});

describe("profile document", () => {
  it("what is not an object, or of another kind, is refused before its fields are looked at", () => {
    for (const input of [undefined, null, "profile", [], 1]) {
      assert.deepStrictEqual(
        issuesOf(input).map(({ code }) => code),
        ["agent.profile_contract_invalid"],
      );
    }
    assert.deepStrictEqual(
      issuesOf({}).map(({ code }) => code),
      ["agent.profile_kind_invalid"],
    );
    assert.deepStrictEqual(
      issuesOf({ kind: "cahier.agentProfile" }).map(({ code }) => code),
      ["agent.profile_schema_unsupported"],
    );
  });

  it("every unknown field is named, however deep", () => {
    const issues = issuesOf(
      written({ tools: { allow: writer, maxRounds: 1, alow: [] }, run: { budget: { euros: 1 } }, x: 0 }),
    );
    assert.deepStrictEqual(new Set(issues.map(({ path }) => path)), new Set(["tools.alow", "run.budget.euros", "x"]));
    assert.isTrue(issues.every(({ message }) => message.includes("not a field of a profile")));
  });

  it.prop("a profile survives being written as JSON", [Arbitrary.schema(Profile.Profile)], ([profile]) => {
    assert.deepStrictEqual(
      Profile.decode(JSON.parse(JSON.stringify(profile))),
      Result.succeed(JSON.parse(JSON.stringify(profile))),
    );
  });
});

describe("profile defaults", () => {
  it("are these", () => {
    assert.deepStrictEqual(withDefaults(decoded()), {
      kind: "cahier.agentProfile",
      schemaVersion: 1,
      id: "night-writer",
      displayName: "Night writer",
      preset: { mode: "currentPromptSnapshot", required: false },
      model: { mode: "currentPromptSnapshot" },
      run: {
        presentation: "foreground",
        directRunnable: true,
        stream: true,
        resume: "auto",
        modelRetry: { maxRetries: 3, intervalMs: 3000 },
        driftRecovery: { maxAttempts: 1 },
        repetition: { warnAt: 3, endAt: 5 },
        budget: {},
      },
      context: {
        initialChatHistoryMessages: -1,
        includeActivatedWorldInfo: true,
        hydrateRecentWrites: 0,
        toolResults: { visible: true, form: "full" },
      },
      delegation: {
        canDelegate: false,
        canHandoff: false,
        callable: false,
        allowAsSubagent: false,
        allowAsHandoffTarget: false,
        allowNestedDelegation: false,
        allowedCallers: ["*"],
        maxConcurrentInvocations: 3,
        maxInvocationsPerRun: 8,
        resultBudgetTokens: 8000,
        maxHandoffDepth: 8,
        maxDepth: 1,
        taskTimeoutMs: 600_000,
      },
      instructions: { language: "en" },
      tools: {
        allow: writer,
        deny: [],
        toolDescriptions: {},
        policy: [],
        maxRounds: 12,
        maxCallsPerRun: 80,
        maxCallsPerTool: {},
        unadvertisedTool: "return",
        onDenied: "return",
        externalResultInlineCharLimit: 50_000,
        timeoutMs: {},
      },
      skills: { visible: ["*"], deny: [], maxReadCharsPerCall: 20_000, maxReadCharsPerRun: 80_000 },
      workspace: {
        visibleRoots: ["output", "scratch", "plan", "summaries", "persist"],
        writableRoots: ["output", "scratch", "plan", "summaries", "persist"],
      },
      plan: { mode: "none", nodes: [], beta: true },
      output: {
        artifacts: [
          {
            id: "main",
            path: "output/main.md",
            kind: "markdown",
            target: "messageBody",
            required: true,
            assemblyOrder: 0,
          },
        ],
      },
    });
  });

  it("keep what is written, section by section and field by field", () => {
    const complete = withDefaults(
      decoded({
        run: { modelRetry: { maxRetries: 0 }, stream: false },
        context: { initialChatHistoryMessages: -7 },
        instructions: { agentSystemPrompt: null, language: "zh" },
      }),
    );
    assert.deepStrictEqual(complete.run.modelRetry, { maxRetries: 0, intervalMs: 3000 });
    assert.isFalse(complete.run.stream);
    assert.strictEqual(complete.context.initialChatHistoryMessages, -1);
    assert.deepStrictEqual(complete.instructions, { language: "zh" });
  });

  it("of the writable roots are the visible ones", () => {
    const { workspace } = withDefaults(decoded({ workspace: { visibleRoots: ["output", "plan"] } }));
    assert.deepStrictEqual(workspace.writableRoots, ["output", "plan"]);
  });

  it.prop("applied twice are the same as once", [Arbitrary.schema(Profile.Profile)], ([profile]) => {
    const once = withDefaults(profile);
    assert.deepStrictEqual(withDefaults(once), once);
  });

  it("the visible tools are those allowed and not denied, in order and each once", () => {
    const complete = withDefaults(decoded(tools({ allow: ["b:1", "b:2", "b:1", "b:3"], deny: ["b:2"] })));
    assert.deepStrictEqual(visibleTools(complete), ["b:1", "b:3"]);
  });
});

describe("resolved profile", () => {
  it("names the message body by its normal path and says where the profile came from", () => {
    const resolved = Result.getOrThrow(
      resolve(
        written(
          artifacts(
            { id: "hidden", path: "plan/n.md", target: "hiddenRunArtifact" },
            { id: "body", path: ".\\output\\night.md" },
          ),
        ),
      ),
    );
    assert.strictEqual(resolved.output.messageBodyArtifactId, "body");
    assert.strictEqual(resolved.output.messageBodyPath, "output/night.md");
    assert.strictEqual(resolved.output.artifacts[1]?.path, "output/night.md");
    assert.deepStrictEqual(resolved.sourceTrace, { profileSource: "file:night-writer" });
  });

  it("survives being frozen as JSON, and another shape is refused when it is read back", () => {
    const resolved = Result.getOrThrow(resolve(written()));
    assert.deepStrictEqual(decodeResolved(JSON.parse(JSON.stringify(resolved))), Result.succeed(resolved));
    const refused = decodeResolved({ ...resolved, sourceTrace: { profileSource: "elsewhere" } });
    assert.strictEqual(Result.isFailure(refused) ? refused.failure[0]?.code : "", "agent.profile_contract_invalid");
  });

  it("gives the access of its roots", () => {
    const resolved = Result.getOrThrow(
      resolve(written({ workspace: { visibleRoots: ["plan", "output"], writableRoots: ["output"] } })),
    );
    assert.deepStrictEqual(accessOf(resolved, ["tool-results"]), {
      visibleRoots: ["plan", "output"],
      writableRoots: ["output"],
      readOnlyMounts: ["tool-results"],
    });
  });
});

describe("default writer", () => {
  it("keeps every rule with a full catalogue and shows its tools in order", () => {
    const { profile, diagnostics } = defaultWriter(catalogue);
    assert.deepStrictEqual(diagnostics, []);
    const resolved = Result.getOrThrow(resolveProfile(profile, { catalogue, source: "built_in", purpose: "direct" }));
    assert.deepStrictEqual(visibleTools(resolved), defaultWriterTools);
    assert.deepStrictEqual(
      [resolved.displayName, resolved.run.presentation, resolved.delegation.canDelegate, resolved.tools.maxRounds],
      ["Default Writer", "foreground", true, 80],
    );
    assert.deepStrictEqual(Profile.decode(JSON.parse(JSON.stringify(profile))), Result.succeed(profile));
  });

  it("leaves out tools that the catalogue lacks, each with a diagnostic", () => {
    const some = catalogue.filter(({ id }) => id.startsWith("builtin:workspace.") && !id.endsWith("shell"));
    const { profile, diagnostics } = defaultWriter(some);
    assert.isTrue(
      Result.isSuccess(resolveProfile(profile, { catalogue: some, source: "built_in", purpose: "direct" })),
    );
    assert.strictEqual(diagnostics.length + (profile.tools?.allow?.length ?? 0), defaultWriterTools.length);
    assert.include(diagnostics.map(({ message }) => message).join(), "builtin:workspace.shell");
    for (const { code } of diagnostics) assert.strictEqual(code, "agent.profile_tool_unavailable");
  });

  it("off by default are dice and handoff", () => {
    for (const tool of ["builtin:dice.roll", "builtin:agent.handoff"]) assert.notInclude(defaultWriterTools, tool);
  });
});
