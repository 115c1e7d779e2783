import { assert, describe, it } from "@effect/vitest";
import { type InvocationId, rootInvocation } from "@cahier/domain/identity/Identity";
import * as PathMap from "@cahier/domain/run/PathMap";
import * as Effect from "effect/Effect";
import * as TestClock from "effect/testing/TestClock";
import { ended, payloadsOf, reached } from "../support/play.ts";
import * as Team from "../support/team.ts";
import * as World from "../support/World.ts";

const hanging: World.Turn = { text: "Hm", error: { hang: true } };

const draft = World.write("Draft.");

/** The structured part of the result of a call, by the name of its tool. */
const structuredOf = (results: ReadonlyArray<{ readonly name: string; readonly structured?: unknown }>, name: string) =>
  results
    .filter((result) => result.name === name)
    .map(({ structured }) => structured as { readonly [key: string]: unknown });

const codesOf = (results: ReadonlyArray<{ readonly errorCode?: string }>) => results.map(({ errorCode }) => errorCode);

describe("the list of agents", () => {
  it.effect("has those that the profile may call, and what each is for", () =>
    Effect.gen(function* () {
      const world = yield* Team.worldWith([
        Team.agent("critic", { delegation: { descriptionForAgents: "Finds\n gaps." } }),
        Team.agent("editor", { delegation: { allowAsSubagent: false } }),
        Team.agent("loner", { delegation: { allowedCallers: ["somebody"] } }),
        Team.agent("broken", { tools: { allow: ["builtin:nothing"] } }),
        Team.agent("unset", { model: { mode: "requiresConfiguration" } }),
      ]);
      const asked: Team.Asked = new Map();
      const run = yield* Team.playTeam(
        [
          World.call("agent_list"),
          World.call("agent_list", { purpose: "handoff", query: "editor" }),
          World.call("agent_list", { limit: 1 }),
          ...World.publishing,
        ],
        {},
        { world, process: Team.listening(asked) },
      );
      assert.strictEqual(
        run.results[0]?.content,
        "- critic (delegate, handoff): Finds gaps.\n- editor (handoff): Does what a editor does.",
      );
      assert.strictEqual(run.results[1]?.content, "- editor (handoff): Does what a editor does.");
      assert.deepInclude(structuredOf(run.results, "agent_list")[2], { truncated: true });
      const prompt = asked.get("lead 0")?.[0]?.[0]?.text ?? "";
      assert.include(prompt, "- critic (agent_delegate, agent_handoff): Finds gaps.");
      assert.include(prompt, "- editor (agent_handoff):");
      assert.notInclude(prompt, "loner");
    }),
  );

  it.effect(
    "is refused to a profile that may call nobody: agent.profile_agent_list_requires_delegation, and kept from an agent whose task may not be given on",
    () =>
      Effect.gen(function* () {
        const tools = { allow: [...World.soloTools, "builtin:agent.list"] };
        const world = yield* Team.worldWith([
          Team.agent("critic", { delegation: { canDelegate: true, allowNestedDelegation: true }, tools }),
        ]);
        const refused = yield* Effect.flip(
          Team.startTeam(
            World.publishing,
            {},
            {
              lead: Team.lead({ delegation: { canDelegate: false, canHandoff: false }, tools }),
            },
          ),
        ).pipe(World.inProcess(world));
        assert.strictEqual(refused.reason.code, "agent.profile_agent_list_requires_delegation");
        assert.strictEqual(world.journals.journals.size, 0);
        const run = yield* Team.playTeam(
          [World.calls(Team.delegate("critic")), Team.awaitAll, ...World.publishing],
          { critic: [[World.call("agent_list"), Team.returning("Nobody can be asked.")]] },
          { world },
        );
        assert.strictEqual(run.outcome.status, "completed");
        const listed = run.results.find(({ name }) => name === "agent_list");
        assert.strictEqual(listed?.errorCode, "model.unknown_tool_call");
      }),
  );
});

describe("a delegated task", () => {
  it.effect("runs beside the agent that gave it, and its result is awaited", () =>
    Effect.gen(function* () {
      const world = yield* Team.worldWith([Team.agent("critic")]);
      const asked: Team.Asked = new Map();
      const run = yield* Team.playTeam(
        [draft, World.calls(Team.delegate("critic", "Find gaps.")), Team.awaitAll, World.commit, World.finish],
        { critic: [[World.call("workspace_read_file", { path: "output/main.md" }), Team.returning("It is short.")]] },
        { world, process: Team.listening(asked) },
      );
      assert.strictEqual(run.outcome.status, "completed");
      assert.include(run.results.find(({ name }) => name === "agent_await")?.content, "It is short.");
      const summary = PathMap.get(run.state.files, "summaries/critic-result.md");
      assert.strictEqual(summary?.chars, "It is short.".length);
      const child = payloadsOf(run.events, "agent_delegate_started")[0]?.childInvocationId ?? "";
      const tree = [...(world.mirrors.trees.get(run.runId)?.keys() ?? [])];
      assert.include(tree, `agent-results/${child}.json`);
      const [system, brief] = asked.get("critic 0")?.[0] ?? [];
      assert.strictEqual(asked.get("critic 0")?.[0]?.length, 2);
      assert.include(system?.text, "You work on one task for another agent");
      assert.include(brief?.text, "## Objective\n\nFind gaps.");
      // What the await told is not told again.
      assert.deepStrictEqual(Team.toldIn(asked, "lead 0", "# Delegated Task Results"), []);
      assert.isTrue(Object.values(run.state.tasks).every(({ delivery }) => delivery === "acknowledged"));
    }),
  );

  it.effect("is heard with whose words they are while both agents speak", () =>
    Effect.gen(function* () {
      const world = yield* Team.worldWith([Team.agent("critic")]);
      const heard = new Map<InvocationId, string>();
      const run = yield* Team.playTeam(
        [
          { ...World.calls(Team.delegate("critic")), text: "Somebody is to look." },
          { ...Team.awaitAll, text: "They wait." },
          ...World.publishing,
        ],
        { critic: [[{ ...Team.returning("It is short."), text: "Reading." }]] },
        {
          world,
          onDelta: (delta, invocationId) => {
            if (delta.type === "text") heard.set(invocationId, (heard.get(invocationId) ?? "") + delta.text);
          },
        },
      );
      const child = payloadsOf(run.events, "agent_delegate_started")[0]?.childInvocationId;
      assert.deepStrictEqual(
        [...heard],
        [
          [rootInvocation, "Somebody is to look.They wait."],
          [child, "Reading."],
        ],
      );
    }),
  );

  it.effect("that has ended by itself is told to the agent that gave it, once, before its next request", () =>
    Effect.gen(function* () {
      const world = yield* Team.worldWith([Team.agent("critic")]);
      const asked: Team.Asked = new Map();
      yield* Effect.gen(function* () {
        const run = yield* Team.startTeam(
          [
            World.calls(Team.delegate("critic")),
            { ...draft, delayMs: 1000 },
            World.call("workspace_list_files"),
            World.commit,
            World.finish,
          ],
          { critic: [[Team.returning("It is short.")]] },
        );
        yield* reached(world, run.runId, "agent_task_completed");
        yield* TestClock.adjust(1000);
        const found = yield* ended(world, run);
        assert.strictEqual(found.outcome.status, "completed");
        assert.strictEqual(payloadsOf(found.events, "agent_task_results_delivered").length, 1);
        const told = Team.toldIn(asked, "lead 0", "# Delegated Task Results");
        assert.strictEqual(told.length, 1);
        assert.include(told[0], "It is short.");
        assert.include(told[0], "publish it with workspace_commit");
      }).pipe(World.inProcess(world, Team.listening(asked)));
    }),
  );

  it.effect("that nobody has awaited is cancelled when whoever gave it finishes, and never fails as well", () =>
    Effect.gen(function* () {
      const world = yield* Team.worldWith([Team.agent("critic")]);
      const run = yield* Team.playTeam(
        [World.calls(Team.delegate("critic"), Team.delegate("critic")), ...World.publishing],
        { critic: [[hanging], [hanging]] },
        { world },
      );
      assert.strictEqual(run.outcome.status, "completed");
      assert.deepStrictEqual(
        Object.values(run.state.tasks).map(({ status }) => status),
        ["cancelled", "cancelled"],
      );
      for (const type of ["agent_task_failed", "agent_invocation_failed", "agent_child_invocation_failed"])
        assert.notInclude(run.types, type);
      assert.isBelow(run.types.indexOf("agent_task_cancelled"), run.types.indexOf("agent_loop_finished"));
    }),
  );

  it.effect("is cancelled with the run", () =>
    Effect.gen(function* () {
      const world = yield* Team.worldWith([Team.agent("critic")]);
      yield* Effect.gen(function* () {
        const run = yield* Team.startTeam([World.calls(Team.delegate("critic")), hanging], { critic: [[hanging]] });
        yield* reached(world, run.runId, "model_call_attempt_started", 3);
        yield* run.cancel;
        const found = yield* ended(world, run);
        assert.strictEqual(found.outcome.status, "cancelled");
        assert.include(found.types, "agent_task_cancelled");
        assert.strictEqual(found.types.filter((type) => type === "agent_invocation_cancelled").length, 2);
      }).pipe(World.inProcess(world));
    }),
  );

  it.effect("can be given up by whoever gave it, and is not told of then", () =>
    Effect.gen(function* () {
      const world = yield* Team.worldWith([Team.agent("critic"), Team.agent("reader")]);
      const known = { task: "" };
      const asked: Team.Asked = new Map();
      yield* Effect.gen(function* () {
        const run = yield* Team.startTeam(
          [
            World.calls(Team.delegate("critic"), Team.delegate("reader")),
            World.call("agent_cancel_task", { taskId: Team.placeholder }),
            Team.awaitAll,
            World.call("agent_cancel_task", { taskId: Team.placeholder }),
            ...World.publishing,
          ],
          { critic: [[hanging]], reader: [[{ ...Team.returning("Read."), delayMs: 1000 }]] },
        );
        yield* reached(world, run.runId, "agent_await_started");
        yield* TestClock.adjust(1000);
        const found = yield* ended(world, run);
        assert.strictEqual(found.outcome.status, "completed");
        assert.deepStrictEqual(
          Object.values(found.state.tasks).map(({ status }) => status),
          ["cancelled", "completed"],
        );
        const [first, second] = found.results.filter(({ name }) => name === "agent_cancel_task");
        assert.deepStrictEqual([first?.errorCode, second?.errorCode], [undefined, "agent.task_already_finished"]);
        assert.strictEqual(first?.content, "critic has stopped working on it.");
        assert.include(second?.content, "it is cancelled");
        assert.notInclude(found.types, "agent_task_failed");
        assert.deepStrictEqual(Team.toldIn(asked, "lead 0", "# Delegated Task Results"), []);
      }).pipe(World.inProcess(world, Team.namingTask(known, Team.listening(asked))));
    }),
  );

  it.effect("can be given up by nobody else: agent.await_task_not_found", () =>
    Effect.gen(function* () {
      const world = yield* Team.worldWith([Team.agent("critic")]);
      const run = yield* Team.playTeam(
        [
          World.call("agent_cancel_task", { taskId: "task_0" }),
          World.call("agent_await"),
          World.calls(Team.delegate("critic")),
          World.call("agent_await", { taskIds: ["task_0"] }),
          World.call("agent_cancel_task", { taskId: "task_0" }),
          ...World.publishing,
        ],
        { critic: [[hanging]] },
        { world },
      );
      assert.deepStrictEqual(codesOf(run.results).slice(0, 5), [
        "agent.await_task_not_found",
        "agent.no_child_tasks",
        undefined,
        "agent.await_task_not_found",
        "agent.await_task_not_found",
      ]);
    }),
  );

  it.effect("fails by itself and not the run when its agent cannot go on: agent.child_invocation_missing_return", () =>
    Effect.gen(function* () {
      const world = yield* Team.worldWith([Team.agent("critic"), Team.agent("editor", { tools: { maxRounds: 1 } })]);
      const run = yield* Team.playTeam(
        [
          World.calls(Team.delegate("critic"), Team.delegate("editor"), Team.delegate("critic")),
          Team.awaitAll,
          ...World.publishing,
        ],
        {
          critic: [[{ text: "Only text." }, { text: "Text again." }], [{ error: { status: 400 } }]],
          editor: [[World.call("workspace_list_files")]],
        },
        { world },
      );
      assert.strictEqual(run.outcome.status, "completed");
      assert.deepStrictEqual(
        Object.values(run.state.tasks).map(({ error, status }) => [status, error?.code]),
        [
          ["failed", "agent.child_invocation_missing_return"],
          ["failed", "agent.child_invocation_missing_return"],
          ["failed", "agent.validation_error"],
        ],
      );
      assert.strictEqual(payloadsOf(run.events, "agent_child_invocation_failed").length, 3);
    }),
  );

  it.effect("that its agent returns as failed has failed with a result: agent.task_failed", () =>
    Effect.gen(function* () {
      const world = yield* Team.worldWith([Team.agent("critic")]);
      const run = yield* Team.playTeam(
        [World.calls(Team.delegate("critic")), Team.awaitAll, ...World.publishing],
        { critic: [[Team.returning("There is no draft.", { status: "failed" })]] },
        { world },
      );
      const [task] = Object.values(run.state.tasks);
      assert.deepStrictEqual([task?.status, task?.error?.code], ["failed", "agent.task_failed"]);
      assert.include(run.results.find(({ name }) => name === "agent_await")?.content, "There is no draft.");
      assert.include(run.types, "task_return_completed");
      assert.notInclude(run.types, "agent_invocation_failed");
    }),
  );

  it.effect("that takes longer than it may is ended: agent.task_timeout", () =>
    Effect.gen(function* () {
      const world = yield* Team.worldWith([Team.agent("critic")]);
      yield* Effect.gen(function* () {
        const run = yield* Team.startTeam(
          [World.calls(Team.delegate("critic")), Team.awaitAll, ...World.publishing],
          { critic: [[hanging]] },
          { lead: Team.lead({ delegation: { taskTimeoutMs: 5000 } }) },
        );
        yield* reached(world, run.runId, "model_call_attempt_started", 3);
        yield* TestClock.adjust(5000);
        const found = yield* ended(world, run);
        assert.strictEqual(found.outcome.status, "completed");
        const [task] = Object.values(found.state.tasks);
        assert.deepStrictEqual([task?.status, task?.error?.code], ["failed", "agent.task_timeout"]);
      }).pipe(World.inProcess(world));
    }),
  );

  it.effect("is waited for only so long, which is no error, and goes on behind it", () =>
    Effect.gen(function* () {
      const world = yield* Team.worldWith([Team.agent("critic")]);
      yield* Effect.gen(function* () {
        const run = yield* Team.startTeam(
          [World.calls(Team.delegate("critic")), World.call("agent_await", { timeoutMs: 3000 }), ...World.publishing],
          { critic: [[hanging]] },
        );
        yield* reached(world, run.runId, "model_call_attempt_started", 3);
        yield* TestClock.adjust(3000);
        const found = yield* ended(world, run);
        assert.deepInclude(structuredOf(found.results, "agent_await")[0], { timedOut: true });
        assert.strictEqual(payloadsOf(found.events, "agent_await_completed")[0]?.timedOut, true);
        assert.isUndefined(found.results.find(({ name }) => name === "agent_await")?.errorCode);
      }).pipe(World.inProcess(world));
    }),
  );

  it.effect("is only looked at by statusOnly", () =>
    Effect.gen(function* () {
      const world = yield* Team.worldWith([Team.agent("critic")]);
      const run = yield* Team.playTeam(
        [World.calls(Team.delegate("critic"), ["agent_await", { mode: "statusOnly" }]), ...World.publishing],
        { critic: [[hanging]] },
        { world },
      );
      assert.match(run.results[1]?.content ?? "", /^- critic \(task_\w+\): queued$/);
    }),
  );

  it.effect("is named by its agent, with 002 and so on for further ones", () =>
    Effect.gen(function* () {
      const world = yield* Team.worldWith([Team.agent("critic")]);
      const run = yield* Team.playTeam(
        [World.calls(Team.delegate("critic"), Team.delegate("critic")), Team.awaitAll, ...World.publishing],
        { critic: [[Team.returning("One.")], [Team.returning("Two.")]] },
        { world },
      );
      assert.deepStrictEqual(
        Object.values(run.state.tasks).map(({ workspaceKey }) => workspaceKey),
        ["critic", "critic-002"],
      );
      const { files } = run.state;
      assert.isDefined(PathMap.get(files, "summaries/critic-result.md"));
      assert.isDefined(PathMap.get(files, "summaries/critic-002-result.md"));
    }),
  );

  it.effect("is refused with too long texts and for agents that may not be called", () =>
    Effect.gen(function* () {
      const world = yield* Team.worldWith([Team.agent("critic")]);
      const run = yield* Team.playTeam(
        [
          World.calls(Team.delegate("critic", "a".repeat(8001)), Team.delegate("nobody")),
          World.calls(Team.delegate("critic", "a".repeat(8000)), Team.delegate("critic"), Team.delegate("critic")),
          ...World.publishing,
        ],
        { critic: [[hanging], [hanging]] },
        { world, lead: Team.lead({ delegation: { maxConcurrentInvocations: 2 } }) },
      );
      assert.deepStrictEqual(codesOf(run.results).slice(0, 5), [
        "tool.invalid_arguments",
        "agent.delegation_policy_denied",
        undefined,
        undefined,
        "agent.delegation_budget_exhausted",
      ]);
      assert.deepInclude(structuredOf(run.results, "agent_delegate")[1]?.["error"], {
        reason: "agent.target_profile_not_found",
      });
      assert.include(run.results[1]?.content, "You can name: critic.");
    }),
  );
});
