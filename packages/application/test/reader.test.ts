import * as PathMap from "@cahier/domain/run/PathMap";
import { mirrorRun } from "@cahier/application/run/mirrorRun";
import * as RunReader from "@cahier/application/run/RunReader";
import { summariesCollection } from "@cahier/application/run/RunSummary";
import { hostsCollection } from "@cahier/application/run/Ownership";
import type { Fatal } from "@cahier/domain/failure/Failure";
import { rootInvocation, type RunId } from "@cahier/domain/identity/Identity";
import * as MemoryDocumentStore from "@cahier/storage-memory/MemoryDocumentStore";
import * as MemoryRunJournal from "@cahier/storage-memory/MemoryRunJournal";
import * as MemoryRunMirror from "@cahier/storage-memory/MemoryRunMirror";
import { Unavailable } from "@cahier/ports/StorageFault";
import { assert, describe, it } from "@effect/vitest";
import * as Effect from "effect/Effect";
import * as Fiber from "effect/Fiber";
import * as Stream from "effect/Stream";
import * as TestClock from "effect/testing/TestClock";
import { ended, eventsOf, payloadsOf, play, reached, start } from "./support/play.ts";
import * as World from "./support/World.ts";

const reading = <A, E, R>(world: World.World, effect: Effect.Effect<A, E, R>) =>
  effect.pipe(World.inProcess(world, { name: "reader" }));

const codeOf = <A, R>(world: World.World, effect: Effect.Effect<A, Fatal, R>) =>
  Effect.map(reading(world, Effect.flip(effect)), (failure) => failure.reason.code);

describe("a list of runs", () => {
  it.effect("shows the newest first, each with how it ended", () =>
    Effect.gen(function* () {
      const world = World.make();
      const first = yield* play(World.publishing, { world });
      yield* TestClock.adjust(1000);
      const second = yield* play([{ text: "x" }, { text: "x" }], { world, profile: {} });
      const runs = yield* reading(world, RunReader.listRuns());
      assert.deepStrictEqual(
        runs.map(({ runId, status, standing, rounds, commitCount, error }) => ({
          runId,
          status,
          standing,
          rounds,
          commitCount,
          code: error?.code,
        })),
        [
          {
            runId: second.runId,
            status: "failed",
            standing: "ended",
            rounds: 2,
            commitCount: 0,
            code: "model.tool_call_required",
          },
          {
            runId: first.runId,
            status: "completed",
            standing: "ended",
            rounds: 3,
            commitCount: 1,
            code: undefined,
          },
        ],
      );
      assert.strictEqual((yield* reading(world, RunReader.listRuns({ limit: 1 })))[0]?.runId, second.runId);
    }),
  );

  it.effect("keeps the summary of an ended run, so that its journal is not folded again", () =>
    Effect.gen(function* () {
      const world = World.make();
      const { runId } = yield* play(World.publishing, { world });
      const [made] = yield* reading(world, RunReader.listRuns());
      const reads: Array<RunId> = [];
      const [kept] = yield* RunReader.listRuns().pipe(
        World.inProcess(world, {
          journal: (journal) => ({
            ...journal,
            read: (id, options) => {
              reads.push(id);
              return journal.read(id, options);
            },
          }),
        }),
      );
      assert.deepStrictEqual(kept, made);
      assert.deepStrictEqual(reads, []);
      yield* MemoryDocumentStore.damage(world.documents, summariesCollection, runId);
      assert.deepStrictEqual((yield* reading(world, RunReader.listRuns()))[0], made, "a damaged cache is no truth");
    }),
  );

  it.effect("shows a run that is under way as running, and as interrupted once its process is gone", () =>
    Effect.gen(function* () {
      const world = World.make();
      const runId = yield* Effect.gen(function* () {
        const run = yield* start([{ error: { hang: true } }]);
        yield* reached(world, run.runId, "model_call_attempt_started");
        for (const look of [RunReader.listRuns(), reading(world, RunReader.listRuns())])
          assert.deepStrictEqual(
            (yield* look).map(({ standing, status }) => ({ standing, status })),
            [{ standing: "running", status: "calling_model" }],
          );
        return run.runId;
      }).pipe(World.inProcess(world));
      const [left] = yield* reading(world, RunReader.listRuns());
      assert.deepStrictEqual([left?.standing, left?.status], ["interrupted", "calling_model"]);
      assert.strictEqual((yield* reading(world, RunReader.showRun(runId))).standing, "interrupted");
    }),
  );

  it.effect("shows a damaged run as damaged, alone and in the list, whatever its owner does", () =>
    Effect.gen(function* () {
      const world = World.make();
      const runId = yield* Effect.gen(function* () {
        const run = yield* start([{ error: { hang: true } }]);
        yield* reached(world, run.runId, "model_call_attempt_started");
        return run.runId;
      }).pipe(World.inProcess(world));
      yield* MemoryRunJournal.damage(world.journals, runId, 12);
      const [listed] = yield* reading(world, RunReader.listRuns());
      assert.deepStrictEqual([listed?.standing, listed?.error?.code], ["damaged", "journal.corrupt"]);
      const shown = yield* reading(world, RunReader.showRun(runId));
      assert.deepStrictEqual([shown.standing, shown.damage?.seq], ["damaged", 12]);
    }),
  );

  it.effect("shows a run that cannot be read as unreadable, with the reason, beside the others", () =>
    Effect.gen(function* () {
      const world = World.make();
      const first = yield* play(World.publishing, { world });
      yield* TestClock.adjust(1000);
      const second = yield* play(World.publishing, { world });
      const denied = new Unavailable({ operation: "read", kind: "denied", detail: "no access" });
      const runs = yield* RunReader.listRuns().pipe(
        World.inProcess(world, {
          journal: (journal) => ({
            ...journal,
            read: (id, options) => (id === second.runId ? Effect.fail(denied) : journal.read(id, options)),
          }),
        }),
      );
      assert.deepStrictEqual(
        runs.map(({ runId, standing, error }) => [runId, standing, error?.code]),
        [
          [second.runId, "unreadable", "storage.read_only"],
          [first.runId, "ended", undefined],
        ],
      );
      const [mended] = yield* reading(world, RunReader.listRuns());
      assert.strictEqual(mended?.standing, "ended", "what cannot be read is looked at again the next time");
    }),
  );

  it.effect("of an owner on another machine trusts its heartbeat for half a minute", () =>
    Effect.gen(function* () {
      const world = World.make();
      yield* Effect.gen(function* () {
        const run = yield* start([{ error: { hang: true } }]);
        yield* reached(world, run.runId, "model_call_attempt_started");
        world.liveness.set("owner_first", "elsewhere");
        const look = Effect.map(reading(world, RunReader.listRuns()), (runs) => runs[0]?.standing);
        yield* TestClock.adjust(60_000);
        assert.strictEqual(yield* look, "running", "the owner says every ten seconds that it lives");
        const hosts = MemoryDocumentStore.make(world.documents);
        const beats = yield* hosts.list(hostsCollection);
        assert.deepStrictEqual(
          beats.documents.map(({ id, revision }) => ({ id, revision })),
          [{ id: "owner_first", revision: 7 }],
        );
        yield* hosts.put(hostsCollection, "owner_first", 7, { at: 30_000 });
        assert.strictEqual(yield* look, "interrupted", "no sign of life for thirty seconds");
        yield* hosts.put(hostsCollection, "owner_first", 8, { at: 30_001 });
        assert.strictEqual(yield* look, "running");
        yield* hosts.put(hostsCollection, "owner_first", 9, "nonsense");
        assert.strictEqual(yield* look, "interrupted");
        yield* hosts.remove(hostsCollection, "owner_first");
        assert.strictEqual(yield* look, "interrupted");
        yield* run.cancel;
      }).pipe(World.inProcess(world));
      assert.deepStrictEqual((yield* MemoryDocumentStore.make(world.documents).list(hostsCollection)).documents, []);
    }),
  );
});

describe("the events of a run", () => {
  it.effect("are paged forwards and backwards, and filtered by invocation before the page is cut", () =>
    Effect.gen(function* () {
      const { events, runId, world } = yield* play(World.publishing);
      yield* reading(
        world,
        Effect.gen(function* () {
          const forward = yield* RunReader.readEvents(runId, { afterSeq: 3, limit: 4 });
          assert.deepStrictEqual(forward.events, events.slice(3, 7));
          const back = yield* RunReader.readEvents(runId, { beforeSeq: 8, limit: 2 });
          assert.deepStrictEqual(back.events, events.slice(5, 7));
          assert.strictEqual(back.lastSeq, events.length);
          const root = yield* RunReader.readEvents(runId, { limit: 5, invocation: rootInvocation });
          assert.deepStrictEqual(root.events, events.slice(0, 5));
          const other = yield* RunReader.readEvents(runId, { invocation: "inv_other" });
          assert.deepStrictEqual(other.events, []);
        }),
      );
      assert.strictEqual(
        yield* codeOf(world, RunReader.readEvents(runId, { invocation: "not an id!" })),
        "agent.event_scope_invalid",
      );
    }),
  );

  it.effect("are followed to the end of the run, each once and in order", () =>
    Effect.gen(function* () {
      const world = World.make();
      const run = yield* Effect.gen(function* () {
        const begun = yield* start([{ ...World.write("x"), delayMs: 1000 }, World.commit, World.finish]);
        const following = yield* Effect.forkChild(Stream.runCollect(RunReader.subscribe(begun.runId, 2)));
        yield* reached(world, begun.runId, "model_call_attempt_started");
        yield* TestClock.adjust(1000);
        const found = yield* ended(world, begun);
        assert.deepStrictEqual(yield* Fiber.join(following), found.events.slice(2));
        return found;
      }).pipe(World.inProcess(world));
      const all = yield* reading(world, Stream.runCollect(RunReader.subscribe(run.runId, 0)));
      assert.deepStrictEqual(all, run.events);
    }),
  );

  it.effect("of a run that has ended are followed no further than its last one", () =>
    Effect.gen(function* () {
      const { events, runId, world } = yield* play(World.publishing);
      for (const after of [events.length, events.length + 5])
        assert.deepStrictEqual(yield* reading(world, Stream.runCollect(RunReader.subscribe(runId, after))), []);
    }),
  );

  it.effect("of a damaged journal are shown up to the damage", () =>
    Effect.gen(function* () {
      const { runId, world } = yield* play(World.publishing);
      yield* MemoryRunJournal.damage(world.journals, runId, 20);
      const shown = yield* reading(world, RunReader.showRun(runId));
      assert.strictEqual(shown.state.seq, 19);
      assert.strictEqual(shown.damage?.seq, 20);
    }),
  );
});

describe("a file of a run", () => {
  it.effect("is read as it stands, with its counts", () =>
    Effect.gen(function* () {
      const { runId, state, world } = yield* play([
        World.write("one two"),
        World.call("workspace_write_file", { path: "output/main.md", content: " three", mode: "append" }),
        World.call("workspace_apply_patch", { path: "output/main.md", old_string: "two", new_string: "2" }),
        World.commit,
        World.finish,
      ]);
      assert.deepStrictEqual(yield* reading(world, RunReader.readWorkspaceFile(runId, "output/main.md")), {
        path: "output/main.md",
        text: "one 2 three",
        chars: 11,
        words: 3,
        sha256: PathMap.get(state.files, "output/main.md")?.sha256 ?? "",
      });
    }),
  );

  it.effect("outside of the workspace is not read, and one that is not there is named", () =>
    Effect.gen(function* () {
      const { runId, world } = yield* play(World.publishing);
      for (const path of ["input/invocations/inv_root/prompt_snapshot.json", "tool-args/a.json", "manifest.json"])
        assert.strictEqual(
          yield* codeOf(world, RunReader.readWorkspaceFile(runId, path)),
          "agent.workspace_read_denied",
        );
      assert.strictEqual(
        yield* codeOf(world, RunReader.readWorkspaceFile(runId, "output/../../x")),
        "workspace.invalid_path",
      );
      const missing = yield* reading(world, Effect.flip(RunReader.readWorkspaceFile(runId, "output/none.md")));
      assert.strictEqual(missing._tag === "Fatal" && missing.reason.code, "workspace.file_not_found");
      assert.include(missing.message, "output/main.md");
    }),
  );
});

describe("an answer of the model", () => {
  it.effect("is read with its text, its reasoning and its calls, cut where asked", () =>
    Effect.gen(function* () {
      const { runId, world } = yield* play([
        { text: "Let me write.", reasoning: "A river.", ...World.write("They wait.") },
        World.commit,
        World.finish,
      ]);
      yield* reading(
        world,
        Effect.gen(function* () {
          const whole = yield* RunReader.readModelTurn(runId, 1);
          assert.deepStrictEqual(
            [whole.assistant, whole.reasoning, whole.model, whole.truncated],
            ["Let me write.", "A river.", "script", false],
          );
          assert.strictEqual(whole.modelResponsePath, "model-responses/inv_root/round-001.json");
          assert.deepStrictEqual(
            whole.toolCalls.map(({ callId, name }) => ({ callId, name })),
            [{ callId: "call_0_0", name: "workspace_write_file" }],
          );
          const cut = yield* RunReader.readModelTurn(runId, 1, { maxChars: 6 });
          assert.deepStrictEqual([cut.assistant, cut.reasoning, cut.truncated], ["Let me", "A rive", true]);
          const onlyArguments = yield* RunReader.readModelTurn(runId, 1, { maxChars: 20 });
          assert.isTrue(onlyArguments.truncated, "arguments that are cut count as well");
        }),
      );
    }),
  );

  it.effect("that is asked for wrongly is refused with what is wrong", () =>
    Effect.gen(function* () {
      const { runId, world } = yield* play(World.publishing);
      const table = [
        [RunReader.readModelTurn(runId, 0), "agent.model_turn_round_invalid"],
        [RunReader.readModelTurn(runId, 1.5), "agent.model_turn_round_invalid"],
        [RunReader.readModelTurn(runId, 99), "agent.model_turn_round_invalid"],
        [RunReader.readModelTurn(runId, 1, { invocation: "no id!" }), "agent.model_turn_invocation_id_invalid"],
        [RunReader.readModelTurn(runId, 1, { invocation: "inv_other" }), "agent.model_turn_round_invalid"],
        [RunReader.readModelTurn(runId, 1, { maxChars: 0 }), "agent.model_turn_max_chars_invalid"],
      ] as const;
      for (const [asking, code] of table) assert.strictEqual(yield* codeOf(world, asking), code);
    }),
  );
});

describe("a run id", () => {
  it.effect("that is none is refused, and one that names no run is not found", () =>
    Effect.gen(function* () {
      const world = World.make();
      assert.strictEqual(yield* codeOf(world, RunReader.parseRunId("../runs")), "agent.invalid_run_id");
      const runId = yield* RunReader.parseRunId("run_none");
      assert.strictEqual(yield* codeOf(world, RunReader.showRun(runId)), "agent.run_not_found");
      assert.strictEqual(
        yield* codeOf(world, RunReader.readWorkspaceFile(runId, "output/main.md")),
        "agent.run_not_found",
      );
    }),
  );
});

describe("the readable tree", () => {
  it.effect("holds what the journal says, and can be deleted and made again", () =>
    Effect.gen(function* () {
      const { events, runId, state, world } = yield* play([
        World.calls(
          ["workspace_write_file", { path: "output/main.md", content: "They wait." }],
          ["workspace_write_file", { path: "scratch/large.md", content: "word ".repeat(4000) }],
        ),
        World.commit,
        World.finish,
      ]);
      const { workspaceId } = state;
      assert.isNotNull(workspaceId);
      if (workspaceId === null) return;
      const mirror = MemoryRunMirror.make(world.mirrors);
      const run = { runId, workspaceId };
      const read = (path: string) => Effect.map(mirror.read(run, path), (bytes) => new TextDecoder().decode(bytes));
      const tree = Effect.flatMap(mirror.list(run), (paths) =>
        Effect.forEach(paths, (path) => Effect.map(read(path), (text) => [path, text] as const)),
      );
      const made = yield* tree;
      assert.strictEqual(yield* read("output/main.md"), "They wait.");
      assert.strictEqual(yield* read("scratch/large.md"), "word ".repeat(4000));
      const [response] = payloadsOf(events, "model_response_stored");
      assert.isUndefined(response?.response.text, "a large answer is a blob");
      assert.include(yield* read(response?.response.path ?? ""), "word word word");
      const manifest = JSON.parse(yield* read("manifest.json")) as { readonly status: string; readonly files: unknown };
      assert.strictEqual(manifest.status, "completed");
      assert.deepStrictEqual(
        made.map(([path]) => path.split("/")[0]).filter((name, index, all) => all.indexOf(name) === index),
        [
          "checkpoints.json",
          "input",
          "manifest.json",
          "model-responses",
          "output",
          "scratch",
          "tool-args",
          "tool-results",
        ],
      );
      yield* mirror.clear(run);
      assert.deepStrictEqual(yield* tree, []);
      yield* reading(world, mirrorRun(runId));
      assert.deepStrictEqual(yield* tree, made);
      assert.deepStrictEqual(yield* eventsOf(world, runId), events);
    }),
  );
});
