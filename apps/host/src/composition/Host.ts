/**
 * The host ring: this process, and looking at runs. What every command needs.
 */
import * as Ownership from "@cahier/application/run/Ownership";
import * as Layer from "effect/Layer";
import * as NodeHostProcess from "../process/NodeHostProcess.ts";
import * as Storage from "./Storage.ts";

/** Storage, this process, and who owns what. */
export const layer = (directory: string) =>
  Ownership.layer.pipe(Layer.provideMerge(Layer.merge(Storage.layer(directory), NodeHostProcess.layer)));
