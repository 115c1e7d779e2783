import { Runs } from "@cahier/application/run/Runs";
import * as Policies from "@cahier/application/policy/Policies";
import { profilesCollection } from "@cahier/application/profile/findProfile";
import type { Tool } from "@cahier/application/tool/Tool";
import { ToolId } from "@cahier/domain/tool/ToolId";
import { CallId, type RunId } from "@cahier/domain/identity/Identity";
import { awaitingCalls } from "@cahier/domain/run/RunState";
import { DocumentStore } from "@cahier/ports/DocumentStore";
import { assert, describe, it } from "@effect/vitest";
import * as Effect from "effect/Effect";
import { ended, eventsOf, payloadsOf, play, start } from "./support/play.ts";
import * as World from "./support/World.ts";

const asking = (...tools: ReadonlyArray<string>) => ({
  kind: "cahier.policy",
  schemaVersion: 1,
  rules: [{ tools, permission: "ask", reason: "The user wants to see it" }],
});

const twoWrites = {
  toolCalls: ["a", "b"].map((name) => ({
    id: `call_${name}`,
    name: "workspace_write_file",
    arguments: { path: `output/${name}.md`, content: `Text ${name}.` },
  })),
};

/** Writes two files in one turn, publishes one, ends. */
const turns = [
  twoWrites,
  World.call("workspace_commit", { path: "output/a.md" }),
  World.finish,
] satisfies ReadonlyArray<World.Turn>;

/** A world in which a user's policy asks about these tools. */
const worldAsking = Effect.fnUntraced(function* (...tools: ReadonlyArray<string>) {
  const world = World.make();
  yield* Policies.write("user", asking(...tools)).pipe(World.inProcess(world));
  return world;
});

/** Starts a run in a process of its own that ends when the run waits. */
const park = Effect.fnUntraced(function* (world: World.World, given: ReadonlyArray<World.Turn> = turns) {
  const parked = yield* play(given, { world, process: { name: "starter" } });
  assert.strictEqual(parked.outcome.status, "awaiting_approval");
  return parked;
});

/** Answers in a process of its own and waits for what comes of it. */
const answer = (
  world: World.World,
  runId: RunId,
  callId: string,
  more: Partial<Parameters<Runs["Service"]["decide"]>[1]> = {},
  process = `answer-${callId}`,
) =>
  Effect.gen(function* () {
    const runs = yield* Runs;
    const handle = yield* runs.decide(runId, { callId: CallId.make(callId), approved: true, ...more });
    return handle === undefined ? undefined : yield* ended(world, handle);
  }).pipe(World.inProcess(world, { name: process }));

const refused = (
  world: World.World,
  runId: RunId,
  callId: string,
  more: Partial<Parameters<Runs["Service"]["decide"]>[1]> = {},
) =>
  Effect.map(Effect.flip(answer(world, runId, callId, more, "refused")), (failure) =>
    failure._tag === "Fatal" ? failure.reason.code : failure._tag,
  );

/** A tool of an extension: those ask by default. */
const reach: Tool = {
  descriptor: {
    id: ToolId.make("extension/outside:reach"),
    title: "Reach",
    description: "Reaches outside.",
    inputSchema: { type: "object", properties: {}, additionalProperties: false },
    annotations: { readOnly: false, destructive: false, idempotent: true, openWorld: true, cost: "none" },
    source: "extension",
    visibility: "model",
    permission: "always",
    budget: { timeoutMs: 1000 },
  },
  run: () => Effect.succeed({ _tag: "Done", content: "Reached." }),
};

const writesOf = (events: Parameters<typeof payloadsOf>[0]): ReadonlyArray<string> =>
  payloadsOf(events, "workspace_file_written").map(({ path }) => path);

describe("a call that somebody is asked about", () => {
  it.effect("parks the run without an owner, and says what a person needs to decide", () =>
    Effect.gen(function* () {
      const world = yield* worldAsking("builtin:workspace.write_file");
      const { events, state } = yield* park(world);
      assert.isNull(state.owner);
      assert.deepStrictEqual(writesOf(events), []);
      const [first, second] = payloadsOf(events, "tool_call_awaiting_approval");
      assert.deepStrictEqual([first?.callId, second?.callId], ["call_a", "call_b"]);
      assert.include(first?.argumentsSummary, "output/a.md");
      assert.include(first?.reason, "The user wants to see it");
      assert.strictEqual(first?.layer, "user");
      assert.strictEqual(first?.rule, "rules[0]");
      assert.strictEqual(first?.source, "builtin");
      assert.isNotEmpty(first?.sideEffects);
      assert.deepStrictEqual(
        awaitingCalls(state).map(({ call }) => call.approval?.argumentsSha256),
        [first?.argumentsSha256, second?.argumentsSha256],
      );
    }),
  );

  it.effect("is answered in any order by other processes, and runs once", () =>
    Effect.gen(function* () {
      const world = yield* worldAsking("builtin:workspace.write_file");
      const { runId } = yield* park(world);
      assert.isUndefined(yield* answer(world, runId, "call_b"));
      assert.deepStrictEqual(writesOf(yield* eventsOf(world, runId)), []);
      const done = yield* answer(world, runId, "call_a");
      assert.strictEqual(done?.outcome.status, "completed");
      assert.deepStrictEqual(writesOf(done?.events ?? []), ["output/a.md", "output/b.md"]);
      assert.deepStrictEqual(World.textsOf(world), [...World.beginning, "Text a."]);
    }),
  );

  it.effect("is answered by two people at once, one after the other", () =>
    Effect.gen(function* () {
      const world = yield* worldAsking("builtin:workspace.write_file");
      const { runId } = yield* park(world);
      const both = yield* Effect.all([answer(world, runId, "call_a"), answer(world, runId, "call_b")], {
        concurrency: 2,
      });
      assert.deepStrictEqual(
        both.flatMap((one) => (one === undefined ? [] : [one.outcome.status])),
        ["completed"],
      );
      assert.lengthOf(payloadsOf(yield* eventsOf(world, runId), "tool_call_approved"), 2);
    }),
  );

  it.live("waits for nobody else: the calls that need no answer run after it, in the model's order", () =>
    Effect.gen(function* () {
      const world = yield* worldAsking("builtin:workspace.list_files");
      const mixed = World.calls(
        ["workspace_write_file", { path: "output/main.md", content: "Text." }],
        ["workspace_list_files", {}],
      );
      const { events, runId } = yield* park(world, [mixed, World.commit, World.finish]);
      assert.deepStrictEqual(writesOf(events), []);
      const waiting = payloadsOf(events, "tool_call_awaiting_approval").map(({ callId }) => callId);
      const done = yield* answer(world, runId, waiting[0] ?? "");
      assert.deepStrictEqual(
        payloadsOf(done?.events ?? [], "tool_call_completed")
          .slice(0, 2)
          .map(({ toolId }) => toolId),
        ["builtin:workspace.write_file", "builtin:workspace.list_files"],
      );
    }),
  );

  it.effect("is refused an answer for other arguments, a second answer, and an answer that nobody asked for", () =>
    Effect.gen(function* () {
      const world = yield* worldAsking("builtin:workspace.write_file");
      const { runId } = yield* park(world);
      const before = (yield* eventsOf(world, runId)).length;
      const other = { argumentsSha256: "0".repeat(64) };
      assert.strictEqual(yield* refused(world, runId, "call_a", other), "agent.approval_arguments_changed");
      assert.strictEqual(yield* refused(world, runId, "call_z"), "agent.approval_not_found");
      assert.lengthOf(yield* eventsOf(world, runId), before);
      yield* answer(world, runId, "call_a", { approved: false });
      assert.strictEqual(yield* refused(world, runId, "call_a"), "agent.approval_already_decided");
      yield* answer(world, runId, "call_b");
      assert.strictEqual(yield* refused(world, runId, "call_b"), "agent.approval_not_found");
    }),
  );

  it.effect("that is denied becomes an answer for the model, and the run goes on", () =>
    Effect.gen(function* () {
      const world = yield* worldAsking("builtin:workspace.write_file");
      const { runId } = yield* park(world);
      yield* answer(world, runId, "call_b", { approved: false, reason: "One is enough." });
      const done = yield* answer(world, runId, "call_a");
      assert.strictEqual(done?.outcome.status, "completed");
      const denied = done?.results.find(({ callId }) => callId === "call_b");
      assert.strictEqual(denied?.errorCode, "tool.denied");
      assert.include(denied?.content, "One is enough.");
      assert.deepStrictEqual(writesOf(done?.events ?? []), ["output/a.md"]);
      const [event] = payloadsOf(done?.events ?? [], "tool_call_denied");
      assert.deepStrictEqual([event?.by, event?.layer], ["user", undefined]);
    }),
  );

  it.effect("that is denied fails the run when its profile says so", () =>
    Effect.gen(function* () {
      const world = World.make();
      const document = {
        kind: "cahier.agentProfile",
        schemaVersion: 1,
        id: "strict",
        displayName: "Strict",
        tools: {
          allow: ["write_file", "commit", "finish"].map((name) => `builtin:workspace.${name}`),
          maxRounds: 9,
          onDenied: "fail",
          policy: [{ tools: ["builtin:workspace.write_file"], permission: "ask" }],
        },
      };
      const parked = yield* play(turns, { world, profile: { document } });
      yield* answer(world, parked.runId, "call_a");
      const done = yield* answer(world, parked.runId, "call_b", { approved: false });
      assert.strictEqual(done?.outcome.status, "failed");
      assert.strictEqual(done?.outcome.error?.code, "tool.denied");
      assert.deepStrictEqual(writesOf(done?.events ?? []), []);
    }),
  );

  it.effect("can be remembered for the run: the tool is not asked about again", () =>
    Effect.gen(function* () {
      const world = yield* worldAsking("builtin:workspace.write_file");
      const given = [World.write("One."), World.write("Two."), World.commit, World.finish];
      const { events, runId } = yield* park(world, given);
      const [waiting] = payloadsOf(events, "tool_call_awaiting_approval");
      const done = yield* answer(world, runId, waiting?.callId ?? "", { remember: "run" });
      assert.strictEqual(done?.outcome.status, "completed");
      assert.deepStrictEqual(
        payloadsOf(done?.events ?? [], "tool_call_approved").map(({ by }) => by),
        ["user", "remembered"],
      );
      yield* park(world, given);
    }),
  );

  it.effect("can be remembered in the stored profile, and never in a user's policy", () =>
    Effect.gen(function* () {
      const world = World.make();
      const given = [World.call("reach"), World.write("Text."), World.commit, World.finish];
      const profile = {
        kind: "cahier.agentProfile",
        schemaVersion: 1,
        id: "reacher",
        displayName: "Reacher",
        tools: {
          allow: [
            reach.descriptor.id,
            ...["write_file", "commit", "finish"].map((name) => `builtin:workspace.${name}`),
          ],
          maxRounds: 9,
        },
      };
      const process = { tools: [reach] };
      yield* Effect.flatMap(DocumentStore, (documents) =>
        documents.put(profilesCollection, "reacher", 0, profile),
      ).pipe(World.inProcess(world));
      const parked = yield* play(given, { world, process, profile: { id: "reacher" } });
      assert.strictEqual(parked.outcome.status, "awaiting_approval");
      const [waiting] = payloadsOf(parked.events, "tool_call_awaiting_approval");
      const done = yield* Effect.gen(function* () {
        const runs = yield* Runs;
        const handle = yield* runs.decide(parked.runId, {
          callId: CallId.make(waiting?.callId ?? ""),
          approved: true,
          remember: "profile",
        });
        return yield* handle?.outcome ?? Effect.die("it waits on");
      }).pipe(World.inProcess(world, { ...process, name: "answer" }));
      assert.strictEqual(done.status, "completed");
      const again = yield* play(given, { world, process, profile: { id: "reacher" } });
      assert.strictEqual(again.outcome.status, "completed");
      const { revision } = yield* Policies.read("user").pipe(World.inProcess(world));
      assert.strictEqual(revision, 0);
    }),
  );

  it.effect(
    "is not remembered in a profile that was given as a file: nothing changes, and it can be answered again",
    () =>
      Effect.gen(function* () {
        const world = World.make();
        const document = {
          kind: "cahier.agentProfile",
          schemaVersion: 1,
          id: "given",
          displayName: "Given",
          tools: {
            allow: ["write_file", "commit", "finish"].map((name) => `builtin:workspace.${name}`),
            maxRounds: 9,
            policy: [{ tools: ["builtin:workspace.commit"], permission: "ask" }],
          },
        };
        const { events, runId } = yield* play(World.publishing, { world, profile: { document } });
        const [waiting] = payloadsOf(events, "tool_call_awaiting_approval");
        const callId = waiting?.callId ?? "";
        const code = yield* refused(world, runId, callId, { remember: "profile" });
        assert.strictEqual(code, "agent.profile_not_found");
        const done = yield* answer(world, runId, callId);
        assert.strictEqual(done?.outcome.status, "completed");
      }),
  );

  it.effect("is not asked about in an unattended run that names the tool, at its start or when it is resumed", () =>
    Effect.gen(function* () {
      const world = yield* worldAsking("builtin:workspace.*");
      const approve = ["builtin:workspace.*"];
      const whole = yield* play(turns, { world, approve });
      assert.strictEqual(whole.outcome.status, "completed");
      assert.isTrue(payloadsOf(whole.events, "tool_call_approved").every(({ by }) => by === "unattended"));
      assert.isEmpty(payloadsOf(whole.events, "tool_call_awaiting_approval"));
      const { runId } = yield* park(world);
      const resumed = yield* Effect.gen(function* () {
        const runs = yield* Runs;
        return yield* ended(world, yield* runs.resume(runId, { approve }));
      }).pipe(World.inProcess(world, { name: "resumer" }));
      assert.strictEqual(resumed.outcome.status, "completed");
    }),
  );

  it.effect("waits on when its run is resumed, and goes when its run is cancelled", () =>
    Effect.gen(function* () {
      const world = yield* worldAsking("builtin:workspace.write_file");
      const { runId } = yield* park(world);
      const resumed = yield* Effect.gen(function* () {
        const runs = yield* Runs;
        return yield* (yield* runs.resume(runId)).outcome;
      }).pipe(World.inProcess(world, { name: "resumer" }));
      assert.strictEqual(resumed.status, "awaiting_approval");
      const cancelled = yield* Effect.flatMap(Runs, (runs) => runs.cancel(runId)).pipe(
        World.inProcess(world, { name: "canceller" }),
      );
      assert.strictEqual(cancelled.status, "cancelled");
      assert.strictEqual(yield* refused(world, runId, "call_a"), "agent.approval_not_found");
    }),
  );
});

describe("a tool that policy denies", () => {
  it.effect("is seen and not called: the model reads why, and everything else goes on", () =>
    Effect.gen(function* () {
      const world = World.make();
      yield* Policies.write("platform", {
        kind: "cahier.policy",
        schemaVersion: 1,
        rules: [{ tools: ["builtin:workspace.list_files"], permission: "deny", reason: "lists are private" }],
      }).pipe(World.inProcess(world));
      const done = yield* play([World.call("workspace_list_files"), ...World.publishing], { world });
      assert.strictEqual(done.outcome.status, "completed");
      assert.strictEqual(done.results[0]?.errorCode, "tool.denied");
      assert.include(done.results[0]?.content, "lists are private");
      const [event] = payloadsOf(done.events, "tool_call_denied");
      assert.deepStrictEqual([event?.by, event?.layer, event?.rule], ["policy", "platform", "rules[0]"]);
    }),
  );

  it.effect("and cannot publish without it keeps the run from starting", () =>
    Effect.gen(function* () {
      const world = World.make();
      yield* Policies.write("user", {
        kind: "cahier.policy",
        schemaVersion: 1,
        rules: [{ tools: ["builtin:workspace.commit"], permission: "deny" }],
      }).pipe(World.inProcess(world));
      const failure = yield* Effect.flip(start(World.publishing)).pipe(World.inProcess(world));
      assert.strictEqual(failure.reason.code, "agent.foreground_commit_unavailable");
      assert.strictEqual(world.journals.journals.size, 0);
    }),
  );
});

describe("stored policies", () => {
  it.effect("are refused with their code when they are wrong, and what stood there stays", () =>
    Effect.gen(function* () {
      const world = yield* worldAsking("builtin:workspace.commit");
      const wrong = {
        kind: "cahier.policy",
        schemaVersion: 1,
        rules: [{ tools: ["workspace.commit"], permission: "ask" }],
      };
      const failure = yield* Effect.flip(Policies.write("user", wrong)).pipe(World.inProcess(world));
      assert.strictEqual(failure.reason.code, "policy.pattern_invalid");
      const { policy, revision } = yield* Policies.read("user").pipe(World.inProcess(world));
      assert.deepStrictEqual([policy.rules.length, revision], [1, 1]);
    }),
  );

  it.effect("that cannot be read any more keep a run from starting", () =>
    Effect.gen(function* () {
      const world = World.make();
      yield* Effect.flatMap(DocumentStore, (documents) => documents.put("policies", "user", 0, { kind: "other" })).pipe(
        World.inProcess(world),
      );
      const failure = yield* Effect.flip(start(World.publishing)).pipe(World.inProcess(world));
      assert.strictEqual(failure.reason.code, "policy.kind_invalid");
      assert.include(failure.message, "The stored policy of the user cannot be used");
    }),
  );

  it.effect("keep a run from a model that the platform does not allow, before anything is written", () =>
    Effect.gen(function* () {
      const world = World.make();
      yield* Policies.write("platform", {
        kind: "cahier.policy",
        schemaVersion: 1,
        rules: [],
        models: { sources: ["openai"] },
      }).pipe(World.inProcess(world));
      const failure = yield* Effect.flip(start(World.publishing)).pipe(World.inProcess(world));
      assert.strictEqual(failure.reason.code, "model.source_denied");
      assert.strictEqual(world.journals.journals.size, 0);
    }),
  );

  it.effect("are explained tool by tool, with the layer and the rule that decided", () =>
    Effect.gen(function* () {
      const world = yield* worldAsking("builtin:workspace.commit");
      const profile = {
        tools: {
          allow: ["builtin:workspace.commit", "builtin:workspace.finish"],
          deny: [],
          maxCallsPerTool: {},
          policy: [],
          timeoutMs: {},
        },
      } as unknown as Parameters<typeof Policies.explain>[0];
      const explained = yield* Policies.explain(profile).pipe(World.inProcess(world));
      const commit = explained.find(({ tool }) => tool.id === "builtin:workspace.commit")?.decision;
      assert.deepStrictEqual([commit?.approval, commit?.reason.layer, commit?.reason.rule], [true, "user", "rules[0]"]);
      const write = explained.find(({ tool }) => tool.id === "builtin:workspace.write_file")?.decision;
      assert.deepStrictEqual([write?.visible, write?.reason.rule], [false, "tools.allow"]);
      const failure = yield* Effect.flip(Policies.explain(profile, "builtin:workspace.commits")).pipe(
        World.inProcess(world),
      );
      assert.strictEqual(failure.reason.code, "usage.invalid");
    }),
  );
});
