/**
 * A journal of very many events, of the shape that a run's have.
 *
 * Owns which invocations they are of: half of the rounds are the root's and half of a child's, and one event in a
 * thousand concerns a third, as delegation does.
 */
import { EventId, InvocationId, rootInvocation, RunId, WorkspaceId } from "@cahier/domain/identity/Identity";
import type { NewEvent, StoredEvent } from "@cahier/domain/run/EventEnvelope";
import type { RunJournal } from "@cahier/ports/RunJournal";
import type * as Effect from "effect/Effect";
import * as Stream from "effect/Stream";

export const runId = RunId.make("run_00000000000000000000000000000001");
export const child = InvocationId.make("inv_child");
/** Whom one event in a thousand concerns. */
export const rare = InvocationId.make("inv_rare");

/** Makes the run; its events are `templates` again and again. */
export const build = (
  journal: RunJournal["Service"],
  templates: ReadonlyArray<NewEvent>,
  length: number,
): Effect.Effect<void, Effect.Error<ReturnType<RunJournal["Service"]["create"]>>> => {
  const pages = Stream.range(0, Math.ceil(length / pageSize) - 1).pipe(
    Stream.map((page) =>
      Array.from({ length: Math.min(pageSize, length - page * pageSize) }, (_, index) =>
        eventAt(templates, page * pageSize + index + 1),
      ),
    ),
  );
  return journal.create({ runId, workspaceId, createdAt: "2026-11-30T18:00:00.000Z" }, pages);
};

const workspaceId = WorkspaceId.make("chat_0123456789abcdef");
const pageSize = 500;
const eventsPerRound = 10;
const rareEvery = 1000;

const eventAt = (templates: ReadonlyArray<NewEvent>, seq: number): StoredEvent => {
  const template = templates[seq % templates.length];
  if (template === undefined) throw new Error("there are no events to make a journal of");
  const invocationId = Math.floor(seq / eventsPerRound) % 2 === 0 ? rootInvocation : child;
  return {
    ...template,
    seq,
    runId,
    id: EventId.make(`evt_${seq.toString(16).padStart(32, "0")}`),
    eventScope: { invocationId, ...(seq % rareEvery === 0 ? { relatedInvocationIds: [rare] } : {}) },
    epoch: 1,
  };
};
