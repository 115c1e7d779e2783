/**
 * What every journal must show of its tool calls, however often its process was lost.
 */
import type { StoredEvent } from "@cahier/domain/run/EventEnvelope";
import * as Predicate from "effect/Predicate";

/** A call as the journal tells it. `code` is the failure that it was closed with. */
export interface PairedCall {
  readonly callId: string;
  readonly toolId: string;
  readonly requested: number;
  readonly started: number;
  readonly closed: number;
  readonly code?: string;
}

/** `faults` are empty when the numbers have no gap, no epoch falls and every call is closed once, in time. */
export interface Pairing {
  readonly calls: ReadonlyArray<PairedCall>;
  /** Attempts to call a model that are on record. */
  readonly attempts: number;
  readonly faults: ReadonlyArray<string>;
}

/** Reads all events of one journal, in order. */
export const pairing = (events: ReadonlyArray<StoredEvent>): Pairing => {
  const calls = new Map<string, { -readonly [Key in keyof PairedCall]: PairedCall[Key] }>();
  const faults: Array<string> = [];
  let attempts = 0;

  // Each agent of a run has conversations and call ids of its own.
  const keyOf = (event: StoredEvent, callId: string): string => `${event.eventScope.invocationId} ${callId}`;
  const open = (event: StoredEvent): ReadonlyArray<string> =>
    [...calls]
      .filter(([key, { callId, closed, started }]) => key === keyOf(event, callId) && started > 0 && closed === 0)
      .map(([, { callId }]) => callId);

  for (const [index, event] of events.entries()) {
    if (event.seq !== index + 1) faults.push(`event ${index + 1} has the number ${event.seq}`);
    if (event.epoch < (events[index - 1]?.epoch ?? 0)) faults.push(`the epoch falls at event ${event.seq}`);
    if (event.type === "model_call_attempt_started") attempts += 1;
    if (event.type === "model_request_created" && open(event).length > 0)
      faults.push(`a request was made at event ${event.seq} while ${open(event).join(", ")} had no result`);
    const callId = textAt(event, "callId");
    const phase = phases.get(event.type);
    if (callId === undefined || phase === undefined) continue;
    const call = calls.get(keyOf(event, callId)) ?? {
      callId,
      toolId: textAt(event, "toolId") ?? "",
      requested: 0,
      started: 0,
      closed: 0,
    };
    calls.set(keyOf(event, callId), call);
    call[phase] += 1;
    const code = textAt(event, "errorCode");
    if (code !== undefined) call.code = code;
  }
  for (const { callId, closed } of calls.values())
    if (closed !== 1) faults.push(`${callId} was closed ${closed} times`);
  return { calls: [...calls.values()], attempts, faults };
};

const phases: ReadonlyMap<string, "requested" | "started" | "closed"> = new Map([
  ["tool_call_requested", "requested"],
  ["tool_call_started", "started"],
  ["tool_call_completed", "closed"],
  ["tool_call_failed", "closed"],
] as const);

const textAt = ({ payload }: StoredEvent, field: string): string | undefined => {
  if (!Predicate.hasProperty(payload, field)) return undefined;
  const value: unknown = payload[field];
  return typeof value === "string" ? value : undefined;
};
