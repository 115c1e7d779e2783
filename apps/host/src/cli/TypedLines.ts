/**
 * The lines that somebody types at the terminal while a command works, whatever each of them is for.
 *
 * Owns reading them in one place, so that none is lost between two readers. Does not own what a line means.
 */
import { createInterface } from "node:readline";
import type * as Cause from "effect/Cause";
import * as Effect from "effect/Effect";
import * as Queue from "effect/Queue";
import type * as Scope from "effect/Scope";

/** A line, or that something else has happened which whoever listens is to look at. */
export type Heard = { readonly _tag: "Line"; readonly text: string } | { readonly _tag: "Stir" };

export interface TypedLines {
  /** The next thing; undefined when the input has ended. */
  readonly next: Effect.Effect<Heard | undefined>;
  /** The next line, whatever else happens; undefined when the input has ended. */
  readonly nextLine: Effect.Effect<string | undefined>;
  /** Has whoever listens look up. */
  readonly stir: Effect.Effect<void>;
}

/** Reads standard input until the scope closes. A stop signal stays with the process. */
export const make: Effect.Effect<TypedLines, never, Scope.Scope> = Effect.gen(function* () {
  const queue = yield* Queue.unbounded<Heard, Cause.Done>();
  yield* Effect.acquireRelease(
    Effect.sync(() => {
      const terminal = createInterface({ input: process.stdin, terminal: false });
      terminal.on("line", (text) => Queue.offerUnsafe(queue, { _tag: "Line", text }));
      terminal.on("close", () => Queue.endUnsafe(queue));
      return terminal;
    }),
    (terminal) => Effect.sync(() => terminal.close()),
  );
  const next = Queue.take(queue).pipe(Effect.orElseSucceed(() => undefined));
  return {
    next,
    nextLine: lineOf(next),
    stir: Effect.asVoid(Queue.offer(queue, { _tag: "Stir" })),
  };
});

const lineOf = Effect.fnUntraced(function* (next: TypedLines["next"]) {
  for (;;) {
    const heard = yield* next;
    if (heard === undefined) return undefined;
    if (heard._tag === "Line") return heard.text;
  }
});
