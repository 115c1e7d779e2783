/**
 * Events and bodies of Messages responses into the fold: the JSON is parsed and checked here, once.
 */
import type { ModelRequest } from "@cahier/domain/model/ModelRequest";
import type { OnDelta } from "@cahier/ports/ModelGateway";
import * as jsonDecoder from "../../../internal/jsonDecoder.ts";
import type { Decoder } from "../../../Route.ts";
import * as quirks from "./quirks.ts";
import { MessagesFold } from "./stream.ts";
import * as wire from "./wire.ts";

export const makeDecoder = (request: ModelRequest, onDelta: OnDelta): Decoder => {
  const fold = new MessagesFold(request.binding, onDelta);
  return jsonDecoder.make({
    fold,
    errorOf: quirks.errorOf,
    statusOf: quirks.statusOf,
    pieces: [
      ["delta", "text"],
      ["delta", "thinking"],
      ["delta", "partial_json"],
    ],
    event: (value, text) => {
      if (wire.isEvent(value)) return fold.add(value, text);
      return wire.isUnknownEvent(value) ? undefined : jsonDecoder.unexpected("an event", text);
    },
    whole: (value, text) =>
      wire.isMessage(value) ? fold.addWhole(value, text) : jsonDecoder.unexpected("the body", text),
  });
};
