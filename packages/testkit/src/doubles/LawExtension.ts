/**
 * The tools of laws as tools of an extension: with them, any ExtensionTools is held to the laws of sources.
 *
 * Owns what these tools do and the record of it. Does not own the registry, which is given.
 */
import type { JsonObject } from "@cahier/domain/tool/ToolArguments";
import { ToolId } from "@cahier/domain/tool/ToolId";
import { ExtensionFault, type ExtensionTools } from "@cahier/ports/ExtensionTools";
import * as Deferred from "effect/Deferred";
import * as Effect from "effect/Effect";
import * as Exit from "effect/Exit";
import type * as Schema from "effect/Schema";
import * as Scope from "effect/Scope";
import type { ToolSourceHarness } from "../laws/ToolSourceLaws.ts";

/** The id of the extension that has the tools of laws. */
export const extensionId = "cahier.laws";

/**
 * A harness of `ToolSourceLaws` over a registry; opening it registers the tools until its scope closes. `garbage` are values that
 * no function should give, each the answer of one tool: they default to values that are no JSON.
 */
export const make = (
  tools: Pick<ExtensionTools["Service"], "register" | "source">,
  garbage: ReadonlyArray<unknown> = noJson,
): ToolSourceHarness => {
  const received: Array<string> = [];
  const [arrived, released, interrupted] = [signals(), signals(), signals()];
  const lost = Deferred.makeUnsafe<never, ExtensionFault>();
  const ending = Scope.makeUnsafe();

  const add = (name: string, run: (given: JsonObject) => Effect.Effect<Schema.Json, ExtensionFault>) =>
    tools.register(
      {
        extensionId,
        name,
        description: `The tool of laws "${name}".`,
        inputSchema: { type: "object" },
        contexts: ["chat"],
      },
      (given) => {
        received.push("value" in given ? JSON.stringify(given["value"]) : textIn(given));
        return run(given);
      },
    );

  const slow = (text: string) =>
    Deferred.succeed(arrived(text), undefined).pipe(
      Effect.andThen(Effect.raceFirst(Deferred.await(released(text)), Deferred.await(lost))),
      Effect.as(text),
      Effect.onInterrupt(() => Deferred.succeed(interrupted(text), undefined)),
    );

  const open = Effect.gen(function* () {
    yield* add("echo", (given) => Effect.succeed(textIn(given)));
    yield* add("json", (given) => Effect.succeed(given["value"] ?? null));
    yield* add("fail", (given) => Effect.fail(new ExtensionFault({ kind: "failed", detail: textIn(given) })));
    yield* add("slow", (given) => slow(textIn(given)));
    yield* Effect.acquireRelease(
      Scope.provide(
        add("vanish", (given) => Effect.succeed(textIn(given))),
        ending,
      ),
      () => Scope.close(ending, Exit.void),
    );
    for (const [index, value] of garbage.entries())
      yield* add(`garbage ${index}`, () => Effect.succeed(outside(value)));
    return tools.source;
  });

  return {
    open,
    tools: {
      echo: idOf("echo"),
      json: idOf("json"),
      fail: idOf("fail"),
      slow: idOf("slow"),
      vanish: idOf("vanish"),
    },
    received: Effect.sync(() => [...received]),
    arrived: (text) => Deferred.await(arrived(text)),
    release: (text) => Effect.asVoid(Deferred.succeed(released(text), undefined)),
    interrupted: (text) => Deferred.await(interrupted(text)),
    vanish: Scope.close(ending, Exit.void),
    garbage: garbage.map((_, index) => idOf(`garbage ${index}`)),
    lose: Deferred.fail(lost, new ExtensionFault({ kind: "lost", detail: "the extension has gone" })),
  };
};

const noJson: ReadonlyArray<unknown> = [() => 1, 10n, Number.NaN, new Map([["a", 1]]), [undefined]];

const idOf = (name: string): ToolId => ToolId.make(`extension/${extensionId}:${name}`);

const textIn = ({ text }: JsonObject): string => (typeof text === "string" ? text : "");

/** What plain JavaScript can give, whatever the types say. */
const outside = (value: unknown): Schema.Json => value as Schema.Json;

/** One signal for each text. */
const signals = (): ((text: string) => Deferred.Deferred<void>) => {
  const known = new Map<string, Deferred.Deferred<void>>();
  return (text) => {
    const signal = known.get(text) ?? Deferred.makeUnsafe<void>();
    known.set(text, signal);
    return signal;
  };
};
