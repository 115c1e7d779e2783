/**
 * The system's keyring: secrets of the service "cahier", each under its key as the account.
 *
 * Owns loading the optional library that reaches it, and saying why it cannot be reached. Does not own when it is asked.
 */
import { Unavailable } from "@cahier/ports/StorageFault";
import * as Effect from "effect/Effect";

/** What is asked of a keyring. The value of an account, or null; a failure tells no value. */
export interface Keyring {
  readonly read: (account: string) => Effect.Effect<string | null, Unavailable>;
}

/** The name under which every secret of this program is kept. */
export const service = "cahier";

/** The keyring of this system: Keychain, Credential Manager or Secret Service. Nothing is loaded before the first read. */
export const system: Keyring = {
  read: (account) =>
    Effect.flatMap(library, ({ AsyncEntry }) =>
      Effect.tryPromise({
        try: (signal) => new AsyncEntry(service, account, lasting).getPassword(signal),
        catch: (cause) =>
          unavailable(
            `The system's keyring cannot be read. Unlock it, or use a variable or a secrets file where there is none.`,
            cause,
          ),
      }),
    ).pipe(
      Effect.timeoutOrElse({
        duration: mostSeconds * 1000,
        orElse: () =>
          Effect.fail(unavailable(`The system's keyring gave no answer within ${mostSeconds} seconds. Unlock it.`)),
      }),
    ),
};

/** A keyring may ask its user to unlock it, where nobody may be sitting. */
const mostSeconds = 60;

/** Linux's other store, the kernel's, forgets everything when the machine is restarted. */
const lasting = { linux: { store: "secret-service" } } as const;

const library = Effect.tryPromise({
  try: () => import("@napi-rs/keyring"),
  catch: (cause) =>
    unavailable(
      "The system's keyring cannot be reached: the library @napi-rs/keyring is not installed for this system. Use a variable or a secrets file.",
      cause,
    ),
});

const unavailable = (detail: string, cause?: unknown): Unavailable =>
  new Unavailable({ operation: "read secrets", kind: "other", detail, ...(cause === undefined ? {} : { cause }) });
