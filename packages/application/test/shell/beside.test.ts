import { forkRun } from "@cahier/application/fork/forkRun";
import { Runs } from "@cahier/application/run/Runs";
import { RunId } from "@cahier/domain/identity/Identity";
import * as PathMap from "@cahier/domain/run/PathMap";
import { ChatFault } from "@cahier/ports/ChatHost";
import type { Shell, ShellRequest } from "@cahier/ports/Shell";
import { assert, describe, it } from "@effect/vitest";
import * as Effect from "effect/Effect";
import * as Cut from "../support/cut.ts";
import { ended, payloadsOf, reached } from "../support/play.ts";
import * as Shells from "../support/shell.ts";
import * as Team from "../support/team.ts";
import * as World from "../support/World.ts";

const profiles = [Team.agent("critic")];

const lead = Team.lead({
  tools: { allow: [...Shells.tools, "builtin:agent.delegate", "builtin:agent.await"], maxRounds: 20 },
});

const turns: ReadonlyArray<World.Turn> = [
  World.write("The lake.", "scratch/a.md"),
  World.calls(Team.delegate("critic"), ["workspace_shell", { command: "work" }]),
  Team.awaitAll,
  ...World.publishing,
];

const agents: Team.Agents = {
  critic: [
    [
      World.write("Critique.", "scratch/critique.md"),
      World.call("workspace_read_file", { path: "scratch/critique.md" }),
      Team.returning("Done."),
    ],
  ],
};

const changed = Shells.exited({ changes: Shells.changes({ "scratch/a.md": null, "scratch/dir/b.md": "B" }) });

const runIdOf = (request: ShellRequest): RunId => RunId.make((request.context as { readonly runId: string }).runId);

/** A command ends when the other agent has written its file. */
const shellIn = (world: World.World): Shell["Service"] =>
  Shells.shellOf((request) => Effect.as(reached(world, runIdOf(request), "workspace_file_written", 2), changed));

/** A command ends at once. */
const quick = Shells.shellOf(() => Effect.succeed(changed));

const recordedRun = Effect.gen(function* () {
  const world = yield* Team.worldWith(profiles);
  const recording = Cut.record();
  const process = { ...Cut.recorded(recording, world), shell: shellIn(world) };
  const run = yield* Team.playTeam(turns, agents, { world, lead, process });
  assert.strictEqual(run.outcome.status, "completed");
  return { ...run, recording };
});

const inCall = (events: ReadonlyArray<{ readonly seq: number; readonly type: string; readonly payload: unknown }>) => {
  const ofShell = events.filter(({ payload }) => JSON.stringify(payload).includes("builtin:workspace.shell"));
  const begun = ofShell.find(({ type }) => type === "tool_call_started")?.seq ?? 0;
  const closed = ofShell.find(({ type }) => type === "tool_call_completed")?.seq ?? 0;
  return events.filter(({ seq }) => seq >= begun && seq <= closed);
};

describe("an agent beside a shell command", () => {
  it.effect("goes on working while the command runs", () =>
    Effect.gen(function* () {
      const { events } = yield* recordedRun;
      const types = inCall(events).map(({ type }) => type);
      for (const type of ["model_request_created", "workspace_file_written", "workspace_file_removed"])
        assert.include(types, type);
      assert.isBelow(types.indexOf("workspace_file_written"), types.indexOf("workspace_file_removed"));
    }),
  );

  it.effect("and the command come to the same end after a crash at any append", () =>
    Effect.gen(function* () {
      const { events, recording, runId, world } = yield* recordedRun;
      const cuts = yield* Cut.everyCut(recording, world, runId, events);
      assert.isAtLeast(cuts.length, 10);
      for (const cut of cuts.slice(0, -1)) {
        yield* Team.store(cut.world, profiles);
        const resumed = yield* Effect.gen(function* () {
          const runs = yield* Runs;
          return yield* ended(cut.world, yield* runs.resume(runId));
        }).pipe(World.inProcess(cut.world, { name: "second", shell: shellIn(cut.world) }));
        assert.strictEqual(resumed.outcome.status, "completed", cut.title);
        assert.sameMembers(
          [...PathMap.paths(resumed.state.files)],
          ["output/main.md", "scratch/critique.md", "scratch/dir/b.md", "summaries/critic-result.md"],
          cut.title,
        );
        assert.strictEqual(payloadsOf(resumed.events, "workspace_file_removed").length, 1, cut.title);
      }
    }),
  );

  it.effect("is left behind by a fork within the command, which is run again there", () =>
    Effect.gen(function* () {
      const { events, runId, world } = yield* recordedRun;
      for (const { seq, type } of inCall(events)) {
        const fork = yield* Effect.gen(function* () {
          const handle = yield* forkRun(runId, seq, { model: World.scripted([Team.awaitAll, ...World.publishing]) });
          return yield* ended(world, handle);
        }).pipe(World.inProcess(world, { name: "forking", shell: quick }));
        const title = `at event ${seq}, ${type}`;
        assert.strictEqual(fork.outcome.status, "completed", title);
        const files = PathMap.paths(fork.state.files);
        assert.include(files, "scratch/dir/b.md", title);
        assert.notInclude(files, "scratch/a.md", title);
      }
    }),
  );

  it.effect("may take a file away that is being published: what was to be published is, also after a crash", () =>
    Effect.gen(function* () {
      const world = yield* Team.worldWith([Team.agent("critic", { tools: { allow: Shells.tools } })]);
      const shell = Shells.shellOf((request) =>
        reached(world, runIdOf(request), "chat_commit_requested").pipe(
          Effect.as(Shells.exited({ changes: Shells.changes({ "output/main.md": null }) })),
        ),
      );
      const lost = new ChatFault({ reason: { _tag: "Unreachable", kind: "full" }, detail: "There is no room." });
      const stopped = yield* Team.playTeam(
        [
          World.write("They wait by the river."),
          World.calls(Team.delegate("critic"), ["workspace_commit"]),
          Team.awaitAll,
          World.finish,
        ],
        { critic: [[Shells.shell("rm"), World.call("workspace_list_files"), Team.returning("Done.")]] },
        {
          world,
          lead,
          process: {
            shell,
            chatHost: (host) => ({
              ...host,
              commit: ({ metadata }) =>
                Effect.andThen(reached(world, RunId.make(metadata.runId), "workspace_file_removed"), Effect.fail(lost)),
            }),
          },
        },
      );
      assert.strictEqual(stopped.outcome.status, "interrupted");
      assert.isUndefined(PathMap.get(stopped.state.files, "output/main.md"));
      const run = yield* Effect.gen(function* () {
        const runs = yield* Runs;
        return yield* ended(world, yield* runs.resume(stopped.runId));
      }).pipe(World.inProcess(world, { name: "second", shell }));
      assert.strictEqual(run.outcome.status, "completed");
      assert.deepStrictEqual(run.texts, [...World.beginning, "They wait by the river."]);
      assert.strictEqual(payloadsOf(run.events, "chat_commit_completed")[0]?.chars, 23);
    }),
  );
});
