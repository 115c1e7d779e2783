import * as PathMap from "@cahier/domain/run/PathMap";
import { checkpointsOf } from "@cahier/domain/run/checkpoint";
import { type ForkOptions, forkRun } from "@cahier/application/fork/forkRun";
import type { RunPoint } from "@cahier/application/run/RunPoint";
import * as Policies from "@cahier/application/policy/Policies";
import { Runs } from "@cahier/application/run/Runs";
import { Randomness } from "@cahier/application/tool/Randomness";
import { textOf } from "@cahier/domain/model/Message";
import type { RunId } from "@cahier/domain/identity/Identity";
import { CallId } from "@cahier/domain/identity/Identity";
import type { StoredEvent } from "@cahier/domain/run/EventEnvelope";
import { forkObstacle, isSameStep } from "@cahier/domain/run/forkPoint";
import { empty } from "@cahier/domain/run/RunState";
import type { ModelRequest } from "@cahier/domain/model/ModelRequest";
import * as MemoryChatHost from "@cahier/testkit/doubles/MemoryChatHost";
import { assert, describe, it } from "@effect/vitest";
import * as Effect from "effect/Effect";
import { ended, eventsOf, payloadsOf, play, reached } from "./support/play.ts";
import * as World from "./support/World.ts";

/** A profile with every built-in tool, reminded often enough. */
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
const long = "It rains on the ferry. ".repeat(600);

/** A run with a step of every kind: dice, several calls at once, appended text, a text-only answer, two commits. */
const turns: ReadonlyArray<World.Turn> = [
  World.call("dice_roll", { formula: "1d20" }),
  World.write("They wait.\n"),
  World.calls(
    ["workspace_write_file", { path, mode: "append", content: "It rains.\n" }],
    ["workspace_read_file", { path }],
  ),
  World.write(long, "plan/long.md"),
  { text: "Is that all?" },
  World.commit,
  World.call("workspace_apply_patch", { path, old_string: "rains", new_string: "pours" }),
  World.commit,
  World.finish,
];

const other: ReadonlyArray<World.Turn> = [World.write("Another night."), World.commit, World.finish];

/** What a process asked its models for and how often its dice fell. */
interface Counted {
  readonly requests: Array<ModelRequest>;
  rolls: number;
}

const count = (): Counted => ({ requests: [], rolls: 0 });

const counting = (counted: Counted): World.ProcessOptions => ({
  name: "forking",
  gateway: (gateway) => ({
    ...gateway,
    generate: (request, onDelta) => {
      counted.requests.push({ ...request, messages: [...request.messages] });
      return gateway.generate(request, onDelta);
    },
  }),
});

const forked = Effect.fnUntraced(function* (
  world: World.World,
  runId: RunId,
  point: RunPoint,
  options: ForkOptions = { model: World.scripted(other) },
) {
  const counted = count();
  const chance = {
    next: () => {
      counted.rolls += 1;
      return 0.5;
    },
  };
  const found = yield* Effect.gen(function* () {
    const handle = yield* forkRun(runId, point, options);
    return { ...(yield* ended(world, handle)), forkedFrom: handle.forkedFrom };
  }).pipe(World.inProcess(world, counting(counted)), Effect.provideService(Randomness, chance));
  return { ...found, counted };
});

const codeOf = (world: World.World, runId: RunId, point: RunPoint, options?: ForkOptions) =>
  Effect.flip(forkRun(runId, point, options)).pipe(
    World.inProcess(world),
    Effect.map((failure) => failure.reason.code),
  );

/** What a copy has in common with its event. */
const shared = ({ eventScope, level, payload, seq, timestamp, type, v }: StoredEvent) => ({
  eventScope,
  level,
  payload,
  seq,
  timestamp,
  type,
  v,
});

const seqOf = (events: ReadonlyArray<StoredEvent>, type: string): number =>
  events.find((event) => event.type === type)?.seq ?? 0;

const messagesOf = (world: World.World) => world.chats.chats.get(World.chatLocation.location)?.messages ?? [];

describe("a fork", () => {
  it.effect(
    "at any event shares what came before, asks no model and runs no tool of it again, and leaves the run as it is",
    () =>
      Effect.gen(function* () {
        const world = World.make();
        const { events, outcome, runId, state } = yield* play(turns, { world, profile });
        assert.deepStrictEqual([outcome.error, outcome.status], [undefined, "completed"]);
        const rolled = seqOf(events, "tool_call_completed");
        const ends = new Set<number>();
        for (const seq of [0, ...events.map((event) => event.seq)]) {
          const title = `at event ${seq}, ${events[seq - 1]?.type ?? "the start"}`;
          const fork = yield* forked(world, runId, seq);
          assert.deepStrictEqual([fork.outcome.error, fork.outcome.status], [undefined, "completed"], title);
          const { seq: end } = fork.forkedFrom;
          ends.add(end);
          assert.isAtLeast(end, seq, title);
          assert.deepStrictEqual(fork.events.slice(1, end).map(shared), events.slice(1, end).map(shared), title);
          const own = fork.events.slice(end).map(({ type }) => type);
          assert.deepStrictEqual(own.slice(0, 2), ["run_forked", "run_owner_changed"], title);
          assert.strictEqual(fork.counted.requests.length, other.length, title);
          assert.strictEqual(own.filter((type) => type === "model_call_attempt_started").length, other.length, title);
          if (end >= rolled) assert.strictEqual(fork.counted.rolls, 0, title);
          if (end > (PathMap.get(state.files, "plan/long.md")?.writtenBySeq ?? 0))
            assert.strictEqual(PathMap.get(fork.state.files, "plan/long.md")?.chars, long.length, title);
          assert.deepStrictEqual(yield* eventsOf(world, runId), events, title);
        }
        assert.isAbove(ends.size, 20, "events between two steps are moments of their own");
        const [, , message] = messagesOf(world);
        assert.lengthOf(messagesOf(world), 3, "every fork made a swipe, and none a message or a replacement");
        assert.strictEqual(message?.swipes[0], "They wait.\nIt pours.\n");
        assert.strictEqual(message?.swipes.length, events.length + 2);
        assert.deepStrictEqual(new Set(message?.swipes.slice(1)), new Set(["Another night."]));
      }),
    60_000,
  );

  it.effect("of a run that has published nothing makes a message of its own", () =>
    Effect.gen(function* () {
      const world = World.make();
      const { events, outcome, runId } = yield* play([World.write("A draft."), { error: { status: 400 } }], { world });
      assert.strictEqual(outcome.status, "failed");
      const fork = yield* forked(world, runId, events.length);
      assert.strictEqual(fork.outcome.status, "completed");
      assert.deepStrictEqual(World.textsOf(world), [...World.beginning, "Another night."]);
      assert.deepStrictEqual(fork.state.commits.length, 1);
    }),
  );

  it.effect("without another model goes on with the run's own, where that had got to", () =>
    Effect.gen(function* () {
      const world = World.make();
      const { events, runId } = yield* play(World.publishing, { world });
      const fork = yield* forked(world, runId, seqOf(events, "checkpoint_created"), {});
      assert.strictEqual(fork.outcome.status, "completed");
      assert.strictEqual(fork.counted.requests.length, 2);
      assert.deepStrictEqual(messagesOf(world)[2]?.swipes, ["They wait by the river.", "They wait by the river."]);
    }),
  );

  it.effect("can be forked again, from a checkpoint that it shares, and read after the first run is gone", () =>
    Effect.gen(function* () {
      const world = World.make();
      const { events, runId, state } = yield* play(turns, { world, profile });
      const once = yield* forked(world, runId, events.length);
      world.journals.journals.delete(runId);
      const named = checkpointsOf(state).find(({ files }) => PathMap.get(files, "plan/long.md") !== undefined);
      const twice = yield* forked(world, once.runId, named?.id ?? "");
      assert.deepStrictEqual(twice.forkedFrom, { runId: once.runId, seq: named?.seq ?? 0 });
      assert.deepStrictEqual(twice.state.forkedFrom, twice.forkedFrom);
      assert.strictEqual(twice.outcome.status, "completed");
      assert.strictEqual(PathMap.get(twice.state.files, "plan/long.md")?.chars, long.length);
    }),
  );

  it.effect(
    "with a message has the agent read it before its next request, and never between calls and results",
    () =>
      Effect.gen(function* () {
        const world = World.make();
        const { events, runId } = yield* play(turns, { world, profile });
        for (const { seq } of events) {
          const title = `at event ${seq}, ${events[seq - 1]?.type}`;
          const fork = yield* forked(world, runId, seq, { model: World.scripted(other), message: "Let it snow." });
          assert.strictEqual(fork.outcome.status, "completed", title);
          const messages = fork.counted.requests[0]?.messages ?? [];
          assert.strictEqual(messages.at(-1)?.role, "user", title);
          const last = messages.at(-1);
          assert.strictEqual(last === undefined ? "" : textOf(last), "Let it snow.", title);
          const later = fork.counted.requests.at(-1)?.messages ?? [];
          assert.lengthOf(
            later.filter((message) => textOf(message) === "Let it snow."),
            1,
            title,
          );
          const own = fork.events.slice(fork.forkedFrom.seq);
          const [created] = payloadsOf(own, "model_request_created");
          if (seqOf(own, "model_request_created") < seqOf(own, "model_call_attempt_started"))
            assert.strictEqual(created?.messageCount, messages.length - promptLength(fork.events), title);
        }
      }),
    60_000,
  );

  it.effect("counts neither what the run spent nor what it was told to do in a circle", () =>
    Effect.gen(function* () {
      const world = World.make();
      const usage = { inputTokens: 70, outputTokens: 20 };
      const document = { ...profile.document, run: { ...profile.document.run, budget: { tokens: 100 } } };
      const list = World.call("workspace_list_files");
      const expensive = [{ ...World.write("A draft."), usage }, { ...list, usage }, World.finish];
      const { events, outcome, runId } = yield* play(expensive, { world, profile: { document } });
      assert.strictEqual(outcome.error?.code, "agent.token_budget_exhausted");
      const fork = yield* forked(world, runId, events.length);
      assert.strictEqual(fork.outcome.status, "completed");
      assert.deepInclude(fork.state.invocations["inv_root"], { inputTokens: 0, outputTokens: 0 });
      const circle = yield* play([list, list, list, list, list, list], { world: World.make(), profile });
      assert.strictEqual(circle.outcome.error?.code, "agent.repeated_call");
      const out = yield* forked(circle.world, circle.runId, circle.events.length);
      assert.strictEqual(out.outcome.status, "completed");
    }),
  );

  it.effect("with another profile goes on with its tools and limits, under the names that tools have had", () =>
    Effect.gen(function* () {
      const world = World.make();
      const { events, runId } = yield* play(turns, { world, profile });
      const allow = ["write_file", "list_files", "commit", "finish"].map((name) => `builtin:workspace.${name}`);
      const narrow = { ...profile.document, id: "narrow", tools: { allow, maxRounds: 9 } };
      const fork = yield* forked(world, runId, seqOf(events, "direct_output_captured"), {
        model: World.scripted([World.call("workspace_apply_patch", { path }), ...other]),
        profile: { document: narrow },
      });
      assert.deepStrictEqual([fork.outcome.error, fork.outcome.status], [undefined, "completed"]);
      const offered = fork.counted.requests[0]?.tools.map(({ name }) => name);
      assert.deepStrictEqual(
        offered?.toSorted(),
        allow.map((id) => id.replace("builtin:workspace.", "workspace_")).toSorted(),
      );
      assert.strictEqual(fork.state.profileId, "narrow");
      const [, assembled] = payloadsOf(fork.events, "context_assembled");
      assert.strictEqual(assembled?.limits.maxRounds, 9);
      const failed = payloadsOf(fork.events.slice(fork.forkedFrom.seq), "tool_call_failed");
      assert.deepStrictEqual(
        failed.map(({ errorCode }) => errorCode),
        ["model.unknown_tool_call"],
      );
    }),
  );

  it.effect("is held to the policy of today, and to a profile that can publish", () =>
    Effect.gen(function* () {
      const world = World.make();
      const { events, runId } = yield* play(World.publishing, { world });
      const end = events.length;
      assert.strictEqual(yield* codeOf(world, runId, end, { profile: { id: "nobody" } }), "agent.profile_not_found");
      yield* Policies.write("user", {
        kind: "cahier.policy",
        schemaVersion: 1,
        rules: [{ tools: ["builtin:workspace.commit"], permission: "deny" }],
      }).pipe(World.inProcess(world));
      assert.strictEqual(yield* codeOf(world, runId, end, { profile }), "agent.foreground_commit_unavailable");
      yield* Policies.write("platform", {
        kind: "cahier.policy",
        schemaVersion: 1,
        rules: [],
        models: { formats: ["openai-chat"] },
      }).pipe(World.inProcess(world));
      assert.strictEqual(yield* codeOf(world, runId, end, { model: World.scripted(other) }), "model.source_denied");
      assert.deepStrictEqual([...world.journals.journals.keys()], [runId]);
    }),
  );

  it.effect("whose process is lost is resumed like any run, and says what its user said once", () =>
    Effect.gen(function* () {
      const world = World.make();
      const { events, runId } = yield* play(turns, { world, profile });
      const options = { model: World.scripted(other), message: "Let it snow." };
      const deaf: World.ProcessOptions = { gateway: (gateway) => ({ ...gateway, generate: () => Effect.never }) };
      const lost = yield* Effect.gen(function* () {
        const fork = yield* forkRun(runId, seqOf(events, "drift_recovery_attempted"), options);
        yield* reached(world, fork.runId, "run_forked");
        return fork.runId;
      }).pipe(World.inProcess(world, deaf));
      const counted = count();
      const resumed = yield* Effect.gen(function* () {
        const runs = yield* Runs;
        return yield* ended(world, yield* runs.resume(lost));
      }).pipe(World.inProcess(world, counting(counted)));
      assert.deepStrictEqual([resumed.outcome.error, resumed.outcome.status], [undefined, "completed"]);
      assert.lengthOf(counted.requests, other.length);
      const said = counted.requests.at(-1)?.messages.filter((message) => textOf(message) === "Let it snow.");
      assert.lengthOf(said ?? [], 1);
      assert.strictEqual(messagesOf(world)[2]?.swipes.at(-1), "Another night.");
    }),
  );

  it.effect("asks again about a call that was allowed in the run and had not begun", () =>
    Effect.gen(function* () {
      const world = World.make();
      const policy = [{ tools: ["builtin:workspace.write_file"], permission: "ask" }];
      const asking = {
        document: { ...profile.document, tools: { ...profile.document.tools, policy } },
      };
      const parked = yield* play(World.publishing, { world, profile: asking });
      assert.strictEqual(parked.outcome.status, "awaiting_approval");
      const callId = payloadsOf(parked.events, "tool_call_awaiting_approval")[0]?.callId ?? CallId.make("");
      const whole = yield* Effect.gen(function* () {
        const runs = yield* Runs;
        const handle = yield* runs.decide(parked.runId, { approved: true, callId, remember: "run" });
        return handle === undefined ? undefined : yield* ended(world, handle);
      }).pipe(World.inProcess(world));
      assert.strictEqual(whole?.outcome.status, "completed");
      const approved = seqOf(whole?.events ?? [], "tool_call_approved");
      for (const seq of [parked.events.length, approved]) {
        const fork = yield* forked(world, parked.runId, seq, {});
        assert.strictEqual(fork.outcome.status, "awaiting_approval");
        assert.deepStrictEqual(fork.state.approvedTools, []);
        assert.isEmpty(fork.counted.requests);
      }
    }),
  );

  it.effect("is refused where nothing can go on, with its code, and leaves nothing behind", () =>
    Effect.gen(function* () {
      const world = World.make();
      const call = { id: "same", name: "workspace_list_files", arguments: {} };
      const { events, outcome, runId } = yield* play([{ toolCalls: [call, call] }], { world, profile });
      assert.strictEqual(outcome.error?.code, "model.invalid_tool_call");
      assert.strictEqual(yield* codeOf(world, runId, events.length), "agent.fork_unavailable");
      assert.strictEqual(yield* codeOf(world, runId, events.length + 1), "agent.event_not_found");
      assert.strictEqual(yield* codeOf(world, runId, "cp_000001"), "agent.checkpoint_not_found");
      const before = seqOf(events, "model_response_stored") - 1;
      assert.strictEqual((yield* forked(world, runId, before)).outcome.status, "completed");
      MemoryChatHost.disturb(world.chats, World.chatLocation.location, "Something else.");
      assert.strictEqual(yield* codeOf(world, runId, before), "chat.conflict");
      assert.lengthOf([...world.journals.journals.keys()], 2);
    }),
  );

  it.effect("that cannot be stored leaves nothing behind, and a lost content is told: blob.missing", () =>
    Effect.gen(function* () {
      const world = World.make();
      const { events, runId } = yield* play(turns, { world, profile });
      world.blobs.scopes.delete(runId);
      assert.strictEqual(yield* codeOf(world, runId, events.length), "blob.missing");
      assert.deepStrictEqual([...world.journals.journals.keys()], [runId]);
      assert.deepStrictEqual(yield* eventsOf(world, runId), events);
    }),
  );
});

describe("the steps of a run", () => {
  it("begin with the admission: before its end nothing can be shared", () => {
    assert.isTrue(isSameStep(empty, undefined, {} as never));
    assert.isDefined(forkObstacle(empty, undefined));
  });

  it.effect("of a regenerate takes the place of nothing: what was replaced stays the other run's to give back", () =>
    Effect.gen(function* () {
      const world = World.make();
      yield* play(World.publishing, { world });
      const one = yield* play(World.publishing, { world, generationType: "regenerate" });
      assert.isDefined(payloadsOf(one.events, "run_created")[0]?.target.replaces);
      const answer = one.events.find(({ type }) => type === "model_completed");
      const found = yield* Effect.gen(function* () {
        return yield* ended(world, yield* forkRun(one.runId, answer?.seq ?? 0));
      }).pipe(World.inProcess(world, { name: "forker" }));
      assert.deepInclude(payloadsOf(found.events, "run_created")[0]?.target, { generationType: "swipe" });
      assert.isUndefined(payloadsOf(found.events, "run_created")[0]?.target.replaces);
    }),
  );
});

/** How many messages the run's prompt has. */
const promptLength = (events: ReadonlyArray<StoredEvent>): number =>
  payloadsOf(events, "context_assembled")[0]?.request.messageCount ?? 0;
