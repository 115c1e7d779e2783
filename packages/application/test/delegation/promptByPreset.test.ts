import * as PromptAssemblies from "@cahier/application/prompt/PromptAssemblies";
import { Runs } from "@cahier/application/run/Runs";
import { startRunWithPromptSnapshot } from "@cahier/application/run/startRun";
import { CallId, type RunId } from "@cahier/domain/identity/Identity";
import type { PromptInput } from "@cahier/ports/PromptAssembler";
import * as MemoryRunJournal from "@cahier/storage-memory/MemoryRunJournal";
import { assert, describe, it } from "@effect/vitest";
import * as Effect from "effect/Effect";
import * as Fiber from "effect/Fiber";
import * as TestClock from "effect/testing/TestClock";
import { ended, eventsOf, payloadsOf, reached } from "../support/play.ts";
import * as Team from "../support/team.ts";
import * as World from "../support/World.ts";

const preset = { mode: "ref", ref: { apiId: "openai", name: "Critics" } };
const critic = Team.agent("critic", { preset, context: { initialChatHistoryMessages: 1 } });
const returned = World.call("task_return", { status: "completed", summary: "No gaps." });
const delegating: ReadonlyArray<World.Turn> = [
  World.calls(Team.delegate("critic", "Look for gaps.")),
  World.call("agent_await"),
  ...World.publishing,
];

describe("the prompt of an agent whose profile names a preset", () => {
  it.effect("is made by that preset, of the chat that the run began with, with the task in its place", () =>
    Effect.gen(function* () {
      const world = yield* Team.worldWith([critic]);
      const asked: Team.Asked = new Map();
      const inputs: Array<PromptInput> = [];
      const run = yield* Team.playTeam(
        delegating,
        { critic: [[returned]] },
        {
          world,
          process: {
            ...Team.listening(asked),
            assembler: (assembler) => ({
              ...assembler,
              assemble: (input) => {
                inputs.push(input);
                const { preset: _preset, ...rest } = input;
                return assembler.assemble(rest);
              },
            }),
          },
        },
      );
      assert.strictEqual(run.outcome.status, "completed");
      const [own, ofCritic] = inputs;
      assert.isUndefined(own?.preset);
      assert.deepStrictEqual(ofCritic?.preset, preset.ref);
      assert.strictEqual(ofCritic?.initialChatHistoryMessages, 1);
      assert.include(ofCritic?.agentTask, "Look for gaps.");
      assert.deepStrictEqual(ofCritic?.chat.messages, own?.chat.messages);
      assert.include(JSON.stringify(asked.get("critic 0")?.[0]), "Then we wait.");
      assert.notInclude(JSON.stringify(asked.get("critic 0")?.[0]), "The ferry is late.");
      assert.deepStrictEqual(payloadsOf(run.events, "prompt_assembly_requested"), []);
    }),
  );

  it.effect("is made of what the assembler had when the run began, in whatever process", () =>
    Effect.gen(function* () {
      const world = yield* Team.worldWith([critic]);
      const given: Array<unknown> = [];
      const having = (own: string): World.ProcessOptions => ({
        assembler: (assembler) => ({
          ...assembler,
          assemble: ({ keepsMaterial, material, preset: _preset, ...input }) => {
            given.push(material);
            return Effect.map(assembler.assemble(input), (prompt) =>
              keepsMaterial === true && material === undefined ? { ...prompt, material: { own } } : prompt,
            );
          },
        }),
      });
      const parked = yield* Team.playTeam(
        [World.calls(Team.delegate("critic")), Team.awaitAll, ...World.publishing],
        { critic: [[returned]] },
        {
          world,
          process: having("first"),
          lead: Team.lead({
            tools: {
              allow: [...World.soloTools, "builtin:agent.delegate", "builtin:agent.await"],
              policy: [{ tools: ["builtin:agent.delegate"], permission: "ask" }],
            },
          }),
        },
      );
      assert.strictEqual(parked.outcome.status, "awaiting_approval");
      const [call] = payloadsOf(parked.events, "tool_call_awaiting_approval");
      assert.isDefined(call);
      const { outcome } = yield* Effect.gen(function* () {
        const runs = yield* Runs;
        const handle = yield* runs.decide(parked.runId, { callId: CallId.make(call?.callId ?? ""), approved: true });
        return handle === undefined ? yield* Effect.die("nobody carries it on") : yield* ended(world, handle);
      }).pipe(World.inProcess(world, { name: "second", ...having("second") }));
      assert.strictEqual(outcome.status, "completed");
      assert.deepStrictEqual(given, [undefined, { own: "first" }]);
    }),
  );

  it.effect("is another one when the preset is missing: agent.profile_preset_missing where it is required", () =>
    Effect.gen(function* () {
      const required = Team.agent("strict", { preset: { ...preset, required: true } });
      const world = yield* Team.worldWith([critic, required]);
      const run = yield* Team.playTeam(
        [World.calls(Team.delegate("critic"), Team.delegate("strict")), Team.awaitAll, ...World.publishing],
        { critic: [[returned]] },
        { world },
      );
      assert.strictEqual(run.outcome.status, "completed");
      const [failed] = payloadsOf(run.events, "agent_task_failed");
      assert.include(JSON.stringify(failed), "agent.profile_preset_missing");
      assert.strictEqual(payloadsOf(run.events, "agent_task_completed").length, 1);
    }),
  );
});

const promptInput = { host: "page", frozen: { words: ["as", "it", "likes"] } };

const promptSnapshot = {
  contextPolicy: { initialChatHistoryMessages: -1, includeActivatedWorldInfo: true },
  messages: [
    { role: "system", content: "You write." },
    { role: "user", content: "Go on." },
  ],
};

/** Starts a run whose prompt a host has made, and who has a critic whose prompt the host has to make as well. */
const started = (turns = delegating) =>
  startRunWithPromptSnapshot({
    chat: World.chatLocation,
    binding: Team.script(turns, { critic: [[returned]] }),
    profile: { document: Team.lead() },
    promptSnapshot,
    promptInput,
  });

/** What a host makes of a request. */
const promptOf = ({ request }: PromptAssemblies.ReadRequest) => ({
  contextPolicy: request.contextPolicy,
  messages: [
    { role: "system", content: `By the page. ${request.agentSystemPrompt}` },
    { role: "user", content: request.agentTaskPrompt },
  ],
});

const requestOf = Effect.fnUntraced(function* (world: World.World, runId: RunId) {
  yield* reached(world, runId, "prompt_assembly_requested");
  const [requested] = payloadsOf(yield* eventsOf(world, runId), "prompt_assembly_requested");
  assert.isDefined(requested);
  return { requested, read: yield* PromptAssemblies.read(runId, requested?.assemblyId ?? "") };
});

const codeOf = (effect: Effect.Effect<unknown, { readonly reason: { readonly code: string } }>) =>
  Effect.map(Effect.flip(effect), ({ reason }) => reason.code);

describe("a prompt that the host of the run has to make", () => {
  it.effect("is asked for by an id, read with what the host has frozen, and answered once", () =>
    Effect.gen(function* () {
      const world = yield* Team.worldWith([critic]);
      const asked: Team.Asked = new Map();
      yield* Effect.gen(function* () {
        const run = yield* started();
        const { read, requested } = yield* requestOf(world, run.runId);
        const { assemblyId } = read.request;
        assert.deepStrictEqual(read.promptInput, promptInput);
        assert.deepStrictEqual(read.request.presetRef, preset.ref);
        assert.deepStrictEqual(read.request.requiredAgentPromptComponents, ["agentSystemPrompt", "agentTask"]);
        assert.strictEqual(requested?.requestFingerprint, read.request.fingerprint);
        // The event says that there is a request and nothing of it.
        assert.notInclude(JSON.stringify(requested), "Look for gaps.");
        const { fingerprint } = read.request;
        const resolve = (resolution: PromptAssemblies.Resolution, id = assemblyId) =>
          PromptAssemblies.resolve(run.runId, id, resolution);
        const services = yield* Effect.context<Effect.Services<ReturnType<typeof resolve>>>();
        const refused = (effect: ReturnType<typeof resolve>) => codeOf(Effect.provideContext(effect, services));
        assert.strictEqual(
          yield* refused(resolve({ fingerprint, error: "" }, "assembly_other")),
          "agent.prompt_assembly_request_missing",
        );
        assert.strictEqual(
          yield* refused(resolve({ fingerprint: "other", promptSnapshot: promptOf(read) })),
          "agent.prompt_assembly_resolve_invalid",
        );
        assert.strictEqual(
          yield* refused(resolve({ fingerprint, promptSnapshot: null })),
          "agent.prompt_assembly_snapshot_required",
        );
        yield* resolve({ fingerprint, promptSnapshot: promptOf(read) });
        assert.strictEqual(
          yield* refused(resolve({ fingerprint, error: "too late" })),
          "agent.prompt_assembly_not_pending",
        );
        const end = yield* Effect.forkChild(ended(world, run));
        yield* TestClock.adjust("1 second");
        const { events, outcome } = yield* Fiber.join(end);
        assert.strictEqual(outcome.status, "completed");
        assert.strictEqual(payloadsOf(events, "prompt_assembly_completed")[0]?.messageCount, 2);
        assert.include(JSON.stringify(asked.get("critic 0")?.[0]), "By the page.");
        assert.strictEqual(
          yield* refused(resolve({ fingerprint, error: "" })),
          "agent.prompt_assembly_request_missing",
        );
      }).pipe(World.inProcess(world, Team.listening(asked)));
    }),
  );

  it.effect("fails the task when the host cannot make it, leaves its texts out or changes the context policy", () =>
    Effect.gen(function* () {
      for (const [answer, code] of [
        [{ error: "The preset is gone." }, "agent.prompt_assembly_failed"],
        [{ promptSnapshot: { ...promptSnapshot, contextPolicy: policy } }, "agent.prompt_assembly_failed"],
        [{ promptSnapshot }, "agent.context_policy_mismatch"],
      ] as const) {
        const world = yield* Team.worldWith([critic]);
        yield* Effect.gen(function* () {
          const run = yield* started();
          const { read } = yield* requestOf(world, run.runId);
          const { assemblyId, fingerprint } = read.request;
          yield* PromptAssemblies.resolve(run.runId, assemblyId, { fingerprint, ...answer });
          const end = yield* Effect.forkChild(ended(world, run));
          yield* TestClock.adjust("1 second");
          const { events, outcome } = yield* Fiber.join(end);
          assert.strictEqual(outcome.status, "completed");
          assert.strictEqual(payloadsOf(events, "prompt_assembly_failed")[0]?.code, code);
          assert.include(JSON.stringify(payloadsOf(events, "agent_task_failed")[0]), code);
        }).pipe(World.inProcess(world));
      }
    }),
  );

  it.effect("is waited for ten minutes: agent.host_timeout", () =>
    Effect.gen(function* () {
      const world = yield* Team.worldWith([critic]);
      yield* Effect.gen(function* () {
        const run = yield* started([Team.handingOver("critic")]);
        yield* requestOf(world, run.runId);
        const end = yield* Effect.forkChild(ended(world, run));
        yield* TestClock.adjust("11 minutes");
        const { events, state } = yield* Fiber.join(end);
        assert.strictEqual(payloadsOf(events, "prompt_assembly_requested")[0]?.scope, "handoff");
        assert.strictEqual(payloadsOf(events, "prompt_assembly_failed")[0]?.code, "agent.host_timeout");
        assert.strictEqual(state.failure?.code, "agent.host_timeout");
      }).pipe(World.inProcess(world));
    }),
  );

  it.effect("is waited for no longer because another process waits: the ten minutes count from the request", () =>
    Effect.gen(function* () {
      const world = yield* Team.worldWith([critic]);
      const runId = yield* Effect.gen(function* () {
        const run = yield* started([Team.handingOver("critic")]);
        yield* requestOf(world, run.runId);
        yield* TestClock.adjust("6 minutes");
        return run.runId;
      }).pipe(World.inProcess(world));
      yield* Effect.gen(function* () {
        const runs = yield* Runs;
        const end = yield* Effect.forkChild(Effect.flatMap(runs.resume(runId), (run) => ended(world, run)));
        yield* TestClock.adjust("5 minutes");
        const { events } = yield* Fiber.join(end);
        assert.strictEqual(payloadsOf(events, "prompt_assembly_failed")[0]?.code, "agent.host_timeout");
      }).pipe(World.inProcess(world, { name: "second" }));
    }),
  );

  it.effect("may be answered while nobody carries the run on, and is not asked for again", () =>
    Effect.gen(function* () {
      const world = yield* Team.worldWith([critic]);
      const runId = yield* Effect.gen(function* () {
        const run = yield* started();
        yield* requestOf(world, run.runId);
        return run.runId;
      }).pipe(World.inProcess(world));
      yield* Effect.gen(function* () {
        const { read } = yield* requestOf(world, runId);
        const { assemblyId, fingerprint } = read.request;
        yield* PromptAssemblies.resolve(runId, assemblyId, { fingerprint, promptSnapshot: promptOf(read) });
        const runs = yield* Runs;
        const end = yield* Effect.forkChild(Effect.flatMap(runs.resume(runId), (run) => ended(world, run)));
        yield* TestClock.adjust("1 second");
        const { events, outcome } = yield* Fiber.join(end);
        assert.strictEqual(outcome.status, "completed");
        assert.strictEqual(payloadsOf(events, "prompt_assembly_requested").length, 1);
        assert.strictEqual(payloadsOf(events, "prompt_assembly_completed").length, 1);
      }).pipe(World.inProcess(world, { name: "second" }));
    }),
  );

  it.effect("does not hold a cancel up", () =>
    Effect.gen(function* () {
      const world = yield* Team.worldWith([critic]);
      yield* Effect.gen(function* () {
        const run = yield* started();
        const { read } = yield* requestOf(world, run.runId);
        assert.strictEqual((yield* run.cancel).status, "cancelled");
        const { events } = yield* MemoryRunJournal.make(world.journals).read(run.runId, { limit: 500 });
        assert.strictEqual(payloadsOf(events, "agent_task_cancelled").length, 1);
        // Nobody waits for an answer any more, and none is taken.
        const { assemblyId, fingerprint } = read.request;
        const late = PromptAssemblies.resolve(run.runId, assemblyId, { fingerprint, promptSnapshot: promptOf(read) });
        assert.strictEqual((yield* Effect.flip(late)).reason.code, "agent.prompt_assembly_request_missing");
      }).pipe(World.inProcess(world));
    }),
  );
});

/** The context policy of the critic. */
const policy = { initialChatHistoryMessages: 1, includeActivatedWorldInfo: true };
