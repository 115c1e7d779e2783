import { existsSync, readFileSync } from "node:fs";
import { resolve } from "node:path";
import { gunzipSync } from "node:zlib";
import * as Message from "@cahier/domain/model/Message";
import { assert, describe, it } from "@effect/vitest";
import * as Effect from "effect/Effect";
import * as Result from "effect/Result";
import { encodeMessage } from "../src/protocols/openai-chat/encode.ts";
import { bytes, feed } from "./support/decode.ts";

const fixtures = process.env["CAHIER_FIXTURES"] ?? resolve(import.meta.dirname, "../../../../shared/fixtures");
const file = resolve(fixtures, "providers/recordings.jsonl.gz");

interface Recording {
  readonly file: string;
  readonly i: number;
  readonly proto: string;
  readonly status: number;
  readonly stream: boolean;
  readonly req: string;
  readonly res: string;
}

const load = (): ReadonlyArray<Recording> =>
  gunzipSync(readFileSync(file))
    .toString("utf8")
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => JSON.parse(line) as Recording)
    .filter((recording) => recording.proto === "chat");

const count = (names: ReadonlyArray<string>) =>
  JSON.stringify(Object.fromEntries([...Map.groupBy(names, (name) => name)].map(([name, all]) => [name, all.length])));

describe("recordings of real providers", () => {
  const present = existsSync(file);
  const test = present ? it.effect : it.effect.skip;
  const why = present ? "" : " (no recordings here: set CAHIER_FIXTURES)";

  test(`of Chat Completions all end in one response or one named problem${why}`, () =>
    Effect.sync(() => {
      const recordings = load();
      const outcomes = recordings.map((recording) => {
        const { result, seen } = feed([bytes(recording.res)], { status: recording.status });
        if (Result.isFailure(result)) {
          const { _tag } = result.failure.problem;
          // Only what its recorder broke may be unreadable: bodies kept elsewhere, and streams without their line ends.
          if (_tag === "invalid") assert.notInclude(recording.res, "\n", recording.file);
          return _tag;
        }
        assert.strictEqual(seen.joined("text"), Message.textOf(result.success.message), recording.file);
        return "response";
      });
      console.log(`${recordings.length} openai-chat recordings: ${count(outcomes)}`);
      const refused = recordings.filter(({ status }) => status >= 400).length;
      assert.strictEqual(outcomes.filter((outcome) => outcome === "status").length, refused);
      assert.isAbove(outcomes.filter((outcome) => outcome === "response").length / recordings.length, 0.9);
    }));

  test(`of streams keep their partial text when cut at any event${why}`, () =>
    Effect.sync(() => {
      const streams = load().filter(({ stream, status }) => stream && status === 200);
      for (const recording of streams) {
        const whole = feed([bytes(recording.res)]);
        if (Result.isFailure(whole.result)) continue;
        const text = Message.textOf(whole.result.success.message);
        const events = recording.res.split(/(?<=\n\n)/);
        for (const part of [0.25, 0.5, 0.75]) {
          const cut = events.slice(0, Math.floor(events.length * part)).join("");
          const fed = feed([bytes(cut)], { interrupted: true });
          const partial = fed.partial === undefined ? "" : Message.textOf(fed.partial.message);
          assert.isTrue(text.startsWith(partial), recording.file);
          assert.strictEqual(fed.seen.joined("text"), partial, recording.file);
        }
      }
      assert.isAbove(streams.length, 0);
    }));

  test(`with signatures and encrypted reasoning give them back to the next request${why}`, () =>
    Effect.sync(() => {
      const byPlace = new Map(load().map((recording) => [`${recording.file}#${recording.i}`, recording]));
      let replayed = 0;
      for (const recording of byPlace.values()) {
        const next = byPlace.get(`${recording.file}#${recording.i + 1}`);
        const { result } = feed([bytes(recording.res)], { status: recording.status });
        if (next === undefined || Result.isFailure(result)) continue;
        const own = opaque(
          encodeMessage(result.success.message, { outputLimit: "max_tokens", replaysReasoning: true }),
        );
        const sent = opaque(JSON.parse(next.req));
        // The next request of a file may belong to another conversation; then it shares nothing with this response.
        if (!own.some((value) => sent.includes(value))) continue;
        const received = opaque(
          result.success.message.parts.map((part) => (part.type === "native" ? JSON.parse(part.json) : [])),
        );
        assert.deepStrictEqual(own, received);
        for (const value of own) assert.include(sent, value, recording.file);
        replayed += own.length;
      }
      console.log(`${replayed} signatures and encrypted items replayed as the recorded clients did`);
      assert.isAbove(replayed, 0);
    }));
});

/** The values of `signature` and `data` anywhere in reasoning details, in order. */
const opaque = (value: unknown): ReadonlyArray<string> => {
  if (Array.isArray(value)) return value.flatMap(opaque);
  if (typeof value !== "object" || value === null) return [];
  return Object.entries(value).flatMap(([key, inner]) =>
    (key === "signature" || key === "data") && typeof inner === "string" ? [inner] : opaque(inner),
  );
};
