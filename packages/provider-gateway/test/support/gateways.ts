/** Gateways over real transports, with secrets in memory. */
import type { SecretReference } from "@cahier/domain/model/ModelRequest";
import { SecretStore } from "@cahier/ports/SecretStore";
import { NotFound } from "@cahier/ports/StorageFault";
import * as Effect from "effect/Effect";
import * as Layer from "effect/Layer";
import * as Redacted from "effect/Redacted";
import * as Gateway from "../../src/Gateway.ts";
import { Transport } from "../../src/transport/Transport.ts";
import * as UndiciTransport from "../../src/transport/UndiciTransport.ts";

/** Secrets by key. */
export const secrets = (values: Readonly<Record<string, string>>): Layer.Layer<SecretStore> =>
  Layer.succeed(SecretStore)(
    SecretStore.of({
      resolve: ({ key }: SecretReference) => {
        const value = values[key];
        return value === undefined
          ? Effect.fail(new NotFound({ entity: "secret", id: key }))
          : Effect.succeed(Redacted.make(value));
      },
      has: ({ key }) => Effect.succeed(values[key] !== undefined),
      keys: Effect.succeed(Object.keys(values).toSorted()),
    }),
  );

export const layer = (values: Readonly<Record<string, string>> = {}, options?: Gateway.Options) =>
  Gateway.layer(options).pipe(Layer.provide([secrets(values), UndiciTransport.layer({ connectMs: 2000 })]));

/** A transport that must not be used. */
export const noTransport: Layer.Layer<Transport> = Layer.succeed(Transport)(
  Transport.of({ send: () => Effect.die(new Error("the transport was used")) }),
);

/** A gateway that plays scripts. */
export const scripted = Gateway.layer().pipe(Layer.provide([secrets({}), noTransport]));
