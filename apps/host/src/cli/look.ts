/**
 * Looking at the data folder without carrying any run on.
 */
import * as Effect from "effect/Effect";
import type * as Layer from "effect/Layer";
import type * as Scope from "effect/Scope";
import * as Host from "../composition/Host.ts";
import * as Storage from "../composition/Storage.ts";
import { type ParsedCommand, valueOf } from "./parse.ts";
import { stoppable } from "./stoppable.ts";

/** A look at the data folder, which a stop signal ends. */
export const look = <E>(
  command: ParsedCommand,
  work: Effect.Effect<number, E, Layer.Success<ReturnType<typeof Host.layer>> | Scope.Scope>,
): Effect.Effect<number, E> =>
  stoppable(command, work).pipe(
    Effect.provide(Host.layer(Storage.dataDirectory(valueOf(command, "data"), process.env))),
    Effect.scoped,
  );
