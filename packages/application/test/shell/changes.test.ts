import { forkRun } from "@cahier/application/fork/forkRun";
import { readDiff } from "@cahier/application/diff/readDiff";
import { rollBack } from "@cahier/application/rollback/rollBack";
import { readWorkspaceFile } from "@cahier/application/run/RunReader";
import { Runs } from "@cahier/application/run/Runs";
import * as PathMap from "@cahier/domain/run/PathMap";
import { RunId } from "@cahier/domain/identity/Identity";
import { checkpointsOf } from "@cahier/domain/run/checkpoint";
import type { ShellRequest } from "@cahier/ports/Shell";
import { assert, describe, it } from "@effect/vitest";
import * as Deferred from "effect/Deferred";
import * as Effect from "effect/Effect";
import * as Cut from "../support/cut.ts";
import { ended, eventsOf, payloadsOf, play, reached } from "../support/play.ts";
import * as Shells from "../support/shell.ts";
import * as Team from "../support/team.ts";
import * as World from "../support/World.ts";

const runIdOf = (request: ShellRequest): RunId => RunId.make((request.context as { readonly runId: string }).runId);

const lead = Team.lead({
  tools: { allow: [...Shells.tools, "builtin:agent.delegate", "builtin:agent.await"], maxRounds: 20 },
});

/** What the other agent has returned. */
const told = "summaries/critic-result.md";

/** The lead gives a task and runs a command, which ends when the other agent has written its file. */
const besideCritic = Effect.fnUntraced(function* (
  files: Parameters<typeof Shells.changes>[0],
  written: { readonly path: string; readonly content: string },
) {
  const world = yield* Team.worldWith([Team.agent("critic")]);
  const shell = Shells.shellOf((request) =>
    reached(world, runIdOf(request), "workspace_file_written", 2).pipe(
      Effect.as(Shells.exited({ changes: Shells.changes(files), output: { text: "All done.", truncated: false } })),
    ),
  );
  return yield* Team.playTeam(
    [
      World.write("The lake.", "scratch/a.md"),
      World.calls(Team.delegate("critic"), ["workspace_shell", { command: "work" }]),
      Team.awaitAll,
      ...World.publishing,
    ],
    { critic: [[World.call("workspace_write_file", { mode: "append", ...written }), Team.returning("Done.")]] },
    { world, lead, process: { shell } },
  );
});

describe("what a shell command changed", () => {
  it.effect("is kept when another agent has changed other files meanwhile", () =>
    Effect.gen(function* () {
      const run = yield* besideCritic(
        { "scratch/a.md": "The sea.", "scratch/new.md": "New." },
        { path: "scratch/b.md", content: "Critique." },
      );
      assert.strictEqual(run.outcome.status, "completed");
      assert.sameMembers(
        [...PathMap.paths(run.state.files)],
        ["output/main.md", "scratch/a.md", "scratch/b.md", "scratch/new.md", told],
      );
    }),
  );

  it.effect.each([
    ["one of them", "scratch/a.md"],
    ["a file that it made", "scratch/new.md"],
    ["a file where it made a folder", "scratch/deep"],
  ] as const)("is not kept at all when another agent has written %s meanwhile, and the result names it", ([, path]) =>
    Effect.gen(function* () {
      const run = yield* besideCritic(
        { "scratch/a.md": "The sea.", "scratch/new.md": "New.", "scratch/deep/new.md": "Deep." },
        { path, content: " It rains." },
      );
      const result = run.results.find(({ toolId }) => toolId === "builtin:workspace.shell");
      assert.strictEqual(result?.errorCode, "workspace.write_stale_file");
      assert.include(result?.content, `changed meanwhile: "${path}". `);
      assert.include(result?.content, "All done.");
      assert.deepStrictEqual(result?.structured, { stale: [path] });
      assert.strictEqual(run.outcome.status, "completed");
      assert.sameMembers(
        [...PathMap.paths(run.state.files)],
        [...new Set(["output/main.md", "scratch/a.md", path, told])],
      );
      const file = PathMap.get(run.state.files, "scratch/a.md");
      const text = path === "scratch/a.md" ? "The lake. It rains." : "The lake.";
      assert.strictEqual(file?.chars, text.length);
    }),
  );

  it.effect("by an agent that sees and writes less is held to what it sees and writes", () =>
    Effect.gen(function* () {
      const seen: Array<ReadonlyArray<string>> = [];
      const shell = Shells.shellOf((request) => {
        seen.push(
          request.files.map(({ path }) => path),
          request.folders,
          request.writableRoots,
        );
        const changes = Shells.changes({ "scratch/by.md": "Mine.", "plan/new.md": "Yours.", "plan/a.md": null });
        return Effect.succeed(Shells.exited({ changes }));
      });
      const critic = Team.agent("critic", {
        tools: { allow: Shells.tools },
        workspace: { visibleRoots: ["output", "scratch", "summaries"], writableRoots: ["output", "scratch"] },
      });
      const run = yield* Team.playTeam(
        [
          World.calls(
            ["workspace_write_file", { path: "plan/a.md", content: "Plan." }],
            ["workspace_write_file", { path: "scratch/a.md", content: "Notes." }],
          ),
          World.calls(Team.delegate("critic")),
          Team.awaitAll,
          ...World.publishing,
        ],
        { critic: [[Shells.shell("work"), Team.returning("Done.")]] },
        { world: yield* Team.worldWith([critic]), lead, process: { shell } },
      );
      assert.strictEqual(run.outcome.status, "completed");
      assert.deepStrictEqual(seen, [["scratch/a.md"], ["output", "scratch", "summaries"], ["output", "scratch"]]);
      assert.sameMembers(
        [...PathMap.paths(run.state.files)],
        ["output/main.md", "plan/a.md", "scratch/a.md", "scratch/by.md", told],
      );
      assert.deepStrictEqual(run.texts, [...World.beginning, "They wait by the river."]);
    }),
  );

  it.effect("is nothing when whoever gave the task finishes before the command has: the command is ended", () =>
    Effect.gen(function* () {
      const world = yield* Team.worldWith([Team.agent("critic", { tools: { allow: Shells.tools } })]);
      const begun = yield* Deferred.make<void>();
      const stopped = yield* Deferred.make<void>();
      const shell = Shells.shellOf(({ command }) =>
        command === "endless"
          ? Deferred.succeed(begun, undefined).pipe(
              Effect.andThen(Effect.never),
              Effect.onInterrupt(() => Deferred.succeed(stopped, undefined)),
            )
          : Effect.as(Deferred.await(begun), Shells.exited()),
      );
      const run = yield* Team.playTeam(
        [World.calls(Team.delegate("critic")), Shells.shell("wait for the other"), ...World.publishing],
        { critic: [[Shells.shell("endless"), Team.returning("Done.")]] },
        {
          world,
          lead,
          process: { shell },
        },
      );
      yield* Deferred.await(stopped);
      assert.strictEqual(run.outcome.status, "completed");
      assert.deepStrictEqual(
        Object.values(run.state.tasks).map(({ status }) => status),
        ["cancelled"],
      );
    }),
  );

  it.effect("is all there or not at all after a crash at any moment, and the run comes to the same end", () =>
    Effect.gen(function* () {
      const world = World.make();
      const recording = Cut.record();
      const shell = Shells.changing({
        "scratch/a.md": null,
        "scratch/b.md": "B",
        "scratch/image.bin": new Uint8Array([0xff, 0x00]),
        "output/main.md": "They wait.",
      });
      const turns = [World.write("A", "scratch/a.md"), Shells.shell("work"), World.commit, World.finish];
      const profile = Shells.profileWith();
      const run = yield* play(turns, { world, profile, process: { ...Cut.recorded(recording, world), shell } });
      assert.strictEqual(run.outcome.status, "completed");
      const cuts = yield* Cut.everyCut(recording, world, run.runId, run.events);
      const during = cuts.filter(({ seq }) => run.events[seq - 1]?.type === "tool_call_started");
      assert.isNotEmpty(during, "the journal says that the command has begun before it has ended");
      const before = ["scratch/a.md"];
      const after = ["output/main.md", "scratch/b.md", "scratch/image.bin"];
      for (const cut of cuts.slice(0, -1)) {
        const left = yield* eventsOf(cut.world, run.runId);
        const wrote = payloadsOf(left, "workspace_file_written").map(({ path }) => path);
        const removed = payloadsOf(left, "workspace_file_removed").length;
        const results = payloadsOf(left, "tool_result_stored").length;
        assert.deepStrictEqual(
          [wrote.toSorted(), removed],
          results < 2 ? [before.slice(0, wrote.length), 0] : [[...before, ...after].toSorted(), 1],
          cut.title,
        );
        const resumed = yield* Effect.gen(function* () {
          const runs = yield* Runs;
          return yield* ended(cut.world, yield* runs.resume(run.runId));
        }).pipe(World.inProcess(cut.world, { name: "second", shell }));
        assert.strictEqual(resumed.outcome.status, "completed", cut.title);
        assert.sameMembers([...PathMap.paths(resumed.state.files)], after, cut.title);
        assert.deepStrictEqual(resumed.texts, [...World.beginning, "They wait."], cut.title);
      }
    }),
  );

  it.effect("is followed by whatever shows and takes back files: diff, rollback and the tree for people", () =>
    Effect.gen(function* () {
      const world = World.make();
      const shell = Shells.changing({ "scratch/a.md": null, "scratch/dir/b.md": "B\n" });
      const turns = [World.write("A\n", "scratch/a.md"), Shells.shell("work"), ...World.publishing];
      const run = yield* play(turns, { world, profile: Shells.profileWith(), process: { shell } });
      const inOther = <A, E, R>(effect: Effect.Effect<A, E, R>) =>
        effect.pipe(World.inProcess(world, { name: "other", shell }));
      const [written, changed] = checkpointsOf(run.state);
      assert.deepStrictEqual([written?.reason, changed?.reason], ["tool_workspace_write", "tool_workspace_write"]);
      const diff = yield* inOther(readDiff(run.runId, { from: written?.id ?? "", to: changed?.id ?? "" }));
      assert.deepStrictEqual(
        diff.files.map(({ path, status, removedLines }) => [path, status, removedLines]),
        [
          ["scratch/a.md", "deleted", 1],
          ["scratch/dir/b.md", "added", 0],
        ],
      );
      const shown = () =>
        [...(world.mirrors.trees.get(run.runId)?.keys() ?? [])].filter((path) => path.startsWith("scratch/"));
      assert.deepStrictEqual(shown(), ["scratch/dir/b.md"]);
      const back = yield* inOther(rollBack(run.runId, written?.id ?? ""));
      assert.deepStrictEqual(
        back.changes.map(({ path, status }) => [path, status]),
        [
          ["output/main.md", "deleted"],
          ["scratch/a.md", "added"],
          ["scratch/dir/b.md", "deleted"],
        ],
      );
      assert.deepStrictEqual(shown(), ["scratch/a.md"]);
      const { text } = yield* inOther(readWorkspaceFile(run.runId, "scratch/a.md"));
      assert.strictEqual(text, "A\n");
    }),
  );

  it.effect("is whole in every fork, wherever in the call that is made", () =>
    Effect.gen(function* () {
      const world = World.make();
      const shell = Shells.changing({ "scratch/a.md": null, "scratch/dir/b.md": "B\n" });
      const turns = [World.write("A\n", "scratch/a.md"), Shells.shell("work"), ...World.publishing];
      const run = yield* play(turns, { world, profile: Shells.profileWith(), process: { shell } });
      const begins = run.events.findLastIndex(({ type }) => type === "workspace_file_removed");
      const inCall = run.events.filter(({ seq }) => seq >= begins - 1 && seq <= begins + 6);
      assert.include(
        inCall.map(({ type }) => type),
        "tool_call_started",
      );
      assert.include(
        inCall.map(({ type }) => type),
        "tool_call_completed",
      );
      for (const { seq, type } of inCall) {
        const fork = yield* Effect.gen(function* () {
          const handle = yield* forkRun(run.runId, seq, { model: World.scripted(World.publishing) });
          return yield* ended(world, handle);
        }).pipe(World.inProcess(world, { name: "other", shell }));
        assert.strictEqual(fork.outcome.status, "completed", type);
        assert.sameMembers([...PathMap.paths(fork.state.files)], ["scratch/dir/b.md", "output/main.md"], type);
      }
    }),
  );
});
