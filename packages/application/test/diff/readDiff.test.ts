import * as PathMap from "@cahier/domain/run/PathMap";
import { checkpointsOf } from "@cahier/domain/run/checkpoint";
import { type DiffOptions, readDiff } from "@cahier/application/diff/readDiff";
import { classifyStorage } from "@cahier/application/failure/classifyStorage";
import type { RunId } from "@cahier/domain/identity/Identity";
import { Corrupt } from "@cahier/ports/StorageFault";
import { assert, describe, it } from "@effect/vitest";
import * as Effect from "effect/Effect";
import { play } from "../support/play.ts";
import * as World from "../support/World.ts";

const patch = (path: string, old_string: string, new_string: string): World.Turn =>
  World.call("workspace_apply_patch", { path, old_string, new_string });

const long = `${"A long line of the plan. ".repeat(20)}\n`.repeat(40);

/** Writes two files, changes one, keeps a long one, names the moment, changes again. */
const turns: ReadonlyArray<World.Turn> = [
  World.write("They wait.\nIt rains.\n"),
  World.write(long, "plan/outline.md"),
  World.call("workspace_create_checkpoint", { label: "before the storm" }),
  patch("output/main.md", "It rains.", "It pours."),
  World.call("workspace_write_file", { path: "output/main.md", mode: "append", content: "The end.\n" }),
  World.commit,
  World.finish,
];

/** A profile that may name moments. */
const profile = {
  document: {
    kind: "cahier.agentProfile",
    schemaVersion: 1,
    id: "historian",
    displayName: "Historian",
    run: { presentation: "foreground" },
    tools: {
      maxRounds: 20,
      allow: ["write_file", "apply_patch", "create_checkpoint", "commit", "finish"].map(
        (name) => `builtin:workspace.${name}`,
      ),
    },
  },
};

const played = play(turns, { profile });

const diffOf = (world: World.World, runId: RunId, options?: DiffOptions) =>
  readDiff(runId, options).pipe(World.inProcess(world, { name: "reader" }));

const codeOf = (world: World.World, runId: RunId, options: DiffOptions) =>
  Effect.map(Effect.flip(diffOf(world, runId, options)), (failure) => failure.reason.code);

const seqOf = (types: ReadonlyArray<string>, type: string): number => types.indexOf(type) + 1;

describe("the diff of a run", () => {
  it.effect("goes from the start until now unless it is told otherwise", () =>
    Effect.gen(function* () {
      const { runId, state, world } = yield* played;
      const diff = yield* diffOf(world, runId);
      assert.deepStrictEqual([diff.from, diff.to], [{ seq: 0 }, { seq: state.seq }]);
      assert.deepStrictEqual(
        diff.files.map(({ path, status, before, addedLines, removedLines }) => [
          path,
          status,
          before,
          addedLines,
          removedLines,
        ]),
        [
          ["output/main.md", "added", null, 3, 0],
          ["plan/outline.md", "added", null, 40, 0],
        ],
      );
      const after = PathMap.get(state.files, "output/main.md");
      assert.deepStrictEqual(diff.files[0]?.after, {
        sha256: after?.sha256,
        chars: after?.chars,
        words: after?.words,
      });
      assert.include(diff.files[0]?.diff, "+It pours.\n+The end.\n");
    }),
  );

  it.effect("goes from a checkpoint to an event, leaves out what is the same, and back again", () =>
    Effect.gen(function* () {
      const { runId, state, types, world } = yield* played;
      const named = checkpointsOf(state).find(({ label }) => label === "before the storm");
      assert.isDefined(named);
      const patched = seqOf(types, "workspace_patch_applied");
      const there = yield* diffOf(world, runId, { from: named?.id ?? "", to: patched });
      assert.deepStrictEqual(there.from, { seq: named?.seq ?? 0, checkpointId: named?.id });
      assert.deepStrictEqual(
        there.files.map(({ path, status, diff }) => [path, status, diff.split("\n").slice(3)]),
        [["output/main.md", "modified", ["@@ -1,2 +1,2 @@", " They wait.", "-It rains.", "+It pours.", ""]]],
      );
      const back = yield* diffOf(world, runId, { from: patched, to: 0 });
      assert.deepStrictEqual(
        back.files.map(({ path, status, after, removedLines }) => [path, status, after, removedLines]),
        [
          ["output/main.md", "deleted", null, 2],
          ["plan/outline.md", "deleted", null, 40],
        ],
      );
      assert.isEmpty((yield* diffOf(world, runId, { from: patched, to: patched })).files);
    }),
  );

  it.effect("shows only the files and folders that are asked for", () =>
    Effect.gen(function* () {
      const { runId, world } = yield* played;
      for (const paths of [["plan"], ["plan/outline.md"], ["./plan/"]]) {
        const { files } = yield* diffOf(world, runId, { paths });
        assert.deepStrictEqual(
          files.map(({ path }) => path),
          ["plan/outline.md"],
        );
      }
    }),
  );

  it.effect("refuses a moment or a file that the run never had, with its code", () =>
    Effect.gen(function* () {
      const { runId, state, world } = yield* played;
      assert.strictEqual(yield* codeOf(world, runId, { to: state.seq + 1 }), "agent.event_not_found");
      assert.strictEqual(yield* codeOf(world, runId, { from: -1 }), "agent.event_not_found");
      assert.strictEqual(yield* codeOf(world, runId, { from: "cp_999999" }), "agent.checkpoint_not_found");
      assert.strictEqual(yield* codeOf(world, runId, { paths: ["output/other.md"] }), "workspace.file_not_found");
      assert.strictEqual(yield* codeOf(world, runId, { paths: ["input/chat.json"] }), "agent.workspace_read_denied");
      assert.strictEqual(yield* codeOf(world, runId, { paths: ["../x"] }), "workspace.invalid_path");
    }),
  );

  it.effect("of a damaged journal ends before the damage: what may lie behind it is journal.corrupt", () =>
    Effect.gen(function* () {
      const { runId, types, world } = yield* played;
      const written = seqOf(types, "workspace_file_written");
      const damage = new Corrupt({ entity: "journal", id: runId, seq: written + 1, detail: "a bit flipped" });
      const damaged: World.ProcessOptions = {
        name: "reader",
        journal: (journal) => ({
          ...journal,
          read: (id, options) =>
            Effect.map(journal.read(id, options), (page) => ({
              ...page,
              events: page.events.filter(({ seq }) => seq <= written),
              damage,
            })),
        }),
      };
      const before = yield* readDiff(runId, { to: written }).pipe(World.inProcess(world, damaged));
      assert.lengthOf(before.files, 1);
      const behind = yield* Effect.flip(readDiff(runId, { to: written + 1 })).pipe(World.inProcess(world, damaged));
      assert.strictEqual(behind.message, classifyStorage(damage).message);
      assert.strictEqual(behind.reason.code, "journal.corrupt");
    }),
  );
});
