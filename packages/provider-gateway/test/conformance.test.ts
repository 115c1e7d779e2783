import type { Message } from "@cahier/domain/model/Message";
import * as Messages from "@cahier/domain/model/Message";
import type { ModelFormat } from "@cahier/domain/model/ModelFormat";
import { assert, describe, it } from "@effect/vitest";
import * as Effect from "effect/Effect";
import * as Result from "effect/Result";
import { source } from "../src/providers/Custom.ts";
import { bytes, encoding, feed, inFormat } from "./support/decode.ts";
import * as opaque from "./support/opaque.ts";
import * as recordings from "./support/recordings.ts";

/** Thousands of responses take their time on a busy machine. */
const timeout = 300_000;

const formats = source.protocols.map(({ format }) => format);

const counted = (names: ReadonlyArray<string>): string =>
  Object.entries(Object.groupBy(names, (name) => name))
    .map(([name, all]) => `${all?.length ?? 0} ${name}`)
    .join(", ");

/** Bodies that the recorder has kept elsewhere, streams of one line that begins as a comment, counts of tokens. */
const isKept = ({ res }: recordings.Recording): boolean =>
  !/^\s*\{"(?:contentType|kind)":|^:[^\n]*$|"object": ?"response\.input_tokens"/.test(res);

const outcomeOf = (format: ModelFormat, recording: recordings.Recording): string => {
  const { result, seen } = feed([bytes(recording.res)], { status: recording.status, request: inFormat(format) });
  if (Result.isFailure(result)) return result.failure.problem._tag;
  for (const part of result.success.message.parts) {
    if (part.type === "native") assert.isDefined(jsonOf(part.json), `${recording.file}: ${part.json}`);
  }
  const body = encoding(format).text({ messages: conversation(result.success.message) });
  assert.isDefined(jsonOf(body), recording.file);
  assert.strictEqual(seen.joined("text"), Messages.textOf(result.success.message), recording.file);
  assert.strictEqual(seen.joined("reasoning"), Messages.reasoningOf(result.success.message), recording.file);
  return "response";
};

/** A response as a later request has it: behind something of the user, its calls answered. */
const conversation = (answer: Message): ReadonlyArray<Message> => [
  Messages.text("user", "Go on."),
  answer,
  ...Messages.toolCallsOf(answer).map(({ callId, name }): Message => ({
    role: "tool",
    parts: [{ type: "toolResult", callId, name, content: "done", isError: false }],
  })),
  Messages.text("user", "And?"),
];

describe("recordings of real providers", () => {
  const test = recordings.arePresent ? it.effect : it.effect.skip;
  const why = recordings.arePresent ? "" : " (no recordings here: set CAHIER_FIXTURES)";

  for (const format of formats) {
    test(
      `in ${format} all end in one response or one named problem${why}`,
      () =>
        Effect.sync(() => {
          const all = recordings.of(format);
          const unread: Array<string> = [];
          for (const [src, of] of Map.groupBy(all, (recording) => recording.src)) {
            const outcomes = of.map((recording) => {
              const outcome = outcomeOf(format, recording);
              if (outcome === "invalid" && isKept(recording)) unread.push(`${recording.file}#${recording.i}`);
              if (recording.status >= 400) assert.strictEqual(outcome, "status");
              return outcome;
            });
            console.log(`${format} of ${src}: ${of.length} recordings: ${counted(outcomes)}`);
          }
          assert.isAbove(all.length, 0);
          assert.deepStrictEqual(unread, []);
        }),
      timeout,
    );

    test(
      `in ${format} keep their text when they are cut at events and within them${why}`,
      () =>
        Effect.sync(() => {
          const streams = recordings.of(format).filter(({ status, stream }) => stream && status === 200);
          let cut = 0;
          for (const { file, res } of streams) {
            const all = bytes(res);
            const whole = feed([all], { request: inFormat(format) }).result;
            if (Result.isFailure(whole)) continue;
            const text = Messages.textOf(whole.success.message);
            for (const at of placesToCut(res, all.length)) {
              for (const interrupted of [true, false]) {
                const fed = feed([all.subarray(0, at)], { interrupted, request: inFormat(format) });
                const arrived = Result.isSuccess(fed.result) ? fed.result.success : fed.partial;
                const arrivedText = arrived === undefined ? "" : Messages.textOf(arrived.message);
                assert.isTrue(text.startsWith(arrivedText), `${file} cut at ${at}`);
                assert.strictEqual(fed.seen.joined("text"), arrivedText, `${file} cut at ${at}`);
                cut += 1;
              }
            }
          }
          console.log(`${format}: ${streams.length} streams, ${cut} cuts`);
          assert.isAbove(cut, 0);
        }),
      timeout,
    );

    test(
      `in ${format} give signatures and encrypted content back where they stood${why}`,
      () =>
        Effect.sync(() => {
          let replayed = 0;
          // Some clients put a value to another item than it came with; here it stays, byte for byte.
          let moved = 0;
          let kept = 0;
          for (const [file, of] of Map.groupBy(recordings.of(format), (recording) => recording.file)) {
            const own = new Map<string, opaque.Opaque>();
            let received = "";
            for (const recording of of) {
              const sent = jsonOf(recording.req);
              for (const found of opaque.find(sent)) {
                const known = own.get(found.value);
                if (known === undefined) {
                  assert.notInclude(received, found.value, `${file}#${recording.i} sends what was received`);
                  continue;
                }
                if (opaque.saying(known) === opaque.saying(found)) replayed += 1;
                else moved += 1;
              }
              if (!isKept(recording)) continue;
              received += recording.res.replaceAll("-", "+").replaceAll("_", "/");
              const { result } = feed([bytes(recording.res)], { status: recording.status, request: inFormat(format) });
              if (Result.isFailure(result)) continue;
              const { message } = result.success;
              const body = encoding(format).text({ messages: conversation(message) });
              for (const part of message.parts) {
                if (part.type !== "native" || opaque.find(jsonOf(part.json)).length === 0) continue;
                assert.include(body, part.json);
                kept += 1;
              }
              for (const found of opaque.find(jsonOf(body))) own.set(found.value, found);
            }
          }
          console.log(
            `${format}: ${kept} opaque items kept, ${replayed} sent back by clients too, ${moved} moved by them`,
          );
          assert.isAbove(kept, 0);
          assert.isAtLeast(replayed, moved * 10);
          // The recorded clients of Interactions name the interaction before instead of repeating it.
          assert.strictEqual(replayed > 0, format !== "gemini-interactions");
        }),
      timeout,
    );
  }
});

const jsonOf = (text: string): unknown => {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
};

/** Up to 12 ends of events, and as many places spread over the bytes. */
const placesToCut = (text: string, length: number): ReadonlyArray<number> => {
  const ends = [...text.matchAll(/\n\n|\r\n\r\n/g)].map((match) => bytes(text.slice(0, match.index + 2)).length);
  const step = Math.max(1, Math.ceil(ends.length / 12));
  const spread = Array.from({ length: 12 }, (_, index) => Math.floor((length * (index + 0.37)) / 12));
  return [...ends.filter((_, index) => index % step === 0), ...spread];
};
