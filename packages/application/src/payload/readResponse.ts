/**
 * Reads back an answer of the model as it was stored.
 */
import { type Fatal, fatal } from "@cahier/domain/failure/Failure";
import { ModelResponse } from "@cahier/domain/model/ModelResponse";
import type { Payload } from "@cahier/domain/payload/Payload";
import * as Effect from "effect/Effect";
import * as Schema from "effect/Schema";
import type { Payloads } from "./Payloads.ts";

const decode = Schema.decodeUnknownEffect(Schema.fromJsonString(ModelResponse));

/** The whole response behind a payload; content of another form is `journal.corrupt`. */
export const readResponse = Effect.fnUntraced(function* (
  payloads: Payloads,
  payload: Payload,
): Effect.fn.Return<ModelResponse, Fatal> {
  return yield* decode(yield* payloads.read(payload)).pipe(
    Effect.mapError((cause) =>
      fatal("journal.corrupt", `${payload.path} does not have the form that it was stored in.`, { cause }),
    ),
  );
});
