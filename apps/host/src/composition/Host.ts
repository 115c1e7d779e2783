/**
 * The host ring: this process, and looking at runs. What every command needs.
 */
import type { Fatal } from "@cahier/domain/failure/Failure";
import * as Ownership from "@cahier/application/run/Ownership";
import type * as Effect from "effect/Effect";
import * as Layer from "effect/Layer";
import * as NodeHostProcess from "../process/NodeHostProcess.ts";
import * as Storage from "./Storage.ts";

/** Storage, this process, and who owns what. */
export const layer = (storage: Effect.Effect<Storage.Chosen, Fatal>) =>
  Ownership.layer.pipe(Layer.provideMerge(Layer.merge(Storage.layer(storage), NodeHostProcess.layer)));
