import { builtinTools } from "@cahier/application/tool/builtin/catalog";
import { taskReturn } from "@cahier/application/tool/builtin/taskReturn";
import { handoff } from "@cahier/application/tool/builtin/handoff";
import { rootInvocation } from "@cahier/domain/identity/Identity";
import { assert, describe, it } from "@effect/vitest";
import * as Effect from "effect/Effect";
import { payloadsOf } from "../support/play.ts";
import * as Team from "../support/team.ts";
import * as World from "../support/World.ts";

const codesOf = (results: ReadonlyArray<{ readonly errorCode?: string; readonly name: string }>, name: string) =>
  results.filter((result) => result.name === name).map(({ errorCode }) => errorCode);

/** A run in which the lead gives one task and waits for it. */
const withChild = Effect.fnUntraced(function* (
  profile: object,
  turns: ReadonlyArray<World.Turn>,
  options: Partial<Team.TeamOptions> = {},
) {
  const world = yield* Team.worldWith([profile]);
  return yield* Team.playTeam(
    [World.write("Draft."), World.calls(Team.delegate("critic")), Team.awaitAll, World.commit, World.finish],
    { critic: [turns] },
    { world, ...options },
  );
});

describe("the tools of a delegated agent", () => {
  it.effect(
    "are its profile's without publishing, finishing and calling others, and with the return of its result",
    () =>
      Effect.gen(function* () {
        const allow = builtinTools
          .map(({ descriptor }) => descriptor.id as string)
          .filter((id) => id !== "builtin:task.return");
        const run = yield* withChild(
          Team.agent("critic", { tools: { allow }, delegation: { canDelegate: true, canHandoff: true } }),
          [Team.returning("Done.")],
        );
        const tools = payloadsOf(run.events, "context_assembled")[1]?.tools ?? [];
        assert.include(tools, "builtin:task.return");
        assert.include(tools, "builtin:workspace.write_file");
        for (const id of ["workspace.commit", "workspace.finish", "agent.delegate", "agent.await", "agent.handoff"])
          assert.notInclude(tools, `builtin:${id}`);
      }),
  );

  it.effect("give tasks on where the profile allows it and the depth is left", () =>
    Effect.gen(function* () {
      const nested = { canDelegate: true, allowNestedDelegation: true, maxDepth: 2 };
      const allow = [...World.soloTools, "builtin:agent.delegate", "builtin:agent.await"];
      const world = yield* Team.worldWith([
        Team.agent("critic", { delegation: nested, tools: { allow } }),
        Team.agent("reader", { delegation: nested, tools: { allow } }),
      ]);
      const run = yield* Team.playTeam(
        [World.calls(Team.delegate("critic")), Team.awaitAll, ...World.publishing],
        {
          critic: [[World.calls(Team.delegate("reader")), Team.awaitAll, Team.returning("Read by another.")]],
          reader: [[Team.returning("Read.")]],
        },
        { world, lead: Team.lead({ delegation: { maxDepth: 2 } }) },
      );
      assert.strictEqual(run.outcome.status, "completed");
      const assembled = payloadsOf(run.events, "context_assembled");
      assert.include(assembled[1]?.tools ?? [], "builtin:agent.delegate");
      assert.notInclude(assembled[2]?.tools ?? [], "builtin:agent.delegate");
      assert.deepStrictEqual(
        Object.values(run.state.tasks).map(({ status }) => status),
        ["completed", "completed"],
      );
    }),
  );
});

describe("the workspace of a delegated agent", () => {
  it.effect("is that of whoever gave the task, narrowed by its own profile and under the same paths", () =>
    Effect.gen(function* () {
      const run = yield* withChild(
        Team.agent("critic", {
          workspace: { visibleRoots: ["output", "summaries"], writableRoots: ["summaries"] },
        }),
        [
          World.call("workspace_read_file", { path: "output/main.md" }),
          World.call("workspace_apply_patch", { path: "output/main.md", old_string: "Draft", new_string: "Text" }),
          World.call("workspace_write_file", { path: "scratch/note.md", content: "x" }),
          World.call("workspace_write_file", { path: "summaries/notes.md", content: "x" }),
          World.call("task_return", { summary: "s", artifacts: [{ path: "scratch/note.md", kind: "notes" }] }),
          World.call("task_return", { summary: "s", artifacts: [{ path: "summaries/notes.md", kind: "notes" }] }),
        ],
      );
      assert.strictEqual(run.outcome.status, "completed");
      assert.deepStrictEqual(codesOf(run.results, "workspace_apply_patch"), ["workspace.path_not_writable"]);
      assert.deepStrictEqual(codesOf(run.results, "workspace_write_file").slice(1), [
        "workspace.path_not_writable",
        undefined,
      ]);
      assert.deepStrictEqual(codesOf(run.results, "task_return"), ["workspace.path_not_visible", undefined]);
    }),
  );

  it.effect("shows the world info of the run, and nothing of what the run was started with as files", () =>
    Effect.gen(function* () {
      const run = yield* withChild(
        Team.agent("critic"),
        [
          World.call("worldinfo_read_activated"),
          World.call("chat_read_messages", { messages: [{ index: 0 }] }),
          World.call("workspace_read_file", { path: "input/world_info.json" }),
          Team.returning("Read."),
        ],
        {
          lead: Team.lead({
            tools: {
              allow: [
                "builtin:workspace.write_file",
                "builtin:workspace.commit",
                "builtin:workspace.finish",
                "builtin:agent.delegate",
                "builtin:agent.await",
              ],
            },
          }),
          worldInfo: {
            timestampMs: 1_700_000_000_000,
            trigger: "normal",
            entries: [
              { world: "Harbour", uid: 3, displayName: "Ferry", constant: true, position: "before", content: "Old." },
            ],
          },
        },
      );
      assert.strictEqual(run.outcome.status, "completed", run.outcome.error?.message);
      assert.deepStrictEqual(codesOf(run.results, "worldinfo_read_activated"), [undefined]);
      assert.deepStrictEqual(codesOf(run.results, "chat_read_messages"), [undefined]);
      assert.deepStrictEqual(codesOf(run.results, "workspace_read_file"), ["workspace.path_not_visible"]);
    }),
  );

  it.effect("is asked about its own version of a file: what another agent changed meanwhile is not overwritten", () =>
    Effect.gen(function* () {
      const run = yield* withChild(Team.agent("critic"), [
        World.write("Mine."),
        World.call("workspace_read_file", { path: "output/main.md" }),
        World.write("Mine."),
        Team.returning("Rewritten."),
      ]);
      assert.deepStrictEqual(codesOf(run.results, "workspace_write_file"), [
        undefined,
        "workspace.write_requires_read",
        undefined,
      ]);
      assert.deepStrictEqual(run.texts, [...World.beginning, "Mine."]);
    }),
  );
});

describe("the prompt of a delegated agent", () => {
  it.effect("has its own instructions and its task, and of the chat as much as its profile asks for by a number", () =>
    Effect.gen(function* () {
      const asked: Team.Asked = new Map();
      yield* withChild(
        Team.agent("critic", {
          instructions: { agentSystemPrompt: "You find gaps." },
          context: { initialChatHistoryMessages: 1 },
        }),
        [Team.returning("None.")],
        { process: Team.listening(asked) },
      );
      const messages = asked.get("critic 0")?.[0] ?? [];
      assert.deepStrictEqual(
        messages.map(({ role }) => role),
        ["system", "user", "user"],
      );
      assert.strictEqual(messages[0]?.text, "You find gaps.");
      assert.strictEqual(messages[1]?.text, "Then we wait.");
      assert.include(messages[2]?.text, "# Your Task");
    }),
  );
});

describe("a text-only answer of a delegated agent", () => {
  it.effect("is kept and answered by a reminder to return the result", () =>
    Effect.gen(function* () {
      const run = yield* withChild(Team.agent("critic"), [{ text: "It is short." }, Team.returning("It is short.")]);
      assert.strictEqual(run.outcome.status, "completed");
      const [captured] = payloadsOf(run.events, "direct_output_captured");
      assert.strictEqual(captured?.path, "summaries/critic-direct-output.md");
      const reminder = payloadsOf(run.events, "drift_recovery_attempted")[0]?.reminder.text ?? "";
      assert.include(reminder, "task_return");
      assert.notInclude(reminder, "commit");
    }),
  );
});

describe("tools that an agent has no right to", () => {
  it.effect("refuse it: agent.task_return_denied, agent.task_already_finished, agent.child_handoff_denied", () =>
    Effect.gen(function* () {
      const run = yield* withChild(Team.agent("critic"), [Team.returning("Done.")]);
      const root = run.state.invocations[rootInvocation];
      const child = Object.values(run.state.invocations).find(({ kind }) => kind === "subagent");
      assert.isDefined(root);
      assert.isDefined(child);
      if (root === undefined || child === undefined) return;
      const seen = (invocation: typeof root) =>
        ({
          invocation,
          state: run.state,
          agents: { find: () => Effect.undefined, callable: () => Effect.succeed([]) },
        }) as never;
      const denied = yield* Effect.flip(taskReturn.run({ summary: "x" }, seen(root)));
      assert.strictEqual(denied.reason.code, "agent.task_return_denied");
      const again = yield* Effect.flip(taskReturn.run({ summary: "x" }, seen(child)));
      assert.strictEqual(again.reason.code, "agent.task_already_finished");
      const handed = yield* Effect.flip(handoff.run({ agentId: "critic", handoff: { objective: "x" } }, seen(child)));
      assert.deepStrictEqual(
        [handed.reason.code, handed.reason.details?.["reason"]],
        ["agent.handoff_policy_denied", "agent.child_handoff_denied"],
      );
    }),
  );
});
