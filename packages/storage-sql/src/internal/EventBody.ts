/**
 * Neighbouring events as the text that a table holds, and back.
 *
 * Owns the text: `seq`, `runId` and `epoch` are columns and not in it. Does not own the checksum.
 */
import type { RunId } from "@cahier/domain/identity/Identity";
import type { NewEvent, StoredEvent } from "@cahier/domain/run/EventEnvelope";
import { quoted, remembering } from "@cahier/domain/run/envelopeText";
import type { Row } from "./Dialect.ts";

/** The text of neighbouring events; undefined for a payload that has no JSON form. */
export const encode = (events: ReadonlyArray<NewEvent>): string | undefined => {
  let text = "";
  for (const event of events) {
    const payload = json(event.payload);
    if (payload === undefined) return undefined;
    const { eventScope } = event;
    const scope =
      eventScope.relatedInvocationIds === undefined ? scopeOf(eventScope.invocationId) : JSON.stringify(eventScope);
    const causality = event.causality === undefined ? "" : `,"causality":${JSON.stringify(event.causality)}`;
    text +=
      `${text === "" ? "[" : ",\n"}{"id":${quoted(event.id)},"timestamp":${timestampOf(event.timestamp)}` +
      `,"level":"${event.level}","type":${quoted(event.type)},"v":${event.v},"eventScope":${scope}${causality}` +
      `,"payload":${payload}}`;
  }
  return `${text}]`;
};

/** True for an event that is asked for, by its number. */
export type IsWanted = (seq: number) => boolean;

/**
 * The wanted events of a row with `seq`, `events`, `epoch` and `body`; undefined for a text that does not hold as many.
 * JSON has no line feed of its own, so each event has one line, and those that nobody wants are not parsed.
 */
export const decode = (runId: RunId, row: Row, isWanted: IsWanted): ReadonlyArray<StoredEvent> | undefined => {
  const lines = String(row["body"]).split("\n");
  if (lines.length !== Number(row["events"])) return undefined;
  const [seq, epoch] = [Number(row["seq"]), Number(row["epoch"])];
  const found: Array<StoredEvent> = [];
  for (const [index, line] of lines.entries()) {
    if (!isWanted(seq + index)) continue;
    const event = parseJson(line.slice(index === 0 ? 1 : 0, -1));
    if (!isEvent(event)) return undefined;
    found.push({
      seq: seq + index,
      id: event.id,
      runId,
      timestamp: event.timestamp,
      level: event.level,
      type: event.type,
      v: event.v,
      eventScope: event.eventScope,
      ...(event.causality === undefined ? {} : { causality: event.causality }),
      payload: event.payload,
      epoch,
    });
  }
  return found;
};

/** JSON text of any value; undefined when it has none. */
export const json = (value: unknown): string | undefined => {
  try {
    return JSON.stringify(value);
  } catch {
    return undefined;
  }
};

/** The JSON value of a text; undefined when it is not JSON. */
export const parseJson = (text: unknown): unknown => {
  try {
    return JSON.parse(String(text));
  } catch {
    return undefined;
  }
};

const timestampOf = remembering(quoted);
const scopeOf = remembering((invocationId) => `{"invocationId":${quoted(invocationId)}}`);

const levels: ReadonlySet<unknown> = new Set(["debug", "info", "warn", "error"]);

/** The envelope only, by hand: the checksum vouches for the writer, and a payload is any JSON. */
const isEvent = (value: unknown): value is NewEvent =>
  isRecord(value) &&
  typeof value["id"] === "string" &&
  typeof value["timestamp"] === "string" &&
  levels.has(value["level"]) &&
  typeof value["type"] === "string" &&
  Number.isSafeInteger(value["v"]) &&
  isRecord(value["eventScope"]) &&
  typeof value["eventScope"]["invocationId"] === "string" &&
  (value["causality"] === undefined || isRecord(value["causality"])) &&
  value["payload"] !== undefined;

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value);
