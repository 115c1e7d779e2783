/**
 * A decoder of JSON events and bodies around the fold of a protocol: parses once, tells errors from answers.
 */
import type { ModelResponse } from "@cahier/domain/model/ModelResponse";
import type * as Result from "effect/Result";
import type { Decoder, Problem } from "../Route.ts";
import { EventMold, type Path } from "./EventMold.ts";
import * as jsonText from "./jsonText.ts";
import { isObject, isText } from "./shape.ts";

/** The state of one response. */
export interface Fold {
  /** Nothing of interest follows. */
  readonly isDone: boolean;
  /** All of the message has arrived. */
  readonly isComplete: boolean;
  readonly end: () => Result.Result<ModelResponse, Problem>;
  readonly partial: () => ModelResponse | undefined;
}

/** What a protocol fills in. `text` is always the text of `value` as it came. */
export interface Parts {
  readonly fold: Fold;
  /** The error object that a value is or holds. */
  readonly errorOf: (value: unknown) => unknown;
  /** The HTTP status that an error object stands for. */
  readonly statusOf: (error: unknown) => number;
  readonly event: (value: unknown, text: string, name: string) => Problem | undefined;
  readonly whole: (value: unknown, text: string) => Problem | undefined;
  /** Where the texts stand of which most events are a piece. What an event is must not be kept, only what it says. */
  readonly pieces?: ReadonlyArray<Path>;
  /** `[DONE]` has come: the end mark of OpenAI, which others send as well. */
  readonly onEndMark?: () => void;
}

export const make = ({ errorOf, event, fold, onEndMark, pieces = [], statusOf, whole }: Parts): Decoder => {
  const mold = new EventMold(pieces);
  const one = (data: string, name: string, add: Parts["event"]): Problem | undefined => {
    const value = mold.read(data);
    if (value === undefined) return { _tag: "invalid", detail: "an event is not JSON", quote: data };
    const error = errorOf(value);
    if (error !== undefined) {
      return { _tag: "error", status: statusOf(error), ...codeOf(error), body: JSON.stringify(error) };
    }
    return name === "error" ? { _tag: "error", status: 500, body: data } : add(value, data, name);
  };
  return {
    event: (data, name) => {
      if (fold.isDone) return undefined;
      if (data.length < 32 && data.trim() === "[DONE]") {
        onEndMark?.();
        return undefined;
      }
      const problem = one(data, name, event);
      if (problem?._tag !== "invalid") return problem;
      const values = jsonText.gluedValues(data);
      // Behind a whole answer nothing is missed that cannot be read.
      if (values === undefined || values.length < 2) return fold.isComplete ? undefined : problem;
      for (const value of values) {
        const found = fold.isDone ? undefined : one(value, "", event);
        if (found !== undefined) return found;
      }
      if (data.trimEnd().endsWith("[DONE]")) onEndMark?.();
      return undefined;
    },
    whole: (body) => {
      const trimmed = body.trim();
      const problem = one(trimmed, "", (value, text) => whole(value, text));
      return problem?._tag === "invalid" && jsonText.parse(trimmed) === undefined
        ? { _tag: "invalid", detail: "the body is not complete JSON" }
        : problem;
    },
    isFinished: () => fold.isDone,
    isComplete: () => fold.isComplete,
    end: () => fold.end(),
    partial: () => fold.partial(),
  };
};

const codeOf = (error: unknown): { readonly code?: string } =>
  isObject(error) && isText(error["code"]) ? { code: error["code"] } : {};

/** JSON, but not of the protocol. */
export const unexpected = (what: string, quote: string): Problem => ({
  _tag: "invalid",
  detail: `${what} does not have the form of the protocol`,
  quote,
});
