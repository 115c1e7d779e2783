import * as ExtensionRegistry from "@cahier/application/extension/ExtensionRegistry";
import { Runs } from "@cahier/application/run/Runs";
import type { RunHandle } from "@cahier/application/run/supervise";
import { make as makeTools } from "@cahier/application/tool/Tools";
import { openQuestions } from "@cahier/domain/run/openQuestions";
import { ExtensionFault, type ExtensionFunction, type ExtensionTool } from "@cahier/ports/ExtensionTools";
import type { SourceCall, SourceOutcome, SourceTool, ToolSource } from "@cahier/ports/ToolSource";
import { assert, describe, it } from "@effect/vitest";
import * as Deferred from "effect/Deferred";
import * as Effect from "effect/Effect";
import * as Exit from "effect/Exit";
import * as Fiber from "effect/Fiber";
import * as Scope from "effect/Scope";
import * as TestClock from "effect/testing/TestClock";
import { ended, eventsOf, payloadsOf, play, reached, start } from "./support/play.ts";
import { script } from "./support/team.ts";
import * as World from "./support/World.ts";
import { toolOf } from "./tool/tools.ts";

const id = "mcp/0b0e8a52-4a3c-4c3e-9f0a-2f6f1f0c9d11:look_up";

/** A source with one tool that does what a test says. */
const sourceOf = (
  call: (call: SourceCall) => Effect.Effect<SourceOutcome>,
  more: Partial<ToolSource> = {},
  tool: Partial<SourceTool> = {},
): ToolSource => ({
  provider: "mcp",
  catalogue: Effect.succeed({
    tools: [{ descriptor: toolOf(id).descriptor, permission: "always", groupName: "Almanac", ...tool }],
    diagnostics: [],
  }),
  call,
  ...more,
});

const answered = (content: string): SourceOutcome => ({ _tag: "Answered", content });

const profileOf = (allow: ReadonlyArray<string>, more: object = {}) => ({
  document: {
    kind: "cahier.agentProfile",
    schemaVersion: 1,
    id: "asker",
    displayName: "Asker",
    tools: {
      allow: [...allow, ...["read_file", "write_file", "commit", "finish"].map((name) => `builtin:workspace.${name}`)],
      maxRounds: 9,
    },
    ...more,
  },
});

const profile = profileOf([id]);
const alias = "mcp__Almanac__look_up";
const turns = [World.call(alias, { day: "Monday" }), ...World.publishing];

const form = { type: "object", properties: { day: { type: "string" } }, required: ["day"] };

describe("a tool of a source", () => {
  it.effect("is called under the name of its server, with everything that a source may know of the call", () =>
    Effect.gen(function* () {
      const calls: Array<SourceCall> = [];
      const source = sourceOf((call) => {
        calls.push(call);
        return Effect.succeed({ ...answered("A tide at six."), structured: { tide: 6 }, resourceRefs: ["almanac:6"] });
      });
      const played = yield* play(turns, { profile, process: { sources: [source] } });
      assert.strictEqual(played.outcome.status, "completed");
      const [result] = played.results;
      assert.strictEqual(result?.content, "A tide at six.");
      assert.deepStrictEqual(result?.structured, { tide: 6 });
      assert.deepStrictEqual(result?.resourceRefs, ["almanac:6"]);
      const [call] = calls;
      assert.deepStrictEqual(call?.arguments, { day: "Monday" });
      assert.strictEqual(call?.runId, played.runId);
      assert.match(call?.key ?? "", /^call_[0-9a-f]{32}$/);
      assert.isBelow(call?.timeoutMs ?? 0, 120_000);
    }),
  );

  it.effect("says how far a call is to whoever watches the run, and to nobody once the call is over", () =>
    Effect.gen(function* () {
      const heard: Array<unknown> = [];
      const late: { tell?: SourceCall["onProgress"] } = {};
      const source = sourceOf(({ onProgress }) =>
        Effect.sync(() => {
          onProgress?.({ done: 1, total: 2, message: "Half." });
          if (onProgress !== undefined) late.tell = onProgress;
          return answered("Done.");
        }),
      );
      const played = yield* play(turns, {
        profile,
        process: { sources: [source] },
        onProgress: (progress, { invocationId, name }) => void heard.push([progress, invocationId, name]),
      });
      late.tell?.({ done: 2 });
      assert.deepStrictEqual(heard, [[{ done: 1, total: 2, message: "Half." }, "inv_root", alias]]);
      assert.notInclude(JSON.stringify(played.events), "Half.");
    }),
  );

  it.effect.each<readonly [string, SourceOutcome, string, RegExp]>([
    [
      "was not sent",
      { _tag: "NotSent", code: "mcp.call_initialize_failed", message: "No session." },
      "mcp.call_initialize_failed",
      /was not called: No session/,
    ],
    [
      "is not known",
      { _tag: "Unknown", code: "mcp.call_response_failed", message: "The line broke." },
      "tool.outcome_unknown",
      /not known whether the call took effect: The line broke/,
    ],
    [
      "is an error",
      { _tag: "Answered", content: "No such day.", errorCode: "mcp.tool_error" },
      "mcp.tool_error",
      /No such day/,
    ],
  ])("whose outcome %s tells the model so, and the run goes on", ([, outcome, code, words]) =>
    Effect.gen(function* () {
      const played = yield* play(turns, { profile, process: { sources: [sourceOf(() => Effect.succeed(outcome))] } });
      assert.strictEqual(played.results[0]?.errorCode, code);
      assert.match(played.results[0]?.content ?? "", words);
      assert.strictEqual(played.outcome.status, "completed");
    }),
  );

  it.effect("gives what is no text as files, which the run keeps and the model can name", () =>
    Effect.gen(function* () {
      const picture = new Uint8Array([0x89, 0x50, 0x4e, 0x47, 0xff, 0xfe]);
      const source = sourceOf(() =>
        Effect.succeed({
          _tag: "Answered",
          content: [
            { type: "text", text: "A picture." },
            { type: "imageRef", uri: "tide:1", mimeType: "image/png" },
          ],
          resourceRefs: ["tide:1"],
          attachments: [{ uri: "tide:1", mimeType: "image/png", bytes: picture }],
        }),
      );
      const world = World.make();
      const listing = World.call("workspace_list_files", { path: "tool-results" });
      const played = yield* play([World.call(alias), listing, ...World.publishing], {
        world,
        profile: profileOf([id, "builtin:workspace.list_files"]),
        process: { sources: [source] },
      });
      const [stored] = payloadsOf(played.events, "tool_result_attachment_stored");
      assert.match(stored?.path ?? "", /^tool-results\/.*-1\.png$/);
      assert.strictEqual(stored?.bytes, picture.byteLength);
      assert.deepStrictEqual(played.results[0]?.resourceRefs, [stored?.path ?? ""]);
      assert.strictEqual(played.results[0]?.content, `A picture.\n\n[Image ${stored?.path} (image/png)]`);
      assert.include(played.results[1]?.content ?? "", stored?.path ?? "no path");
      assert.deepStrictEqual(world.mirrors.trees.get(played.runId)?.get(stored?.path ?? ""), picture);
    }),
  );

  it.effect("asks first unless its registration says that it is allowed", () =>
    Effect.gen(function* () {
      const source = sourceOf(() => Effect.succeed(answered("no")), {}, { permission: "ask" });
      const played = yield* play(turns, { profile, process: { sources: [source] } });
      assert.strictEqual(played.outcome.status, "awaiting_approval");
      const [asked] = payloadsOf(played.events, "tool_call_awaiting_approval");
      assert.strictEqual(asked?.layer, "source");
    }),
  );

  it.effect("that none of several sources has when it is called was not called", () =>
    Effect.gen(function* () {
      const there = sourceOf(() => Effect.die("never"));
      const offered = { now: true };
      const source: ToolSource = {
        ...there,
        catalogue: Effect.suspend(() =>
          offered.now ? there.catalogue : Effect.succeed({ tools: [], diagnostics: [] }),
        ),
      };
      const empty = sourceOf(() => Effect.die("never"), {
        catalogue: Effect.succeed({ tools: [], diagnostics: [] }),
      });
      const world = World.make();
      const played = yield* Effect.gen(function* () {
        const run = yield* start(turns, { profile });
        offered.now = false;
        return yield* ended(world, run);
      }).pipe(World.inProcess(world, { sources: [source, empty] }));
      assert.strictEqual(played.results[0]?.errorCode, "mcp.call_tool_unavailable");
    }),
  );

  it.effect("that the profile names and that is not there is left out, which the run says", () =>
    Effect.gen(function* () {
      const why = {
        code: "mcp.call_tool_unavailable",
        toolId: toolOf(id).descriptor.id,
        message: "The server is paused.",
      } as const;
      const source = sourceOf(() => Effect.die("never"), {
        catalogue: Effect.succeed({ tools: [], diagnostics: [why] }),
      });
      const played = yield* play(World.publishing, {
        profile: profileOf([id, "extension/bells:ring"]),
        process: { sources: [source] },
      });
      const [resolved] = payloadsOf(played.events, "profile_resolved");
      assert.deepStrictEqual(resolved?.diagnostics, [
        "The server is paused. [mcp.call_tool_unavailable]",
        "extension/bells:ring is not there now and is left out.",
      ]);
    }),
  );

  it.effect("ends when its run is cancelled, and whoever works on it is told", () =>
    Effect.gen(function* () {
      const begun = yield* Deferred.make<void>();
      const told = yield* Deferred.make<void>();
      const source = sourceOf(() =>
        Deferred.succeed(begun, undefined).pipe(
          Effect.andThen(Effect.never),
          Effect.onInterrupt(() => Deferred.succeed(told, undefined)),
        ),
      );
      const world = World.make();
      const outcome = yield* Effect.gen(function* () {
        const run = yield* start(turns, { profile });
        yield* Deferred.await(begun);
        return yield* run.cancel;
      }).pipe(World.inProcess(world, { sources: [source] }));
      yield* Deferred.await(told);
      assert.strictEqual(outcome.status, "cancelled");
    }),
  );
});

describe("the tools of several sources", () => {
  const named = (name: string, provider: "mcp" | "extension" = "mcp"): ToolSource => ({
    ...sourceOf(() => Effect.succeed(answered(name))),
    provider,
    catalogue: Effect.succeed({ tools: [{ descriptor: { ...toolOf(id).descriptor, title: name } }], diagnostics: [] }),
  });

  it.effect("are one value for as long as nothing changes", () =>
    Effect.gen(function* () {
      const tools = makeTools([], [named("first")]);
      assert.strictEqual(yield* tools.catalogue, yield* tools.catalogue);
    }),
  );

  it.effect("hide no others when two offer one id, or one offers what is not its own", () =>
    Effect.gen(function* () {
      const { diagnostics, tools } = yield* makeTools(
        [toolOf("builtin:chat.search")],
        [named("first"), named("second"), named("third", "extension")],
      ).catalogue;
      assert.deepStrictEqual(
        tools.map(({ descriptor }) => descriptor.title),
        ["builtin:chat.search", "first"],
      );
      assert.deepStrictEqual(
        diagnostics.map(({ code }) => code),
        ["tool.catalog_duplicate_id", "tool.id_invalid"],
      );
    }),
  );
});

describe("a question of a tool", () => {
  /** A tool that asks which day is meant and says what it was told. */
  const asking = sourceOf(({ ask }) =>
    Effect.map(ask({ message: "Which day?", schema: form }), (reply) => answered(JSON.stringify(reply))),
  );

  const playing = <A, E, R>(world: World.World, effect: Effect.Effect<A, E, R>) =>
    World.inProcess(world, { sources: [asking] })(effect);

  it.effect("is put on the record and waits for its answer, which is held to what was asked", () =>
    Effect.gen(function* () {
      const world = World.make();
      const played = yield* playing(
        world,
        Effect.gen(function* () {
          const runs = yield* Runs;
          const run = yield* start(turns, { profile, isAttended: true });
          yield* reached(world, run.runId, "tool_question_asked");
          const [open] = openQuestions(run.state());
          assert.strictEqual(open?.message, "Which day?");
          const questionId = open?.questionId ?? "";
          // Minutes pass while somebody thinks; the call does not time out by it.
          yield* TestClock.adjust("10 minutes");
          const wrong = yield* Effect.flip(runs.answer(run.runId, { questionId, action: "accept", content: {} }));
          assert.strictEqual(wrong.reason.code, "agent.question_answer_invalid");
          yield* runs.answer(run.runId, { questionId, action: "accept", content: { day: "Tuesday" } });
          const again = yield* Effect.flip(runs.answer(run.runId, { questionId, action: "decline" }));
          assert.strictEqual(again.reason.code, "agent.question_not_found");
          return yield* ended(world, run);
        }),
      );
      assert.strictEqual(played.results[0]?.content, '{"action":"accept","content":{"day":"Tuesday"}}');
      assert.deepStrictEqual(openQuestions(played.state), []);
    }),
  );

  it.effect("is cancelled at once where nobody attends the run, and the record says so", () =>
    Effect.gen(function* () {
      const played = yield* play(turns, { profile, process: { sources: [asking] } });
      assert.strictEqual(played.results[0]?.content, '{"action":"cancel"}');
      const [answer] = payloadsOf(played.events, "tool_question_answered");
      assert.strictEqual(answer?.by, "unattended");
    }),
  );

  it.effect("is answered from another process", () =>
    Effect.gen(function* () {
      const world = World.make();
      const played = yield* playing(
        world,
        Effect.gen(function* () {
          const run = yield* start(turns, { profile, isAttended: true });
          yield* reached(world, run.runId, "tool_question_asked");
          const [open] = openQuestions(run.state());
          const answering = Effect.flatMap(Runs, (runs) =>
            runs.answer(run.runId, { questionId: open?.questionId ?? "", action: "decline" }),
          ).pipe(World.inProcess(world, { name: "second" }));
          const fiber = yield* Effect.forkChild(answering);
          yield* TestClock.adjust("1 second");
          yield* Fiber.join(fiber);
          return yield* ended(world, run);
        }),
      );
      assert.strictEqual(played.results[0]?.content, '{"action":"decline"}');
    }),
  );

  it.effect("waits for those that its call has asked before, and each is told its own answer", () =>
    Effect.gen(function* () {
      const world = World.make();
      const twice = sourceOf(({ ask }) =>
        Effect.map(
          Effect.all([ask({ message: "First?", schema: form }), ask({ message: "Second?", schema: form })], {
            concurrency: "unbounded",
          }),
          (replies) => answered(JSON.stringify(replies.map(({ action }) => action))),
        ),
      );
      const played = yield* Effect.gen(function* () {
        const runs = yield* Runs;
        const run = yield* start(turns, { profile, isAttended: true });
        const reply = Effect.fnUntraced(function* (message: string, action: "decline" | "cancel") {
          const [open, ...more] = openQuestions(run.state());
          assert.deepStrictEqual([open?.message, more], [message, []]);
          yield* runs.answer(run.runId, { questionId: open?.questionId ?? "", action });
        });
        yield* reached(world, run.runId, "tool_question_asked");
        yield* reply("First?", "decline");
        yield* reached(world, run.runId, "tool_question_asked", 2);
        yield* reply("Second?", "cancel");
        return yield* ended(world, run);
      }).pipe(World.inProcess(world, { sources: [twice] }));
      assert.strictEqual(played.results[0]?.content, '["decline","cancel"]');
    }),
  );

  it.effect("is put to nobody, and not recorded, once its call has asked twenty", () =>
    Effect.gen(function* () {
      const endless = sourceOf(({ ask }) =>
        ask({ message: "Which day?", schema: form }).pipe(
          Effect.replicateEffect(50),
          Effect.map((replies) => answered(String(replies.length))),
        ),
      );
      const played = yield* play(turns, { profile, process: { sources: [endless] } });
      assert.strictEqual(played.results[0]?.content, "50");
      assert.strictEqual(payloadsOf(played.events, "tool_question_asked").length, 20);
      assert.strictEqual(payloadsOf(played.events, "tool_question_answered").length, 20);
    }),
  );

  it.effect("takes no answer once its tool has given it up", () =>
    Effect.gen(function* () {
      const world = World.make();
      const givenUp = yield* Deferred.make<void>();
      const goOn = yield* Deferred.make<void>();
      const impatient = sourceOf(({ ask }) =>
        ask({ message: "Which day?", schema: form }).pipe(
          Effect.timeoutOption("1 minute"),
          Effect.andThen(Deferred.succeed(givenUp, undefined)),
          Effect.andThen(Deferred.await(goOn)),
          Effect.as(answered("Any day.")),
        ),
      );
      const played = yield* Effect.gen(function* () {
        const runs = yield* Runs;
        const run = yield* start(turns, { profile, isAttended: true });
        yield* reached(world, run.runId, "tool_question_asked");
        const questionId = openQuestions(run.state())[0]?.questionId ?? "";
        yield* TestClock.adjust("1 minute");
        yield* Deferred.await(givenUp);
        const refused = yield* Effect.flip(runs.answer(run.runId, { questionId, action: "decline" }));
        assert.strictEqual(refused.reason.code, "agent.question_not_found");
        yield* Deferred.succeed(goOn, undefined);
        return yield* ended(world, run);
      }).pipe(World.inProcess(world, { sources: [impatient] }));
      assert.notInclude(played.types, "tool_question_answered");
      assert.strictEqual(played.results[0]?.content, "Any day.");
    }),
  );

  it.effect("is over with its call when the process dies", () =>
    Effect.gen(function* () {
      const world = World.make();
      const { questionId, runId } = yield* playing(
        world,
        Effect.gen(function* () {
          const run = yield* start(turns, { profile, isAttended: true });
          yield* reached(world, run.runId, "tool_question_asked");
          return { runId: run.runId, questionId: openQuestions(run.state())[0]?.questionId ?? "" };
        }),
      );
      const played = yield* playing(
        world,
        Effect.gen(function* () {
          const runs = yield* Runs;
          const refused = yield* Effect.flip(runs.answer(runId, { questionId, action: "decline" }));
          assert.strictEqual(refused.reason.code, "agent.question_not_found");
          return yield* ended(world, yield* runs.resume(runId));
        }),
      );
      assert.strictEqual(played.results[0]?.errorCode, "tool.outcome_unknown");
      assert.strictEqual(played.outcome.status, "completed");
    }),
  );
});

describe("a tool that asks the run's model", () => {
  const sampling = sourceOf(({ sample }) =>
    sample({ messages: [{ role: "user", text: "Name a day." }], maxTokens: 20 }).pipe(
      Effect.map(({ text }) => answered(`The model says: ${text}`)),
      Effect.catch(({ code }) => Effect.succeed(answered(code))),
    ),
  );
  const day = { text: "Monday", usage: { inputTokens: 30, outputTokens: 4 } };
  const asked = script([{ ...World.call(alias), usage: { inputTokens: 30, outputTokens: 4 } }, ...World.publishing], {
    sampling: [[day]],
  });

  it.effect("gets its answer, and what it costs is that of the call", () =>
    Effect.gen(function* () {
      const played = yield* play([], { profile, binding: asked, process: { sources: [sampling] } });
      assert.strictEqual(played.results[0]?.content, "The model says: Monday");
      const [closed] = payloadsOf(played.events, "tool_call_completed");
      assert.deepStrictEqual(closed?.usage, { tokens: 34 });
    }),
  );

  /** Asks for a text and goes on as a test says. */
  const samplingThen = (more: (call: SourceCall) => Effect.Effect<SourceOutcome>) =>
    sourceOf((call) =>
      call.sample({ messages: [{ role: "user", text: "Name a day." }], maxTokens: 20 }).pipe(
        Effect.matchEffect({
          onFailure: ({ code }) => Effect.succeed(answered(code)),
          onSuccess: () => more(call),
        }),
      ),
    );

  it.effect.each<readonly [string, () => Effect.Effect<SourceOutcome>, string]>([
    [
      "is not known",
      () => Effect.succeed({ _tag: "Unknown", code: "mcp.call_response_failed", message: "The line broke." }),
      "tool.outcome_unknown",
    ],
    [
      "was not sent",
      () => Effect.succeed({ _tag: "NotSent", code: "mcp.call_not_queued", message: "No line." }),
      "mcp.call_not_queued",
    ],
    ["is a defect", () => Effect.die(new Error("broken")), "mcp.server_error"],
    ["is an interruption of itself", () => Effect.interrupt, "mcp.server_error"],
  ])("is charged for it when the outcome %s", ([, more, code]) =>
    Effect.gen(function* () {
      const played = yield* play([], { profile, binding: asked, process: { sources: [samplingThen(more)] } });
      const [closed] = payloadsOf(played.events, "tool_call_failed");
      assert.strictEqual(closed?.errorCode, code);
      assert.deepStrictEqual(closed?.usage, { tokens: 34 });
    }),
  );

  it.effect("is charged for it when its time is over, of which the model has taken none", () =>
    Effect.gen(function* () {
      const world = World.make();
      const begun = yield* Deferred.make<void>();
      const sampled = yield* Deferred.make<void>();
      const source = samplingThen(() => Effect.andThen(Deferred.succeed(sampled, undefined), Effect.never));
      const process: World.ProcessOptions = {
        sources: [source],
        gateway: (gateway) => ({
          ...gateway,
          generate: (request, onDelta) =>
            request.agent?.profileId === "sampling"
              ? Deferred.succeed(begun, undefined).pipe(
                  Effect.andThen(Effect.sleep("10 minutes")),
                  Effect.andThen(gateway.generate(request, onDelta)),
                )
              : gateway.generate(request, onDelta),
        }),
      };
      const played = yield* Effect.gen(function* () {
        const run = yield* start([], { profile, binding: asked });
        yield* Deferred.await(begun);
        yield* TestClock.adjust("10 minutes");
        yield* Deferred.await(sampled);
        yield* TestClock.adjust("2 minutes");
        return yield* ended(world, run);
      }).pipe(World.inProcess(world, process));
      const [closed] = payloadsOf(played.events, "tool_call_failed");
      assert.strictEqual(closed?.errorCode, "tool.timeout");
      assert.deepStrictEqual(closed?.usage, { tokens: 34 });
    }),
  );

  it.effect.each<readonly [string, (run: RunHandle) => Effect.Effect<unknown>, string]>([
    ["is cancelled", (run) => Effect.orDie(run.cancel), "cancelled"],
    ["has used up its time", () => TestClock.adjust("1 minute"), "failed"],
  ])("is charged for it when its run %s in the middle of the call", ([, end, status]) =>
    Effect.gen(function* () {
      const world = World.make();
      const sampled = yield* Deferred.make<void>();
      const source = samplingThen(() => Effect.andThen(Deferred.succeed(sampled, undefined), Effect.never));
      const played = yield* Effect.gen(function* () {
        const run = yield* start([], {
          profile: profileOf([id], { run: { budget: { wallMs: 60_000 } } }),
          binding: asked,
        });
        yield* Deferred.await(sampled);
        yield* end(run);
        return yield* ended(world, run);
      }).pipe(World.inProcess(world, { sources: [source] }));
      assert.strictEqual(played.outcome.status, status);
      const [closed] = payloadsOf(played.events, "tool_call_failed");
      assert.strictEqual(closed?.errorCode, "tool.outcome_unknown");
      assert.strictEqual(played.state.invocations["inv_root"]?.toolTokens, 34);
    }),
  );

  it.effect("is left as it is, to be looked into, when only its process ends in the middle of the call", () =>
    Effect.gen(function* () {
      const world = World.make();
      const sampled = yield* Deferred.make<void>();
      const source = samplingThen(() => Effect.andThen(Deferred.succeed(sampled, undefined), Effect.never));
      const runId = yield* Effect.gen(function* () {
        const run = yield* start([], { profile, binding: asked });
        yield* Deferred.await(sampled);
        return run.runId;
      }).pipe(World.inProcess(world, { sources: [source] }));
      assert.deepStrictEqual(payloadsOf(yield* eventsOf(world, runId), "tool_call_failed"), []);
    }),
  );

  it.effect("is held to the budgets with everything that it has asked for at once", () =>
    Effect.gen(function* () {
      const greedy = sourceOf(({ sample }) =>
        sample({ messages: [{ role: "user", text: "Name a day." }], maxTokens: 20 }).pipe(
          Effect.match({ onFailure: ({ code }): string => code, onSuccess: ({ text }) => text }),
          Effect.replicateEffect(10, { concurrency: "unbounded" }),
          Effect.map((said) => answered(said.join())),
        ),
      );
      const binding = script(
        [{ ...World.call(alias), usage: { inputTokens: 30, outputTokens: 4 } }, ...World.publishing],
        { sampling: [Array.from({ length: 10 }, () => day)] },
      );
      const narrow = profileOf([id], { run: { budget: { tokens: 60 } } });
      const played = yield* play([], { profile: narrow, binding, process: { sources: [greedy] } });
      assert.deepStrictEqual(played.results[0]?.content.split(","), [
        "Monday",
        ...Array.from({ length: 9 }, () => "agent.token_budget_exhausted"),
      ]);
      assert.deepStrictEqual(payloadsOf(played.events, "tool_call_completed")[0]?.usage, { tokens: 34 });
    }),
  );

  it.effect("gets none when the run has spent its budget", () =>
    Effect.gen(function* () {
      const narrow = profileOf([id], { run: { budget: { tokens: 30 } } });
      const played = yield* play([], { profile: narrow, binding: asked, process: { sources: [sampling] } });
      assert.strictEqual(played.results[0]?.content, "agent.token_budget_exhausted");
    }),
  );
});

describe("a tool of an extension", () => {
  const ring: ExtensionTool = {
    extensionId: "bells",
    name: "ring",
    description: "Rings a bell.",
    inputSchema: { type: "object" },
    contexts: ["chat"],
  };
  const allowed = profileOf(["extension/bells:ring"], {});
  const ringing = (run: ExtensionFunction) =>
    Effect.scoped(
      Effect.gen(function* () {
        const extensions = ExtensionRegistry.make();
        yield* extensions.register(ring, run);
        return yield* play([World.call("ring"), ...World.publishing], {
          profile: allowed,
          approve: ["extension/*"],
          process: { sources: [extensions.source] },
        });
      }),
    );

  it.effect.each<readonly [string, ExtensionFunction, string, string | undefined]>([
    ["a text", () => Effect.succeed("Dong."), "Dong.", undefined],
    ["nothing", () => Effect.succeed(undefined), "null", undefined],
    ["data", () => Effect.succeed({ loud: true }), '{"loud":true}', undefined],
    ["what is no JSON", () => Effect.succeed((() => 1) as unknown as string), "no JSON", "extension.tool_error"],
    ["an exception", () => Effect.die(new Error("cracked")), "cracked", "extension.tool_error"],
    [
      "its failure",
      () => Effect.fail(new ExtensionFault({ kind: "failed", detail: "no rope" })),
      "no rope",
      "extension.tool_error",
    ],
    [
      "a lost call",
      () => Effect.fail(new ExtensionFault({ kind: "lost", detail: "The page left." })),
      "The page left",
      "tool.outcome_unknown",
    ],
    [
      "a call not made",
      () => Effect.fail(new ExtensionFault({ kind: "notReached", detail: "No page." })),
      "No page",
      "extension.tool_unavailable",
    ],
  ])("that gives %s tells the model so", ([, run, words, code]) =>
    Effect.gen(function* () {
      const played = yield* ringing(run);
      assert.include(played.results[0]?.content ?? "", words);
      assert.strictEqual(played.results[0]?.errorCode, code);
    }),
  );

  it.effect("asks by default, whoever registered it", () =>
    Effect.gen(function* () {
      const extensions = ExtensionRegistry.make();
      const scope = yield* Scope.make();
      yield* Scope.provide(
        extensions.register(ring, () => Effect.succeed("Dong.")),
        scope,
      );
      const played = yield* play([World.call("ring"), ...World.publishing], {
        profile: allowed,
        process: { sources: [extensions.source] },
      });
      yield* Scope.close(scope, Exit.void);
      assert.include(played.types, "tool_call_awaiting_approval");
    }),
  );

  it.effect.each<readonly [string, Partial<ExtensionTool>]>([
    ["its name is blank", { name: " " }],
    ["its extension has a colon", { extensionId: "a:b" }],
    ["it is described by nothing", { description: " " }],
    ["its arguments are a list", { inputSchema: { type: "array" } }],
    [
      "its schema lies elsewhere",
      { inputSchema: { type: "object", properties: { a: { $ref: "https://example.com/a" } } } },
    ],
    ["it is for nothing", { contexts: [] }],
  ])("is refused when %s", ([, wrong]) =>
    Effect.gen(function* () {
      const extensions = ExtensionRegistry.make();
      const refusal = yield* Effect.flip(extensions.register({ ...ring, ...wrong }, () => Effect.succeed("")));
      assert.strictEqual(refusal.code, "extension.registration_invalid");
      assert.deepStrictEqual(yield* extensions.list, []);
    }).pipe(Effect.scoped),
  );

  it.effect("is refused when its id is taken", () =>
    Effect.gen(function* () {
      const extensions = ExtensionRegistry.make();
      yield* extensions.register(ring, () => Effect.succeed("first"));
      const refusal = yield* Effect.flip(extensions.register(ring, () => Effect.succeed("second")));
      assert.strictEqual(refusal.code, "extension.tool_duplicate");
    }).pipe(Effect.scoped),
  );
});
