import { findResumable } from "@cahier/application/run/findResumable";
import { resumeAll } from "@cahier/application/run/resumeAll";
import { startRunFromChat } from "@cahier/application/run/startRun";
import type { RunId } from "@cahier/domain/identity/Identity";
import * as MemoryChatHost from "@cahier/testkit/doubles/MemoryChatHost";
import * as MemoryRunJournal from "@cahier/storage-memory/MemoryRunJournal";
import { assert, describe, it } from "@effect/vitest";
import * as Effect from "effect/Effect";
import * as Fiber from "effect/Fiber";
import * as Result from "effect/Result";
import * as TestClock from "effect/testing/TestClock";
import { play, reached, start } from "./support/play.ts";
import * as World from "./support/World.ts";

const hanging: ReadonlyArray<World.Turn> = [
  { ...World.write("They wait."), delayMs: 1000 },
  World.commit,
  World.finish,
];

const profileOf = (resume: "auto" | "manual", permission: "always" | "ask" = "always") => ({
  document: {
    kind: "cahier.agentProfile",
    schemaVersion: 1,
    id: `${resume}-${permission}`,
    displayName: "Writer",
    run: { presentation: "foreground", resume },
    tools: {
      maxRounds: 20,
      allow: ["write_file", "commit", "finish"].map((name) => `builtin:workspace.${name}`),
      policy: [{ tools: ["builtin:workspace.commit"], permission }],
    },
  },
});

/** A run on a chat of its own whose process dies while the model is asked. */
const dying = Effect.fnUntraced(function* (world: World.World, name: string, resume: "auto" | "manual" = "auto") {
  const location = `memory:${name}`;
  MemoryChatHost.addChat(world.chats, location, [{ role: "user", text: "Then we wait." }]);
  return yield* Effect.gen(function* () {
    const binding = World.scripted(hanging);
    const run = yield* startRunFromChat({ chat: { location }, binding, profile: profileOf(resume) });
    yield* reached(world, run.runId, "model_call_attempt_started");
    return run.runId;
  }).pipe(World.inProcess(world, { name }));
});

const found = (world: World.World) =>
  Effect.map(findResumable(), (runs) => runs.map(({ mode, runId }) => [runId, mode] as const)).pipe(
    World.inProcess(world, { name: "host" }),
  );

/** Resumes what there is in a process of its own whose time passes once every run asks its model. */
const resumed = (world: World.World, runIds: ReadonlyArray<RunId>, options: Parameters<typeof resumeAll>[0] = {}) =>
  Effect.gen(function* () {
    const all = yield* Effect.forkChild(resumeAll(options));
    for (const runId of runIds) {
      yield* reached(world, runId, "model_call_attempt_started", 2);
      yield* TestClock.adjust(1000);
    }
    return yield* Fiber.join(all);
  }).pipe(World.inProcess(world, { name: "host" }));

describe("runs that were left lying", () => {
  it.effect("are found with what their profiles say of resuming; ended, living and waiting ones are not", () =>
    Effect.gen(function* () {
      const world = World.make();
      yield* play(World.publishing, { world });
      const parked = yield* play(World.publishing, { world, profile: profileOf("auto", "ask") });
      assert.strictEqual(parked.outcome.status, "awaiting_approval");
      const auto = yield* dying(world, "auto");
      const manual = yield* dying(world, "manual", "manual");
      yield* MemoryRunJournal.make(world.journals).create({
        runId: `${auto}_never` as RunId,
        workspaceId: parked.state.workspaceId ?? assert.fail(),
        createdAt: "2026-01-01T00:00:00.000Z",
      });
      yield* Effect.gen(function* () {
        const living = yield* start([{ error: { hang: true } }]);
        assert.sameDeepMembers(yield* found(world), [
          [auto, "auto"],
          [manual, "manual"],
        ]);
        yield* living.cancel;
      }).pipe(World.inProcess(world, { name: "living" }));
    }),
  );

  it.effect("go on by themselves unless their profile wants to be asked", () =>
    Effect.gen(function* () {
      const world = World.make();
      const auto = yield* dying(world, "auto");
      const manual = yield* dying(world, "manual", "manual");
      const seen: Array<RunId> = [];
      yield* resumed(world, [auto], { onResumed: ({ runId }) => void seen.push(runId) });
      assert.deepStrictEqual(seen, [auto]);
      assert.deepStrictEqual(yield* found(world), [[manual, "manual"]]);
      yield* resumed(world, [manual], { manual: true });
      assert.deepStrictEqual(yield* found(world), []);
      for (const name of ["auto", "manual"])
        assert.deepStrictEqual(
          world.chats.chats.get(`memory:${name}`)?.messages.map(MemoryChatHost.textOf),
          ["Then we wait.", "They wait."],
          name,
        );
    }),
  );

  it.effect("are carried on so many at once, and one that cannot go on keeps no other from it", () =>
    Effect.gen(function* () {
      const world = World.make();
      const names = ["one", "two", "three"];
      const runIds = yield* Effect.forEach(names, (name) => Effect.tap(dying(world, name), TestClock.adjust(1)));
      const broken = runIds[1] ?? assert.fail();
      const counted = { now: 0, most: 0 };
      const results = yield* Effect.gen(function* () {
        const all = yield* Effect.forkChild(resumeAll({ concurrency: 1 }));
        for (const runId of runIds.filter((one) => one !== broken)) {
          yield* reached(world, runId, "model_call_attempt_started", 2);
          yield* TestClock.adjust(1000);
        }
        return yield* Fiber.join(all);
      }).pipe(
        World.inProcess(world, {
          name: "host",
          gateway: (gateway) => ({
            ...gateway,
            generate: (...given) =>
              Effect.suspend(() => {
                counted.now += 1;
                counted.most = Math.max(counted.most, counted.now);
                return gateway.generate(...given);
              }).pipe(Effect.ensuring(Effect.sync(() => (counted.now -= 1)))),
          }),
          journal: (journal) => ({
            ...journal,
            claim: (runId, ...rest) =>
              runId === broken
                ? Effect.flatMap(journal.claim(runId, ...rest), () => journal.claim(runId, ...rest))
                : journal.claim(runId, ...rest),
          }),
        }),
      );
      assert.strictEqual(counted.most, 1);
      assert.deepStrictEqual(
        results.map(({ result, runId }) => [
          runId,
          Result.isSuccess(result) ? result.success.status : result.failure.reason.code,
        ]),
        runIds.map((runId) => [runId, runId === broken ? "journal.conflict" : "completed"]),
      );
    }),
  );
});
