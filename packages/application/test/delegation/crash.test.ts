import { Runs } from "@cahier/application/run/Runs";
import type { RunId } from "@cahier/domain/identity/Identity";
import type { StoredEvent } from "@cahier/domain/run/EventEnvelope";
import type { BlobStore } from "@cahier/ports/BlobStore";
import type { RunJournal } from "@cahier/ports/RunJournal";
import { Unavailable } from "@cahier/ports/StorageFault";
import * as FaultyRunJournal from "@cahier/testkit/doubles/FaultyRunJournal";
import { assert, describe, it } from "@effect/vitest";
import * as Effect from "effect/Effect";
import * as Cut from "../support/cut.ts";
import { ended, payloadsOf } from "../support/play.ts";
import * as Team from "../support/team.ts";
import * as World from "../support/World.ts";

const profiles = [Team.agent("critic"), Team.agent("reader"), Team.agent("editor")];

/** Three agents at once, a wait, a handoff, and a commit before and after it. */
const turns: ReadonlyArray<World.Turn> = [
  World.calls(
    ["workspace_write_file", { path: "output/main.md", content: "Draft." }],
    Team.delegate("critic", "Find gaps."),
    Team.delegate("critic", "Find slips."),
    Team.delegate("reader", "Read it."),
  ),
  World.commit,
  Team.awaitAll,
  Team.handingOver("editor", "Add an end."),
];

const agents: Team.Agents = {
  critic: [
    [World.call("workspace_read_file", { path: "output/main.md" }), Team.returning("No gap was found.")],
    [
      World.call("workspace_write_file", { path: "scratch/slips.md", mode: "append", content: "one " }),
      Team.returning("One slip was found."),
    ],
  ],
  reader: [[{ text: "It reads well." }, Team.returning("Read to the end.")]],
  editor: [
    [
      World.call("workspace_write_file", { path: "output/main.md", mode: "append", content: " End." }),
      World.commit,
      World.finish,
    ],
  ],
};

const summaries = ["No gap was found.", "One slip was found.", "Read to the end."];

/** The answer of the agent that writes a long file; the script itself has its text as well. */
const isLongAnswer = (text: string): boolean =>
  text.includes("They wait by the river. They") && !text.includes("cahier.script");

const resumed = (world: World.World, runId: RunId, options: World.ProcessOptions = {}) =>
  Effect.gen(function* () {
    const runs = yield* Runs;
    return yield* ended(world, yield* runs.resume(runId));
  }).pipe(World.inProcess(world, { name: "second", ...options }));

const recordedRun = Effect.gen(function* () {
  const world = yield* Team.worldWith(profiles);
  const recording = Cut.record();
  const run = yield* Team.playTeam(turns, agents, { world, process: Cut.recorded(recording, world) });
  assert.strictEqual(run.outcome.status, "completed");
  const cuts = yield* Cut.everyCut(recording, world, run.runId, run.events);
  for (const cut of cuts) yield* Team.store(cut.world, profiles);
  return { ...run, cuts };
});

/** How often each task was told to whoever gave it, wherever that was. */
const toldTasks = (events: ReadonlyArray<StoredEvent>): ReadonlyArray<string> =>
  [
    ...payloadsOf(events, "agent_task_results_delivered").flatMap(({ taskIds }) => taskIds),
    ...payloadsOf(events, "agent_await_completed").flatMap(({ deliveredTaskIds }) => deliveredTaskIds),
  ].toSorted();

const assertWhole = (run: Effect.Success<ReturnType<typeof ended>>, title: string): void => {
  assert.strictEqual(run.outcome.status, "completed", `${title}: ${run.outcome.error?.message}`);
  assert.deepStrictEqual(run.texts, [...World.beginning, "Draft. End."], title);
  assert.strictEqual(run.outcome.committed.length, 2, title);
  const tasks = Object.values(run.state.tasks);
  assert.deepStrictEqual(
    tasks.map(({ status, workspaceKey }) => [workspaceKey, status]),
    [
      ["critic", "completed"],
      ["critic-002", "completed"],
      ["reader", "completed"],
      ["editor", "completed"],
    ],
    title,
  );
  const given = tasks.filter(({ continuation }) => continuation === "return_to_parent").map(({ taskId }) => taskId);
  assert.deepStrictEqual(toldTasks(run.events), given.toSorted(), title);
  const ends = run.events.filter(({ type }) => /^agent_task_(?:completed|failed|cancelled)$/.test(type));
  assert.strictEqual(ends.length, tasks.length, title);
  const answered = payloadsOf(run.events, "model_response_stored").map((one) => `${one.invocationId} ${one.round}`);
  assert.strictEqual(new Set(answered).size, answered.length, title);
  const slips = run.results.filter(({ content }) => content.includes("scratch/slips.md: now 4 characters"));
  assert.strictEqual(slips.length, 1, title);
};

describe("a run of several agents", () => {
  it.effect("is carried to the same end after a crash at any append: nothing is lost, nothing told twice", () =>
    Effect.gen(function* () {
      const { cuts, runId } = yield* recordedRun;
      assert.isAtLeast(cuts.length, 25);
      for (const { title, world } of cuts.slice(0, -1)) {
        const asked: Team.Asked = new Map();
        const run = yield* resumed(world, runId, Team.listening(asked));
        assertWhole(run, title);
        const last = asked.get("lead 0")?.at(-1) ?? [];
        for (const summary of summaries)
          assert.isAtMost(last.filter(({ text }) => text.includes(summary)).length, 1, `${title}: ${summary}`);
      }
    }),
  );

  it.effect("can crash again while it is resumed", () =>
    Effect.gen(function* () {
      const { cuts, runId } = yield* recordedRun;
      for (const { title, world } of cuts.slice(0, -1).filter((_, index) => index % 3 === 0)) {
        const fault = new Unavailable({ operation: "append", kind: "full", detail: "no room" });
        for (const append of [2, 4])
          yield* Effect.exit(
            resumed(world, runId, {
              name: `crashing-${append}`,
              journal: (journal: RunJournal["Service"]) =>
                FaultyRunJournal.make(journal, { append, fault, moment: "afterWriting" }),
            }),
          );
        const again = yield* Effect.exit(resumed(world, runId, { name: "third" }));
        if (again._tag === "Success") assertWhole(again.value, title);
        assert.deepStrictEqual(World.textsOf(world), [...World.beginning, "Draft. End."], title);
      }
    }),
  );

  it.effect(
    "is interrupted whole by a trouble of this host that one of them meets, and what the others did stands",
    () =>
      Effect.gen(function* () {
        const long = "They wait by the river. ".repeat(500);
        const world = yield* Team.worldWith(profiles);
        const full = (blobs: BlobStore["Service"]): BlobStore["Service"] => ({
          ...blobs,
          put: (scope, bytes) =>
            isLongAnswer(new TextDecoder().decode(bytes))
              ? Effect.fail(new Unavailable({ operation: "put", kind: "full", detail: "no room" }))
              : blobs.put(scope, bytes),
        });
        const team: Team.Agents = {
          critic: [[Team.returning("No gap was found.")]],
          reader: [[World.write(long, "scratch/long.md"), Team.returning("Read.")]],
        };
        const first: ReadonlyArray<World.Turn> = [
          World.calls(Team.delegate("critic"), Team.delegate("reader")),
          Team.awaitAll,
          ...World.publishing,
        ];
        const stopped = yield* Team.playTeam(first, team, { world, process: { blobs: full } });
        assert.deepStrictEqual([stopped.outcome.status, stopped.outcome.error?.code], ["interrupted", "storage.full"]);
        assert.notInclude(stopped.types, "agent_task_failed");
        const run = yield* resumed(world, stopped.runId);
        assert.strictEqual(run.outcome.status, "completed");
        assert.deepStrictEqual(
          Object.values(run.state.tasks).map(({ status }) => status),
          ["completed", "completed"],
        );
        assert.strictEqual(
          payloadsOf(run.events, "workspace_file_written").filter(({ path }) => path === "scratch/long.md").length,
          1,
        );
      }),
  );
});
