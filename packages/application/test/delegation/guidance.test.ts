import { Runs } from "@cahier/application/run/Runs";
import type { RunId } from "@cahier/domain/identity/Identity";
import { assert, describe, it } from "@effect/vitest";
import * as Effect from "effect/Effect";
import * as Fiber from "effect/Fiber";
import * as TestClock from "effect/testing/TestClock";
import * as Cut from "../support/cut.ts";
import { ended, payloadsOf, play, reached, reachedInbox, start } from "../support/play.ts";
import * as Team from "../support/team.ts";
import * as World from "../support/World.ts";

const slow: World.Turn = { ...World.write("They wait."), delayMs: 1000 };
const hanging: World.Turn = { text: "Hm", error: { hang: true } };

const guide = (runId: RunId, text: string, clientGuidanceId?: string) =>
  Effect.flatMap(Runs, (runs) =>
    runs.guide(runId, { text, ...(clientGuidanceId === undefined ? {} : { clientGuidanceId }) }),
  );

describe("what a user says during a run", () => {
  it.effect("is told to the agent before its next request, all of it in one message", () =>
    Effect.gen(function* () {
      const world = World.make();
      const asked: Team.Asked = new Map();
      yield* Effect.gen(function* () {
        const run = yield* start([slow, World.commit, World.finish]);
        yield* reached(world, run.runId, "model_call_attempt_started");
        yield* guide(run.runId, "Slower.", "first");
        yield* guide(run.runId, "And calmer.");
        yield* TestClock.adjust(1000);
        const found = yield* ended(world, run);
        assert.strictEqual(found.outcome.status, "completed");
        const [applied, ...more] = payloadsOf(found.events, "user_guidance_applied");
        assert.deepInclude(applied, { count: 2, round: 2, clientGuidanceIds: ["first"] });
        assert.deepStrictEqual(more, []);
        assert.deepStrictEqual(
          asked
            .get("default-writer 0")
            ?.map((messages) => messages.filter(({ text }) => text.includes("Slower.")).length),
          [0, 1, 1],
        );
        assert.deepStrictEqual(Team.toldIn(asked, "default-writer 0", "<user_guidance>"), [
          "<user_guidance>\nSlower.\n\nAnd calmer.\n</user_guidance>",
        ]);
      }).pipe(World.inProcess(world, Team.listening(asked)));
    }),
  );

  it.effect("is discarded when the run is cancelled, and nothing more is taken then", () =>
    Effect.gen(function* () {
      const world = World.make();
      yield* Effect.gen(function* () {
        const run = yield* start([hanging]);
        yield* reached(world, run.runId, "model_call_attempt_started");
        yield* guide(run.runId, "Slower.");
        yield* run.cancel;
        const found = yield* ended(world, run);
        assert.deepInclude(payloadsOf(found.events, "user_guidance_discarded")[0], { reason: "run_cancel_requested" });
        const refused = yield* Effect.flip(guide(run.runId, "More."));
        assert.strictEqual(refused.reason.code, "agent.guidance_run_not_accepting");
      }).pipe(World.inProcess(world));
    }),
  );

  it.effect("is discarded when the run fails or finishes first", () =>
    Effect.gen(function* () {
      const reasons = yield* Effect.forEach(
        [
          [{ error: { status: 400 }, delayMs: 1000 }],
          [World.write("x"), World.commit, { ...World.finish, delayMs: 1000 }],
          [World.write("x"), World.commit, { error: { status: 400 }, delayMs: 1000 }],
        ] satisfies ReadonlyArray<ReadonlyArray<World.Turn>>,
        (turns) => {
          const world = World.make();
          return Effect.gen(function* () {
            const run = yield* start(turns);
            yield* reached(world, run.runId, "model_call_attempt_started", turns.length);
            yield* guide(run.runId, "Slower.");
            yield* TestClock.adjust(1000);
            const found = yield* ended(world, run);
            return payloadsOf(found.events, "user_guidance_discarded")[0]?.reason;
          }).pipe(World.inProcess(world));
        },
      );
      assert.deepStrictEqual(reasons, [
        "run_failed_before_next_model_request",
        "run_finished_before_next_model_request",
        "run_partial_success_before_next_model_request",
      ]);
    }),
  );

  it.effect("from another process reaches the run through its inbox, once", () =>
    Effect.gen(function* () {
      const world = World.make();
      yield* Effect.gen(function* () {
        const run = yield* start([slow, World.commit, World.finish]);
        yield* reached(world, run.runId, "model_call_attempt_started");
        const said = yield* Effect.forkScoped(
          guide(run.runId, "Slower.").pipe(World.inProcess(world, { name: "other" })),
        );
        yield* reachedInbox(world, run.runId);
        yield* TestClock.adjust(500);
        const id = yield* Fiber.join(said);
        yield* TestClock.adjust(1000);
        const found = yield* ended(world, run);
        assert.deepStrictEqual(
          payloadsOf(found.events, "user_guidance_applied").map(({ guidanceIds }) => guidanceIds),
          [[id]],
        );
      }).pipe(World.inProcess(world));
    }),
  );

  it.effect("from another process is refused at once with the reason of whoever carries the run on", () =>
    Effect.gen(function* () {
      const world = World.make();
      yield* Effect.gen(function* () {
        const run = yield* start([hanging]);
        yield* reached(world, run.runId, "model_call_attempt_started");
        const said = yield* Effect.forkScoped(
          Effect.flip(guide(run.runId, "Slower.")).pipe(World.inProcess(world, { name: "other" })),
        );
        yield* reachedInbox(world, run.runId);
        // By the time that the request is found as much waits as may.
        for (const text of ["1", "2", "3", "4", "5", "6", "7", "8"]) yield* guide(run.runId, text);
        yield* TestClock.adjust(1000);
        const refused = yield* Fiber.join(said);
        assert.strictEqual(refused.reason.code, "agent.guidance_mailbox_full");
        assert.strictEqual(world.documents.collections.get(`inbox/${run.runId}`)?.size ?? 0, 0);
        yield* run.cancel;
      }).pipe(World.inProcess(world));
    }),
  );

  it.effect("is acknowledged with how much of it there is and how much waits", () =>
    Effect.gen(function* () {
      const world = World.make();
      yield* Effect.gen(function* () {
        const runs = yield* Runs;
        const run = yield* start([slow, World.commit, World.finish]);
        yield* reached(world, run.runId, "model_call_attempt_started");
        const first = yield* runs.submitGuidance(run.runId, { text: "Slower, please.", clientGuidanceId: "first" });
        assert.deepInclude(first, {
          clientGuidanceId: "first",
          status: "queued",
          preview: "Slower, please.",
          chars: 15,
          words: 2,
          pendingCount: 1,
        });
        const other = yield* Effect.forkScoped(
          Effect.flatMap(Runs, (elsewhere) => elsewhere.submitGuidance(run.runId, { text: "Calm." })).pipe(
            World.inProcess(world, { name: "other" }),
          ),
        );
        yield* reachedInbox(world, run.runId);
        yield* TestClock.adjust(500);
        assert.deepInclude(yield* Fiber.join(other), { preview: "Calm.", chars: 5, words: 1, pendingCount: 2 });
        yield* TestClock.adjust(1000);
        const found = yield* ended(world, run);
        const [applied] = payloadsOf(found.events, "user_guidance_applied");
        const [assembled] = payloadsOf(found.events, "context_assembled");
        // The answer and its result stand before it.
        assert.deepInclude(applied, {
          messageIndex: 2,
          requestMessageCount: (assembled?.request.messageCount ?? 0) + 3,
        });
      }).pipe(World.inProcess(world));
    }),
  );

  it.effect("to a run that waits for people is kept until the run goes on", () =>
    Effect.gen(function* () {
      const world = World.make();
      const policy = [{ tools: ["builtin:workspace.write_file"], permission: "ask" }];
      const document = {
        kind: "cahier.agentProfile",
        schemaVersion: 1,
        id: "asker",
        displayName: "Asker",
        tools: { allow: World.soloTools, maxRounds: 9, policy },
      };
      const waiting = yield* play(World.publishing, { world, profile: { document } });
      assert.strictEqual(waiting.outcome.status, "awaiting_approval");
      const asked: Team.Asked = new Map();
      yield* Effect.gen(function* () {
        yield* guide(waiting.runId, "Slower.");
        const runs = yield* Runs;
        const [call] = waiting.state.invocations["inv_root"]?.turn?.calls ?? [];
        assert.isDefined(call);
        if (call === undefined) return;
        const run = yield* runs.decide(waiting.runId, { callId: call.callId, approved: true });
        assert.isDefined(run);
        if (run === undefined) return;
        assert.strictEqual((yield* ended(world, run)).outcome.status, "completed");
        assert.strictEqual(Team.toldIn(asked, "asker 0", "<user_guidance>").length, 1);
      }).pipe(World.inProcess(world, { name: "second", ...Team.listening(asked) }));
    }),
  );

  it.effect("is told once after a crash at any append, whether it was pending then or told", () =>
    Effect.gen(function* () {
      const world = World.make();
      const recording = Cut.record();
      const whole = yield* Effect.gen(function* () {
        const run = yield* start([slow, World.commit, World.finish]);
        yield* reached(world, run.runId, "model_call_attempt_started");
        yield* guide(run.runId, "Slower.", "first");
        yield* guide(run.runId, "And calmer.", "second");
        yield* TestClock.adjust(1000);
        return yield* ended(world, run);
      }).pipe(World.inProcess(world, Cut.recorded(recording, world)));
      const cuts = yield* Cut.everyCut(recording, world, whole.runId, whole.events);
      const pending = { both: 0, one: 0, told: 0 };
      for (const cut of cuts.slice(0, -1)) {
        const said = payloadsOf(whole.events.slice(0, cut.seq), "user_guidance_submitted").length;
        const wasTold = payloadsOf(whole.events.slice(0, cut.seq), "user_guidance_applied").length === 1;
        if (wasTold) pending.told += 1;
        else if (said === 2) pending.both += 1;
        else if (said === 1) pending.one += 1;
        const asked: Team.Asked = new Map();
        const run = yield* Effect.gen(function* () {
          const runs = yield* Runs;
          const handle = yield* runs.resume(whole.runId);
          yield* TestClock.adjust(10_000);
          return yield* ended(cut.world, handle);
        }).pipe(World.inProcess(cut.world, { name: "second", ...Team.listening(asked) }));
        assert.strictEqual(run.outcome.status, "completed", cut.title);
        const told = payloadsOf(run.events, "user_guidance_applied").flatMap(
          ({ clientGuidanceIds }) => clientGuidanceIds,
        );
        assert.deepStrictEqual(told, ["first", "second"].slice(0, said), cut.title);
        assert.notInclude(run.types, "user_guidance_discarded", cut.title);
        const last = asked.get("default-writer 0")?.at(-1) ?? [];
        if (asked.size > 0)
          for (const [index, text] of ["Slower.", "And calmer."].entries())
            assert.strictEqual(
              last.filter((message) => message.text.includes(text)).length,
              index < said ? 1 : 0,
              cut.title,
            );
      }
      assert.isAbove(pending.one, 0);
      assert.isAbove(pending.both, 0);
      assert.isAbove(pending.told, 4);
    }),
  );
});
