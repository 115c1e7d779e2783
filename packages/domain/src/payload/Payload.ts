/**
 * A named piece of content that an event refers to.
 *
 * Owns where content stands: in the event (`text`), inside the content of an earlier event (`from`), or in the run's
 * blobs (neither). Does not own storing or reading it: `application/payload` does.
 */
import * as Schema from "effect/Schema";
import * as Sha256 from "./Sha256.ts";

/** Content of at most this many bytes stands in its event. */
export const inlineLimitBytes = 8192;

/**
 * Content that another event of the same run already holds: the string at `pointer` (JSON Pointer, RFC 6901) in the
 * content of payload `field` of event `seq`. Keeps tool arguments and file versions from being stored again.
 */
export const PayloadSource = Schema.Struct({
  seq: Schema.Int,
  field: Schema.Literals(["response", "argumentsRef"]),
  pointer: Schema.String,
});
export type PayloadSource = typeof PayloadSource.Type;

/**
 * `path` names the content in the readable tree, `sha256` and `bytes` identify it (bytes of the UTF-8 encoding).
 * With `text` the content is here; with `from` it is derived; with neither it is a blob under `sha256`.
 */
export const Payload = Schema.Struct({
  path: Schema.String,
  sha256: Sha256.Sha256,
  bytes: Schema.Int,
  text: Schema.optionalKey(Schema.String),
  from: Schema.optionalKey(PayloadSource),
});
export type Payload = typeof Payload.Type;

/** True when the content must be read from the blob store. */
export const isBlob = (payload: Payload): boolean => payload.text === undefined && payload.from === undefined;
