/**
 * Looking at tools and policies: what those commands need, and how a stop signal ends them.
 */
import * as Tools from "@cahier/application/tool/Tools";
import * as Effect from "effect/Effect";
import * as Layer from "effect/Layer";
import type * as Scope from "effect/Scope";
import * as Host from "../composition/Host.ts";
import * as Storage from "../composition/Storage.ts";
import { type ParsedCommand, valueOf } from "./parse.ts";
import { stoppable } from "./stoppable.ts";

const layer = (directory: string) => Layer.merge(Tools.layer(), Host.layer(directory));

/** The catalogue and the data folder that the command names, without models. */
export const lookAtTools = <E>(
  command: ParsedCommand,
  work: Effect.Effect<number, E, Layer.Success<ReturnType<typeof layer>> | Scope.Scope>,
): Effect.Effect<number, E> =>
  stoppable(command, work).pipe(
    Effect.provide(layer(Storage.dataDirectory(valueOf(command, "data"), process.env))),
    Effect.scoped,
  );
