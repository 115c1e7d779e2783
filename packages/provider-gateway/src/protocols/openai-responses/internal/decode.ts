/**
 * Events and bodies of Responses into the fold: the JSON is parsed and checked here, once.
 */
import type { ModelRequest } from "@cahier/domain/model/ModelRequest";
import type { OnDelta } from "@cahier/ports/ModelGateway";
import * as jsonDecoder from "../../../internal/jsonDecoder.ts";
import * as reason from "../../../internal/reason.ts";
import type { Decoder } from "../../../Route.ts";
import * as quirks from "./quirks.ts";
import { ResponseFold } from "./stream.ts";
import * as wire from "./wire.ts";

export const makeDecoder = (request: ModelRequest, onDelta: OnDelta): Decoder => {
  const fold = new ResponseFold(request.binding, onDelta);
  return jsonDecoder.make({
    fold,
    errorOf: quirks.errorOf,
    statusOf: reason.statusOfError,
    pieces: [["delta"]],
    event: (value, text) => (wire.isEvent(value) ? fold.add(value, text) : jsonDecoder.unexpected("an event", text)),
    whole: (value, text) =>
      wire.isResponse(value) ? fold.addWhole(value, text) : jsonDecoder.unexpected("the body", text),
  });
};
