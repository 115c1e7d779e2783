/**
 * One line of a journal file: how an event is written and read back.
 *
 * Owns the line format. Does not own which lines count: `internal/JournalScan` does.
 *
 * FORMAT. `events.jsonl` is UTF-8; each event is one JSON object followed by one line feed, with its keys in this order:
 *
 *     seq        integer from 1, without gaps
 *     id         `evt_…`
 *     runId      the run whose journal this is
 *     timestamp  ISO 8601 UTC with milliseconds
 *     level      debug | info | warn | error
 *     type, v    the event's type and the version of that type's payload
 *     eventScope {"invocationId", "relatedInvocationIds"?}
 *     causality  {"parentEventId"?, "requestId"?}; left out when there is none
 *     payload    any JSON
 *     epoch      the epoch of the owner that wrote the line
 *     batch      [index from 0, size]: an append is written whole or does not count
 *     crc        CRC-32 of the line's bytes before `,"crc"`, eight lower-case hex digits
 *
 * A reader goes through the file from the start and keeps the last sequence number and the highest epoch that it has
 * accepted. A batch counts when all of its lines are there, its epoch is not below that epoch and its first `seq`
 * follows that number. A whole batch of an older epoch, or one whose first `seq` is taken already, has lost a race: it
 * is void and skipped. Lines missing at the end of the file are a torn append, which never counted. Anything else that
 * is wrong is damage: reading stops before that line.
 */
import type { InvocationId, RunId } from "@cahier/domain/identity/Identity";
import type { NewEvent, StoredEvent } from "@cahier/domain/run/EventEnvelope";
import { quoted, remembering } from "@cahier/domain/run/envelopeText";
import * as zlib from "node:zlib";

/** Where a line stands: the event's number and epoch, and its place in its append. */
export interface Place {
  readonly seq: number;
  readonly epoch: number;
  readonly index: number;
  readonly size: number;
}

/** A line that was read: the event and its place in its append. */
export interface Line {
  readonly event: StoredEvent;
  readonly index: number;
  readonly size: number;
}

/** Where a line stands, and which invocations its event belongs to or concerns. */
export interface Glance extends Place {
  readonly eventScope: StoredEvent["eventScope"];
}

/** A payload that is not JSON (`undefined`, a function, a cycle). */
export class NotJson extends Error {
  override readonly name = "NotJson";
}

/** The line of one event with its line feed; throws `NotJson` for a payload that has no JSON form. */
export const encode = (runId: RunId, event: NewEvent, place: Place): string => {
  const body = bodyOf(runId, event, place);
  return `${body}${crcOf(zlib.crc32(body))}`;
};

/**
 * The lines of one append, in bytes: the same as `encode` gives, turned into bytes at once. The next call overwrites
 * them: an append is some kilobytes, and a buffer of its own for each costs more than a copy where one is needed.
 */
export const encodeAll = (
  runId: RunId,
  events: ReadonlyArray<NewEvent>,
  first: Pick<Place, "seq" | "epoch">,
): Buffer => {
  const size = events.length;
  let text = "";
  for (let index = 0; index < size; index += 1) {
    const event = events[index] as NewEvent;
    text += bodyOf(runId, event, { seq: first.seq + index, epoch: first.epoch, index, size }) + crcOf(0);
  }
  const lines = scratchFor(text.length * mostBytesPerUnit);
  const used = encoder.encodeInto(text, lines).written;
  for (let start = 0; start < used;) {
    // JSON has no line feed of its own, so the next one ends the line.
    const end = lines.indexOf(lineFeed, start);
    writeHex(lines, end - crcDigitsFromEnd, zlib.crc32(lines.subarray(start, end - crcLength)));
    start = end + 1;
  }
  return lines.subarray(0, used);
};

const bodyOf = (runId: RunId, event: NewEvent, place: Place): string => {
  const causality = event.causality === undefined ? "" : `,"causality":${JSON.stringify(event.causality)}`;
  return (
    `{"seq":${place.seq},"id":${quoted(event.id)},"runId":${runIdOf(runId)}` +
    `,"timestamp":${timestampOf(event.timestamp)},"level":"${event.level}","type":${quoted(event.type)}` +
    `,"v":${event.v},"eventScope":${scopeOf(event.eventScope)}${causality},"payload":${json(event.payload)}` +
    `,"epoch":${place.epoch},"batch":[${place.index},${place.size}]`
  );
};

const crcOf = (value: number): string => `,"crc":"${hex(value)}"}\n`;

/** Of a string in UTF-8: three bytes a UTF-16 unit at the most. */
const mostBytesPerUnit = 3;

/** Faster than `Buffer.write` for UTF-8. */
const encoder = new TextEncoder();

/** Where lines are put together; it grows to the largest append there was. */
const scratch = { buffer: Buffer.allocUnsafe(65_536) };

const scratchFor = (bytes: number): Buffer => {
  if (bytes > scratch.buffer.length) scratch.buffer = Buffer.allocUnsafe(Math.max(scratch.buffer.length * 2, bytes));
  return scratch.buffer;
};

/**
 * The event of one line, which stands without its line feed from `start` to `end`, or in words what is wrong with the line.
 */
export const decode = (bytes: Buffer, runId: RunId, start = 0, end = bytes.length): Line | string =>
  whyUnsound(bytes, start, end) ?? parse(bytes.toString("utf8", start, end), runId);

/**
 * The same without the event, for whoever goes through a whole journal: the checksum vouches for the line, and of one that
 * begins and ends as `encode` writes it only the two ends are read.
 */
export const glance = (bytes: Buffer, runId: RunId, start = 0, end = bytes.length): Glance | string => {
  const wrong = whyUnsound(bytes, start, end);
  if (wrong !== undefined) return wrong;
  const head = headPattern.exec(bytes.toString("latin1", start, Math.min(end, start + longestHead)));
  const bodyEnd = end - crcLength;
  const tail = tailPattern.exec(bytes.toString("latin1", Math.max(start, bodyEnd - longestTail), bodyEnd));
  if (head !== null && tail !== null && head[2] === runId) {
    const [index, size] = [Number(tail[2]), Number(tail[3])];
    const eventScope = { invocationId: head[3] as InvocationId };
    if (index < size) return { seq: Number(head[1]), epoch: Number(tail[1]), index, size, eventScope };
  }
  const line = parse(bytes.toString("utf8", start, end), runId);
  if (typeof line === "string") return line;
  const { epoch, eventScope, seq } = line.event;
  return { seq, epoch, index: line.index, size: line.size, eventScope };
};

const whyUnsound = (bytes: Buffer, start: number, end: number): string | undefined => {
  const bodyEnd = end - crcLength;
  if (bodyEnd - start < 2) return "the line is too short to be an event";
  const stored = storedCrc(bytes, bodyEnd);
  if (stored === undefined) return "the line does not end with a checksum";
  const matches = zlib.crc32(bytes.subarray(start, bodyEnd)) === stored;
  return matches ? undefined : "the checksum does not match the line";
};

/** The number in `,"crc":"01234567"}` at this place; undefined for anything else. */
const storedCrc = (bytes: Buffer, at: number): number | undefined => {
  for (let index = 0; index < crcPrefix.length; index += 1) {
    if (bytes[at + index] !== crcPrefix[index]) return undefined;
  }
  if (bytes[at + 16] !== 0x22 || bytes[at + 17] !== 0x7d) return undefined;
  let value = 0;
  for (let index = 8; index < 16; index += 1) {
    const code = bytes[at + index] ?? 0;
    const digit = code >= 0x61 && code <= 0x66 ? code - 0x57 : code - 0x30;
    if (digit < 0 || digit > 15 || (code > 0x39 && code < 0x61)) return undefined;
    value = value * 16 + digit;
  }
  return value;
};

const crcPrefix = Buffer.from(',"crc":"');

/** Up to the end of a scope that names one invocation and no more. */
const headPattern =
  /^\{"seq":([1-9]\d{0,14}),"id":"[\w.:-]*","runId":"([\w-]+)","timestamp":"[\w.:-]*","level":"(?:debug|info|warn|error)","type":"[\w.:-]*","v":\d+,"eventScope":\{"invocationId":"([\w-]+)"\}/;
const tailPattern = /,"epoch":([1-9]\d{0,14}),"batch":\[(\d{1,9}),(\d{1,9})\]$/;
const longestHead = 512;
const longestTail = 64;

const scopeOf = (scope: NewEvent["eventScope"]): string =>
  Object.keys(scope).length === 1 ? ownScopeOf(scope.invocationId) : JSON.stringify(scope);

const runIdOf = remembering(quoted);
const timestampOf = remembering(quoted);
const ownScopeOf = remembering((invocationId) => `{"invocationId":${quoted(invocationId)}}`);

/** `,"crc":"01234567"}` */
const crcLength = 18;
/** From the eight digits to the line feed. */
const crcDigitsFromEnd = 10;
const lineFeed = 10;
const levels: ReadonlySet<unknown> = new Set(["debug", "info", "warn", "error"]);

const hex = (value: number): string => value.toString(16).padStart(8, "0");

/** The same digits as `hex` gives, written at `at` without a string in between. */
const writeHex = (target: Uint8Array, at: number, value: number): void => {
  for (let index = 0; index < 8; index += 1) {
    const digit = (value >>> (28 - 4 * index)) & 0xf;
    target[at + index] = digit < 10 ? 0x30 + digit : 0x57 + digit;
  }
};

const json = (value: unknown): string => {
  try {
    const text = JSON.stringify(value);
    if (typeof text === "string") return text;
  } catch (cause) {
    throw new NotJson("the payload has no JSON form", { cause });
  }
  throw new NotJson("the payload has no JSON form");
};

const parse = (text: string, runId: RunId): Line | string => {
  const line = parseObject(text);
  if (line === undefined) return "the line is not a JSON object";
  if (line["runId"] !== runId) return "the line belongs to another run";
  if (!isEvent(line)) return "the line is not an event";
  const { batch } = line;
  if (!isBatch(batch)) return "the line does not say its place in its append";
  return { event: eventOf(line), index: batch[0], size: batch[1] };
};

/** The event alone, in the order of its fields. Objects that are made alike are read faster than such as lose fields. */
const eventOf = (line: StoredEvent): StoredEvent => {
  const { epoch, eventScope, id, level, payload, runId, seq, timestamp, type, v } = line;
  if (line.causality === undefined) {
    return { seq, id, runId, timestamp, level, type, v, eventScope, payload, epoch };
  }
  return { seq, id, runId, timestamp, level, type, v, eventScope, causality: line.causality, payload, epoch };
};

const parseObject = (text: string): Record<string, unknown> | undefined => {
  try {
    const value: unknown = JSON.parse(text);
    return isRecord(value) ? value : undefined;
  } catch {
    return undefined;
  }
};

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value);

const isBatch = (value: unknown): value is readonly [number, number] =>
  Array.isArray(value) &&
  value.length === 2 &&
  Number.isSafeInteger(value[0]) &&
  Number.isSafeInteger(value[1]) &&
  value[0] >= 0 &&
  value[0] < value[1];

/** The envelope only, by hand: the checksum vouches for the writer, and a payload is any JSON. */
const isEvent = (value: Record<string, unknown>): value is Record<string, unknown> & StoredEvent =>
  Number.isSafeInteger(value["seq"]) &&
  typeof value["id"] === "string" &&
  typeof value["timestamp"] === "string" &&
  levels.has(value["level"]) &&
  typeof value["type"] === "string" &&
  Number.isSafeInteger(value["v"]) &&
  isRecord(value["eventScope"]) &&
  typeof value["eventScope"]["invocationId"] === "string" &&
  (value["causality"] === undefined || isRecord(value["causality"])) &&
  value["payload"] !== undefined &&
  Number.isSafeInteger(value["epoch"]);
