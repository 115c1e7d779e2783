/**
 * The run and the events that the tests of this package write.
 */
import { EventId, InvocationId, OwnerId, RunId, WorkspaceId } from "@cahier/domain/identity/Identity";
import type { NewEvent } from "@cahier/domain/run/EventEnvelope";

export const runId = RunId.make("run_00000000000000000000000000000001");
export const workspaceId = WorkspaceId.make("chat_0123456789abcdef");
export const record = { runId, workspaceId, createdAt: "2026-01-02T03:04:05.678Z" };

const padded = (n: number): string => n.toString(16).padStart(32, "0");

/** The n-th event. */
export const event = (n: number, type = "test_event"): NewEvent => ({
  id: EventId.make(`evt_${padded(n)}`),
  timestamp: "2026-01-02T03:04:05.678Z",
  level: "info",
  type,
  v: 1,
  eventScope: { invocationId: InvocationId.make("inv_root") },
  payload: { n },
});

export const events = (from: number, to: number): ReadonlyArray<NewEvent> =>
  Array.from({ length: to - from + 1 }, (_, index) => event(from + index));

export const ownerChanged = (n: number): NewEvent => ({
  ...event(n, "run_owner_changed"),
  payload: { owner: OwnerId.make(`owner_${n}`) },
});

/** Nobody owns the run after this event. */
export const letGo = (n: number): NewEvent => ({ ...event(n, "run_owner_changed"), payload: { owner: null } });

export const at = (expectedSeq: number, epoch = 1) => ({ expectedSeq, epoch });
