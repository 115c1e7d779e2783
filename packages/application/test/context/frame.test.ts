import { frameOf } from "@cahier/application/context/frameOf";
import { startRunWithPromptSnapshot } from "@cahier/application/run/startRun";
import { rootInvocation, type RunId } from "@cahier/domain/identity/Identity";
import type { PromptComponent } from "@cahier/domain/prompt/PromptComponent";
import { assert, describe, it } from "@effect/vitest";
import * as Effect from "effect/Effect";
import * as TestClock from "effect/testing/TestClock";
import { ended, payloadsOf, play, reached } from "../support/play.ts";
import * as Skills from "../support/skills.ts";
import * as Team from "../support/team.ts";
import * as World from "../support/World.ts";

const long = (name: string): World.Turn =>
  World.write(`${name} ${"the rain goes on ".repeat(240)}`, `scratch/${name}.md`);

const profile = (context: object) => ({ document: { ...Team.lead(), context } });

/** The frame as a process that only reads shows it. */
const frame = (world: World.World, runId: RunId, round: number, invocation?: string) =>
  frameOf(runId, round, invocation).pipe(World.inProcess(world, { name: "reader" }));

const kinds = (components: ReadonlyArray<PromptComponent>) => components.map(({ kind }) => kind);

const ofResults = (components: ReadonlyArray<PromptComponent>) =>
  components.filter(({ kind }) => kind === "toolResults");

describe("the frame of a request", () => {
  it.effect("has the parts of the prompt, what came after them in the order in which it was sent, and the tools", () =>
    Effect.gen(function* () {
      const world = World.make();
      const run = yield* play(World.publishing, { world });
      const first = yield* frame(world, run.runId, 1);
      assert.deepInclude(first, { round: 1, invocationId: rootInvocation, attempt: 1, model: "script" });
      assert.deepStrictEqual(first.window, { tokens: 32_768, isStated: false });
      assert.deepInclude(first.tokens, { counter: "estimate", isExact: false, budget: null });
      assert.deepStrictEqual(kinds(first.components), ["system", "history", "history", "tools"]);
      assert.deepStrictEqual(first.components.map(({ identifier }) => identifier).toSorted(), [
        "agentSystemPrompt",
        "chat:current#0",
        "chat:current#1",
        "tools",
      ]);
      const third = yield* frame(world, run.runId, 3);
      assert.deepStrictEqual(kinds(third.components).slice(3), [
        "conversation",
        "toolResults",
        "conversation",
        "toolResults",
        "tools",
      ]);
      assert.deepStrictEqual(
        ofResults(third.components).map(({ form }) => form),
        ["full", "full"],
      );
      assert.isAbove(third.tokens.count, first.tokens.count);
      assert.strictEqual(
        third.tokens.count,
        third.components.reduce((sum, { tokens }) => sum + (tokens ?? 0), 0),
      );
    }),
  );

  it.effect("has the count of the provider where it has counted", () =>
    Effect.gen(function* () {
      const world = World.make();
      const counted = { ...World.write("One."), usage: { inputTokens: 812, outputTokens: 9 } };
      const run = yield* play([counted, World.commit, World.finish], {
        world,
        profile: profile({ windowTokens: 9000 }),
      });
      const { tokens, window } = yield* frame(world, run.runId, 1);
      assert.deepStrictEqual(tokens, { count: 812, counter: "provider", isExact: true, budget: 9000 - 1125 });
      assert.deepStrictEqual(window, { tokens: 9000, isStated: true });
      assert.strictEqual((yield* frame(world, run.runId, 2)).tokens.counter, "estimate");
    }),
  );

  it.effect("names the turns that it leaves out and why, and the note in their place", () =>
    Effect.gen(function* () {
      const world = World.make();
      const turns = [...["one", "two", "three", "four", "five", "six"].map(long), ...World.publishing];
      const run = yield* play(turns, { world, profile: profile({ windowTokens: 9000 }) });
      const [skip] = payloadsOf(run.events, "context_component_skipped");
      assert.isDefined(skip);
      if (skip === undefined) return;
      const before = yield* frame(world, run.runId, skip.round - 1);
      assert.isTrue(before.components.every(({ skipped }) => skipped === null));
      const { components, tokens } = yield* frame(world, run.runId, skip.round);
      const left = components.filter(({ skipped }) => skipped === "overBudget");
      assert.deepStrictEqual(
        left.map(({ identifier }) => identifier),
        skip.components.map(({ identifier }) => identifier),
      );
      const firstLeft = components.findIndex(({ skipped }) => skipped !== null);
      assert.strictEqual(components[firstLeft - 1]?.kind, "note");
      assert.isAtMost(tokens.count, tokens.budget ?? 0);
    }),
  );

  it.effect("says which results are shortened, gone, or shown with the whole file", () =>
    Effect.gen(function* () {
      const forms = (context: object) =>
        Effect.gen(function* () {
          const world = World.make();
          const turns = [
            World.write("the rain goes on ".repeat(60)),
            World.call("workspace_read_file", { path: "output/main.md" }),
            World.call("workspace_apply_patch", {
              path: "output/main.md",
              old_string: "the rain goes on the rain goes on the rain",
              new_string: "It rains, the rain goes on the rain",
              replace_all: false,
            }),
            ...World.publishing,
          ];
          const run = yield* play(turns, { world, profile: profile(context) });
          assert.strictEqual(run.outcome.status, "completed");
          return ofResults((yield* frame(world, run.runId, 4)).components);
        });
      const summary = yield* forms({ toolResults: { form: "summary" } });
      assert.deepStrictEqual(
        summary.map(({ form }) => form),
        ["full", "summary", "full"],
      );
      const gone = yield* forms({ toolResults: { visible: false } });
      assert.deepStrictEqual(
        gone.map(({ form }) => form),
        ["gone", "gone", "full"],
      );
      assert.isBelow(gone[1]?.tokens ?? 0, summary[1]?.tokens ?? 0);
      const files = yield* forms({ hydrateRecentWrites: 3 });
      const whole = files.filter(({ form }) => form === "file");
      assert.strictEqual(whole.length, 1);
      assert.isAbove(whole[0]?.tokens ?? 0, 200);
    }),
  );

  it.effect("of a delegated agent has its task, and that of whoever gave it the results that it was told", () =>
    Effect.gen(function* () {
      const world = yield* Team.worldWith([Team.agent("critic")]);
      const run = yield* Effect.gen(function* () {
        const handle = yield* Team.startTeam(
          [
            World.calls(Team.delegate("critic")),
            { ...World.write("Draft."), delayMs: 1000 },
            World.commit,
            World.finish,
          ],
          { critic: [[{ text: "It reads well." }, Team.returning("No gap.")]] },
        );
        yield* reached(world, handle.runId, "agent_task_completed");
        yield* TestClock.adjust(1000);
        return yield* ended(world, handle);
      }).pipe(World.inProcess(world));
      assert.strictEqual(run.outcome.status, "completed");
      const told = run.types.indexOf("agent_task_results_delivered");
      const next = payloadsOf(run.events.slice(told), "model_request_created").find(
        ({ invocationId }) => invocationId === "inv_root",
      );
      assert.strictEqual((yield* frame(world, run.runId, next?.round ?? 0)).components.at(-2)?.kind, "taskResults");
      const child = Object.keys(run.state.invocations).find((id) => id !== "inv_root") ?? "";
      const asked = yield* frame(world, run.runId, 1, child);
      assert.deepStrictEqual(
        asked.components.map(({ identifier, kind, source }) => [identifier, kind, source]).slice(0, 2),
        [
          ["agentSystemPrompt", "system", "profile"],
          ["agentTask", "task", "task"],
        ],
      );
      const reminded = yield* frame(world, run.runId, 2, child);
      assert.deepStrictEqual(kinds(reminded.components).slice(2), ["conversation", "reminder", "tools"]);
      const refusal = yield* Effect.flip(frame(world, run.runId, 3, child));
      assert.strictEqual(refusal.reason.code, "agent.model_turn_round_invalid");
      assert.include(refusal.message, "Its last is of round 2.");
    }),
  );

  it.effect("of a prompt that a host has made has one part for each message", () =>
    Effect.gen(function* () {
      const world = World.make();
      yield* Effect.gen(function* () {
        const run = yield* ended(
          world,
          yield* startRunWithPromptSnapshot({
            chat: World.chatLocation,
            binding: World.scripted(World.publishing),
            promptSnapshot: {
              contextPolicy: { initialChatHistoryMessages: -1, includeActivatedWorldInfo: true },
              messages: [
                { role: "system", content: "You write." },
                { role: "user", content: "Then we wait." },
              ],
            },
          }),
        );
        const { components } = yield* frame(world, run.runId, 1);
        assert.deepStrictEqual(components.map(({ kind, source }) => [kind, source]).slice(0, 2), [
          ["system", "prompt#0"],
          ["history", "prompt#1"],
        ]);
      }).pipe(World.inProcess(world));
    }),
  );

  it.effect("says where in the prompt the Skills stand that the agent can read", () =>
    Effect.gen(function* () {
      const world = World.make();
      yield* Skills.installIn(world, [Skills.packageOf("style")]);
      const run = yield* play(World.publishing, { world });
      const { components } = yield* frame(world, run.runId, 1);
      assert.deepInclude(
        components.find(({ kind }) => kind === "skills"),
        { identifier: "skills", within: "agentSystemPrompt", skipped: null },
      );
    }),
  );

  it.effect("that is not there is refused with what there is", () =>
    Effect.gen(function* () {
      const world = World.make();
      const { runId } = yield* play(World.publishing, { world });
      const codes = yield* Effect.forEach(
        [
          [9, "inv_root"],
          [0, "inv_root"],
          [1, "somebody"],
          [1, "inv_0123456789abcdef"],
        ] as const,
        ([round, invocation]) => Effect.flip(frame(world, runId, round, invocation)),
      );
      assert.deepStrictEqual(
        codes.map(({ reason }) => reason.code),
        [
          "agent.model_turn_round_invalid",
          "agent.model_turn_round_invalid",
          "agent.model_turn_invocation_id_invalid",
          "agent.model_turn_invocation_id_invalid",
        ],
      );
      assert.include(codes[0]?.message, "Its last is of round 3.");
      assert.include(codes[3]?.message, "It has: inv_root.");
    }),
  );
});
