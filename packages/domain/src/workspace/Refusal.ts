/**
 * A refusal as a plain value: what a pure decision of the workspace gives instead of its result.
 *
 * Owns the shape only. Does not own the list of codes (the failure registry does) nor the judgement whether a refusal
 * is recoverable: the application classifies.
 */
import * as Result from "effect/Result";

/** `code` is stable and dotted; `message` is written for its reader (the model or a person) and says what to do next. */
export interface Refusal<Code extends string = string> {
  readonly code: Code;
  readonly message: string;
}

/** A failed result that carries a refusal. */
export const refuse = <Code extends string>(code: Code, message: string): Result.Result<never, Refusal<Code>> =>
  Result.fail({ code, message });

/** Text from outside inside a message: quoted, control characters escaped, cut at 120 characters. */
export const quote = (text: string): string => {
  const cut = text.length > 120 ? `${text.slice(0, 120).toWellFormed()}…` : text;
  return JSON.stringify(cut.toWellFormed());
};
