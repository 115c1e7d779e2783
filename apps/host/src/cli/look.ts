/**
 * Looking at the storage without carrying any run on.
 */
import type { Fatal } from "@cahier/domain/failure/Failure";
import * as Effect from "effect/Effect";
import type * as Layer from "effect/Layer";
import type * as Scope from "effect/Scope";
import * as Host from "../composition/Host.ts";
import type { ParsedCommand } from "./parse.ts";
import { stoppable } from "./stoppable.ts";
import { storageOf } from "./storageOf.ts";

/** A look at the storage, which a stop signal ends. */
export const look = <E>(
  command: ParsedCommand,
  work: Effect.Effect<number, E, Layer.Success<ReturnType<typeof Host.layer>> | Scope.Scope>,
): Effect.Effect<number, E | Fatal> =>
  stoppable(command, work).pipe(Effect.provide(Host.layer(storageOf(command))), Effect.scoped);
