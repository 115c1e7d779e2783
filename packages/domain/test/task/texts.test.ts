import { assert, describe, it } from "@effect/vitest";
import { flawOf, handoffBrief, longestText, taskBrief } from "../../src/task/brief.ts";
import { capsule, type Ending } from "../../src/task/capsule.ts";
import { workspaceKey } from "../../src/task/TaskResult.ts";

const ending: Ending = {
  isSubagent: false,
  publishes: true,
  committed: false,
  messageBodyPath: "output/main.md",
  commitTool: "workspace_commit",
  finishTool: "workspace_finish",
  returnTool: "task_return",
};

describe("the name of a task in the workspace", () => {
  it("is the agent's id, then numbered from 002", () => {
    assert.strictEqual(workspaceKey([], "critic"), "critic");
    assert.strictEqual(workspaceKey(["critic"], "critic"), "critic-002");
    assert.strictEqual(workspaceKey(["critic", "critic-002", "editor"], "critic"), "critic-003");
    assert.strictEqual(workspaceKey(["critic-002"], "critic"), "critic");
  });
});

describe("what is stated of a task", () => {
  it("is taken with texts of up to 8000 characters, whatever they are made of", () => {
    assert.isUndefined(flawOf("task", { objective: "a".repeat(longestText) }));
    assert.isUndefined(flawOf("task", { objective: "\u{1f600}".repeat(longestText) }));
    assert.isUndefined(flawOf("task", { objective: "Do it.", context: { notes: ["a".repeat(longestText)] } }));
  });

  it("is refused with longer texts, wherever they stand, and without an objective", () => {
    assert.include(flawOf("task", { objective: "a".repeat(longestText + 1) }), "task.objective has 8001 characters");
    assert.include(
      flawOf("task", { objective: "Do it.", context: { notes: ["", "\u{1f600}".repeat(longestText + 1)] } }),
      "task.context.notes[1] has 8001 characters",
    );
    assert.include(flawOf("handoff", { objective: " " }), "handoff.objective");
    assert.include(flawOf("task", { title: "A" }), "task.objective");
    assert.include(flawOf("task", { objective: "Do it.", title: 7 }), "task.title must be text");
  });
});

describe("the brief of a task", () => {
  it("has headings in a fixed order, and everything else that was stated behind them", () => {
    const brief = taskBrief(
      { mood: "calm", expectedOutput: { form: "a list" }, objective: "Find gaps.", title: "Gaps", context: {} },
      "task_return",
    );
    const headings = brief.split("\n").filter((line) => line.startsWith("#"));
    assert.deepStrictEqual(headings, [
      "# Your Task",
      "## Title",
      "## Objective",
      "## Expected Output",
      "## Additional Instructions",
      "## Working Notes",
    ]);
    assert.include(brief, "- **form**: a list");
    assert.include(brief, "- **mood**: calm");
    assert.include(brief, "call task_return as the last call");
  });

  it("shows lists and objects as Markdown, however deep", () => {
    const brief = taskBrief(
      { objective: "x", context: { people: [{ name: "Ada", age: 7 }], ok: true } },
      "task_return",
    );
    assert.include(brief, "- **people**:\n  - \n    - **name**: Ada\n    - **age**: 7\n- **ok**: true");
  });
});

describe("the brief of a handoff", () => {
  it("names what must stay and when the work is done", () => {
    const brief = handoffBrief(
      { objective: "End it.", mustPreserve: ["The tide."], completionCriteria: ["Published."], workspaceRefs: [] },
      ["Nothing has been published yet."],
    );
    assert.include(brief, "# Handoff Brief");
    assert.include(brief, "## Must Preserve\n\n- The tide.");
    assert.include(brief, "## Completion Criteria\n\n- Published.");
    assert.notInclude(brief, "Workspace References");
    assert.include(brief, "- Nothing has been published yet.");
  });
});

describe("results as they are told", () => {
  const result = {
    summary: "Two gaps.",
    findings: [{ place: "line 2" }],
    warnings: ["The tide turns twice."],
    suggestedNextActions: ["Cut one."],
    questionsForCaller: ["Which?"],
    artifacts: [{ path: "summaries/gaps.md", kind: "notes", role: "detail" }],
    confidence: "high" as const,
  };

  it("have their sections in a fixed order and end with how to go on", () => {
    const text = capsule(
      [
        { taskId: "task_1", agent: "critic", status: "completed", result, summaryPath: "summaries/critic-result.md" },
        { taskId: "task_2", agent: "editor", status: "failed", error: "It took too long." },
      ],
      ending,
    );
    const headings = text.split("\n").filter((line) => line.startsWith("#"));
    assert.deepStrictEqual(headings, [
      "# Delegated Task Results",
      "## critic – completed",
      "### Summary",
      "### Findings",
      "### Warnings",
      "### Suggested Next Actions",
      "### Questions",
      "### Artifacts",
      "### Confidence",
      "## editor – failed",
      "### Error",
    ]);
    assert.include(text, "summaries/gaps.md (notes, detail)");
  });

  it("say how the reader's own work ends: by publishing, by finishing, or by its own result", () => {
    const hint = (more: Partial<Ending>) => capsule([], { ...ending, ...more });
    assert.include(hint({}), "publish it with workspace_commit, then call workspace_finish");
    assert.include(hint({ committed: true }), "has been published already");
    assert.notInclude(hint({ publishes: false }), "workspace_commit");
    assert.include(hint({ isSubagent: true }), "call task_return");
  });
});
