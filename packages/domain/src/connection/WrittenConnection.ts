/**
 * A connection as people and other programs write it, before its rules are checked.
 */
import * as Schema from "effect/Schema";
import { ModelBinding } from "../model/ModelRequest.ts";
import { Prices } from "../model/Prices.ts";

const closed = <const Fields extends Schema.Struct.Fields>(fields: Fields): Schema.Struct<Fields> =>
  Schema.Struct(fields).annotate({
    messageUnexpectedKey: "This is not a field of a connection; remove it or correct its name.",
  });

const optional = Schema.optionalKey;
const text = optional(Schema.String);

/** What must be there may be missing here, so that each thing is refused with its own code and a sentence. */
export const WrittenConnection = closed({
  kind: Schema.String,
  schemaVersion: Schema.Finite,
  id: text,
  displayName: text,
  description: text,
  provider: optional(
    closed({
      chatCompletionSource: text,
      customApiFormat: text,
      transport: ModelBinding.fields.transport,
      promptCacheTtl: ModelBinding.fields.promptCacheTtl,
    }),
  ),
  endpoint: optional(
    closed({ baseUrl: text, network: ModelBinding.fields.network, sourceSpecific: optional(Schema.Json) }),
  ),
  auth: optional(closed({ secretRef: optional(closed({ key: text, id: text, labelSnapshot: text })) })),
  routing: optional(closed({ reverseProxy: optional(closed({ url: text })) })),
  adapterHints: optional(Schema.Json),
  capabilities: optional(Schema.Json),
  prices: optional(Prices),
});
export type WrittenConnection = typeof WrittenConnection.Type;
