/**
 * What a law says when it is broken, without a test runner.
 *
 * Owns the comparisons that laws make and the sentence of a broken one. Does not own which laws there are.
 */
import * as Context from "effect/Context";
import type * as Duration from "effect/Duration";
import * as Effect from "effect/Effect";
import * as Result from "effect/Result";
import * as Schema from "effect/Schema";

/** A law did not hold; `detail` says what was expected and what was found. */
export class LawBroken extends Schema.TaggedError<LawBroken>()("LawBroken", { detail: Schema.String }) {
  override get message(): string {
    return this.detail;
  }
}

/** How long a law waits in real time for something that must happen. Default 5 seconds. */
export const Patience = Context.Reference<Duration.Input>("@cahier/testkit/Patience", {
  defaultValue: (): Duration.Input => "5 seconds",
});

/** Fails unless `condition` holds. */
export const isTrue = (condition: boolean, detail: string): Effect.Effect<void, LawBroken> =>
  condition ? Effect.void : Effect.fail(new LawBroken({ detail }));

/** Fails unless both values have the same JSON text, key order and unpaired surrogates included. */
export const same = (what: string, actual: unknown, expected: unknown): Effect.Effect<void, LawBroken> =>
  Effect.suspend(() => {
    const [found, wanted] = [show(actual), show(expected)];
    return isTrue(found === wanted, `${what}: expected ${shorten(wanted)}, found ${shorten(found)}`);
  });

/** Fails unless both byte arrays are equal. */
export const sameBytes = (what: string, actual: Uint8Array, expected: Uint8Array): Effect.Effect<void, LawBroken> =>
  Effect.suspend(() =>
    isTrue(
      actual.length === expected.length && actual.every((byte, index) => byte === expected[index]),
      `${what}: ${actual.length} bytes found, expected other ${expected.length} bytes`,
    ),
  );

/** The failure of `effect`, which must be one of the given tag; success or any other failure breaks the law. */
export const failsWith = Effect.fnUntraced(function* <A, E extends { readonly _tag: string }, R, Tag extends E["_tag"]>(
  what: string,
  effect: Effect.Effect<A, E, R>,
  tag: Tag,
) {
  const outcome = yield* Effect.result(effect);
  if (Result.isSuccess(outcome)) {
    return yield* new LawBroken({
      detail: `${what}: expected ${tag}, but it succeeded with ${shorten(show(outcome.success))}`,
    });
  }
  const fault: E = outcome.failure;
  if (!hasTag(fault, tag)) {
    return yield* new LawBroken({ detail: `${what}: expected ${tag}, found ${shorten(show(fault))}` });
  }
  return fault;
});

/** Runs `effect`, and breaks the law if it has not ended within the patience of the run. */
export const within = <A, E, R>(what: string, effect: Effect.Effect<A, E, R>): Effect.Effect<A, E | LawBroken, R> =>
  Effect.flatMap(Patience, (patience) =>
    Effect.timeoutOrElse(effect, {
      duration: patience,
      orElse: () => Effect.fail(new LawBroken({ detail: `${what}: still waiting when the law's patience ended` })),
    }),
  );

/** How many of several outcomes succeeded, and the failures of the others. */
export const outcomes = <A, E>(
  results: ReadonlyArray<Result.Result<A, E>>,
): { readonly succeeded: ReadonlyArray<A>; readonly failed: ReadonlyArray<E> } => ({
  succeeded: results.filter(Result.isSuccess).map((result) => result.success),
  failed: results.filter(Result.isFailure).map((result) => result.failure),
});

const hasTag = <E extends { readonly _tag: string }, Tag extends E["_tag"]>(
  fault: E,
  tag: Tag,
): fault is Extract<E, { readonly _tag: Tag }> => fault._tag === tag;

const show = (value: unknown): string => JSON.stringify(value) ?? String(value);

const shorten = (text: string): string =>
  text.length <= 400 ? text : `${text.slice(0, 400)}... (${text.length} characters)`;
