import { forkRun } from "@cahier/application/fork/forkRun";
import { isOver } from "@cahier/domain/task/Task";
import { fold } from "@cahier/domain/run/evolve";
import * as RunEvent from "@cahier/domain/run/RunEvent";
import { empty } from "@cahier/domain/run/RunState";
import type { StoredEvent } from "@cahier/domain/run/EventEnvelope";
import { assert, describe, it } from "@effect/vitest";
import * as Effect from "effect/Effect";
import { ended, payloadsOf, reached } from "../support/play.ts";
import * as Team from "../support/team.ts";
import * as World from "../support/World.ts";

const profiles = [Team.agent("critic"), Team.agent("reader"), Team.agent("editor")];

const turns: ReadonlyArray<World.Turn> = [
  World.calls(
    ["workspace_write_file", { path: "output/main.md", content: "Draft." }],
    Team.delegate("critic", "Find gaps."),
    Team.delegate("reader", "Read it."),
  ),
  World.call("workspace_list_files"),
  Team.awaitAll,
  Team.handingOver("editor", "Add an end."),
];

/** A fork has published nothing: one that goes on behind the commit is refused its end until it has made its own. */
const agents: Team.Agents = {
  critic: [[World.call("workspace_read_file", { path: "output/main.md" }), Team.returning("No gap was found.")]],
  reader: [[World.call("workspace_list_files"), { text: "It reads well." }, Team.returning("Read to the end.")]],
  editor: [
    [
      World.call("workspace_write_file", { path: "scratch/end.md", content: "End." }),
      ...World.publishing,
      World.commit,
      World.finish,
    ],
  ],
};

const stateAt = (events: ReadonlyArray<StoredEvent>, seq: number) =>
  fold(
    empty,
    events
      .slice(0, seq)
      .map((event) => RunEvent.trust(event))
      .filter(RunEvent.isKnown),
  );

/** What is the same of two moments: who is in the foreground, and how far its agent and those of all tasks had come. */
const kindOfMoment = (events: ReadonlyArray<StoredEvent>, seq: number): string => {
  const { foreground, invocations, tasks } = stateAt(events, seq);
  const stepOf = (id: string) => {
    const { awaiting = null, request = null, turn = null } = invocations[id] ?? {};
    return [request?.phase, turn?.calls.map(({ phase }) => phase), awaiting !== null];
  };
  return JSON.stringify([
    foreground,
    stepOf(foreground ?? ""),
    Object.values(tasks).map(({ child, returned, status }) => [status, returned === null, stepOf(child)]),
  ]);
};

/** How often each task was told to whoever gave it. */
const toldTasks = (events: ReadonlyArray<StoredEvent>): ReadonlyArray<string> =>
  [
    ...payloadsOf(events, "agent_task_results_delivered").flatMap(({ taskIds }) => taskIds),
    ...payloadsOf(events, "agent_await_completed").flatMap(({ deliveredTaskIds }) => deliveredTaskIds),
  ].toSorted();

describe("a fork of a run of several agents", () => {
  it.effect(
    "at any event leaves behind the agents that were at work there, tells whoever had asked them, and comes to its end",
    () =>
      Effect.gen(function* () {
        const whole = yield* Team.worldWith(profiles);
        const { events, outcome, runId } = yield* Team.playTeam(turns, agents, { world: whole });
        assert.strictEqual(outcome.status, "completed");
        const left = { tasks: 0, kept: 0 };
        const admittedAt = events.find(({ type }) => type === "context_assembled")?.seq ?? 0;
        const shared = { upTo: 0 };
        const tried = new Set<string>();
        for (const { seq } of events.filter((event) => event.seq > admittedAt + 1)) {
          // Within a step that is shared to its end every fork is the same.
          if (seq <= shared.upTo) continue;
          const kind = kindOfMoment(events, seq);
          if (tried.has(kind)) continue;
          tried.add(kind);
          const asked: Team.Asked = new Map();
          const title = `at event ${seq}`;
          const fork = yield* Effect.gen(function* () {
            const handle = yield* forkRun(runId, seq);
            return { ...(yield* ended(whole, handle)), from: handle.forkedFrom.seq };
          }).pipe(World.inProcess(whole, { name: "forking", ...Team.listening(asked) }));
          assert.deepStrictEqual([fork.outcome.error, fork.outcome.status], [undefined, "completed"], title);
          shared.upTo = fork.from;
          const then = stateAt(events, fork.from);
          const ofDelegation = Object.values(then.tasks).filter((task) => task.continuation === "return_to_parent");
          for (const { child, returned, status, taskId, targetProfileId } of ofDelegation) {
            const wasOpen = !isOver(status) && returned === null;
            if (wasOpen) left.tasks += 1;
            else left.kept += 1;
            const task = fork.state.tasks[taskId];
            assert.strictEqual(task?.status, wasOpen ? "cancelled" : "completed", `${title}: ${targetProfileId}`);
            assert.isFalse(asked.has(`${targetProfileId} 0`), `${title}: ${child} is not asked again`);
          }
          const given = Object.values(fork.state.tasks).filter((task) => task.continuation === "return_to_parent");
          assert.deepStrictEqual(toldTasks(fork.events), given.map(({ taskId }) => taskId as string).toSorted(), title);
        }
        assert.isAbove(tried.size, 40);
        assert.isAbove(left.tasks, 10);
        assert.isAbove(left.kept, 10);
      }),
    // Some fifty runs, on a machine that may have others to do.
    15_000,
  );

  it.effect(
    "tells an agent of a task that was left behind before its next request, and the agent may give it again",
    () =>
      Effect.gen(function* () {
        const world = yield* Team.worldWith(profiles);
        const hanging: World.Turn = { text: "Hm", error: { hang: true } };
        const first = yield* Effect.gen(function* () {
          const run = yield* Team.startTeam([World.calls(Team.delegate("critic")), hanging], { critic: [[hanging]] });
          yield* reached(world, run.runId, "model_call_attempt_started", 3);
          yield* run.cancel;
          return yield* ended(world, run);
        }).pipe(World.inProcess(world));
        const point = first.events.findLast(({ type }) => type === "model_call_attempt_started")?.seq ?? 0;
        const asked: Team.Asked = new Map();
        const fork = yield* Effect.gen(function* () {
          const handle = yield* forkRun(first.runId, point, {
            model: Team.script([World.calls(Team.delegate("critic")), Team.awaitAll, ...World.publishing], {
              critic: [[], [Team.returning("It is short.")]],
            }),
          });
          return yield* ended(world, handle);
        }).pipe(World.inProcess(world, { name: "forking", ...Team.listening(asked) }));
        assert.strictEqual(fork.outcome.status, "completed");
        const [told] = Team.toldIn(asked, "lead 0", "# Delegated Task Results");
        assert.include(told, "## critic – cancelled");
        assert.include(told, "Give the task again if you still need it.");
        assert.deepStrictEqual(
          Object.values(fork.state.tasks).map(({ status }) => status),
          ["cancelled", "completed"],
        );
      }),
  );

  it.effect(
    "under another profile keeps the prompt of the agent that goes on, and not that of one that it had asked",
    () =>
      Effect.gen(function* () {
        const world = yield* Team.worldWith(profiles);
        const delegating = [World.calls(Team.delegate("critic", "Find gaps.")), Team.awaitAll, ...World.publishing];
        const first = yield* Team.playTeam(delegating, { critic: [[Team.returning("None.")]] }, { world });
        const at = first.events.find(({ type }) => type === "agent_await_completed")?.seq ?? 0;
        const asked: Team.Asked = new Map();
        const { outcome } = yield* Effect.gen(function* () {
          const model = { binding: Team.script(World.publishing, {}) };
          const profile = { document: Team.lead({ id: "other" }) };
          return yield* ended(world, yield* forkRun(first.runId, at, { model: model.binding, profile }));
        }).pipe(World.inProcess(world, Team.listening(asked)));
        assert.strictEqual(outcome.status, "completed");
        const told = JSON.stringify([...asked.values()][0]?.[0]);
        assert.include(told, "You write the next message of a chat.");
        assert.notInclude(told, "You work on one task for another agent");
      }),
  );

  it.effect("under another profile holds a successor to that profile", () =>
    Effect.gen(function* () {
      const world = yield* Team.worldWith(profiles);
      const editing = [World.call("workspace_list_files"), ...World.publishing];
      const first = yield* Team.playTeam([Team.handingOver("editor")], { editor: [editing] }, { world });
      const at = first.events.findLast(
        ({ eventScope, type }) => type === "tool_call_completed" && eventScope.invocationId !== "inv_root",
      );
      const before = first.events.find(
        ({ eventScope, seq, type }) =>
          type === "tool_call_completed" && eventScope.invocationId !== "inv_root" && seq < (at?.seq ?? 0),
      );
      const narrow = Team.lead({ id: "narrow", workspace: { visibleRoots: ["output"], writableRoots: ["output"] } });
      const again = [World.write("x", "scratch/a.md"), ...World.publishing];
      const { results } = yield* Effect.gen(function* () {
        const model = Team.script([], { editor: [again], narrow: [again] });
        return yield* ended(
          world,
          yield* forkRun(first.runId, before?.seq ?? 0, { model, profile: { document: narrow } }),
        );
      }).pipe(World.inProcess(world));
      const written = results.filter(({ name }) => name === "workspace_write_file");
      assert.include(
        written.map(({ errorCode }) => errorCode),
        "workspace.path_not_writable",
      );
    }),
  );
});
