/**
 * What is exchanged with models, kept in the storage of the runs.
 */
import * as Requests from "@cahier/application/requests/RequestLog";
import { RequestLog } from "@cahier/provider-gateway/RequestLog";
import type { DocumentStore } from "@cahier/ports/DocumentStore";
import * as Effect from "effect/Effect";
import * as Layer from "effect/Layer";

/** A gateway that is made with it hands its exchanges over to the request log of the application. */
export const layer: Layer.Layer<never, never, DocumentStore> = Layer.effect(
  RequestLog,
  Effect.map(Requests.recorder, (record) => ({ record })),
);
