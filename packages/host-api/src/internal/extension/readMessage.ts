/**
 * Reading what a peer says: strictly, and within limits, since anybody may say anything.
 */
import { isNestedTooDeep, maxNesting } from "@cahier/domain/tool/nesting";
import * as Result from "effect/Result";
import * as Schema from "effect/Schema";
import { maxMessageBytes } from "../../extension/BridgeLimits.ts";
import { Hello, PeerMessage, RequestId } from "../../extension/ExtensionMessages.ts";
import { isLongerThan } from "./isLongerThan.ts";
import { shorten } from "./shorten.ts";

/** What is wrong with a message. `answers`: it was to be the answer to the call `requestId`. */
export interface Flaw {
  readonly detail: string;
  readonly requestId?: string;
  readonly answers: boolean;
}

/** Reads the first message. */
export const readHello = (text: string): Result.Result<Hello, Flaw> => read(text, decodeHello);

/** Reads any later message. */
export const readMessage = (text: string): Result.Result<PeerMessage, Flaw> => read(text, decodeMessage);

const strictly = { onExcessProperty: "error" } as const;

const decodeHello = Schema.decodeUnknownResult(Hello, strictly);

const decodeMessage = Schema.decodeUnknownResult(PeerMessage, strictly);

const read = <A>(
  text: string,
  decode: (given: unknown) => Result.Result<A, Schema.SchemaError>,
): Result.Result<A, Flaw> => {
  if (text.length > maxMessageBytes || isLongerThan(text, maxMessageBytes)) {
    return flaw(`A message is at most ${maxMessageBytes} bytes long.`);
  }
  const json = parse(text);
  if (json === undefined) return flaw("A message is the text of a JSON object.");
  if (isNestedTooDeep(json)) {
    return Result.fail({ detail: `A message is nested at most ${maxNesting} levels deep.`, ...askedIn(json) });
  }
  return Result.mapError(decode(json), ({ message }) => ({ detail: shorten(message), ...askedIn(json) }));
};

const flaw = (detail: string): Result.Result<never, Flaw> => Result.fail({ detail, answers: false });

/** Which request a message that cannot be read is about. */
const askedIn = (json: Schema.Json): Omit<Flaw, "detail"> => {
  if (!isRequest(json)) return { answers: false };
  return { requestId: json.requestId, answers: json.type === "result" || json.type === "error" };
};

const isRequest = Schema.is(Schema.Struct({ type: Schema.String, requestId: RequestId }));

const parse = (text: string): Schema.Json | undefined => {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
};
