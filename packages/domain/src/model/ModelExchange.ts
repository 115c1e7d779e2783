/**
 * One exchange with a provider as people may read it: what was sent and what came back, without secrets.
 *
 * Owns the form that a gateway hands out and that a request log stores. Does not own when it is kept, which is off unless
 * somebody asks for it, nor how secrets are taken out, which the gateway does before it hands anything out.
 */
import * as Schema from "effect/Schema";

/** How an exchange ended: with a whole answer, with any failure, or because whoever asked went away. */
export const ExchangeOutcome = Schema.Literals(["answered", "failed", "interrupted"]);
export type ExchangeOutcome = typeof ExchangeOutcome.Type;

/** How much of a body is kept, in bytes of UTF-8; what stands in place of the rest comes on top. */
export const bodyLimitBytes = 262_144;

const Headers = Schema.Record(Schema.String, Schema.String);

/**
 * `sessionId` and `position` are those of the request. Times are ISO texts. `endpoint` has no credentials and no values of
 * a query. Names of headers are in lower case, and the value of one that holds a secret is `<redacted>`. `status` and
 * `responseHeaders` are there once the server has answered; `detail` says what went wrong. `requestBodyBytes` and
 * `responseBodyBytes` are there where a body was cut, and say how long it was.
 */
export const ModelExchange = Schema.Struct({
  sessionId: Schema.String,
  position: Schema.Int,
  startedAt: Schema.String,
  endedAt: Schema.String,
  method: Schema.String,
  endpoint: Schema.String,
  requestHeaders: Headers,
  requestBody: Schema.String,
  requestBodyBytes: Schema.optionalKey(Schema.Int),
  status: Schema.optionalKey(Schema.Int),
  responseHeaders: Schema.optionalKey(Headers),
  responseBody: Schema.String,
  responseBodyBytes: Schema.optionalKey(Schema.Int),
  outcome: ExchangeOutcome,
  detail: Schema.optionalKey(Schema.String),
});
export type ModelExchange = typeof ModelExchange.Type;
