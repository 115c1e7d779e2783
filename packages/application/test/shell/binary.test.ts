import { readDiff } from "@cahier/application/diff/readDiff";
import { readWorkspaceFile } from "@cahier/application/run/RunReader";
import type { Tool } from "@cahier/application/tool/Tool";
import * as PathMap from "@cahier/domain/run/PathMap";
import * as Sha256 from "@cahier/domain/payload/Sha256";
import { ToolId } from "@cahier/domain/tool/ToolId";
import { assert, describe, it } from "@effect/vitest";
import * as Effect from "effect/Effect";
import { payloadsOf, play } from "../support/play.ts";
import * as Shells from "../support/shell.ts";
import * as World from "../support/World.ts";

const image = Uint8Array.from({ length: 20_000 }, (_, index) => (index * 7) % 256);
const path = "output/image.png";

const playing = (
  turns: ReadonlyArray<World.Turn>,
  files: Parameters<typeof Shells.changing>[0] = { [path]: image },
  more: { readonly world?: World.World; readonly tools?: ReadonlyArray<Tool>; readonly profile?: object } = {},
) =>
  play([Shells.shell("draw"), ...turns, ...World.publishing], {
    ...(more.world === undefined ? {} : { world: more.world }),
    profile: Shells.profileWith(more.profile),
    process: { shell: Shells.changing(files), tools: more.tools ?? [] },
  });

describe("a file that is no text", () => {
  it.effect("is on record with its own digest and size, and the readable tree has its bytes", () =>
    Effect.gen(function* () {
      const run = yield* playing([]);
      const [written] = payloadsOf(run.events, "workspace_file_written");
      assert.deepInclude(written, {
        path,
        encoding: "base64",
        sha256: Sha256.ofBytes(image),
        bytes: 20_000,
        chars: 0,
        words: 0,
        unseen: true,
      });
      assert.deepStrictEqual(run.world.mirrors.trees.get(run.runId)?.get(path), image);
      const manifest = run.world.mirrors.trees.get(run.runId)?.get("manifest.json");
      assert.include(new TextDecoder().decode(manifest), '"binary": true');
    }),
  );

  it.effect("is listed, and neither shown, searched, patched, written over, added to nor published", () =>
    Effect.gen(function* () {
      const run = yield* playing([
        World.call("workspace_list_files"),
        World.call("workspace_read_file", { path }),
        World.call("workspace_search_files", { query: "river" }),
        World.call("workspace_apply_patch", { path, old_string: "a", new_string: "b" }),
        World.write("Text.", path),
        World.call("workspace_write_file", { path, mode: "append", content: "Text." }),
        World.call("workspace_commit", { path }),
      ]);
      const [, list, read, search, ...refused] = run.results;
      assert.include(list?.content, path);
      assert.strictEqual(read?.errorCode, "workspace.file_not_text");
      assert.include(read?.content, "20000 bytes that are no text");
      assert.include(search?.content, "Files not searched, for they are no text: 1.");
      assert.deepStrictEqual(search?.structured, { query: "river", hits: [], skipped: 1 });
      assert.deepStrictEqual(
        refused.slice(0, 4).map(({ errorCode }) => errorCode),
        Array.from({ length: 4 }, () => "workspace.file_not_text"),
      );
      assert.strictEqual(PathMap.get(run.state.files, path)?.sha256, Sha256.ofBytes(image));
    }),
  );

  it.effect("is not read or changed as text by a tool from outside", () =>
    Effect.gen(function* () {
      const id = ToolId.make("extension/outside:reach");
      const all = [
        { _tag: "Read", path, range: [0, 0] },
        { _tag: "Write", path, mode: "append", text: "Text." },
        { _tag: "Patch", path, content: "b", edits: { at: [0], remove: "a", insert: "b" } },
      ];
      const tool: Tool = {
        descriptor: {
          id,
          title: "Reach",
          description: "Reaches outside.",
          inputSchema: { type: "object", properties: { index: { type: "integer" } } },
          annotations: { readOnly: true, destructive: false, idempotent: true, openWorld: false, cost: "none" },
          source: "extension",
          visibility: "model",
          permission: "always",
          budget: { timeoutMs: 1000 },
        },
        run: ((given: { readonly index: number }) =>
          Effect.succeed({ _tag: "Done", content: "", changes: [all[given.index]] })) as unknown as Tool["run"],
      };
      const run = yield* playing(
        [World.calls(["reach", { index: 0 }], ["reach", { index: 1 }])],
        { [path]: image },
        {
          tools: [tool],
          profile: {
            tools: { allow: [...Shells.tools, id], maxRounds: 9, policy: [{ tools: [id], permission: "always" }] },
          },
        },
      );
      assert.deepStrictEqual(
        run.results.slice(1, 3).map(({ errorCode }) => errorCode),
        ["workspace.file_not_text", "workspace.file_not_text"],
      );
    }),
  );

  it.effect("is given to commands as it is, and goes on being one after a restart", () =>
    Effect.gen(function* () {
      const world = World.make();
      const run = yield* playing([], { [path]: image }, { world });
      const reader = World.inProcess(world, { name: "reader" });
      const refused = yield* Effect.flip(readWorkspaceFile(run.runId, path)).pipe(reader);
      assert.strictEqual(refused.reason.code, "workspace.file_not_text");
      const diff = yield* readDiff(run.runId).pipe(reader);
      const found = diff.files.find((file) => file.path === path);
      assert.strictEqual(
        found?.diff,
        `diff --git a/${path} b/${path}\nnew file mode 100644\nBinary files /dev/null and b/${path} differ\n`,
      );
      assert.deepStrictEqual([found?.addedLines, found?.removedLines], [0, 0]);
    }),
  );

  it.effect("is seen by the next command byte by byte", () =>
    Effect.gen(function* () {
      const seen: Array<Uint8Array | undefined> = [];
      const shell = Shells.shellOf((request) => {
        seen.push(request.files.find((file) => file.path === path)?.bytes);
        return Effect.succeed(Shells.exited({ changes: Shells.changes({ [path]: image }) }));
      });
      yield* play([Shells.shell("draw"), Shells.shell("look"), ...World.publishing], {
        profile: Shells.profileWith(),
        process: { shell },
      });
      assert.deepStrictEqual(seen, [undefined, image]);
    }),
  );

  it.effect("is not remembered: the command is told so, and what else it changed is kept", () =>
    Effect.gen(function* () {
      const run = yield* playing([], { "persist/image.png": image, "persist/names.md": "Ada" });
      assert.include(run.results[0]?.content, "Not kept, for only text is remembered: persist/image.png.");
      assert.sameMembers([...PathMap.paths(run.state.files)], ["output/main.md", "persist/names.md"]);
    }),
  );

  it.effect("becomes text again when text is written in its place by a command", () =>
    Effect.gen(function* () {
      const shell = Shells.shellOf(({ command }) =>
        Effect.succeed(Shells.exited({ changes: Shells.changes({ [path]: command === "draw" ? image : "Text." }) })),
      );
      const run = yield* play(
        [Shells.shell("draw"), Shells.shell("write"), World.call("workspace_read_file", { path }), ...World.publishing],
        { profile: Shells.profileWith(), process: { shell } },
      );
      assert.include(run.results[2]?.content, "Text.");
    }),
  );
});
