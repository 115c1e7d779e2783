/**
 * Keeps what a server has said of its tools.
 */
import { type Fatal, fatal } from "@cahier/domain/failure/Failure";
import * as McpCatalogue from "@cahier/domain/mcp/McpCatalogue";
import type { McpRegistration } from "@cahier/domain/mcp/McpRegistration";
import { quote } from "@cahier/domain/workspace/Refusal";
import * as Effect from "effect/Effect";
import type { Catalogues } from "./Catalogues.ts";
import type { Registrations } from "./Registrations.ts";

/** `notKept` is a sentence about why the catalogue could not be kept, or other processes not be told of it. */
export interface KeptDiscovery {
  readonly registration: McpRegistration;
  readonly notKept?: string;
}

/**
 * Writes the catalogue and lets the registration name the discovery, so that other processes look again. Fails when the server was
 * removed or is reached otherwise by now: what was said belongs to nobody then.
 */
export const keepDiscovery = Effect.fn("McpServers.keepDiscovery")(function* (
  registrations: Registrations,
  catalogues: Catalogues,
  registration: McpRegistration,
  catalogue: McpCatalogue.McpCatalogue,
  discovery: string,
): Effect.fn.Return<KeptDiscovery, Fatal> {
  const notKept = yield* catalogues.write(registration.id, catalogue).pipe(
    Effect.as(undefined),
    Effect.catch((message) => Effect.succeed(message)),
  );
  if (notKept !== undefined) {
    const { registration: present } = yield* registrations.get(registration.id);
    return McpCatalogue.isSameWay(present, registration)
      ? { registration: present, notKept }
      : yield* changed(registration);
  }
  return yield* registrations
    .change(registration.id, (present) =>
      McpCatalogue.isSameWay(present, registration) ? Effect.succeed({ ...present, discovery }) : changed(registration),
    )
    .pipe(
      Effect.map(({ after }): KeptDiscovery => ({ registration: after.registration })),
      Effect.catchIf(isOfStorage, (failure) =>
        Effect.succeed<KeptDiscovery>({ registration, notKept: failure.message }),
      ),
      Effect.tapError(() => catalogues.forget(registration.id)),
    );
});

const isOfStorage = ({ reason }: Fatal): boolean => reason._tag === "storage" || reason._tag === "journal";

const changed = ({ displayName }: McpRegistration): Effect.Effect<never, Fatal> =>
  Effect.fail(
    fatal(
      "mcp.registration_changed",
      `${quote(displayName)} is reached otherwise since it was asked, so its answer does not count. Ask it again.`,
    ),
  );
