/**
 * Journals that tell a process which takes a run up something else than what became of the results of its agents' tasks.
 * Only who resumes reads them; the sweep must notice each.
 */
import type { StoredEvent } from "@cahier/domain/run/EventEnvelope";
import { isKnown, type PayloadOf, trust } from "@cahier/domain/run/RunEvent";
import type { CrashMutant, StruckPorts } from "@cahier/testkit/crash/CrashMutants";
import * as Effect from "effect/Effect";

/** The mutants, for runs in which agents work for others. */
export const deliveryMutants: ReadonlyArray<CrashMutant> = [
  {
    name: "told-again",
    title: "a resume that forgets which results were told",
    breaks: (ports) => reads(ports, forgetful),
  },
  {
    name: "told-early",
    title: "a resume that takes every result that is there for told",
    breaks: (ports) => reads(ports, hasty),
  },
];

const reads = (ports: StruckPorts, change: (event: StoredEvent) => StoredEvent): StruckPorts => ({
  ...ports,
  journal: {
    ...ports.journal,
    read: (runId, options) =>
      Effect.map(ports.journal.read(runId, options), (page) => ({ ...page, events: page.events.map(change) })),
  },
});

const forgetful = (stored: StoredEvent): StoredEvent => {
  const event = trust(stored);
  if (!isKnown(event)) return stored;
  if (event.type === "agent_task_results_delivered") return { ...stored, payload: { ...event.payload, taskIds: [] } };
  return event.type === "agent_await_completed"
    ? { ...stored, payload: { ...event.payload, deliveredTaskIds: [] } }
    : stored;
};

/** Nothing else follows from the event that gives way. */
const hasty = (stored: StoredEvent): StoredEvent => {
  const event = trust(stored);
  if (!isKnown(event) || event.type !== "task_return_completed") return stored;
  const { parentInvocationId, taskId } = event.payload;
  const type = "agent_await_completed";
  const payload: Omit<PayloadOf<typeof type>, "callId"> = {
    parentInvocationId,
    mode: "statusOnly",
    timedOut: false,
    taskCount: 1,
    deliveredTaskIds: [taskId],
  };
  return { ...stored, type, payload: { ...payload, callId: "call_of_nobody" } };
};
