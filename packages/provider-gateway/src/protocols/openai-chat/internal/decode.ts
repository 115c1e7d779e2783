/**
 * Events and bodies of Chat Completions responses into the fold: the JSON is parsed and checked here, once.
 */
import type { ModelRequest } from "@cahier/domain/model/ModelRequest";
import type { OnDelta } from "@cahier/ports/ModelGateway";
import * as jsonDecoder from "../../../internal/jsonDecoder.ts";
import * as reason from "../../../internal/reason.ts";
import type { Decoder } from "../../../Route.ts";
import * as quirks from "./quirks.ts";
import { ChatFold } from "./stream.ts";
import * as wire from "./wire.ts";

export const makeDecoder = (request: ModelRequest, onDelta: OnDelta): Decoder => {
  const fold = new ChatFold(request, onDelta);
  return jsonDecoder.make({
    fold,
    errorOf: quirks.errorOf,
    statusOf: reason.statusOfError,
    pieces: [
      ["choices", 0, "delta", "content"],
      ["choices", 0, "delta", "reasoning_content"],
      ["choices", 0, "delta", "reasoning"],
      ["choices", 0, "delta", "tool_calls", 0, "function", "arguments"],
    ],
    onEndMark: () => fold.markDone(),
    event: (value, text) =>
      wire.isCompletion(value) ? fold.add(value, text) : jsonDecoder.unexpected("a chunk", text),
    whole: (value, text) => {
      if (!wire.isCompletion(value)) return jsonDecoder.unexpected("the body", text);
      fold.markDone();
      return fold.add(value, text, true);
    },
  });
};
