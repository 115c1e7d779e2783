/**
 * One scenario on one route, as bytes that went and came: `cahier.cassette/1`.
 *
 * Owns the format, its reading and its redaction. Does not own recording or playing.
 */
import { Buffer } from "node:buffer";
import * as Schema from "effect/Schema";

export const format = "cahier.cassette/1";

/** A piece of a body as it came; in base64 where it is no text of its own, such as half a character. */
export const Chunk = Schema.Union([Schema.String, Schema.Struct({ base64: Schema.String })]);
export type Chunk = typeof Chunk.Type;

/** `ending`: the body ended, the connection broke, or nothing more came. */
export const Exchange = Schema.Struct({
  request: Schema.Struct({
    method: Schema.Literals(["GET", "POST"]),
    endpoint: Schema.String,
    headers: Schema.Record(Schema.String, Schema.String),
    body: Schema.Json,
  }),
  response: Schema.Struct({
    status: Schema.Int,
    headers: Schema.Record(Schema.String, Schema.String),
    chunks: Schema.Array(Chunk),
    ending: Schema.Literals(["complete", "cut", "open"]),
  }),
});
export type Exchange = typeof Exchange.Type;

/** `origin` tells what a real server did from what is written after a documentation. */
export const Cassette = Schema.Struct({
  format: Schema.Literal(format),
  route: Schema.String,
  scenario: Schema.String,
  origin: Schema.Literals(["recorded", "written"]),
  streamed: Schema.Array(Exchange),
  whole: Schema.Array(Exchange),
});
export type Cassette = typeof Cassette.Type;

/** Reads the text of a cassette; fails with a `SchemaError` where it is none. */
export const decode = Schema.decodeUnknownEffect(Schema.fromJsonString(Cassette), { onExcessProperty: "error" });

/** The text of a cassette as it is kept. */
export const encode = (cassette: Cassette): string => `${JSON.stringify(cassette, undefined, 2)}\n`;

export const bytesOf = (chunk: Chunk): Uint8Array =>
  typeof chunk === "string" ? Buffer.from(chunk, "utf8") : Buffer.from(chunk.base64, "base64");

export const chunkOf = (bytes: Uint8Array): Chunk => {
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    return { base64: Buffer.from(bytes).toString("base64") };
  }
};

export const mask = "[redacted]";

/** The text without the secrets, plain, in JSON or in a URL. */
export const hide = (text: string, secrets: ReadonlyArray<string>): string =>
  spellings(secrets).reduce((hidden, secret) => hidden.replaceAll(secret, mask), text);

/**
 * The chunks without the secrets, also where one lies across boundaries: the mask stands in the chunk in which the
 * secret began.
 */
export const hideInChunks = (
  chunks: ReadonlyArray<Uint8Array>,
  secrets: ReadonlyArray<string>,
): ReadonlyArray<Uint8Array> =>
  // Latin-1 has a character for each byte, so places in the text are places in the bytes.
  spellings(secrets)
    .map((secret) => Buffer.from(secret, "utf8").toString("latin1"))
    .reduce<ReadonlyArray<string>>(
      hideOne,
      chunks.map((chunk) => Buffer.from(chunk).toString("latin1")),
    )
    .map((chunk) => Buffer.from(chunk, "latin1"));

const spellings = (secrets: ReadonlyArray<string>): ReadonlyArray<string> => [
  ...new Set(
    secrets.flatMap((secret) =>
      secret === "" ? [] : [secret, JSON.stringify(secret).slice(1, -1), encodeURIComponent(secret)],
    ),
  ),
];

const hideOne = (chunks: ReadonlyArray<string>, secret: string): ReadonlyArray<string> => {
  const all = chunks.join("");
  const found: Array<number> = [];
  for (let at = all.indexOf(secret); at >= 0; at = all.indexOf(secret, at + secret.length)) found.push(at);
  if (found.length === 0) return chunks;
  const starts = chunks.map((_, index) => chunks.slice(0, index).reduce((sum, { length }) => sum + length, 0));
  return chunks.map((chunk, index) => {
    const start = starts[index] ?? 0;
    return found.toReversed().reduce((text, at) => withoutPart(text, at - start, at - start + secret.length), chunk);
  });
};

/** The text without the places from `from` to `to`, of which some may lie outside. */
const withoutPart = (text: string, from: number, to: number): string => {
  if (to <= 0 || from >= text.length) return text;
  return text.slice(0, Math.max(0, from)) + (from >= 0 ? mask : "") + text.slice(to);
};
