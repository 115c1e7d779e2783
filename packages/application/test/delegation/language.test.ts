import { forModel } from "@cahier/application/failure/forModel";
import { phrasesOf } from "@cahier/application/prompt/phrases";
import { agentPrompt, systemPrompt } from "@cahier/application/prompt/systemPrompt";
import { builtinToolsWith } from "@cahier/application/tool/builtin/catalog";
import { prepareSnapshot } from "@cahier/application/tool/prepareSnapshot";
import { definitionsOf } from "@cahier/application/tool/prepareSnapshot";
import { failureCodes } from "@cahier/domain/failure/FailureCode";
import * as Profile from "@cahier/domain/profile/Profile";
import { withDefaults } from "@cahier/domain/profile/withDefaults";
import { handoffBrief, taskBrief } from "@cahier/domain/task/brief";
import { capsule } from "@cahier/domain/task/capsule";
import { assert, describe, it } from "@effect/vitest";
import * as Effect from "effect/Effect";
import * as Result from "effect/Result";
import * as Shells from "../support/shell.ts";
import * as Team from "../support/team.ts";
import * as World from "../support/World.ts";

const builtinTools = builtinToolsWith(Shells.changing({}));

/** Words of the runtime, which an agent has no use for. */
const ofRuntime =
  /\b(?:invocations?|journals?|profiles?|hash(?:es)?|sha-?256|CAS|subagents?|runtime|payloads?|epoch|fold)\b/i;

const texts = (value: unknown): ReadonlyArray<string> => {
  if (typeof value !== "object" || value === null) return [];
  return Object.entries(value).flatMap(([key, part]) =>
    key === "description" && typeof part === "string" ? [part] : texts(part),
  );
};

const everything = Result.getOrThrow(
  Profile.decode(Team.lead({ tools: { allow: builtinTools.map(({ descriptor }) => descriptor.id) } })),
);

const complete = (language: "en" | "zh") => {
  const profile = withDefaults({ ...everything, instructions: { language } });
  return { ...profile, output: { ...profile.output, messageBodyPath: "output/main.md" } };
};

const snapshotOf = (exitPolicy: "run_finish_allowed" | "task_return_required", without: ReadonlyArray<string> = []) => {
  const profile = complete("en");
  const allow = profile.tools.allow.filter((id) => !without.includes(id));
  return Result.getOrThrow(
    prepareSnapshot({
      id: "tools_1",
      catalog: builtinTools,
      scene: "chat",
      profile: { tools: { ...profile.tools, allow } },
      layers: { profile: { ...profile.tools, allow } },
      exitPolicy,
      delegates: true,
    }),
  );
};

const skills = [{ name: "style", description: "How to\nwrite plainly." }];

const agents = [{ id: "critic", purpose: "Finds gaps.", operations: ["delegate", "handoff"] as const }];

describe("what a model reads", () => {
  it("of its tools has no word of the runtime in it", () => {
    for (const { descriptor } of builtinTools)
      for (const text of [descriptor.title, descriptor.description, ...texts(descriptor.inputSchema)])
        assert.notMatch(text, ofRuntime, descriptor.id);
    const child = snapshotOf("task_return_required");
    for (const { description, name } of definitionsOf(child))
      assert.notMatch(`${name} ${description}`, /commit|finish/, name);
  });

  it.each(["en", "zh"] as const)("as its instructions has none either, whatever it is to do (%s)", (language) => {
    const writer = snapshotOf("run_finish_allowed");
    const handing = snapshotOf("run_finish_allowed", ["builtin:workspace.finish"]);
    const child = snapshotOf("task_return_required");
    const prompts = [
      agentPrompt(writer, complete(language), { agents, skills }),
      agentPrompt(handing, complete(language)),
      agentPrompt(child, complete(language), { role: "delegated", agents, skills }),
    ];
    for (const prompt of prompts) assert.notMatch(prompt, ofRuntime);
    const [forWriter, forHanding, forChild] = prompts;
    assert.include(forWriter, "workspace_finish");
    assert.include(forWriter, "- critic (agent_delegate, agent_handoff): Finds gaps.");
    for (const prompt of [forWriter, forChild])
      assert.include(prompt, language === "en" ? "With workspace_shell you run commands" : "用 workspace_shell 可以");
    for (const prompt of [forWriter, forChild]) assert.include(prompt, "- style: How to write plainly.");
    for (const prompt of [forWriter, forChild]) assert.match(prompt ?? "", /skill_read/);
    assert.notInclude(forHanding, "style");
    assert.include(forHanding, "agent_handoff");
    assert.notInclude(forHanding, "workspace_finish");
    assert.include(forChild, "task_return");
    assert.notInclude(forChild, "workspace_commit");
    assert.strictEqual(/[\u4e00-\u9fff]/.test(systemPrompt(writer, complete(language))), language === "zh");
  });

  it("of tasks, handoffs and results has none either", () => {
    const ending = {
      isSubagent: false,
      publishes: true,
      committed: true,
      messageBodyPath: "output/main.md",
      commitTool: "workspace_commit",
      finishTool: "workspace_finish",
      returnTool: "task_return",
    };
    const told = [
      taskBrief({ objective: "Find gaps.", title: "Gaps" }, "task_return"),
      handoffBrief({ objective: "End it." }, []),
      ...[true, false].map((isSubagent) =>
        capsule([{ taskId: "task_1", agent: "critic", status: "failed", error: "It took too long." }], {
          ...ending,
          isSubagent,
        }),
      ),
    ];
    for (const text of told) assert.notMatch(text, ofRuntime);
  });

  it("as the meaning of a failure that it can mend names nothing of the runtime to it", () => {
    const codes = Object.entries(failureCodes).filter(([, entry]) => entry.class === "recoverable");
    assert.isAbove(codes.length, 40);
    for (const [code] of codes) assert.notMatch(code, /invocation_id|journal|hash/);
  });

  it("of the failure of another agent is what it means for its work, whatever the failure is", () => {
    const codes = Object.keys(failureCodes);
    assert.isAbove(codes.length, 200);
    for (const code of [...codes, "other.code"]) {
      const told = forModel(code, "The agent says that the task cannot be done.");
      assert.notMatch(told, ofRuntime, code);
      assert.match(told, /\.$/, code);
      if (code !== "agent.task_failed") assert.notInclude(told, "The agent says", code);
    }
  });

  it("in the place of what is not shown any more has none either", () => {
    for (const language of ["en", "zh"] as const) {
      const { leftOut, resultGone, resultShortened } = phrasesOf(language);
      for (const told of [leftOut, resultGone, resultShortened(300)]) assert.notMatch(told, ofRuntime);
    }
  });

  it.effect("as the answer to calls that cannot be done has none either", () =>
    Effect.gen(function* () {
      const world = yield* Team.worldWith([
        Team.agent("critic"),
        Team.agent("editor", { delegation: { allowAsHandoffTarget: false } }),
      ]);
      const run = yield* Team.playTeam(
        [
          World.calls(
            ["agent_await"],
            ["agent_cancel_task", { taskId: "task_0" }],
            Team.delegate("nobody"),
            Team.delegate("critic", " "),
            Team.delegate("critic"),
            Team.delegate("critic"),
            ["agent_await", { taskIds: ["task_0"] }],
            ["agent_handoff", { agentId: "critic", handoff: { objective: "x" } }],
            ["workspace_finish"],
            ["workspace_read_file", { path: "input/prompt.json" }],
            ["workspace_read_file", { path: "output/none.md" }],
            ["workspace_apply_patch", { path: "output/none.md", old_string: "a", new_string: "b" }],
            ["dance"],
          ),
          World.call("agent_await", { mode: "statusOnly" }),
          ...World.publishing,
        ],
        { critic: [[{ text: "Hm", error: { hang: true } }]] },
        { world, lead: Team.lead({ delegation: { maxConcurrentInvocations: 1 } }) },
      );
      assert.strictEqual(run.outcome.status, "completed");
      for (const { content, name } of run.results) assert.notMatch(content, ofRuntime, name);
      const refused = run.results.filter(({ isError }) => isError).map(({ errorCode }) => errorCode);
      assert.deepStrictEqual(refused, [
        "agent.no_child_tasks",
        "agent.await_task_not_found",
        "agent.delegation_policy_denied",
        "tool.invalid_arguments",
        "agent.delegation_budget_exhausted",
        "agent.await_task_not_found",
        "agent.handoff_pending_tasks",
        "agent.foreground_commit_required",
        "workspace.path_not_visible",
        "workspace.file_not_found",
        "workspace.file_not_found",
        "model.unknown_tool_call",
      ]);
    }),
  );
});
