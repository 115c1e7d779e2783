/** A person who allows everything at once: follows the page to where it leads back to. What is granted is kept in memory. */
import { McpFault } from "@cahier/ports/McpGateway";
import * as Effect from "effect/Effect";
import * as Option from "effect/Option";
import * as Redacted from "effect/Redacted";
import type { Authorizer } from "../../src/Authorizer.ts";

export interface Person extends Authorizer {
  /** What is kept, in the clear, by server. */
  readonly kept: Map<string, string>;
  /** The pages that were shown. */
  readonly pages: ReadonlyArray<string>;
}

/** `answer` gives the address that a page leads back to, from the one that it would lead to. */
export const make = (
  clientMetadataUrl?: string,
  answer: (back: string) => Effect.Effect<string, McpFault> = Effect.succeed,
): Person => {
  const kept = new Map<string, string>();
  const pages: Array<string> = [];
  return {
    kept,
    pages,
    redirectUrl: "http://127.0.0.1:9/back",
    ...(clientMetadataUrl === undefined ? {} : { clientMetadataUrl }),
    load: (serverId) =>
      Effect.sync(() => Option.map(Option.fromUndefinedOr(kept.get(serverId)), (text) => Redacted.make(text))),
    save: (serverId, granted) => Effect.sync(() => void kept.set(serverId, Redacted.value(granted))),
    open: (_serverId, page) =>
      Effect.tryPromise({
        try: () => {
          pages.push(page);
          return fetch(page, { redirect: "manual" });
        },
        catch: (cause) => new McpFault({ code: "mcp.request_failed", detail: "the page cannot be read", cause }),
      }).pipe(Effect.flatMap((response) => answer(response.headers.get("location") ?? page))),
  };
};
