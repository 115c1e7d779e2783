import * as Policies from "@cahier/application/policy/Policies";
import { Runs } from "@cahier/application/run/Runs";
import { CallId, type RunId } from "@cahier/domain/identity/Identity";
import type { ModelRequest } from "@cahier/domain/model/ModelRequest";
import { assert, describe, it } from "@effect/vitest";
import * as Effect from "effect/Effect";
import * as Cut from "./support/cut.ts";
import { ended, play } from "./support/play.ts";
import * as World from "./support/World.ts";

/** Text, reminders, refused calls, results of every kind: whatever a round can add. */
const turns: ReadonlyArray<World.Turn> = [
  World.write("They wait by the river. ".repeat(900)),
  { text: "Is that \u2028 all? \u{1f600}", reasoning: "The tide turns." },
  World.calls(
    ["workspace_read_file", { path: "output/main.md" }],
    ["workspace_read_file", { path: "scratch/missing.md" }],
    ["workspace_apply_patch", { path: "output/main.md", old_string: "nowhere", new_string: "\u00e4" }],
  ),
  World.commit,
  World.finish,
];

/** A request as text, in the parts that a provider's cache sees. */
interface Sent {
  readonly settings: string;
  readonly tools: string;
  readonly messages: ReadonlyArray<string>;
}

/** Everything that was asked of the model, by position, as it was at that moment. */
type Asked = Map<number, Sent>;

const sentOf = ({ binding, messages, parameters, stream, toolChoice, tools }: ModelRequest): Sent => ({
  settings: JSON.stringify({ binding, parameters, stream, toolChoice }),
  tools: JSON.stringify(tools),
  messages: messages.map((message) => JSON.stringify(message)),
});

const listening = (asked: Asked): World.ProcessOptions => ({
  gateway: (gateway) => ({
    ...gateway,
    generate: (request, onDelta) => {
      asked.set(request.position, sentOf(request));
      return gateway.generate(request, onDelta);
    },
  }),
});

const recordedRun = Effect.gen(function* () {
  const world = World.make();
  const recording = Cut.record();
  const asked: Asked = new Map();
  const run = yield* play(turns, { world, process: { ...Cut.recorded(recording, world), ...listening(asked) } });
  assert.strictEqual(run.outcome.status, "completed");
  assert.strictEqual(asked.size, turns.length);
  return { ...run, asked, recording };
});

/** Every request begins with the one before, to the byte, and has the same tools and settings. */
const assertGrows = (asked: Asked): void => {
  const [first, ...later] = [...asked].toSorted(([one], [other]) => one - other).map(([, sent]) => sent);
  assert.isDefined(first);
  later.reduce((before, sent) => {
    assert.strictEqual(sent.tools, before.tools);
    assert.strictEqual(sent.settings, before.settings);
    assert.deepStrictEqual(sent.messages.slice(0, before.messages.length), before.messages);
    assert.isAbove(sent.messages.length, before.messages.length);
    return sent;
  }, first);
};

const resumed = (world: World.World, runId: RunId, asked: Asked) =>
  Effect.gen(function* () {
    const runs = yield* Runs;
    return yield* ended(world, yield* runs.resume(runId));
  }).pipe(World.inProcess(world, { name: "second", ...listening(asked) }));

describe("the requests of a run", () => {
  it.effect("begin with each other to the byte, with the same tools and settings", () =>
    Effect.gen(function* () {
      assertGrows((yield* recordedRun).asked);
    }),
  );

  it.effect("hold the same objects, so that what was encoded once can be kept", () =>
    Effect.gen(function* () {
      const seen: Array<ModelRequest> = [];
      yield* play(turns, {
        process: {
          gateway: (gateway) => ({
            ...gateway,
            generate: (request, onDelta) => {
              seen.push({ ...request, messages: [...request.messages] });
              return gateway.generate(request, onDelta);
            },
          }),
        },
      });
      assert.strictEqual(seen.length, turns.length);
      for (const [index, { messages, tools }] of seen.entries()) {
        assert.strictEqual(tools, seen[0]?.tools);
        for (const [place, message] of (seen[index - 1]?.messages ?? []).entries())
          assert.strictEqual(messages[place], message);
      }
    }),
  );

  it.effect("are the same to the byte when a process reads them back from the journal after a crash", () =>
    Effect.gen(function* () {
      const { asked, events, recording, runId, world } = yield* recordedRun;
      const cuts = yield* Cut.everyCut(recording, world, runId, events);
      const again: Array<number> = [];
      for (const { title, world: left } of cuts.slice(0, -1)) {
        const later: Asked = new Map();
        yield* resumed(left, runId, later);
        for (const [position, sent] of later) {
          again.push(position);
          assert.deepStrictEqual(sent, asked.get(position), `${title}, position ${position}`);
        }
      }
      assert.strictEqual(new Set(again).size, turns.length);
    }),
  );

  it.effect("begin with each other over the time that somebody takes to answer", () =>
    Effect.gen(function* () {
      const world = World.make();
      yield* Policies.write("user", {
        kind: "cahier.policy",
        schemaVersion: 1,
        rules: [{ tools: ["builtin:workspace.commit"], permission: "ask" }],
      }).pipe(World.inProcess(world));
      const asking = turns.map((turn) =>
        turn === World.commit ? { toolCalls: [{ id: "call_asked", name: "workspace_commit", arguments: {} }] } : turn,
      );
      const asked: Asked = new Map();
      const parked = yield* play(asking, { world, process: listening(asked) });
      assert.strictEqual(parked.outcome.status, "awaiting_approval");
      assert.strictEqual(asked.size, turns.indexOf(World.commit) + 1);
      const found = yield* Effect.gen(function* () {
        const runs = yield* Runs;
        const handle = yield* runs.decide(parked.runId, { callId: CallId.make("call_asked"), approved: true });
        return handle === undefined ? assert.fail("nothing is carried on") : yield* ended(world, handle);
      }).pipe(World.inProcess(world, { name: "answering", ...listening(asked) }));
      assert.strictEqual(found.outcome.status, "completed");
      assert.strictEqual(asked.size, turns.length);
      assertGrows(asked);
    }),
  );
});
