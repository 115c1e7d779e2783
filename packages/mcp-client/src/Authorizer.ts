/**
 * What a host does for servers that a person has to authorize: it keeps what was granted, and shows pages.
 *
 * Owns nothing: a host implements it. What is kept is secret as a whole and belongs where secrets are kept; no journal,
 * log or error has it.
 */
import type { McpFault } from "@cahier/ports/McpGateway";
import type * as Effect from "effect/Effect";
import type * as Option from "effect/Option";
import type * as Redacted from "effect/Redacted";

export interface Authorizer {
  /** Where pages of authorization servers lead back to. What was registered for another address is not used. */
  readonly redirectUrl: string;
  /** Where a document that describes this client can be read; a server that takes such a document needs no registration. */
  readonly clientMetadataUrl?: string;
  /** What was saved last for a server, as a text of its own. */
  readonly load: (serverId: string) => Effect.Effect<Option.Option<Redacted.Redacted>, McpFault>;
  /** Keeps what was granted, in place of what was. */
  readonly save: (serverId: string, granted: Redacted.Redacted) => Effect.Effect<void, McpFault>;
  /**
   * Shows a page to a person, and waits until it has led back: the whole address that it led to. Fails where nobody can be
   * shown a page now; interrupted when nobody waits for it any longer.
   */
  readonly open: (serverId: string, page: string) => Effect.Effect<string, McpFault>;
}
