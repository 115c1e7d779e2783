/**
 * The three classes of failure of a run, each with a tagged reason and a stable code.
 *
 * `Recoverable` becomes an error tool result that the model can act on, `Denied` is a policy's no, `Fatal` ends the
 * invocation or refuses the host's call. Ports never raise these: they report facts, and the application classifies.
 */
import * as Schema from "effect/Schema";
import { type FailureArea, areaOf, type FailureCode, failureCodes, type FailureEntry } from "./FailureCode.ts";

/** Why. `_tag` is the area (the first segment of the code); `message` is written for whoever reads it next. */
export interface FailureReason {
  readonly _tag: FailureArea;
  readonly code: FailureCode;
  readonly message: string;
  readonly details?: { readonly [key: string]: Schema.Json };
}

const Reason: Schema.Codec<FailureReason> = Schema.declare(
  (input: unknown): input is FailureReason =>
    typeof input === "object" && input !== null && "code" in input && Object.hasOwn(failureCodes, String(input.code)),
);

const fields = { reason: Reason, cause: Schema.optionalKey(Schema.Defect()) };

/** The model can fix it. */
export class Recoverable extends Schema.TaggedError<Recoverable>()("Recoverable", fields) {
  override get message(): string {
    return this.reason.message;
  }
}

/** Policy said no. */
export class Denied extends Schema.TaggedError<Denied>()("Denied", fields) {
  override get message(): string {
    return this.reason.message;
  }
}

/** The invocation cannot go on, or the host's call is refused. */
export class Fatal extends Schema.TaggedError<Fatal>()("Fatal", fields) {
  override get message(): string {
    return this.reason.message;
  }
}

export type Failure = Recoverable | Denied | Fatal;

/** What a failure may carry beside its message. */
export interface FailureOptions {
  readonly details?: { readonly [key: string]: Schema.Json };
  readonly cause?: unknown;
}

/** A `Recoverable` with this code. */
export const recoverable = (code: FailureCode, message: string, options: FailureOptions = {}): Recoverable =>
  new Recoverable(contents(code, message, options));

/** A `Denied` with this code. */
export const denied = (code: FailureCode, message: string, options: FailureOptions = {}): Denied =>
  new Denied(contents(code, message, options));

/** A `Fatal` with this code. */
export const fatal = (code: FailureCode, message: string, options: FailureOptions = {}): Fatal =>
  new Fatal(contents(code, message, options));

/** True when another attempt of the same request may succeed without any change. */
export const isRetryable = (code: FailureCode): boolean => registryEntry(code).retryable === true;

/** True when it makes sense to offer a person "try again". */
export const isUserRetryable = (code: FailureCode): boolean =>
  isRetryable(code) || registryEntry(code).userRetryable === true;

const registryEntry = (code: FailureCode): FailureEntry => failureCodes[code];

const contents = (code: FailureCode, message: string, options: FailureOptions) => ({
  reason: {
    _tag: areaOf(code),
    code,
    message,
    ...(options.details === undefined ? {} : { details: options.details }),
  },
  ...(options.cause === undefined ? {} : { cause: options.cause }),
});
