import { startRunFromChat } from "@cahier/application/run/startRun";
import { assert, describe, it } from "@effect/vitest";
import * as Effect from "effect/Effect";
import * as Fiber from "effect/Fiber";
import * as TestClock from "effect/testing/TestClock";
import { ended, payloadsOf, play, start } from "./support/play.ts";
import * as Team from "./support/team.ts";
import * as World from "./support/World.ts";

const allow = ["list_files", "write_file", "commit", "finish"].map((name) => `builtin:workspace.${name}`);

const profileOf = (run: object, tools: object = {}) => ({
  document: {
    kind: "cahier.agentProfile",
    schemaVersion: 1,
    id: "spender",
    displayName: "Spender",
    tools: { allow, maxRounds: 20, ...tools },
    run,
  },
});

const spending = (turn: World.Turn, inputTokens: number, outputTokens: number, cachedTokens = 0): World.Turn => ({
  ...turn,
  usage: { inputTokens, outputTokens, cachedTokens },
});

/** A different list each time, so that nothing repeats. */
const listing = (depth: number): World.Turn => World.call("workspace_list_files", { depth });

const roundsOf = (events: Parameters<typeof payloadsOf>[0]): number =>
  payloadsOf(events, "model_response_stored").length;

describe("a run's budget", () => {
  it.effect("of tokens lets rounds begin until it is spent, and says what was spent of what", () =>
    Effect.gen(function* () {
      const turns = [spending(listing(1), 60, 10), spending(listing(2), 20, 9), spending(listing(3), 1, 0), listing(4)];
      const done = yield* play(turns, { profile: profileOf({ budget: { tokens: 100 } }) });
      assert.strictEqual(done.outcome.status, "failed");
      assert.strictEqual(done.outcome.error?.code, "agent.token_budget_exhausted");
      assert.strictEqual(done.outcome.error?.message, "The run's budget of 100 tokens is used up (100 of 100).");
      assert.strictEqual(roundsOf(done.events), 3);
    }),
  );

  it.effect("of cost counts what the connection's prices make of tokens", () =>
    Effect.gen(function* () {
      const turns = [spending(listing(1), 1_000_000, 100_000, 500_000), spending(listing(2), 0, 100_000), listing(3)];
      const binding = {
        ...World.scripted(turns),
        prices: { currency: "EUR", input: 2, cached: 1, output: 10 },
      };
      const options = { ...profileOf({ budget: { cost: 3.5 } }) };
      const world = World.make();
      const done = yield* Effect.gen(function* () {
        return yield* ended(world, yield* startRunFromChat({ chat: World.chatLocation, binding, profile: options }));
      }).pipe(World.inProcess(world));
      assert.deepStrictEqual(
        payloadsOf(done.events, "model_response_stored").map(({ cost }) => cost),
        [2.5, 1],
      );
      assert.strictEqual(done.outcome.error?.code, "agent.cost_budget_exhausted");
      assert.include(done.outcome.error?.message, "3.5 of 3.5");
    }),
  );

  it.effect("of cost is refused where nothing has a price", () =>
    Effect.gen(function* () {
      const world = World.make();
      const failure = yield* Effect.flip(start(World.publishing, { profile: profileOf({ budget: { cost: 1 } }) })).pipe(
        World.inProcess(world),
      );
      assert.strictEqual(failure.reason.code, "agent.profile_feature_unsupported");
      assert.include(failure.message, "run.budget.cost");
      assert.strictEqual(world.journals.journals.size, 0);
    }),
  );

  it.effect("of time counts while the run works", () =>
    Effect.gen(function* () {
      const world = World.make();
      const turns = [{ ...listing(1), delayMs: 30_000 }, { ...listing(2), delayMs: 30_000 }, listing(3)];
      const done = yield* Effect.gen(function* () {
        const run = yield* start(turns, { profile: profileOf({ budget: { wallMs: 60_000 } }) });
        const fiber = yield* Effect.forkChild(ended(world, run));
        yield* TestClock.adjust("30 seconds");
        yield* TestClock.adjust("30 seconds");
        return yield* Fiber.join(fiber);
      }).pipe(World.inProcess(world));
      assert.strictEqual(done.outcome.error?.code, "agent.time_budget_exhausted");
      assert.strictEqual(done.outcome.error?.message, "The run's budget of 60 s is used up (60 of 60 s).");
      assert.strictEqual(roundsOf(done.events), 2);
    }),
  );

  it.effect("of time ends a model that does not answer, and a wait that would outlast it", () =>
    Effect.gen(function* () {
      const profile = profileOf({ budget: { wallMs: 4_000 } });
      for (const turn of [{ error: { hang: true } }, { error: { status: 429, retryAfter: 60 } }] as const) {
        const world = World.make();
        const done = yield* Effect.gen(function* () {
          const run = yield* start([turn, ...World.publishing], { profile });
          const fiber = yield* Effect.forkChild(ended(world, run));
          yield* TestClock.adjust("4 seconds");
          return yield* Fiber.join(fiber);
        }).pipe(World.inProcess(world));
        assert.strictEqual(done.outcome.error?.code, "agent.time_budget_exhausted");
        assert.strictEqual(roundsOf(done.events), 0);
      }
    }),
  );

  it.effect("that is not spent changes nothing", () =>
    Effect.gen(function* () {
      const budget = { tokens: 100, wallMs: 60_000 };
      const done = yield* play([spending(World.write("Text."), 99, 0), World.commit, World.finish], {
        profile: profileOf({ budget }),
      });
      assert.strictEqual(done.outcome.status, "completed");
    }),
  );

  it.effect("keeps what was published: a run that is spent after a commit is a partial success", () =>
    Effect.gen(function* () {
      const done = yield* play([World.write("Text."), spending(World.commit, 100, 0), World.finish], {
        profile: profileOf({ budget: { tokens: 100 } }),
      });
      assert.strictEqual(done.outcome.status, "partial_success");
      assert.strictEqual(done.outcome.error?.code, "agent.token_budget_exhausted");
      assert.deepStrictEqual(done.texts, [...World.beginning, "Text."]);
    }),
  );
});

describe("an invocation's budget", () => {
  it.effect("of calls answers the first call too many, and says how many there were", () =>
    Effect.gen(function* () {
      const done = yield* play([listing(1), listing(2), ...World.publishing], {
        profile: profileOf({}, { maxCallsPerRun: 4 }),
      });
      const [late] = payloadsOf(done.events, "tool_call_failed");
      assert.strictEqual(late?.errorCode, "agent.tool_budget_exhausted");
      assert.include(late?.message, "4 tool calls");
    }),
  );

  it.effect("of one tool answers its call too many, and lets the others go on", () =>
    Effect.gen(function* () {
      const done = yield* play([listing(1), listing(2), ...World.publishing], {
        profile: profileOf({}, { maxCallsPerTool: { "builtin:workspace.list_files": 1 } }),
      });
      assert.strictEqual(done.outcome.status, "completed");
      const [late] = payloadsOf(done.events, "tool_call_failed");
      assert.strictEqual(late?.errorCode, "agent.tool_budget_exhausted");
      assert.include(late?.message, "workspace_list_files");
    }),
  );

  it.effect("of rounds ends it", () =>
    Effect.gen(function* () {
      const done = yield* play([listing(1), listing(2), listing(3)], { profile: profileOf({}, { maxRounds: 2 }) });
      assert.strictEqual(done.outcome.error?.code, "agent.max_tool_rounds_exceeded");
      assert.include(done.outcome.error?.message, "2 rounds");
      assert.strictEqual(roundsOf(done.events), 2);
    }),
  );
});

describe("a model that goes in circles", () => {
  const again = Array.from({ length: 6 }, () => listing(1));

  it.effect("is warned at the third same call with the same result, and ended at the fifth", () =>
    Effect.gen(function* () {
      const done = yield* play(again);
      assert.strictEqual(done.outcome.status, "failed");
      assert.strictEqual(done.outcome.error?.code, "agent.repeated_call");
      assert.strictEqual(roundsOf(done.events), 5);
      assert.deepStrictEqual(
        done.results.map(({ content }) => content.includes("3 times in a row") || content.includes("4 times in a row")),
        [false, false, true, true, false],
      );
    }),
  );

  it.effect("is stopped between two calls of one turn", () =>
    Effect.gen(function* () {
      const seven = World.calls(...Array.from({ length: 7 }, () => ["workspace_list_files", { depth: 1 }] as const));
      const done = yield* play([seven, ...World.publishing]);
      assert.strictEqual(done.outcome.error?.code, "agent.repeated_call");
      assert.lengthOf(done.results, 5);
    }),
  );

  it.effect("is ended when its profile says so", () =>
    Effect.gen(function* () {
      const done = yield* play(again, { profile: profileOf({ repetition: { warnAt: 2, endAt: 3 } }) });
      assert.strictEqual(done.outcome.error?.code, "agent.repeated_call");
      assert.strictEqual(roundsOf(done.events), 3);
    }),
  );

  it.effect("is ended for the same text again and again", () =>
    Effect.gen(function* () {
      const turns = [1, 2, 3, 4, 5, 6].map(() => ({ text: "The ferry is late." }));
      const done = yield* play(turns, { profile: profileOf({ driftRecovery: { maxAttempts: 9 } }) });
      assert.strictEqual(done.outcome.error?.code, "agent.repeated_call");
      assert.include(done.outcome.error?.message, "The same text");
      assert.strictEqual(roundsOf(done.events), 5);
    }),
  );

  it.effect("is not one that says the same beside calls that differ", () =>
    Effect.gen(function* () {
      const looking = [1, 2, 3, 4, 5, 6].map((depth) => ({ ...listing(depth), text: "I will look once more." }));
      const done = yield* play([...looking, ...World.publishing]);
      assert.strictEqual(done.outcome.status, "completed");
    }),
  );

  it.effect("of cost is not passed by through another agent: a task that nobody can count fails", () =>
    Effect.gen(function* () {
      const world = yield* Team.worldWith([Team.agent("critic", { run: { budget: { cost: 0.01 } } })]);
      const run = yield* Team.playTeam(
        [World.calls(Team.delegate("critic")), Team.awaitAll, ...World.publishing],
        { critic: [[Team.returning("None.")]] },
        { world },
      );
      assert.strictEqual(run.outcome.status, "completed");
      assert.include(JSON.stringify(payloadsOf(run.events, "agent_task_failed")), "agent.profile_feature_unsupported");
    }),
  );
});
