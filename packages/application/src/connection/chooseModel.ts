/**
 * Which model an invocation gets: the one that was asked for, else the profile's, else the host's own.
 */
import { bindingOf } from "@cahier/domain/connection/LlmConnection";
import { type Fatal, fatal } from "@cahier/domain/failure/Failure";
import type { ModelBinding } from "@cahier/domain/model/ModelRequest";
import type { CompleteProfile } from "@cahier/domain/profile/CompleteProfile";
import type { DocumentStore } from "@cahier/ports/DocumentStore";
import * as Effect from "effect/Effect";
import * as Connections from "./Connections.ts";

/** A model of a stored connection. */
export interface ConnectionChoice {
  readonly connection: string;
  readonly modelId: string;
}

/** A model that is bound already, or one that a stored connection is to bind. */
export type AskedModel = ModelBinding | ConnectionChoice;

/** A bound model, and whether the host's settings or a stored connection bound it, and which. */
export interface BoundModel {
  readonly mode: "currentPromptSnapshot" | "connectionRef";
  readonly connection?: { readonly id: string; readonly displayName: string };
  readonly binding: ModelBinding;
}

/** Binds what is asked for; a connection is taken as it is stored now. */
export const bindAsked = Effect.fnUntraced(function* (
  asked: AskedModel,
): Effect.fn.Return<BoundModel, Fatal, DocumentStore> {
  if (!("connection" in asked)) return { mode: "currentPromptSnapshot", binding: asked };
  const { connection } = yield* Connections.get(asked.connection);
  const { displayName, id } = connection;
  return { mode: "connectionRef", connection: { id, displayName }, binding: bindingOf(connection, asked.modelId) };
});

/** The model that a profile names by a connection; none where it leaves the choice to the start. */
export const bindProfile = Effect.fnUntraced(function* ({
  model,
}: Pick<CompleteProfile, "model">): Effect.fn.Return<BoundModel | undefined, Fatal, DocumentStore> {
  const { connectionRef, mode, modelId } = model;
  if (mode !== "connectionRef" || connectionRef === undefined || modelId === undefined) return undefined;
  return yield* bindAsked({ connection: connectionRef, modelId });
});

/** The model of a start. `hostModel` is asked only when neither the start nor the profile names one. */
export const chooseModel = Effect.fn("Connections.chooseModel")(function* (
  asked: AskedModel | undefined,
  profile: Pick<CompleteProfile, "model">,
  hostModel: Effect.Effect<ModelBinding, Fatal> | undefined,
): Effect.fn.Return<BoundModel, Fatal, DocumentStore> {
  if (asked !== undefined) return yield* bindAsked(asked);
  const own = yield* bindProfile(profile);
  if (own !== undefined) return own;
  if (hostModel !== undefined) return { mode: "currentPromptSnapshot", binding: yield* hostModel };
  return yield* fatal(
    "model.none_configured",
    "No model is chosen. Name one at the start, or name a connection in the profile.",
  );
});

/** What the journal says of who bound a model. */
export const originOf = ({ connection, mode }: BoundModel): Omit<BoundModel, "binding"> =>
  connection === undefined ? { mode } : { mode, connection };
