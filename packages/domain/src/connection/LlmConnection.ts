/**
 * A connection: how a vendor, or a server of one's own, is reached, with which secret, and what its tokens cost.
 *
 * Owns the document's form, its rules and what becomes of it once a model is named. Does not own the secret, which it
 * only names, nor the model, which a profile or a start names.
 */
import * as Option from "effect/Option";
import * as Predicate from "effect/Predicate";
import * as Result from "effect/Result";
import * as Schema from "effect/Schema";
import { ModelBinding } from "../model/ModelRequest.ts";
import { Prices } from "../model/Prices.ts";
import { validator } from "../profile/validator.ts";
import { checkConnection } from "./checkConnection.ts";
import { type ConnectionIssue, issue } from "./ConnectionIssue.ts";
import { ConnectionFormat, ConnectionSource, formatOf, formatOfSource, sourceOf } from "./connectionNames.ts";
import { addressOf } from "./sourceSpecific.ts";
import { WrittenConnection } from "./WrittenConnection.ts";

export const connectionKind = "cahier.llmConnection";
export const connectionSchemaVersion = 1;

const optional = Schema.optionalKey;

/**
 * A checked connection. `provider.customApiFormat` is the format of the source `custom`. `provider.transport`,
 * `provider.promptCacheTtl` and `endpoint.network` become those of the binding. `auth` names the variable that holds the
 * secret; only a server that may go without a key has none. Of `adapterHints` one says something here:
 * `syntheticToolCallIds`, when it is `true`, lets an `openai-chat` server leave ids of tool calls out. The others, and
 * `capabilities`, are kept for other programs.
 */
export const LlmConnection = Schema.Struct({
  kind: Schema.Literal(connectionKind),
  schemaVersion: Schema.Literal(connectionSchemaVersion),
  id: Schema.String,
  displayName: Schema.String,
  description: optional(Schema.String),
  provider: Schema.Struct({
    chatCompletionSource: ConnectionSource,
    customApiFormat: optional(ConnectionFormat),
    transport: ModelBinding.fields.transport,
    promptCacheTtl: ModelBinding.fields.promptCacheTtl,
  }),
  endpoint: optional(
    Schema.Struct({
      baseUrl: optional(Schema.String),
      network: ModelBinding.fields.network,
      sourceSpecific: optional(Schema.Record(Schema.String, Schema.Json)),
    }),
  ),
  auth: optional(
    Schema.Struct({
      secretRef: Schema.Struct({ key: Schema.String, id: Schema.String, labelSnapshot: optional(Schema.String) }),
    }),
  ),
  routing: optional(Schema.Struct({ reverseProxy: optional(Schema.Struct({ url: Schema.String })) })),
  adapterHints: optional(Schema.Json),
  capabilities: optional(Schema.Json),
  prices: optional(Prices),
});
export type LlmConnection = typeof LlmConnection.Type;

/**
 * The connection that `input` (parsed JSON) states, or everything that is wrong with it. Unknown fields are refused. The
 * names of imported connections are replaced by ours; what comes out is taken again unchanged.
 */
export const decode = (input: unknown): Result.Result<LlmConnection, ReadonlyArray<ConnectionIssue>> => {
  const header = headerIssue(input);
  if (header !== undefined) return Result.fail([header]);
  const shaped = Result.mapError(validate(input), (found) =>
    found.map(({ path, message }) => issue("llm_connection.contract_invalid", path, message)),
  );
  return Result.flatMap(shaped, (written) => {
    const found = [...checkConnection(written)];
    if (found.length > 0) return Result.fail(found);
    return Result.mapError(complete(renamed(written)), (issues) =>
      issues.map(({ path, message }) => issue("llm_connection.contract_invalid", path, message)),
    );
  });
};

/** The format in which the connection's server is asked. */
export const formatFor = ({ provider }: Pick<LlmConnection, "provider">): ConnectionFormat =>
  provider.customApiFormat ?? formatOfSource(provider.chatCompletionSource);

/** Endpoint, secret reference, prices and model in one, to be frozen together with how the server is to be asked. */
export const bindingOf = (connection: LlmConnection, modelId: string): ModelBinding => {
  const { auth, endpoint, prices, provider, routing } = connection;
  const { promptCacheTtl, transport } = provider;
  const network = endpoint?.network;
  const source = provider.chatCompletionSource;
  const baseUrl = routing?.reverseProxy?.url ?? endpoint?.baseUrl ?? addressOf(source, endpoint?.sourceSpecific ?? {});
  const label = auth?.secretRef.labelSnapshot;
  const format = formatFor(connection);
  return {
    source,
    format,
    modelId,
    ...(baseUrl === undefined ? {} : { baseUrl }),
    ...(auth === undefined ? {} : { secret: { key: auth.secretRef.key, ...(label === undefined ? {} : { label }) } }),
    ...(transport === undefined ? {} : { transport }),
    ...(promptCacheTtl === undefined ? {} : { promptCacheTtl }),
    ...(network === undefined ? {} : { network }),
    ...(format === "openai-chat" && mayLackCallIds(connection) ? { syntheticToolCallIds: true } : {}),
    ...(prices === undefined ? {} : { prices }),
  };
};

const mayLackCallIds = ({ adapterHints }: LlmConnection): boolean =>
  Predicate.hasProperty(adapterHints, "syntheticToolCallIds") && adapterHints.syntheticToolCallIds === true;

const validate = validator(WrittenConnection);
const complete = validator(LlmConnection);

/** The kinds that are read: ours, and that of connections which are imported. */
const kinds: ReadonlySet<unknown> = new Set([connectionKind, "tauritavern.llmConnection"]);

const headerIssue = (input: unknown): ConnectionIssue | undefined => {
  if (!Predicate.isObject(input) || Array.isArray(input))
    return issue("llm_connection.contract_invalid", [], "A connection is a JSON object.");
  if (!("kind" in input) || !kinds.has(input.kind))
    return issue("llm_connection.kind_invalid", ["kind"], `A connection has the kind "${connectionKind}".`);
  if (!("schemaVersion" in input) || input.schemaVersion !== connectionSchemaVersion)
    return issue(
      "llm_connection.schema_unsupported",
      ["schemaVersion"],
      `This version reads connections of schemaVersion ${connectionSchemaVersion}.`,
    );
  return undefined;
};

/** The same with our names, without spaces and slashes at the ends of addresses, and without what says nothing. */
const renamed = (written: WrittenConnection): unknown => {
  const { endpoint, provider, routing, ...others } = written;
  const source = Option.getOrUndefined(sourceOf(provider?.chatCompletionSource ?? ""));
  const { baseUrl, network, sourceSpecific } = endpoint ?? {};
  const { promptCacheTtl, transport } = provider ?? {};
  const format =
    source === "custom" ? Option.getOrUndefined(formatOf(provider?.customApiFormat || "openai-chat")) : undefined;
  const proxy = routing?.reverseProxy;
  return {
    ...others,
    kind: connectionKind,
    provider: {
      chatCompletionSource: source,
      ...(format === undefined ? {} : { customApiFormat: format }),
      ...(transport === undefined ? {} : { transport }),
      ...(promptCacheTtl === undefined ? {} : { promptCacheTtl }),
    },
    ...(endpoint === undefined
      ? {}
      : {
          endpoint: {
            ...(baseUrl === undefined ? {} : { baseUrl: bare(baseUrl) }),
            ...(network === undefined ? {} : { network }),
            ...(sourceSpecific === undefined ? {} : { sourceSpecific }),
          },
        }),
    ...(routing === undefined
      ? {}
      : { routing: proxy === undefined ? {} : { reverseProxy: { url: bare(proxy.url ?? "") } } }),
  };
};

const bare = (address: string): string => address.trim().replace(/\/+$/, "");
