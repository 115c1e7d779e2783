/**
 * Plays runs and looks at what they left: every run that is played here is replayed from its journal as well.
 */
import { type StartFromChat, startRunFromChat } from "@cahier/application/run/startRun";
import type { RunHandle } from "@cahier/application/run/supervise";
import type { RunId } from "@cahier/domain/identity/Identity";
import { fold } from "@cahier/domain/run/evolve";
import type { StoredEvent } from "@cahier/domain/run/EventEnvelope";
import * as Log from "@cahier/domain/run/Log";
import * as RunEvent from "@cahier/domain/run/RunEvent";
import { empty, type RunState } from "@cahier/domain/run/RunState";
import { ToolResult } from "@cahier/domain/tool/ToolResult";
import * as MemoryRunJournal from "@cahier/storage-memory/MemoryRunJournal";
import * as Payloads from "@cahier/application/payload/Payloads";
import { assert } from "@effect/vitest";
import * as Effect from "effect/Effect";
import * as Option from "effect/Option";
import * as Schema from "effect/Schema";
import * as Stream from "effect/Stream";
import * as World from "./World.ts";

/** How a run is started when a test does not say otherwise. */
export interface PlayOptions extends Partial<StartFromChat> {
  readonly world?: World.World;
  readonly process?: World.ProcessOptions;
}

/** Starts a run of the scripted model on the chat. */
export const start = (turns: ReadonlyArray<World.Turn>, options: Omit<PlayOptions, "world" | "process"> = {}) =>
  startRunFromChat({ chat: World.chatLocation, binding: World.scripted(turns), ...options });

/** Starts a run in a process of its own, waits for its end, and gives everything that it left. */
export const play = Effect.fnUntraced(function* (turns: ReadonlyArray<World.Turn>, options: PlayOptions = {}) {
  const { world = World.make(), process, ...rest } = options;
  return yield* Effect.gen(function* () {
    const run = yield* start(turns, rest);
    return yield* ended(world, run);
  }).pipe(World.inProcess(world, process));
});

/** Waits for the end of a run and gives everything that it left. */
export const ended = Effect.fnUntraced(function* (world: World.World, run: RunHandle) {
  const outcome = yield* run.outcome;
  const events = yield* eventsOf(world, run.runId);
  if (outcome.status !== "interrupted") assertReplay(events, run.state());
  return {
    outcome,
    events,
    runId: run.runId,
    world,
    types: events.map(({ type }) => type),
    state: run.state(),
    results: yield* resultsOf(run.runId, events),
    texts: World.textsOf(world),
  };
});

/** Every event of a run, as another process reads them. */
export const eventsOf = Effect.fnUntraced(function* (world: World.World, runId: RunId) {
  const page = yield* MemoryRunJournal.make(world.journals).read(runId, { limit: 500 });
  assert.strictEqual(page.events.length, page.lastSeq, "the run fits one page");
  return page.events;
});

/** The results of a run's tool calls, in their order. */
const resultsOf = Effect.fnUntraced(function* (runId: RunId, events: ReadonlyArray<StoredEvent>) {
  const payloads = yield* Payloads.make(runId);
  return yield* Effect.forEach(payloadsOf(events, "tool_result_stored"), ({ result }) =>
    Effect.map(payloads.read(result), decodeResult),
  );
});

const decodeResult = Schema.decodeUnknownSync(Schema.fromJsonString(ToolResult));

/** The payloads of all events of one type, in order. */
export const payloadsOf = <Type extends RunEvent.RunEventType>(
  events: ReadonlyArray<StoredEvent>,
  type: Type,
): ReadonlyArray<RunEvent.PayloadOf<Type>> =>
  events.filter((event) => event.type === type).map((event) => event.payload as unknown as RunEvent.PayloadOf<Type>);

/**
 * A journal, read back as JSON and decoded with the full schemas, folds to the state that its writer had; its sequence
 * has no gap and its time never runs backwards.
 */
export const assertReplay = (events: ReadonlyArray<StoredEvent>, live: RunState): void => {
  const stored = JSON.parse(JSON.stringify(events)) as ReadonlyArray<StoredEvent>;
  const decoded = stored.map((event) => {
    const read = RunEvent.decode(event);
    assert.isTrue(Option.isSome(read) && RunEvent.isKnown(read.value), `${event.type} decodes with its schema`);
    return Option.getOrThrow(read);
  });
  assert.deepStrictEqual(
    stored.map(({ seq }) => seq),
    stored.map((_, index) => index + 1),
  );
  assert.deepStrictEqual(
    stored.map(({ timestamp }) => timestamp),
    stored.map(({ timestamp }) => timestamp).toSorted(),
  );
  assert.deepStrictEqual(plain(fold(empty, decoded)), plain(live));
};

/** A state as plain values: what its logs hold, not how they share it. */
const plain = (state: RunState): unknown =>
  JSON.parse(JSON.stringify(state, (_key, value: unknown) => (isLog(value) ? { log: Log.toArray(value) } : value)));

const isLog = (value: unknown): value is Log.Log<unknown> =>
  typeof value === "object" && value !== null && "backing" in value;

/** Waits until a run's journal has `count` events of a type. */
export const reached = (
  world: World.World,
  runId: RunId,
  type: RunEvent.RunEventType,
  count = 1,
): Effect.Effect<void> =>
  MemoryRunJournal.make(world.journals)
    .tail(runId, 0)
    .pipe(
      Stream.filter((event) => event.type === type),
      Stream.take(count),
      Stream.runDrain,
      Effect.orDie,
    );

/** Waits until somebody has asked something of the run. */
export const reachedInbox = (world: World.World, runId: RunId): Effect.Effect<void> =>
  Effect.yieldNow.pipe(
    Effect.andThen(Effect.sync(() => (world.documents.collections.get(`inbox/${runId}`)?.size ?? 0) > 0)),
    Effect.repeat({ while: (isThere) => !isThere }),
    Effect.asVoid,
  );
