import { forkRun } from "@cahier/application/fork/forkRun";
import { Runs } from "@cahier/application/run/Runs";
import { rootInvocation, type RunId } from "@cahier/domain/identity/Identity";
import type { ModelResponse } from "@cahier/domain/model/ModelResponse";
import type { ProviderState } from "@cahier/domain/model/ProviderState";
import type { ModelGateway } from "@cahier/ports/ModelGateway";
import { assert, describe, it } from "@effect/vitest";
import * as Effect from "effect/Effect";
import * as Cut from "./support/cut.ts";
import { ended, payloadsOf, play } from "./support/play.ts";
import * as World from "./support/World.ts";

const turns: ReadonlyArray<World.Turn> = [
  World.write("They wait by the river. ".repeat(600)),
  { text: "Is that all?" },
  World.calls(["workspace_read_file", { path: "output/main.md" }]),
  World.commit,
  World.finish,
];

/** The state that a provider is in after the answer at a position: the number of messages and an id of its own. */
const stateAfter = (position: number, messageCursor: number): ProviderState => ({
  source: "scripted",
  format: "scripted",
  transport: "responses_websocket",
  messageCursor,
  lastResponseId: `resp_opaque_${position}`,
  ...(position === 0 ? {} : { previousResponseId: `resp_opaque_${position - 1}` }),
  nativeContinuation: { format: "scripted", partCount: position },
});

/** What a request of a session brought with it. */
interface Asked {
  readonly sessionId: string;
  readonly messages: number;
  readonly state: ProviderState | undefined;
}

/** A gateway whose provider keeps a session, and which remembers nothing itself. */
const keepingSessions =
  (asked: Map<number, Asked>) =>
  (gateway: ModelGateway["Service"]): ModelGateway["Service"] => ({
    ...gateway,
    generate: (request, onDelta) => {
      const { messages, position, providerState, sessionId } = request;
      asked.set(position, { sessionId, messages: messages.length, state: providerState });
      const providerStateAfter = stateAfter(position, messages.length);
      return Effect.map(gateway.generate(request, onDelta), (response) => ({
        ...response,
        providerState: providerStateAfter,
      }));
    },
  });

const warning =
  (warnings: ReadonlyArray<string>) =>
  (gateway: ModelGateway["Service"]): ModelGateway["Service"] => ({
    ...gateway,
    generate: (request, onDelta) =>
      Effect.map(gateway.generate(request, onDelta), (response): ModelResponse => ({ ...response, warnings })),
  });

const recordedRun = Effect.gen(function* () {
  const world = World.make();
  const recording = Cut.record();
  const asked = new Map<number, Asked>();
  const process = { ...Cut.recorded(recording, world), gateway: keepingSessions(asked) };
  const run = yield* play(turns, { world, process });
  assert.strictEqual(run.outcome.status, "completed");
  return { ...run, asked, recording };
});

const resumed = (world: World.World, runId: RunId, asked: Map<number, Asked>) =>
  Effect.gen(function* () {
    const runs = yield* Runs;
    return yield* ended(world, yield* runs.resume(runId));
  }).pipe(World.inProcess(world, { name: "second", gateway: keepingSessions(asked) }));

/** What the requests of an undisturbed session bring: nothing at first, then the state after the answer before. */
const expectedOf = (asked: ReadonlyMap<number, Asked>, position: number): ProviderState | undefined =>
  position === 0 ? undefined : stateAfter(position - 1, asked.get(position - 1)?.messages ?? Number.NaN);

describe("the state of a provider's session", () => {
  it.effect("is journalled between a response and its summary, and nowhere else", () =>
    Effect.gen(function* () {
      const { asked, events, world } = yield* recordedRun;
      const states = payloadsOf(events, "provider_state_updated");
      assert.deepStrictEqual(
        states.map(({ invocationId: _of, round: _round, ...state }) => state),
        turns.map((_, position) => stateAfter(position, asked.get(position)?.messages ?? Number.NaN)),
      );
      assert.deepStrictEqual(
        states.map(({ round }) => round),
        turns.map((_, position) => position + 1),
      );
      for (const [index, { type }] of events.entries())
        if (type === "provider_state_updated")
          assert.deepStrictEqual(
            [events[index - 1]?.type, events[index + 1]?.type],
            ["model_response_stored", "model_completed"],
          );
      const others = events.filter(({ type }) => type !== "provider_state_updated");
      const blobs = [...world.blobs.scopes.values()].flatMap((scope) => [...scope.values()]);
      const kept = [JSON.stringify(others), ...blobs.map((bytes) => new TextDecoder().decode(bytes))].join("\n");
      assert.notInclude(kept, "resp_opaque");
      const documents = [...world.documents.collections.values()].map((collection) => [...collection.values()]);
      assert.isNotEmpty(blobs);
      assert.notInclude(JSON.stringify(documents), "resp_opaque");
    }),
  );

  it.effect("comes with the next request of the session", () =>
    Effect.gen(function* () {
      const { asked } = yield* recordedRun;
      assert.deepStrictEqual(
        [...asked].map(([, { state }]) => state),
        turns.map((_, position) => expectedOf(asked, position)),
      );
    }),
  );

  it.effect("is there again after a crash between any two appends", () =>
    Effect.gen(function* () {
      const { asked, events, recording, runId, world } = yield* recordedRun;
      const cuts = yield* Cut.everyCut(recording, world, runId, events);
      const positions = new Set<number>();
      for (const { title, world: left } of cuts.slice(0, -1)) {
        const again = new Map<number, Asked>();
        yield* resumed(left, runId, again);
        for (const [position, one] of again) {
          positions.add(position);
          assert.deepStrictEqual(one, asked.get(position), `${title}, position ${position}`);
        }
      }
      assert.strictEqual(positions.size, turns.length);
    }),
  );

  it.effect("stays with its run: a fork begins a session of its own at whatever event", () =>
    Effect.gen(function* () {
      const { events, runId, world } = yield* recordedRun;
      for (const { seq, type } of events) {
        const asked = new Map<number, Asked>();
        const fork = yield* Effect.gen(function* () {
          return yield* ended(
            world,
            yield* forkRun(runId, seq, { model: World.scripted([World.commit, World.finish]) }),
          );
        }).pipe(World.inProcess(world, { name: "forking", gateway: keepingSessions(asked) }));
        const states = [...asked].map(([, { state }]) => state);
        assert.isUndefined(states[0], `${seq} ${type}`);
        if (states.length > 1) assert.strictEqual(states[1]?.lastResponseId, "resp_opaque_0", `${seq} ${type}`);
        assert.isTrue([...asked].every(([, { sessionId }]) => sessionId.startsWith(fork.runId)));
      }
    }),
  );

  it.effect("is not written for a format that has none", () =>
    Effect.gen(function* () {
      const { state, types } = yield* play(World.publishing);
      assert.notInclude(types, "provider_state_updated");
      assert.isNull(state.invocations[rootInvocation]?.providerState);
    }),
  );
});

describe("what a gateway had to leave out", () => {
  it.effect("is told by the summary of the response, in at most 20 sentences of 300 characters", () =>
    Effect.gen(function* () {
      const said = [
        "The seed was not sent.",
        "x".repeat(400),
        ...Array.from({ length: 30 }, (_, index) => `No. ${index}.`),
      ];
      const { events } = yield* play(World.publishing, { process: { gateway: warning(said) } });
      for (const { warnings = [] } of payloadsOf(events, "model_completed")) {
        assert.deepStrictEqual(warnings.slice(0, 2), ["The seed was not sent.", `${"x".repeat(299)}…`]);
        assert.strictEqual(warnings.length, 20);
      }
    }),
  );

  it.effect("is not mentioned where nothing was", () =>
    Effect.gen(function* () {
      const { events } = yield* play(World.publishing, { process: { gateway: warning([]) } });
      for (const payload of payloadsOf(events, "model_completed")) assert.notProperty(payload, "warnings");
    }),
  );
});
