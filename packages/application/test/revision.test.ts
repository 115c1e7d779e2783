import type { StorageFact } from "@cahier/application/failure/classifyStorage";
import { forkRun } from "@cahier/application/fork/forkRun";
import { reviseRun } from "@cahier/application/revision/reviseRun";
import { longestText } from "@cahier/domain/guidance/Guidance";
import { rollBackMessage } from "@cahier/application/rollback/rollBackMessage";
import { listRuns, readWorkspaceFile, subscribe } from "@cahier/application/run/RunReader";
import { Runs } from "@cahier/application/run/Runs";
import { startRunFromChat, type StartFromChat } from "@cahier/application/run/startRun";
import type { Fatal } from "@cahier/domain/failure/Failure";
import { RunId } from "@cahier/domain/identity/Identity";
import * as Message from "@cahier/domain/model/Message";
import type { ModelBinding, ModelRequest } from "@cahier/domain/model/ModelRequest";
import * as PathMap from "@cahier/domain/run/PathMap";
import type { ModelGateway } from "@cahier/ports/ModelGateway";
import { Unavailable } from "@cahier/ports/StorageFault";
import * as FaultyRunJournal from "@cahier/testkit/doubles/FaultyRunJournal";
import * as MemoryChatHost from "@cahier/testkit/doubles/MemoryChatHost";
import { assert, describe, it } from "@effect/vitest";
import * as Effect from "effect/Effect";
import * as Stream from "effect/Stream";
import { ended, eventsOf, payloadsOf, play, reached } from "./support/play.ts";
import * as World from "./support/World.ts";

/** A script whose later invocations play turns of their own. */
const scripted = (...invocations: ReadonlyArray<ReadonlyArray<World.Turn>>): ModelBinding => ({
  ...World.scripted([]),
  script: JSON.stringify({
    format: "cahier.script/1",
    turns: invocations[0],
    agents: { "default-writer": invocations.map((turns) => ({ turns })) },
  }),
});

const rewriting = (text: string): ReadonlyArray<World.Turn> => [
  World.call("workspace_read_file", { path: "output/previous_output.md" }),
  World.call("workspace_read_file", { path: "output/main.md" }),
  World.write(text),
  World.commit,
  World.finish,
];

/** A run that has published, and what its revisions would play. */
const published = Effect.fnUntraced(function* (
  revisions: ReadonlyArray<ReadonlyArray<World.Turn>>,
  options: Partial<StartFromChat> = {},
  world = World.make(),
) {
  const runId = yield* Effect.gen(function* () {
    const binding = scripted(World.publishing, ...revisions);
    const run = yield* startRunFromChat({ chat: World.chatLocation, binding, ...options });
    assert.strictEqual((yield* run.outcome).status, "completed");
    return run.runId;
  }).pipe(World.inProcess(world));
  return { world, runId };
});

const revised = (world: World.World, runId: RunId, text = "Let it rain.", options: World.ProcessOptions = {}) =>
  Effect.gen(function* () {
    return yield* ended(world, yield* reviseRun(runId, text));
  }).pipe(World.inProcess(world, { name: "reviser", ...options }));

/** Runs that are not there are the only failure beside the refusals. */
const codeOf = <A, R>(effect: Effect.Effect<A, Fatal | StorageFact, R>) =>
  Effect.map(Effect.flip(effect), (failure) => (failure._tag === "Fatal" ? failure.reason.code : failure._tag));

describe("a revision", () => {
  it.effect("replaces the message of the run in place, and the run has completed again", () =>
    Effect.gen(function* () {
      const { runId, world } = yield* published([rewriting("It rains by the river.")]);
      const found = yield* revised(world, runId);
      assert.strictEqual(found.outcome.status, "completed");
      assert.deepStrictEqual(found.texts, [...World.beginning, "It rains by the river."]);
      const [first, second] = found.state.commits;
      assert.strictEqual(first?.messageId, second?.messageId);
      const { text } = yield* readWorkspaceFile(runId, "output/previous_output.md").pipe(World.inProcess(world));
      assert.strictEqual(text, "They wait by the river.");
      const [, created] = payloadsOf(found.events, "agent_invocation_created");
      assert.deepStrictEqual([created?.kind, created?.parentInvocationId], ["revision", "inv_root"]);
      assert.strictEqual(payloadsOf(found.events, "run_completed").length, 2);
    }),
  );

  it.effect("asks the model with the frozen prompt and tools, the user's words, and nothing of the rounds before", () =>
    Effect.gen(function* () {
      const asked: Array<ModelRequest> = [];
      const gateway = (inner: ModelGateway["Service"]): ModelGateway["Service"] => ({
        ...inner,
        generate: (request, onDelta) => {
          asked.push({ ...request, messages: [...request.messages] });
          return inner.generate(request, onDelta);
        },
      });
      const world = World.make();
      const binding = scripted(World.publishing, rewriting("It rains."));
      const runId = yield* Effect.gen(function* () {
        const run = yield* startRunFromChat({ chat: World.chatLocation, binding });
        yield* run.outcome;
        return run.runId;
      }).pipe(World.inProcess(world, { gateway }));
      const { length } = asked;
      yield* revised(world, runId, "Let it rain.", { gateway });
      const [before] = asked;
      const first = asked[length];
      assert.deepStrictEqual(first?.tools, before?.tools);
      assert.deepStrictEqual(first?.messages.slice(0, -1), before?.messages);
      const spoken = first?.messages.at(-1);
      assert.strictEqual(spoken?.role, "user");
      const text = spoken === undefined ? "" : Message.textOf(spoken);
      assert.include(text, "<user_guidance>\nLet it rain.\n</user_guidance>");
      assert.include(text, "output/previous_output.md");
      assert.include(text, "workspace_commit");
      assert.deepStrictEqual([first?.agent.root, first?.agent.ordinal], [false, 1]);
    }),
  );

  it.effect("can follow another, and has rounds of its own", () =>
    Effect.gen(function* () {
      const document = {
        kind: "cahier.agentProfile",
        schemaVersion: 1,
        id: "default-writer",
        displayName: "Writer",
        run: { presentation: "foreground" },
        tools: {
          maxRounds: 5,
          allow: ["write_file", "read_file", "commit", "finish"].map((name) => `builtin:workspace.${name}`),
        },
      };
      const { runId, world } = yield* published([rewriting("One."), rewriting("Two.")], { profile: { document } });
      yield* revised(world, runId);
      const found = yield* revised(world, runId, "Again.");
      assert.strictEqual(found.outcome.status, "completed");
      assert.deepStrictEqual(found.texts, [...World.beginning, "Two."]);
      assert.strictEqual(Object.keys(found.state.invocations).length, 3);
    }),
  );

  it.effect("is followed past the end that the run had before", () =>
    Effect.gen(function* () {
      const { runId, world } = yield* published([rewriting("It rains.")]);
      const { events } = yield* revised(world, runId);
      const seen = yield* Stream.runCollect(subscribe(runId, 0)).pipe(World.inProcess(world, { name: "reader" }));
      assert.deepStrictEqual(seen, events);
    }),
  );

  it.effect("that leaves the message as it is completes", () =>
    Effect.gen(function* () {
      const { runId, world } = yield* published([[World.finish]]);
      const found = yield* revised(world, runId);
      assert.deepStrictEqual([found.outcome.status, found.texts.at(-1)], ["completed", "They wait by the river."]);
      assert.deepStrictEqual([found.outcome.revision, found.outcome.error], ["completed", undefined]);
    }),
  );

  it.effect("that fails is told, the run is as complete as it was, and the next one finds nothing of it", () =>
    Effect.gen(function* () {
      const failing = [
        ...rewriting("A draft.").slice(0, -2),
        World.write("Rain?", "persist/weather.md"),
        { text: "No." },
        { text: "No." },
      ];
      const { runId, world } = yield* published([failing, failing, rewriting("It rains.")]);
      for (const text of ["Let it rain.", "Once more."]) {
        const failed = yield* revised(world, runId, text);
        assert.deepInclude(failed.outcome, { status: "completed", revision: "failed" });
        assert.strictEqual(failed.outcome.error?.code, "model.tool_call_required");
        assert.deepStrictEqual(failed.texts, [...World.beginning, "They wait by the river."]);
        assert.deepStrictEqual(
          failed.events.slice(-4).map(({ level, type }) => [level, type]),
          [
            ["info", "status_changed"],
            ["info", "status_changed"],
            ["warn", "run_completed"],
            ["info", "run_owner_changed"],
          ],
        );
        assert.deepStrictEqual(payloadsOf(failed.events, "run_completed").at(-1)?.revision?.outcome, "failed");
      }
      const [listed] = yield* listRuns().pipe(World.inProcess(world));
      assert.deepInclude(listed, { standing: "ended", status: "completed" });
      const found = yield* revised(world, runId, "And again.");
      assert.deepStrictEqual([found.outcome.status, found.outcome.error], ["completed", undefined]);
      assert.deepStrictEqual(found.texts, [...World.beginning, "It rains."]);
      assert.isUndefined(PathMap.get(found.state.files, "persist/weather.md"));
      assert.strictEqual(payloadsOf(found.events, "persistent_changes_committed").length, 0);
    }),
  );

  it.effect("that is cancelled leaves the run as complete as it was, and it can be revised again", () =>
    Effect.gen(function* () {
      const waiting = { ...World.call("workspace_list_files"), delayMs: 3_600_000 };
      const { runId, world } = yield* published([
        [World.write("Rain?", "persist/weather.md"), waiting],
        rewriting("It rains."),
      ]);
      const cancelled = yield* Effect.gen(function* () {
        const run = yield* reviseRun(runId, "Let it rain.");
        yield* reached(world, runId, "workspace_file_written", 2);
        yield* run.cancel;
        return yield* ended(world, run);
      }).pipe(World.inProcess(world, { name: "reviser" }));
      assert.deepInclude(cancelled.outcome, { status: "completed", revision: "cancelled" });
      assert.isUndefined(cancelled.outcome.error);
      assert.strictEqual(cancelled.events.filter(({ type }) => type === "agent_invocation_cancelled").length, 1);
      const found = yield* revised(world, runId, "Again.");
      assert.deepStrictEqual([found.outcome.status, found.outcome.revision], ["completed", "completed"]);
      assert.deepStrictEqual(found.texts, [...World.beginning, "It rains."]);
    }),
  );

  it.effect("that fails after it has changed the message is a partial success, which can be revised again", () =>
    Effect.gen(function* () {
      const failing = [...rewriting("Half.").slice(0, -1), { text: "No." }, { text: "No." }];
      const { runId, world } = yield* published([failing, rewriting("Whole.")]);
      const failed = yield* revised(world, runId);
      assert.deepInclude(failed.outcome, { status: "partial_success", revision: "failed" });
      assert.deepStrictEqual(failed.texts, [...World.beginning, "Half."]);
      const found = yield* revised(world, runId, "All of it.");
      assert.deepStrictEqual([found.outcome.status, found.texts.at(-1)], ["completed", "Whole."]);
    }),
  );

  it.effect("is not for a run that has published and never completed", () =>
    Effect.gen(function* () {
      const partial = yield* play([World.write("Half."), World.commit, { text: "No." }, { text: "No." }]);
      assert.strictEqual(partial.outcome.status, "partial_success");
      assert.strictEqual(yield* codeOf(revised(partial.world, partial.runId)), "agent.revision_unavailable");
    }),
  );

  it.effect("is refused without words, with too many, and of a run that has nothing published", () =>
    Effect.gen(function* () {
      const { runId, world } = yield* published([]);
      const before = yield* eventsOf(world, runId);
      assert.strictEqual(yield* codeOf(revised(world, runId, "  ")), "agent.guidance_empty");
      const long = "a".repeat(longestText + 1);
      assert.strictEqual(yield* codeOf(revised(world, runId, long)), "agent.guidance_too_large");
      assert.strictEqual(yield* codeOf(revised(world, RunId.make("run_none"))), "agent.run_not_found");
      assert.deepStrictEqual(yield* eventsOf(world, runId), before);
      yield* rollBackMessage(runId, "cp_000001").pipe(World.inProcess(world));
      assert.strictEqual(yield* codeOf(revised(world, runId)), "agent.revision_unavailable");
      const failed = yield* play([{ text: "No." }, { text: "No." }]);
      assert.strictEqual(yield* codeOf(revised(failed.world, failed.runId)), "agent.revision_unavailable");
    }),
  );

  it.effect("of a message that the chat does not end as any more is a conflict, and nothing is recorded", () =>
    Effect.gen(function* () {
      const { runId, world } = yield* published([rewriting("It rains.")]);
      const before = yield* eventsOf(world, runId);
      MemoryChatHost.disturb(world.chats, World.chatLocation.location, "And then?");
      assert.strictEqual(yield* codeOf(revised(world, runId)), "chat.conflict");
      assert.deepStrictEqual(yield* eventsOf(world, runId), before);
    }),
  );

  it.effect("that is lost can be resumed, and is listed as what it is", () =>
    Effect.gen(function* () {
      const fault = new Unavailable({ operation: "append", kind: "full", detail: "no room" });
      for (const append of [1, 2, 4, 7]) {
        const { runId, world } = yield* published([rewriting("It rains.")]);
        yield* listRuns().pipe(World.inProcess(world));
        const journal = (inner: Parameters<typeof FaultyRunJournal.make>[0]) =>
          FaultyRunJournal.make(inner, { append, fault, moment: "afterWriting" });
        yield* Effect.exit(revised(world, runId, "Let it rain.", { journal }));
        const [listed] = yield* listRuns().pipe(World.inProcess(world));
        assert.strictEqual(listed?.standing, "interrupted", `append ${append}`);
        const found = yield* Effect.gen(function* () {
          const runs = yield* Runs;
          return yield* ended(world, yield* runs.resume(runId));
        }).pipe(World.inProcess(world, { name: "second" }));
        assert.strictEqual(found.outcome.status, "completed", `append ${append}`);
        assert.deepStrictEqual(found.texts, [...World.beginning, "It rains."], `append ${append}`);
      }
    }),
  );

  it.effect("can be forked: the fork goes on with the revision's agent and publishes for itself", () =>
    Effect.gen(function* () {
      const { runId, world } = yield* published([rewriting("It rains."), rewriting("It snows.")]);
      const { events } = yield* revised(world, runId);
      const answer = events.filter(({ type }) => type === "model_completed").at(-3);
      const found = yield* Effect.gen(function* () {
        return yield* ended(world, yield* forkRun(runId, answer?.seq ?? 0));
      }).pipe(World.inProcess(world, { name: "forker" }));
      assert.strictEqual(found.outcome.status, "completed");
      assert.deepStrictEqual(found.texts, [...World.beginning, "It rains."]);
      assert.strictEqual(found.outcome.committed.length, 1);
    }),
  );
});
