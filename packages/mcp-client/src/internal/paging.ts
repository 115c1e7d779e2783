/**
 * Reads a list of a server to its end, page after page, within limits: all of it or a fault.
 */
import * as Data from "effect/Data";
import * as Effect from "effect/Effect";
import type * as Schema from "effect/Schema";
import * as Exchange from "./Exchange.ts";
import { RequestFault } from "./Fault.ts";
import type { JsonObject } from "./json.ts";
import { bytesOf, limits } from "./limits.ts";
import type { Session } from "./Session.ts";

/** The list goes on, or is larger, than is read; or takes too long. */
export class PagingFault extends Data.TaggedError("PagingFault")<{
  readonly kind: "pages" | "items" | "bytes" | "timeout";
  readonly detail: string;
}> {}

/** Which list is asked for, where its items stand in an answer, and how many there may be. */
export interface List {
  readonly method: string;
  readonly items: string;
  readonly most: number;
}

/** All items of a list. */
export const all = (
  session: Session,
  list: List,
): Effect.Effect<ReadonlyArray<Schema.Json>, PagingFault | RequestFault> =>
  pages(session, list).pipe(
    Effect.timeoutOrElse({
      duration: limits.pagingMs,
      orElse: () => Effect.fail(late(`the list was not complete within ${limits.pagingMs / 1000} s`)),
    }),
  );

const pages = Effect.fnUntraced(function* (session: Session, { method, items: name, most }: List) {
  const items: Array<Schema.Json> = [];
  const seen = new Set<string>();
  const total = { bytes: 0 };
  for (let cursor: string | undefined, page = 1; ; page += 1) {
    const result: JsonObject = yield* pageOf(session, method, cursor);
    const found = result[name];
    if (!Array.isArray(found)) {
      return yield* new RequestFault({ kind: "unsupported", detail: `the answer to ${method} has no list of ${name}` });
    }
    total.bytes += bytesOf(JSON.stringify(found));
    if (total.bytes > limits.catalogueBytes) {
      return yield* new PagingFault({
        kind: "bytes",
        detail: `the list is larger than ${limits.catalogueBytes} bytes`,
      });
    }
    if (items.length + found.length > most) {
      return yield* new PagingFault({ kind: "items", detail: `the list has more than ${most} entries` });
    }
    items.push(...found);
    const next: Schema.Json | undefined = result["nextCursor"];
    if (typeof next !== "string") return items;
    if (seen.has(next)) return yield* endless("the server leads from page to page in a circle");
    if (page === limits.pages) return yield* endless(`the list has more than ${limits.pages} pages`);
    seen.add(next);
    cursor = next;
  }
});

const pageOf = (session: Session, method: string, cursor: string | undefined) =>
  session.request(new Exchange.Exchange(), { method, params: cursor === undefined ? {} : { cursor } }).pipe(
    Effect.timeoutOrElse({
      duration: limits.requestMs,
      orElse: () => Effect.fail(late(`a page did not come within ${limits.requestMs / 1000} s`)),
    }),
  );

const late = (detail: string) => new PagingFault({ kind: "timeout", detail });

const endless = (detail: string) => new PagingFault({ kind: "pages", detail });
