import * as estimate from "@cahier/domain/context/estimateTokens";
import * as MemoryChatHost from "@cahier/testkit/doubles/MemoryChatHost";
import { Runs } from "@cahier/application/run/Runs";
import { assert, describe, it } from "@effect/vitest";
import { type Message, textOf } from "@cahier/domain/model/Message";
import type { ModelRequest } from "@cahier/domain/model/ModelRequest";
import { requireClosed, follow } from "@cahier/domain/model/pairing";
import * as Effect from "effect/Effect";
import * as Result from "effect/Result";
import * as Cut from "../support/cut.ts";
import { ended, payloadsOf, play } from "../support/play.ts";
import { lead } from "../support/team.ts";
import * as World from "../support/World.ts";

/** Everything that was asked of the model, in order. */
const listening = () => {
  const asked: Array<ReadonlyArray<Message>> = [];
  const process: World.ProcessOptions = {
    gateway: (gateway) => ({
      ...gateway,
      generate: (request: ModelRequest, onDelta) => {
        asked.push([...request.messages]);
        return gateway.generate(request, onDelta);
      },
    }),
  };
  return { asked, process };
};

const shown = (messages: ReadonlyArray<Message>): string =>
  messages
    .map(
      (message) =>
        message.parts.map((part) => (part.type === "toolResult" ? part.content : "")).join("") + textOf(message),
    )
    .join("\n");

const isWhole = (messages: ReadonlyArray<Message>): boolean => {
  const open = messages.reduce<ReturnType<typeof follow>>(
    (calls, message) => Result.flatMap(calls, (present) => follow(present, message)),
    Result.succeed([]),
  );
  return Result.isSuccess(Result.flatMap(open, requireClosed));
};

const long = (name: string): World.Turn =>
  World.write(`${name} ${"the rain goes on ".repeat(240)}`, `scratch/${name}.md`);

/** More than the window holds. */
const crowded = [...["one", "two", "three", "four", "five", "six"].map(long), ...World.publishing];
const windowTokens = 9000;

const profile = (context: object) => ({ document: { ...lead(), context } });

describe("what of its work an agent is shown", () => {
  it.effect("loses whole turns, oldest first, when the window is full, which is journalled", () =>
    Effect.gen(function* () {
      const { asked, process } = listening();
      const run = yield* play(crowded, { process, profile: profile({ windowTokens }) });
      assert.strictEqual(run.outcome.status, "completed");
      const [first, ...others] = payloadsOf(run.events, "context_component_skipped");
      assert.isDefined(first);
      assert.isTrue(others.every(({ leftOut = 0 }, index) => leftOut > ([first, ...others][index]?.leftOut ?? 0)));
      assert.strictEqual(first?.components[0]?.kind, "conversation");
      assert.strictEqual(first?.components[1]?.kind, "toolResults");
      assert.isTrue(first?.components.every(({ skipped, tokens }) => skipped === "overBudget" && (tokens ?? 0) > 0));
      assert.isTrue(asked.every(isWhole), "every call that is shown has its result");
      const last = asked.at(-1) ?? [];
      assert.include(shown(last), "Your earliest steps are not shown any more.");
      assert.notInclude(JSON.stringify(last), "scratch/one.md");
      // The prompt and the last turn stay.
      assert.include(shown(last), "Then we wait.");
    }),
  );

  it.effect("is the same when a process reads it back from the journal after a crash", () =>
    Effect.gen(function* () {
      const world = World.make();
      const recording = Cut.record();
      const { asked, process } = listening();
      const recorded = { ...Cut.recorded(recording, world), ...process };
      const run = yield* play(crowded, { world, process: recorded, profile: profile({ windowTokens }) });
      assert.isNotEmpty(payloadsOf(run.events, "context_component_skipped"));
      const again = new Set<number>();
      for (const { title, world: left } of (yield* Cut.everyCut(recording, world, run.runId, run.events)).slice(
        0,
        -1,
      )) {
        const second = listening();
        const resumed = yield* Effect.gen(function* () {
          const runs = yield* Runs;
          return yield* ended(left, yield* runs.resume(run.runId));
        }).pipe(World.inProcess(left, { name: "second", ...second.process }));
        assert.strictEqual(resumed.outcome.status, "completed", title);
        for (const [index, messages] of second.asked.entries()) {
          const position = asked.length - second.asked.length + index;
          again.add(position);
          assert.deepStrictEqual(messages, asked[position], `${title}, request ${position}`);
        }
      }
      assert.strictEqual(again.size, asked.length);
    }),
  );

  it.effect("goes by what the provider counted", () =>
    Effect.gen(function* () {
      const { asked, process } = listening();
      const turns = [
        { ...World.write("One.", "scratch/one.md"), usage: { inputTokens: 7000, outputTokens: 100 } },
        { ...World.write("Two.", "scratch/two.md"), usage: { inputTokens: 8600, outputTokens: 100 } },
        ...World.publishing,
      ];
      const run = yield* play(turns, { process, profile: profile({ windowTokens }) });
      // So much of the count cannot be left out that the run ends, and says why.
      assert.strictEqual(run.outcome.status, "failed");
      assert.strictEqual(run.state.failure?.code, "context.budget_exceeded");
      assert.strictEqual(asked.length, 2);
    }),
  );

  it.effect("is all of it for a model whose window nobody states and that answers to more than is assumed", () =>
    Effect.gen(function* () {
      const { asked, process } = listening();
      const huge = { ...long("one"), usage: { inputTokens: 90_000, outputTokens: 100 } };
      const run = yield* play([huge, ...World.publishing], { process });
      assert.strictEqual(run.outcome.status, "completed");
      assert.deepStrictEqual(payloadsOf(run.events, "context_component_skipped"), []);
      assert.include(JSON.stringify(asked.at(-1)), "scratch/one.md");
    }),
  );

  it.effect("has the results of earlier turns shortened, or none of them, when the profile says so", () =>
    Effect.gen(function* () {
      const results = (toolResults: object) =>
        Effect.gen(function* () {
          const { asked, process } = listening();
          const turns = [
            World.write("the rain goes on ".repeat(60)),
            World.call("workspace_read_file", { path: "output/main.md" }),
            ...World.publishing,
          ];
          yield* play(turns, { process, profile: profile({ toolResults }) });
          assert.isTrue(asked.every(isWhole));
          return asked.map(shown);
        });
      const summary = yield* results({ form: "summary" });
      // The turn after a result sees all of it.
      assert.notInclude(summary[2] ?? "", "The beginning of");
      assert.include(summary[3] ?? "", "The beginning of");
      const hidden = yield* results({ visible: false });
      assert.include(hidden[3] ?? "", "This result is not shown any more.");
      assert.notInclude(hidden[3] ?? "", "the rain goes on the rain");
      const newest = yield* results({ budgetTokens: 40 });
      assert.include(newest[3] ?? "", "This result is not shown any more.");
    }),
  );

  it.effect("shows what was written in the last rounds as whole files", () =>
    Effect.gen(function* () {
      const { asked, process } = listening();
      const turns = [
        World.write("A lamp burns in the window."),
        World.call("workspace_apply_patch", {
          path: "output/main.md",
          old_string: "A lamp",
          new_string: "A candle",
        }),
        World.commit,
        World.finish,
      ];
      const run = yield* play(turns, { process, profile: profile({ hydrateRecentWrites: 2 }) });
      assert.strictEqual(run.outcome.status, "completed");
      assert.include(shown(asked[1] ?? []), "The file output/main.md is now:\nA lamp burns in the window.");
      const patched = shown(asked[2] ?? []);
      assert.include(patched, "The file output/main.md is now:\nA candle burns in the window.");
      assert.strictEqual(patched.split("is now:").length, 2, "a file is shown once");
      assert.notInclude(run.results.map(({ content }) => content).join("\n"), "is now:");
      const hydrated = payloadsOf(run.events, "context_tool_result_hydrated");
      assert.deepStrictEqual(hydrated.map(({ path, round }) => [path, round])[0], ["output/main.md", 2]);
    }),
  );

  it.effect("fits the window with the files that it is shown, or does without them", () =>
    Effect.gen(function* () {
      const { asked, process } = listening();
      const append = World.call("workspace_write_file", {
        path: "output/main.md",
        mode: "append",
        content: "the rain goes on ".repeat(230),
      });
      const turns = [append, append, append, append, append, World.commit, World.finish];
      const run = yield* play(turns, { process, profile: profile({ windowTokens, hydrateRecentWrites: 3 }) });
      assert.strictEqual(run.outcome.status, "completed");
      assert.isNotEmpty(payloadsOf(run.events, "context_tool_result_hydrated"));
      const limit = windowTokens - Math.floor(windowTokens / 8);
      for (const messages of asked)
        assert.isAtMost(
          messages.reduce((sum, message) => sum + estimate.ofMessage(message), 0),
          limit,
        );
    }),
  );

  it.effect("counts a prompt as its assembler did, which may be less than is estimated", () =>
    Effect.gen(function* () {
      const world = World.make();
      MemoryChatHost.addChat(world.chats, World.chatLocation.location, [
        { role: "assistant", text: "Паром опаздывает. ".repeat(700) },
      ]);
      const { asked, process } = listening();
      const counting: World.ProcessOptions = {
        ...process,
        assembler: (assembler) => ({
          ...assembler,
          assemble: ({ budgetTokens: _budget, ...input }) =>
            Effect.map(assembler.assemble(input), (prompt) => ({
              ...prompt,
              tokens: { count: 3000, counter: "exact", isExact: true, budget: null },
            })),
        }),
      };
      const run = yield* play(World.publishing, { world, process: counting, profile: profile({ windowTokens }) });
      assert.strictEqual(run.outcome.status, "completed", run.state.failure?.message);
      assert.isAbove(
        (asked[0] ?? []).reduce((sum, message) => sum + estimate.ofMessage(message), 0),
        windowTokens,
      );
    }),
  );
});
