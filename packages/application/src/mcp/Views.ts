/**
 * All registered servers at once, as whoever offers their tools needs them.
 *
 * Owns that values stay the same while nothing has changed: each server's, and the whole. Does not own what is offered of it.
 */
import type { Fatal } from "@cahier/domain/failure/Failure";
import type { McpRegistration } from "@cahier/domain/mcp/McpRegistration";
import * as Effect from "effect/Effect";
import type { Catalogues, KnownCatalogue } from "./Catalogues.ts";
import type { Listed, Registrations, StoredRegistration } from "./Registrations.ts";

/** A server; of one whose tools cannot be offered nothing is looked up. */
export interface ServerView {
  readonly registration: McpRegistration;
  readonly known: KnownCatalogue | undefined;
}

/** `failure`: the registrations could not be listed, so nothing is known of any. */
export interface View {
  readonly servers: ReadonlyArray<ServerView>;
  readonly storageIssues: Listed["storageIssues"];
  readonly failure?: Fatal;
}

/** Looks at the registrations anew whenever it is run. */
export const make = (registrations: Registrations, catalogues: Catalogues): Effect.Effect<View> => {
  const last: { view: View } = { view: { servers: [], storageIssues: [] } };

  const ofServer = Effect.fnUntraced(function* ({ registration }: StoredRegistration) {
    const known = isInUse(registration) ? yield* catalogues.find(registration) : undefined;
    const before = last.view.servers.find((one) => one.registration.id === registration.id);
    return before?.registration === registration && before.known === known ? before : { registration, known };
  });

  const keep = (view: View): View => {
    if (!isSame(last.view, view)) last.view = view;
    return last.view;
  };

  return registrations.list.pipe(
    Effect.flatMap(({ servers, storageIssues }) =>
      Effect.map(Effect.forEach(servers, ofServer), (views) => keep({ servers: views, storageIssues })),
    ),
    Effect.catch((failure) => Effect.sync(() => keep({ servers: [], storageIssues: [], failure }))),
  );
};

const isInUse = ({ state, toolPermissions }: McpRegistration): boolean =>
  state === "active" && Object.keys(toolPermissions).length > 0;

const isSame = (one: View, other: View): boolean =>
  one.failure?.message === other.failure?.message &&
  one.servers.length === other.servers.length &&
  one.servers.every((server, index) => server === other.servers[index]) &&
  one.storageIssues.length === other.storageIssues.length &&
  one.storageIssues.every(
    ({ failure, id }, index) =>
      id === other.storageIssues[index]?.id && failure.message === other.storageIssues[index].failure.message,
  );
