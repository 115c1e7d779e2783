/**
 * Text of a file.
 */
import * as Result from "effect/Result";

/** The text that `bytes` are in UTF-8, without a byte order mark; `undefined` when they are none. */
export const textOf = (bytes: Uint8Array): string | undefined => {
  const text = Result.try(() => new TextDecoder("utf-8", { fatal: true }).decode(bytes));
  return Result.isSuccess(text) ? text.success : undefined;
};
