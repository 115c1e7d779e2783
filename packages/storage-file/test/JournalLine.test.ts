import { EventId, InvocationId, RunId } from "@cahier/domain/identity/Identity";
import type { NewEvent } from "@cahier/domain/run/EventEnvelope";
import * as JournalLine from "@cahier/storage-file/JournalLine";
import { assert, describe, it } from "@effect/vitest";
import * as Arbitrary from "effect/Arbitrary";
import * as Schema from "effect/Schema";
import * as Events from "./Events.ts";

const place = { seq: 7, epoch: 2, index: 1, size: 3 };
const decode = (line: string) => JournalLine.decode(Buffer.from(line.slice(0, -1)), Events.runId);

/** CRC-32 bit by bit (polynomial 0xEDB88320), independent of the one that the codec uses. */
const crc32 = (text: string): string => {
  const step = (crc: number): number => (crc & 1 ? (crc >>> 1) ^ 0xedb88320 : crc >>> 1);
  const value = Buffer.from(text).reduce(
    (crc, byte) => Array.from({ length: 8 }).reduce<number>(step, crc ^ byte),
    0xffffffff,
  );
  return ((value ^ 0xffffffff) >>> 0).toString(16).padStart(8, "0");
};

describe("a journal line", () => {
  it("has its keys in one order and ends with the CRC-32 of what stands before", () => {
    const line = JournalLine.encode(
      RunId.make("run_0000000000000000000000000000000a"),
      {
        id: EventId.make("evt_0000000000000000000000000000000b"),
        timestamp: "2026-01-02T03:04:05.678Z",
        level: "warn",
        type: "tool_call_denied",
        v: 3,
        eventScope: {
          invocationId: InvocationId.make("inv_root"),
          relatedInvocationIds: [InvocationId.make("inv_1")],
        },
        causality: { requestId: "request" },
        payload: { text: "größe \u2028 \u0000", b: 1, a: [null] },
      },
      place,
    );
    const body =
      '{"seq":7,"id":"evt_0000000000000000000000000000000b","runId":"run_0000000000000000000000000000000a",' +
      '"timestamp":"2026-01-02T03:04:05.678Z","level":"warn","type":"tool_call_denied","v":3,' +
      '"eventScope":{"invocationId":"inv_root","relatedInvocationIds":["inv_1"]},' +
      '"causality":{"requestId":"request"},"payload":{"text":"größe \u2028 \\u0000","b":1,"a":[null]},' +
      '"epoch":2,"batch":[1,3]';
    assert.strictEqual(line, `${body},"crc":"${crc32(body)}"}\n`);
    assert.strictEqual(line.slice(-12), '"624281d4"}\n');
  });

  it("leaves causality out when there is none", () => {
    assert.notInclude(JournalLine.encode(Events.runId, Events.event(1), place), "causality");
  });

  it("refuses a payload that has no JSON form", () => {
    const cyclic: Array<never> = [];
    const payload = Object.assign(cyclic, { 0: cyclic, length: 1 });
    assert.throws(
      () => JournalLine.encode(Events.runId, { ...Events.event(1), payload }, place),
      "the payload has no JSON form",
    );
  });

  it.prop("gives back any payload", { payload: Arbitrary.schema(Schema.Json) }, ({ payload }) => {
    const line = decode(JournalLine.encode(Events.runId, { ...Events.event(1), payload }, place));
    assert.isObject(line);
    const through: unknown = JSON.parse(JSON.stringify(payload));
    assert.deepStrictEqual(typeof line === "string" ? line : line.event.payload, through);
  });

  it("is refused after a change of any one byte", () => {
    const bytes = Buffer.from(JournalLine.encode(Events.runId, Events.event(1), place).slice(0, -1));
    for (let index = 0; index < bytes.length; index += 1) {
      const changed = Buffer.from(bytes);
      changed[index] = (changed[index] ?? 0) ^ 1;
      assert.isString(JournalLine.decode(changed, Events.runId), `byte ${index}`);
    }
  });

  it("is refused in the journal of another run", () => {
    const line = JournalLine.encode(RunId.make("run_other"), Events.event(1), place);
    assert.strictEqual(decode(line), "the line belongs to another run");
  });
});

describe("the lines of an append", () => {
  const root = InvocationId.make("inv_root");

  it("are in bytes what each is as text, whatever they hold", () => {
    const events = ["plain", 'ünï \u2028 字 😀 "quoted" \\', "x".repeat(200_000)].map((text, index) => ({
      id: EventId.make(`evt_${index}`),
      timestamp: "2026-11-30T00:00:00.000Z",
      level: "info" as const,
      type: "noted",
      v: 1,
      eventScope: index === 1 ? { invocationId: root, relatedInvocationIds: [root] } : { invocationId: root },
      payload: { text },
    }));
    const runId = RunId.make("run_bytes");
    assert.strictEqual(
      JournalLine.encodeAll(runId, events, { seq: 8, epoch: 2 }).toString("utf8"),
      events
        .map((event, index) => JournalLine.encode(runId, event, { seq: 8 + index, epoch: 2, index, size: 3 }))
        .join(""),
    );
  });
});

describe("a glance at a line", () => {
  const encoded = (given: NewEvent, place = { seq: 7, epoch: 3, index: 1, size: 2 }): Buffer =>
    Buffer.from(JournalLine.encode(Events.runId, given, place).trimEnd());

  it("shows what decoding shows, whatever the event", () => {
    const tricky = ',"epoch":9,"batch":[0,1]';
    const given: ReadonlyArray<NewEvent> = [
      Events.event(1),
      { ...Events.event(1), type: 'a type\u2028 with "quotes"' },
      { ...Events.event(1), payload: tricky },
      { ...Events.event(1), payload: { epoch: 9, batch: [0, 1] } },
      { ...Events.event(1), payload: "x".repeat(70_000) },
      { ...Events.event(1), causality: { parentEventId: Events.event(2).id } },
      {
        ...Events.event(1),
        eventScope: { ...Events.event(1).eventScope, relatedInvocationIds: [InvocationId.make("inv_2")] },
      },
      {
        ...Events.event(1),
        eventScope: { invocationId: InvocationId.make("i".repeat(128)), relatedInvocationIds: [] },
      },
    ];
    for (const one of given) {
      const bytes = encoded(one);
      const decoded = JournalLine.decode(bytes, Events.runId);
      const glance = JournalLine.glance(bytes, Events.runId);
      if (typeof decoded === "string" || typeof glance === "string")
        return assert.fail(JSON.stringify([decoded, glance]));
      const { epoch, eventScope, seq } = decoded.event;
      assert.deepEqual(glance, { seq, epoch, index: decoded.index, size: decoded.size, eventScope });
    }
  });

  it("says the same as decoding of a line that is wrong", () => {
    const other = RunId.make("run_other");
    const whole = encoded(Events.event(1));
    const changed = Buffer.from(whole);
    changed[60] = (changed[60] ?? 0) ^ 1;
    for (const bytes of [whole.subarray(0, 10), whole.subarray(0, whole.length - 1), changed, Buffer.alloc(0)]) {
      const decoded: unknown = JournalLine.decode(bytes, Events.runId);
      assert.strictEqual<unknown>(JournalLine.glance(bytes, Events.runId), decoded);
      assert.isString(decoded);
    }
    assert.strictEqual(JournalLine.glance(whole, other), "the line belongs to another run");
  });
});
