/**
 * How a mutant is made of a correct adapter: some members of every view that its harness opens are replaced.
 */
import * as Effect from "effect/Effect";
import type * as Scope from "effect/Scope";

/** A function that makes breakages of one port's harness. */
export const of =
  <Service extends object, Harness extends { readonly open: Effect.Effect<Service, unknown, Scope.Scope> }>() =>
  (members: (service: Service) => Partial<Service>) =>
  (harness: Harness): Harness => ({
    ...harness,
    open: Effect.map(harness.open, (service) => ({ ...service, ...members(service) })),
  });

type Later = (write: Effect.Effect<unknown, unknown>) => Effect.Effect<void>;

/**
 * As `of`, for an adapter that keeps some writes for later and does them before whatever comes next, as a cache that is
 * not synced does: only a loss of power shows the difference. `members` gets `sync`, to be run before every other call.
 */
export const unsynced =
  <
    Service extends object,
    Harness extends {
      readonly open: Effect.Effect<Service, unknown, Scope.Scope>;
      readonly powerLoss?: Effect.Effect<void, unknown>;
    },
  >() =>
  (members: (service: Service, later: Later, sync: Effect.Effect<void>) => Partial<Service>) =>
  (harness: Harness): Harness => {
    const kept: Array<Effect.Effect<unknown, unknown>> = [];
    const sync = Effect.suspend(() =>
      Effect.forEach(kept.splice(0), (write) => Effect.ignore(write), { discard: true }),
    );
    const later: Later = (write) =>
      Effect.andThen(
        sync,
        Effect.sync(() => void kept.push(write)),
      );
    const mutant = of<Service, Harness>()((service) => members(service, later, sync))(harness);
    if (harness.powerLoss === undefined) return mutant;
    return {
      ...mutant,
      powerLoss: Effect.andThen(
        Effect.sync(() => kept.splice(0)),
        harness.powerLoss,
      ),
    };
  };
