import { assert, describe, it } from "@effect/vitest";
import * as Effect from "effect/Effect";
import { payloadsOf } from "../support/play.ts";
import * as Team from "../support/team.ts";
import * as World from "../support/World.ts";

const hanging: World.Turn = { text: "Hm", error: { hang: true } };

const codesOf = (results: ReadonlyArray<{ readonly errorCode?: string }>) => results.map(({ errorCode }) => errorCode);

describe("a handoff", () => {
  it.effect("goes on after a commit: the successor may finish without one of its own", () =>
    Effect.gen(function* () {
      const world = yield* Team.worldWith([Team.agent("editor")]);
      const asked: Team.Asked = new Map();
      const run = yield* Team.playTeam(
        [World.write("Draft."), World.commit, Team.handingOver("editor", "Look it over.")],
        { editor: [[World.finish]] },
        { world, process: Team.listening(asked) },
      );
      assert.strictEqual(run.outcome.status, "completed");
      assert.deepStrictEqual(run.texts, [...World.beginning, "Draft."]);
      const messages = asked.get("editor 0")?.[0] ?? [];
      assert.deepStrictEqual(
        messages.map(({ role }) => role),
        ["system", "assistant", "user", "user"],
      );
      assert.notStrictEqual(messages[0]?.text, asked.get("lead 0")?.[0]?.[0]?.text);
      assert.include(messages[3]?.text, "# Handoff Brief");
      assert.include(messages[3]?.text, "has been published already");
    }),
  );

  it.effect("is recorded in its order, and the last owner's end completes it", () =>
    Effect.gen(function* () {
      const world = yield* Team.worldWith([Team.agent("editor")]);
      const run = yield* Team.playTeam([Team.handingOver("editor")], { editor: [[...World.publishing]] }, { world });
      const told = new Set([
        "agent_handoff_requested",
        "agent_invocation_created",
        "agent_task_registered",
        "agent_handoff_accepted",
        "agent_invocation_transferred",
        "agent_loop_finished",
        "agent_task_started",
        "agent_invocation_started",
        "context_assembled",
        "agent_task_completed",
        "agent_invocation_completed",
        "run_completed",
      ]);
      const from = run.types.indexOf("agent_handoff_requested");
      assert.deepStrictEqual(
        run.types.slice(from).filter((type) => told.has(type)),
        [
          "agent_handoff_requested",
          "agent_invocation_created",
          "agent_task_registered",
          "agent_handoff_accepted",
          "agent_invocation_transferred",
          "agent_loop_finished",
          "agent_task_started",
          "agent_invocation_started",
          "context_assembled",
          "agent_loop_finished",
          "agent_task_completed",
          "agent_invocation_completed",
          "run_completed",
        ],
      );
      assert.deepStrictEqual(
        Object.values(run.state.invocations).map(({ kind, status }) => [kind, status]),
        [
          ["root", "transferred"],
          ["handoff", "completed"],
        ],
      );
    }),
  );

  it.effect("can be followed by further ones, and each is completed by the next or by the end of the run", () =>
    Effect.gen(function* () {
      const mayHandOver = (id: string) =>
        Team.agent(id, {
          delegation: { canHandoff: true },
          tools: { allow: [...World.soloTools, "builtin:agent.handoff"] },
        });
      const world = yield* Team.worldWith([mayHandOver("editor"), mayHandOver("reader"), Team.agent("closer")]);
      const asked: Team.Asked = new Map();
      const run = yield* Team.playTeam(
        [World.write("Draft."), Team.handingOver("editor")],
        {
          editor: [
            [Team.handingOver("reader")],
            [
              World.call("workspace_write_file", { path: "output/main.md", mode: "append", content: " End." }),
              Team.handingOver("closer"),
            ],
          ],
          reader: [[Team.handingOver("editor")]],
          closer: [[World.commit, World.finish]],
        },
        { world, process: Team.listening(asked) },
      );
      assert.strictEqual(run.outcome.status, "completed");
      assert.deepStrictEqual(run.texts, [...World.beginning, "Draft. End."]);
      assert.deepStrictEqual(
        Object.values(run.state.tasks).map(({ status, workspaceKey }) => [workspaceKey, status]),
        [
          ["editor", "completed"],
          ["reader", "completed"],
          ["editor-002", "completed"],
          ["closer", "completed"],
        ],
      );
      assert.deepStrictEqual(
        Object.values(run.state.invocations).map(({ profileId, status }) => [profileId, status]),
        [
          ["lead", "transferred"],
          ["editor", "transferred"],
          ["reader", "transferred"],
          ["editor", "transferred"],
          ["closer", "completed"],
        ],
      );
      assert.strictEqual(run.types.filter((type) => type === "agent_task_completed").length, 4);
      assert.deepStrictEqual([...asked.keys()], ["lead 0", "editor 0", "reader 0", "editor 1", "closer 0"]);
    }),
  );

  it.effect("is denied while tasks are under way: agent.handoff_pending_tasks", () =>
    Effect.gen(function* () {
      const world = yield* Team.worldWith([Team.agent("critic"), Team.agent("editor")]);
      const run = yield* Team.playTeam(
        [World.calls(Team.delegate("critic")), Team.handingOver("editor"), ...World.publishing],
        { critic: [[hanging]] },
        { world },
      );
      assert.strictEqual(run.results[1]?.errorCode, "agent.handoff_pending_tasks");
      assert.notInclude(run.types, "agent_handoff_requested");
    }),
  );

  it.effect("is refused beyond its depth and to agents that take no place", () =>
    Effect.gen(function* () {
      const world = yield* Team.worldWith([
        Team.agent("critic", { delegation: { allowAsHandoffTarget: false } }),
        Team.agent("editor", {
          delegation: { canHandoff: true, maxHandoffDepth: 1 },
          tools: { allow: [...World.soloTools, "builtin:agent.handoff"] },
        }),
      ]);
      const run = yield* Team.playTeam(
        [
          World.calls(["agent_handoff", { agentId: "critic", handoff: { objective: "x" } }]),
          World.calls(["agent_handoff", { agentId: "editor", handoff: { objective: "a".repeat(8001) } }]),
          Team.handingOver("editor", "a".repeat(8000)),
        ],
        { editor: [[Team.handingOver("editor"), ...World.publishing]] },
        { world },
      );
      assert.strictEqual(run.outcome.status, "completed");
      assert.deepStrictEqual(codesOf(run.results).slice(0, 4), [
        "agent.handoff_policy_denied",
        "tool.invalid_arguments",
        undefined,
        "agent.handoff_depth_exhausted",
      ]);
    }),
  );

  it.effect("is the last call of its turn: a further one fails the run as agent.tool_after_finish", () =>
    Effect.gen(function* () {
      const world = yield* Team.worldWith([Team.agent("editor")]);
      const run = yield* Team.playTeam(
        [World.calls(["agent_handoff", { agentId: "editor", handoff: { objective: "x" } }], ["workspace_list_files"])],
        {},
        { world },
      );
      assert.deepStrictEqual([run.outcome.status, run.outcome.error?.code], ["failed", "agent.tool_after_finish"]);
      assert.isTrue(Object.values(run.state.tasks).every(({ status }) => status === "cancelled"));
    }),
  );

  it.effect("whose successor cannot begin fails its task and the run", () =>
    Effect.gen(function* () {
      const world = yield* Team.worldWith([
        Team.agent("editor", { model: { mode: "connectionRef", connectionRef: "gone", modelId: "m" } }),
      ]);
      const run = yield* Team.playTeam([Team.handingOver("editor")], {}, { world });
      assert.deepStrictEqual([run.outcome.status, run.outcome.error?.code], ["failed", "llm_connection.not_found"]);
      assert.strictEqual(payloadsOf(run.events, "agent_task_failed")[0]?.error.code, "llm_connection.not_found");
    }),
  );
});
