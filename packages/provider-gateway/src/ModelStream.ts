/**
 * A model call as a stream, for users of the library who want to compose it. The run loop does not use it.
 */
import type { ModelRequest } from "@cahier/domain/model/ModelRequest";
import type { ModelDelta, ModelResponse } from "@cahier/domain/model/ModelResponse";
import type { ModelFault, ModelGateway } from "@cahier/ports/ModelGateway";
import * as Effect from "effect/Effect";
import * as Queue from "effect/Queue";
import * as Stream from "effect/Stream";

/** Deltas, then exactly one `response` or `fault`. */
export type ModelStreamEvent =
  | { readonly type: "delta"; readonly delta: ModelDelta }
  | { readonly type: "response"; readonly response: ModelResponse }
  | { readonly type: "fault"; readonly fault: ModelFault };

/**
 * Calls the model when the stream is run, anew for each run. The stream never fails: a fault is its last event. A slow
 * consumer does not slow the call down; what has arrived waits in memory. Ending the stream early ends the call.
 */
export const generate = (gateway: ModelGateway["Service"], request: ModelRequest): Stream.Stream<ModelStreamEvent> =>
  Stream.callback<ModelStreamEvent>(
    (queue) =>
      gateway
        .generate(request, (delta) => void Queue.offerUnsafe(queue, { type: "delta", delta }))
        .pipe(
          Effect.match({
            onSuccess: (response): ModelStreamEvent => ({ type: "response", response }),
            onFailure: (fault): ModelStreamEvent => ({ type: "fault", fault }),
          }),
          Effect.tap((last) => {
            Queue.offerUnsafe(queue, last);
            return Queue.end(queue);
          }),
        ),
    { bufferSize: Number.POSITIVE_INFINITY },
  );
