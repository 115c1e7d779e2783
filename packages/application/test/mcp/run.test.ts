import { Runs } from "@cahier/application/run/Runs";
import { CallId } from "@cahier/domain/identity/Identity";
import { awaitingCalls } from "@cahier/domain/run/RunState";
import { openQuestions } from "@cahier/domain/run/openQuestions";
import { assert, describe, it } from "@effect/vitest";
import * as Deferred from "effect/Deferred";
import * as Effect from "effect/Effect";
import * as Fiber from "effect/Fiber";
import { ended, payloadsOf, play, reached, start } from "../support/play.ts";
import * as World from "../support/World.ts";
import * as Desk from "./support/Desk.ts";

const profileOf = (id: string, ...names: ReadonlyArray<string>) => ({
  document: {
    kind: "cahier.agentProfile",
    schemaVersion: 1,
    id: "asker",
    displayName: "Asker",
    tools: {
      allow: [
        ...names.map((name) => `mcp/${id}:${name}`),
        ...["read_file", "write_file", "commit", "finish"].map((name) => `builtin:workspace.${name}`),
      ],
      maxRounds: 9,
    },
  },
});

const turns = [World.call("mcp__Files__read", { path: "a" }), ...World.publishing];

describe("a run with MCP servers", () => {
  it.effect("calls what is permitted and is shown what the server says", () =>
    Effect.gen(function* () {
      const desk = yield* Desk.make();
      const id = yield* Desk.register(desk, {}, { read: "allow", write: "ask" });
      const played = yield* play(turns, { profile: profileOf(id, "read"), process: { sources: [desk.source] } });
      assert.strictEqual(played.outcome.status, "completed");
      assert.strictEqual(played.results[0]?.content, "read");
      assert.deepStrictEqual(desk.memory.called, [{ serverId: id, tool: "read", arguments: { path: "a" } }]);
      const writing = [World.call("mcp__Files__write"), ...World.publishing];
      const asked = yield* play(writing, { profile: profileOf(id, "write"), process: { sources: [desk.source] } });
      assert.strictEqual(asked.outcome.status, "awaiting_approval");
      assert.strictEqual(desk.memory.called.length, 1);
    }),
  );

  it.effect("begins without a tool of a paused server, and says why", () =>
    Effect.gen(function* () {
      const desk = yield* Desk.make();
      const id = yield* Desk.register(desk, {}, { read: "allow" });
      yield* desk.servers.setState(id, "paused");
      const played = yield* play(World.publishing, {
        profile: profileOf(id, "read"),
        process: { sources: [desk.source] },
      });
      const [resolved] = payloadsOf(played.events, "profile_resolved");
      assert.match(resolved?.diagnostics?.join() ?? "", /the server is paused\..*\[mcp\.server_paused\]$/);
    }),
  );

  it.effect("goes on when a server is lost in the middle of a call, and calls it no second time", () =>
    Effect.gen(function* () {
      const desk = yield* Desk.make();
      const arrived = yield* Deferred.make<void>();
      const id = yield* Desk.register(
        desk,
        { call: () => Effect.andThen(Deferred.succeed(arrived, undefined), Effect.never) },
        { read: "allow" },
      );
      const fiber = yield* Effect.forkChild(
        play(turns, { profile: profileOf(id, "read"), process: { sources: [desk.source] } }),
      );
      yield* Deferred.await(arrived);
      yield* desk.servers.close(id);
      const played = yield* Fiber.join(fiber);
      assert.strictEqual(played.outcome.status, "completed");
      assert.strictEqual(played.results[0]?.errorCode, "tool.outcome_unknown");
      assert.strictEqual(desk.memory.called.length, 1);
    }),
  );

  it.effect("calls nothing that its user has taken back since it began, or that was described otherwise", () =>
    Effect.gen(function* () {
      const desk = yield* Desk.make();
      for (const change of [
        (id: string) => desk.servers.setPermission(id, "read", "off"),
        (id: string) => {
          Desk.offer(desk, id, [Desk.tool("read", { description: "Reads all files." })]);
          return desk.servers.discover(id, { refresh: true });
        },
      ]) {
        const world = World.make();
        const id = yield* Desk.register(desk, {}, { read: "allow" });
        const played = yield* Effect.gen(function* () {
          const run = yield* start(turns, { profile: profileOf(id, "read") });
          yield* change(id);
          return yield* ended(world, run);
        }).pipe(World.inProcess(world, { sources: [desk.source] }));
        assert.strictEqual(played.results[0]?.errorCode, "mcp.call_tool_unavailable");
        assert.strictEqual(played.outcome.status, "completed");
      }
      assert.deepStrictEqual(desk.memory.called, []);
    }),
  );

  it.effect("sends nothing without approval once its user has said that it asks", () =>
    Effect.gen(function* () {
      const desk = yield* Desk.make();
      for (const [approve, errorCode, sent] of [
        [[], "mcp.call_tool_unavailable", 0],
        [["mcp/*"], undefined, 1],
      ] as const) {
        const world = World.make();
        const id = yield* Desk.register(desk, {}, { read: "allow" });
        const played = yield* Effect.gen(function* () {
          const run = yield* start(turns, { profile: profileOf(id, "read"), approve });
          yield* desk.servers.setPermission(id, "read", "ask");
          return yield* ended(world, run);
        }).pipe(World.inProcess(world, { sources: [desk.source] }));
        assert.strictEqual(played.results[0]?.errorCode, errorCode);
        assert.strictEqual(played.outcome.status, "completed");
        assert.strictEqual(desk.memory.called.length, sent);
      }
    }),
  );

  it.effect("sends what a person has approved", () =>
    Effect.gen(function* () {
      const desk = yield* Desk.make();
      const id = yield* Desk.register(desk, {}, { read: "ask" });
      const world = World.make();
      const played = yield* Effect.gen(function* () {
        const run = yield* start(turns, { profile: profileOf(id, "read") });
        yield* run.outcome;
        const [waiting] = awaitingCalls(run.state());
        const runs = yield* Runs;
        const answer = { callId: waiting?.call.callId ?? CallId.make("none"), approved: true };
        return yield* ended(world, (yield* runs.decide(run.runId, answer)) ?? run);
      }).pipe(World.inProcess(world, { sources: [desk.source] }));
      assert.strictEqual(played.results[0]?.content, "read");
    }),
  );

  it.effect("puts a server's question to a person and gives the answer back", () =>
    Effect.gen(function* () {
      const desk = yield* Desk.make();
      const schema = { type: "object", properties: { day: { type: "string" } }, required: ["day"] };
      const id = yield* Desk.register(
        desk,
        {
          call: (_, host) =>
            Effect.map(
              host.ask?.({ serverId: "files", message: "Which day?", schema }) ?? Effect.die("nobody to ask"),
              (reply) => Desk.says(JSON.stringify(reply)),
            ),
        },
        { read: "allow" },
      );
      const world = World.make();
      const played = yield* Effect.gen(function* () {
        const run = yield* start(turns, { profile: profileOf(id, "read"), isAttended: true });
        yield* reached(world, run.runId, "tool_question_asked");
        const [open] = openQuestions(run.state());
        assert.strictEqual(open?.message, "Which day?");
        const runs = yield* Runs;
        yield* runs.answer(run.runId, {
          questionId: open?.questionId ?? "",
          action: "accept",
          content: { day: "Monday" },
        });
        return yield* ended(world, run);
      }).pipe(World.inProcess(world, { sources: [desk.source] }));
      assert.strictEqual(played.results[0]?.content, '{"action":"accept","content":{"day":"Monday"}}');
    }),
  );
});
