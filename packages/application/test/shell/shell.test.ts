import * as PathMap from "@cahier/domain/run/PathMap";
import { ShellFault, type ShellRequest } from "@cahier/ports/Shell";
import { assert, describe, it } from "@effect/vitest";
import * as Effect from "effect/Effect";
import { payloadsOf, play } from "../support/play.ts";
import * as Shells from "../support/shell.ts";
import { installIn, packageOf } from "../support/skills.ts";
import * as World from "../support/World.ts";

const playing = (
  turns: ReadonlyArray<World.Turn>,
  shell: ReturnType<typeof Shells.shellOf>,
  more: { readonly world?: World.World; readonly profile?: object } = {},
) =>
  play([...turns, ...World.publishing], {
    ...(more.world === undefined ? {} : { world: more.world }),
    profile: Shells.profileWith(more.profile),
    process: { shell },
  });

/** What the command of a run was given. */
const listening = () => {
  const requests: Array<ShellRequest> = [];
  const shell = Shells.shellOf((request) =>
    Effect.sync(() => {
      requests.push(request);
      return Shells.exited();
    }),
  );
  return { requests, shell };
};

describe("a shell command", () => {
  it.effect("is given the files that the agent sees, Skills and long results among them, and where it may write", () =>
    Effect.gen(function* () {
      const { requests, shell } = listening();
      const world = World.make();
      const image = new Uint8Array([0x89, 0x50, 0xff]);
      yield* installIn(world, [packageOf("style", "Write plainly.", { "assets/cover.png": image })]);
      const long = Shells.shellOf((request) =>
        request.command === "long"
          ? Effect.succeed(Shells.exited({ output: { text: "Gulls. ".repeat(9000), truncated: true } }))
          : shell.run(request),
      );
      const run = yield* playing(
        [World.write("Notes.", "scratch/notes.md"), Shells.shell("long"), Shells.shell("ls", { workdir: "/scratch" })],
        long,
        { world, profile: { workspace: { visibleRoots: ["output", "scratch"], writableRoots: ["output"] } } },
      );
      assert.strictEqual(run.results[0]?.errorCode, "workspace.path_not_writable");
      assert.include(run.results[1]?.content, "too long to stand here");
      const [request] = requests;
      assert.isDefined(request);
      if (request === undefined) return;
      assert.strictEqual(request.workdir, "scratch");
      assert.deepStrictEqual(request.folders, ["output", "scratch", "skills", "tool-results"]);
      assert.deepStrictEqual(request.writableRoots, ["output"]);
      assert.strictEqual(request.limits.timeoutMs, 30_000);
      assert.strictEqual(request.limits.outputBytes, 131_072);
      assert.deepInclude(request.context, { runId: run.runId, agentId: "sheller", messageBodyPath: "output/main.md" });
      assert.include(Shells.textOf(request, "skills/style/SKILL.md"), "Write plainly.");
      assert.deepStrictEqual(request.files.find(({ path }) => path === "skills/style/assets/cover.png")?.bytes, image);
      const results = request.files.filter(({ path }) => path.startsWith("tool-results/"));
      assert.strictEqual(results.length, 1);
      assert.include(Shells.textOf(request, results[0]?.path ?? ""), "Gulls.");
    }),
  );

  it.effect("tells its exit code, what it wrote to either stream, and what it changed", () =>
    Effect.gen(function* () {
      const shell = Shells.changing(
        { "output/list.md": "One.", "scratch/old.md": null },
        {
          output: { text: "two lines\nof it\n", truncated: false },
          errorOutput: { text: "beware", truncated: true },
          notes: ["The clock stands still."],
        },
      );
      const run = yield* playing([World.write("Old.", "scratch/old.md"), Shells.shell("work")], shell);
      assert.strictEqual(
        run.results[1]?.content,
        [
          "Exit code: 0",
          "two lines\nof it",
          "Error output:",
          "beware",
          "(Error output was longer; this is its beginning.)",
          "The clock stands still.",
          "Files written: output/list.md.",
          "Files removed: scratch/old.md.",
        ].join("\n"),
      );
      assert.isFalse(run.results[1]?.isError);
      assert.deepStrictEqual(run.results[1]?.structured, {
        ended: "exited",
        exitCode: 0,
        outputTruncated: true,
        written: ["output/list.md"],
        removed: ["scratch/old.md"],
      });
      assert.deepStrictEqual(run.results[1]?.resourceRefs, ["workspace:output/list.md"]);
      assert.sameMembers([...PathMap.paths(run.state.files)], ["output/list.md", "output/main.md"]);
      assert.strictEqual(run.outcome.status, "completed");
    }),
  );

  it.effect.each([
    ["workspace.shell_exit", { ended: "exited", exitCode: 2 }, "Exit code: 2"],
    ["workspace.shell_timeout", { ended: "timeout", exitCode: null, elapsedMs: 30_010 }, "ended after 30.0 seconds"],
    ["workspace.shell_failed", { ended: "limit", exitCode: null, notes: ["Too many files."] }, "Too many files."],
  ] as const)("that ends as %s keeps what it had changed", ([code, ending, told]) =>
    Effect.gen(function* () {
      const run = yield* playing([Shells.shell("work")], Shells.changing({ "output/list.md": "One." }, ending));
      const [result] = run.results;
      assert.strictEqual(result?.errorCode, code);
      assert.include(result?.content, told);
      assert.include(result?.content, "Files written: output/list.md.");
      if (ending.ended !== "exited") assert.include(result?.content, "What it had changed by then is kept.");
      assert.isDefined(PathMap.get(run.state.files, "output/list.md"));
      assert.strictEqual(run.outcome.status, "completed");
    }),
  );

  it.effect("that took down what ran it has changed nothing", () =>
    Effect.gen(function* () {
      const run = yield* playing([Shells.shell("bomb")], Shells.changing({}, { ended: "crashed", exitCode: null }));
      assert.strictEqual(run.results[0]?.errorCode, "workspace.shell_failed");
      assert.include(run.results[0]?.content, "changed nothing");
    }),
  );

  it.effect.each([
    ["workdirMissing", "workspace.path_not_found", 'There is no folder "output/none"'],
    ["commandTooLong", "tool.invalid_arguments", "too long"],
    ["tooManyFiles", "workspace.shell_failed", "more files"],
    ["unavailable", "workspace.shell_failed", "nothing was changed"],
    ["internal", "workspace.shell_failed", "nothing was changed"],
  ] as const)("that could not be begun (%s) is told so, and the run goes on", ([kind, code, told]) =>
    Effect.gen(function* () {
      const shell = Shells.shellOf(() => Effect.fail(new ShellFault({ kind, detail: "It is so." })));
      const run = yield* playing([Shells.shell("work", { workdir: "output/none" })], shell);
      assert.strictEqual(run.results[0]?.errorCode, code);
      assert.include(run.results[0]?.content, told);
      assert.strictEqual(run.outcome.status, "completed");
    }),
  );

  it.effect("that is too long, or begins where the agent sees nothing, is not run", () =>
    Effect.gen(function* () {
      const { requests, shell } = listening();
      const run = yield* playing(
        [
          Shells.shell(`echo ${"é".repeat(70_000)}`),
          Shells.shell("ls", { workdir: "input" }),
          Shells.shell("ls", { workdir: "../.." }),
          Shells.shell("ls", { workdir: "/" }),
        ],
        shell,
      );
      assert.deepStrictEqual(
        run.results.slice(0, 4).map(({ errorCode }) => errorCode),
        ["tool.invalid_arguments", "workspace.path_not_visible", "workspace.invalid_path", undefined],
      );
      assert.deepStrictEqual(
        requests.map(({ workdir }) => workdir),
        [""],
      );
    }),
  );

  it.effect("that may take less time by the profile is stopped by the shell before its call is", () =>
    Effect.gen(function* () {
      const { requests, shell } = listening();
      const timeoutMs = { "builtin:workspace.shell": 2000 };
      yield* playing([Shells.shell("ls")], shell, {
        profile: { tools: { allow: Shells.tools, maxRounds: 9, timeoutMs } },
      });
      assert.strictEqual(requests[0]?.limits.timeoutMs, 1800);
    }),
  );

  it.effect("changes nothing where the agent may not write, in no spelling that a path cannot have, and says so", () =>
    Effect.gen(function* () {
      const files = {
        "plan/a.md": "A",
        "skills/style/SKILL.md": null,
        "../up": "U",
        "output/./b.md": "B",
        "output/c.md": "C",
      };
      const run = yield* playing([Shells.shell("work")], Shells.changing(files), {
        profile: { workspace: { visibleRoots: ["output", "plan"], writableRoots: ["output"] } },
      });
      assert.include(
        run.results[0]?.content,
        "Not kept, for nothing can be written there: plan/a.md, skills/style/SKILL.md, ../up, output/./b.md.",
      );
      assert.deepStrictEqual(
        payloadsOf(run.events, "workspace_file_written").map(({ path }) => path),
        ["output/c.md", "output/main.md"],
      );
    }),
  );

  it.effect("that leaves every file as it was changes nothing, and names no moment", () =>
    Effect.gen(function* () {
      const run = yield* playing(
        [World.write("Same.", "output/a.md"), Shells.shell("touch output/a.md")],
        Shells.changing({ "output/a.md": "Same." }),
      );
      assert.strictEqual(run.results[1]?.content, "Exit code: 0");
      assert.deepStrictEqual(
        payloadsOf(run.events, "checkpoint_created").map(({ reason }) => reason),
        ["tool_workspace_write", "tool_workspace_write", "chat_commit"],
      );
    }),
  );

  it.effect("names many files by the first of them", () =>
    Effect.gen(function* () {
      const many = Array.from({ length: 30 }, (_, index) => [`output/${String(index).padStart(2, "0")}.md`, "x"]);
      const run = yield* playing([Shells.shell("work")], Shells.changing(Object.fromEntries(many)));
      assert.match(run.results[0]?.content ?? "", /Files written: output\/00\.md, .*output\/19\.md and 10 more\.$/);
      assert.strictEqual(PathMap.paths(run.state.files).length, 31);
    }),
  );

  it.effect("makes no file known: the agent reads it before it changes it", () =>
    Effect.gen(function* () {
      const patch = { path: "output/a.md", old_string: "sea", new_string: "river" };
      const run = yield* playing(
        [
          World.write("The lake.", "output/a.md"),
          Shells.shell("sed -i s/lake/sea/ output/a.md"),
          World.call("workspace_apply_patch", patch),
          World.write("Other.", "output/a.md"),
          World.call("workspace_read_file", { path: "output/a.md" }),
          World.call("workspace_apply_patch", patch),
        ],
        Shells.changing({ "output/a.md": "The sea." }),
      );
      assert.deepStrictEqual(
        run.results.slice(0, 6).map(({ errorCode }) => errorCode),
        [undefined, undefined, "workspace.patch_requires_read", "workspace.write_requires_read", undefined, undefined],
      );
    }),
  );

  it.effect("is there only where something runs it", () =>
    Effect.gen(function* () {
      const without = yield* play([Shells.shell("ls"), ...World.publishing]);
      assert.strictEqual(without.results[0]?.errorCode, "model.unknown_tool_call");
      const { requests, shell } = listening();
      const run = yield* play([Shells.shell("ls"), ...World.publishing], { process: { shell } });
      assert.strictEqual(run.results[0]?.content, "Exit code: 0");
      assert.strictEqual(requests.length, 1);
      const [resolved] = payloadsOf(run.events, "profile_resolved");
      assert.notInclude(JSON.stringify(resolved), "workspace.shell is not available");
    }),
  );
});
