/**
 * What a crash leaves: every state that storages and chat can be in between two durable steps of a run.
 */
import type { RunId } from "@cahier/domain/identity/Identity";
import type { StoredEvent } from "@cahier/domain/run/EventEnvelope";
import type { ChatHost } from "@cahier/ports/ChatHost";
import type { RunJournal } from "@cahier/ports/RunJournal";
import * as MemoryRunJournal from "@cahier/storage-memory/MemoryRunJournal";
import type * as MemoryChatHost from "@cahier/testkit/doubles/MemoryChatHost";
import { assert } from "@effect/vitest";
import * as Effect from "effect/Effect";
import * as World from "./World.ts";

/** A chat as it stood when the journal had so many events. */
interface Seen {
  readonly seq: number;
  readonly chats: MemoryChatHost.Storage;
}

/** What was recorded of a run: where its batches end, and the chat before and after each of its changes. */
export interface Recording {
  readonly batches: Array<number>;
  readonly chats: Array<Seen>;
}

export const record = (): Recording => ({ batches: [], chats: [] });

/** The options of a process whose run is recorded. */
export const recorded = (recording: Recording, world: World.World): World.ProcessOptions => {
  const look = () => recording.chats.push({ seq: recording.batches.at(-1) ?? 0, chats: structuredClone(world.chats) });
  return {
    journal: (journal: RunJournal["Service"]) => ({
      ...journal,
      append: (runId, position, events) =>
        Effect.tap(journal.append(runId, position, events), (seq) => Effect.sync(() => recording.batches.push(seq))),
    }),
    chatHost: (chatHost: ChatHost["Service"]) => ({
      ...chatHost,
      commit: (request) =>
        Effect.sync(look).pipe(
          Effect.andThen(chatHost.commit(request)),
          Effect.tap(() => Effect.sync(look)),
        ),
    }),
  };
};

/** One state that a crash can leave. */
export interface Left {
  readonly title: string;
  readonly seq: number;
  readonly world: World.World;
}

/**
 * Every state that a crash of the recorded run can leave: its journal up to the end of each batch (a batch is stored
 * whole or not at all), with the chat as it was then; and where a commit was being applied, the chat before and after.
 */
export const everyCut = Effect.fnUntraced(function* (
  recording: Recording,
  whole: World.World,
  runId: RunId,
  events: ReadonlyArray<StoredEvent>,
) {
  return yield* Effect.forEach(recording.batches, (seq) => {
    const during = recording.chats.filter((seen) => seen.seq === seq).map(({ chats }) => chats);
    return Effect.forEach(during.length === 0 ? [chatsAt(recording, seq)] : during, (chats, index) =>
      Effect.map(upTo(whole, runId, events.slice(0, seq), chats), (world): Left => ({
        title: `after event ${seq}${index === 0 ? "" : ", the commit applied"}`,
        seq,
        world,
      })),
    );
  }).pipe(Effect.map((states) => states.flat()));
});

/** The chat as it was when the journal had `length` events; a commit being applied has been applied. */
export const chatsAt = (recording: Recording, length: number): MemoryChatHost.Storage => {
  const seen = recording.chats.findLast(({ seq }) => seq <= length) ?? recording.chats[0];
  assert.isDefined(seen, "the recorded run commits");
  return seen?.chats ?? World.make().chats;
};

/** The storages of `whole` with another journal of the run and another chat. */
export const upTo = Effect.fnUntraced(function* (
  whole: World.World,
  runId: RunId,
  events: ReadonlyArray<StoredEvent>,
  chats: MemoryChatHost.Storage,
) {
  const record = whole.journals.journals.get(runId)?.record;
  assert.isDefined(record);
  const world: World.World = {
    ...World.make(),
    blobs: structuredClone(whole.blobs),
    chats: structuredClone(chats),
  };
  const journal = MemoryRunJournal.make(world.journals);
  if (record === undefined) return world;
  yield* journal.create(record);
  const drafts = events.map(({ epoch: _epoch, runId: _runId, seq: _seq, ...event }) => event);
  if (drafts.length > 0) yield* journal.append(runId, { epoch: 1, expectedSeq: 0 }, drafts);
  return world;
});
