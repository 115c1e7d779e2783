import * as PathMap from "@cahier/domain/run/PathMap";
import { loadState } from "@cahier/application/run/loadState";
import { checkpointsOf } from "@cahier/domain/run/checkpoint";
import type { StoredEvent } from "@cahier/domain/run/EventEnvelope";
import type { RunState } from "@cahier/domain/run/RunState";
import * as MemoryRunJournal from "@cahier/storage-memory/MemoryRunJournal";
import { assert, describe, it } from "@effect/vitest";
import * as Effect from "effect/Effect";
import * as Cut from "./support/cut.ts";
import { play } from "./support/play.ts";
import * as World from "./support/World.ts";

/** A profile with every built-in tool. */
const profile = {
  document: {
    kind: "cahier.agentProfile",
    schemaVersion: 1,
    id: "everything",
    displayName: "Everything",
    run: { presentation: "foreground", driftRecovery: { maxAttempts: 3 } },
    tools: { allow: World.soloTools, maxRounds: 20 },
  },
};

const path = "output/main.md";

const namesOf = (state: RunState) =>
  checkpointsOf(state).map(({ id, label, reason }) => [id, reason, ...(label === null ? [] : [label])]);

describe("checkpoints", () => {
  it.effect(
    "are made after each call that changed the workspace, after a kept answer, before each commit, on request",
    () =>
      Effect.gen(function* () {
        const { outcome, state } = yield* play(
          [
            World.write("They wait."),
            World.call("workspace_apply_patch", { path, old_string: "wait", new_string: "go" }),
            { text: "And then?" },
            World.call("workspace_create_checkpoint", { label: "a draft" }),
            World.commit,
            World.finish,
          ],
          { profile },
        );
        assert.strictEqual(outcome.status, "completed");
        assert.deepStrictEqual(namesOf(state), [
          ["cp_000001", "tool_workspace_write"],
          ["cp_000002", "tool_workspace_patch"],
          ["cp_000003", "direct_output_capture"],
          ["cp_000004", "tool", "a draft"],
          ["cp_000005", "chat_commit"],
        ]);
        assert.deepStrictEqual(PathMap.paths(checkpointsOf(state)[1]?.files ?? PathMap.empty), [path]);
        assert.deepStrictEqual(PathMap.paths(checkpointsOf(state)[2]?.files ?? PathMap.empty), [
          path,
          "output/direct_output.md",
        ]);
      }),
  );

  it.effect(
    "are not made by what leaves every file as it is: reading, failing, writing and answering the same again",
    () =>
      Effect.gen(function* () {
        const { results, state } = yield* play(
          [
            World.write("They wait."),
            World.call("workspace_read_file", { path }),
            World.call("workspace_list_files"),
            World.call("workspace_apply_patch", { path, old_string: "nowhere", new_string: "here" }),
            World.write("They wait."),
            World.call("workspace_write_file", { path, mode: "append", content: "" }),
            { text: "And then?" },
            { text: "And then?" },
            World.commit,
            World.finish,
          ],
          { profile },
        );
        assert.deepStrictEqual(namesOf(state), [
          ["cp_000001", "tool_workspace_write"],
          ["cp_000002", "direct_output_capture"],
          ["cp_000003", "chat_commit"],
        ]);
        assert.deepInclude(results[3], { isError: true });
      }),
  );

  it.effect("cost no append of their own, and stand behind the result of their call", () =>
    Effect.gen(function* () {
      const world = World.make();
      const recording = Cut.record();
      const { events } = yield* play(World.publishing, { world, process: Cut.recorded(recording, world) });
      const named = events.filter(({ type }) => type === "checkpoint_created");
      assert.lengthOf(named, 2);
      const before = named.map(({ seq }) => events[seq - 2]?.type);
      assert.deepStrictEqual(before, ["tool_call_completed", "tool_call_started"]);
      for (const { seq } of named) assert.notInclude(recording.batches, seq);
    }),
  );

  it.effect("name the files of the state after their event", () =>
    Effect.gen(function* () {
      const { runId, state, world } = yield* play([World.write("One.", "plan/a.md"), ...World.publishing], { profile });
      const seen = new Map<number, RunState["files"]>();
      const remember = (event: StoredEvent, after: RunState): void => void seen.set(event.seq, after.files);
      yield* loadState(MemoryRunJournal.make(world.journals), runId, remember);
      assert.lengthOf(checkpointsOf(state), 3);
      for (const { files, seq } of checkpointsOf(state))
        assert.deepStrictEqual(
          Object.entries(PathMap.toRecord(files)).map(([name, { sha256 }]) => [name, sha256]),
          Object.entries(PathMap.toRecord(seen.get(seq) ?? PathMap.empty)).map(([name, { sha256 }]) => [name, sha256]),
        );
    }),
  );

  it.effect("are listed for people in checkpoints.json of the readable tree", () =>
    Effect.gen(function* () {
      const { runId, state, world } = yield* play(World.publishing);
      const bytes = world.mirrors.trees.get(runId)?.get("checkpoints.json") ?? new Uint8Array();
      const file = PathMap.get(state.files, path);
      assert.deepStrictEqual(JSON.parse(new TextDecoder().decode(bytes)), {
        runId,
        checkpoints: checkpointsOf(state).map(({ id, reason, seq }, index) => ({
          id,
          seq,
          reason,
          changes: index === 0 ? [{ path, status: "added", sha256: file?.sha256, bytes: file?.bytes }] : [],
        })),
      });
    }),
  );
});
