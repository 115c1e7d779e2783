/**
 * What a server has granted to this side: tokens, and what this side is registered as, by authorization server.
 *
 * Owns the form in which it is kept. It belongs to one address of one server: for another address nothing of it is used.
 * Every value that comes in is kept out of texts from then on.
 */
import type { McpFault } from "@cahier/ports/McpGateway";
import type { StoredOAuthClientInformation, StoredOAuthTokens } from "@modelcontextprotocol/client";
import * as Effect from "effect/Effect";
import * as Option from "effect/Option";
import * as Redacted from "effect/Redacted";
import * as Schema from "effect/Schema";
import type { Authorizer } from "../Authorizer.ts";
import type { Hide } from "./hide.ts";

export interface Grants {
  readonly tokens: () => StoredOAuthTokens | undefined;
  readonly setTokens: (tokens: StoredOAuthTokens | undefined) => void;
  readonly registration: (issuer: string) => StoredOAuthClientInformation | undefined;
  readonly setRegistration: (issuer: string, registration: StoredOAuthClientInformation) => void;
  readonly forgetRegistrations: () => void;
  /** Reads what is kept: another process may have renewed it. */
  readonly load: Effect.Effect<void, McpFault>;
  readonly save: Effect.Effect<void, McpFault>;
}

/** Makes the grants of one address; without an authorizer they live as long as the session. */
export const make = (serverId: string, url: string, authorizer: Authorizer | undefined, hide: Hide): Grants => {
  const state: { tokens: StoredOAuthTokens | undefined; registrations: Record<string, StoredOAuthClientInformation> } =
    {
      tokens: undefined,
      registrations: {},
    };
  const setTokens = (tokens: StoredOAuthTokens | undefined) => {
    state.tokens = tokens;
    hide.add([tokens?.access_token, tokens?.refresh_token, tokens?.id_token].filter((text) => text !== undefined));
  };
  const setRegistration = (issuer: string, registration: StoredOAuthClientInformation) => {
    state.registrations[issuer] = registration;
    hide.add(spellingsOf(registration));
  };
  const take = (kept: typeof Kept.Type) => {
    if (kept.url !== url) return;
    setTokens(kept.tokens);
    if (kept.redirectUrl !== authorizer?.redirectUrl) return;
    for (const [issuer, registration] of Object.entries(kept.registrations)) setRegistration(issuer, registration);
  };
  return {
    tokens: () => state.tokens,
    setTokens,
    registration: (issuer) => state.registrations[issuer],
    setRegistration,
    forgetRegistrations: () => void (state.registrations = {}),
    load:
      authorizer === undefined
        ? Effect.void
        : Effect.map(authorizer.load(serverId), (kept) =>
            Option.match(
              Option.flatMap(kept, (text) => decode(Redacted.value(text))),
              {
                onNone: () => undefined,
                onSome: take,
              },
            ),
          ),
    save: Effect.suspend(() =>
      authorizer === undefined
        ? Effect.void
        : authorizer.save(
            serverId,
            Redacted.make(
              JSON.stringify({ ...state, url, redirectUrl: authorizer.redirectUrl } satisfies typeof Kept.Encoded),
            ),
          ),
    ),
  };
};

/** A secret, and what HTTP makes of it. */
export const spellingsOf = ({
  client_id: id,
  client_secret: secret,
}: StoredOAuthClientInformation): ReadonlyArray<string> => (secret === undefined ? [] : [secret, `${id}:${secret}`]);

const Registration = Schema.Struct({
  client_id: Schema.String,
  client_secret: Schema.optional(Schema.String),
  token_endpoint_auth_method: Schema.optional(Schema.String),
  issuer: Schema.optional(Schema.String),
});

const Tokens = Schema.Struct({
  access_token: Schema.String,
  token_type: Schema.String,
  refresh_token: Schema.optional(Schema.String),
  id_token: Schema.optional(Schema.String),
  expires_in: Schema.optional(Schema.Number),
  scope: Schema.optional(Schema.String),
  issuer: Schema.optional(Schema.String),
});

const Kept = Schema.Struct({
  url: Schema.String,
  redirectUrl: Schema.String,
  tokens: Schema.optional(Tokens),
  registrations: Schema.Record(Schema.String, Registration),
});

const decode = Schema.decodeUnknownOption(Schema.fromJsonString(Kept));
