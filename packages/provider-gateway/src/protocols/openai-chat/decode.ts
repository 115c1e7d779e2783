/**
 * Events and bodies of Chat Completions responses into the fold: the JSON is parsed and checked here, once.
 */
import type { ModelRequest } from "@cahier/domain/model/ModelRequest";
import type { OnDelta } from "@cahier/ports/ModelGateway";
import type { Decoder, Problem } from "../../Route.ts";
import { ChatFold, errorProblem } from "./stream.ts";
import * as wire from "./wire.ts";

export const makeDecoder = (request: ModelRequest, onDelta: OnDelta): Decoder => {
  const fold = new ChatFold(request.binding, onDelta);
  return {
    event: (data, name) => {
      if (fold.isDone) return undefined;
      if (data === "[DONE]") {
        fold.markDone();
        return undefined;
      }
      const parsed = parse(data);
      if (parsed === undefined) return { _tag: "invalid", detail: "a chunk is not JSON", quote: data };
      const error = errorProblem(parsed);
      if (error !== undefined) return error;
      if (name === "error") return { _tag: "error", status: 500, body: data };
      return wire.isCompletion(parsed) ? fold.add(parsed) : unexpected("a chunk", data);
    },
    whole: (body) => {
      const parsed = parse(body);
      if (parsed === undefined) return { _tag: "invalid", detail: "the body is not complete JSON" };
      const error = errorProblem(parsed);
      if (error !== undefined) return error;
      if (!wire.isCompletion(parsed)) return unexpected("the body", body);
      fold.markDone();
      return fold.add(parsed, true);
    },
    isFinished: () => fold.isDone,
    isComplete: () => fold.isComplete,
    end: () => fold.end(),
    partial: () => fold.partial(),
  };
};

const parse = (text: string): unknown => {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
};

const unexpected = (what: string, quote: string): Problem => ({
  _tag: "invalid",
  detail: `${what} does not have the form of the protocol`,
  quote,
});
