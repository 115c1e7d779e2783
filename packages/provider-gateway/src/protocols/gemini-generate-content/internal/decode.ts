/**
 * Events and bodies of generateContent responses into the fold: the JSON is parsed and checked here, once.
 */
import type { ModelRequest } from "@cahier/domain/model/ModelRequest";
import type { OnDelta } from "@cahier/ports/ModelGateway";
import * as jsonDecoder from "../../../internal/jsonDecoder.ts";
import * as jsonText from "../../../internal/jsonText.ts";
import * as reason from "../../../internal/reason.ts";
import type { Decoder, Problem } from "../../../Route.ts";
import * as quirks from "./quirks.ts";
import { ContentFold } from "./stream.ts";
import * as wire from "./wire.ts";

export const makeDecoder = (request: ModelRequest, onDelta: OnDelta): Decoder => {
  const fold = new ContentFold(request, onDelta);
  const add = (value: unknown, text: string): Problem | undefined =>
    wire.isResponse(value) ? fold.add(value, text) : jsonDecoder.unexpected("a response", text);
  return jsonDecoder.make({
    fold,
    errorOf: quirks.errorOf,
    statusOf: reason.statusOfError,
    event: add,
    whole: (value, text) => {
      // A stream that was not asked for as events is one array of the same chunks.
      const chunks: ReadonlyArray<unknown> = Array.isArray(value) ? value : [value];
      const texts = Array.isArray(value) ? jsonText.elementsOf(text) : [text];
      for (const [index, chunk] of chunks.entries()) {
        const problem = add(chunk, texts[index] ?? "{}");
        if (problem !== undefined) return problem;
      }
      fold.markDone();
      return undefined;
    },
  });
};
