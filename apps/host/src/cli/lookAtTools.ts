/**
 * Looking at tools and policies: what those commands need, and how a stop signal ends them.
 */
import type { Fatal } from "@cahier/domain/failure/Failure";
import * as Effect from "effect/Effect";
import * as Layer from "effect/Layer";
import type * as Scope from "effect/Scope";
import * as Host from "../composition/Host.ts";
import type * as Storage from "../composition/Storage.ts";
import * as Tools from "../composition/Tools.ts";
import { has, type ParsedCommand } from "./parse.ts";
import { stoppable } from "./stoppable.ts";
import { storageOf } from "./storageOf.ts";

const layer = (storage: Effect.Effect<Storage.Chosen, Fatal>, login: boolean) =>
  Tools.layer([], { login }).pipe(Layer.provideMerge(Host.layer(storage)));

/** The catalogue and the data folder that the command names, without models. */
export const lookAtTools = <E>(
  command: ParsedCommand,
  work: Effect.Effect<number, E, Layer.Success<ReturnType<typeof layer>> | Scope.Scope>,
): Effect.Effect<number, E | Fatal> =>
  stoppable(command, work).pipe(Effect.provide(layer(storageOf(command), has(command, "login"))), Effect.scoped);
