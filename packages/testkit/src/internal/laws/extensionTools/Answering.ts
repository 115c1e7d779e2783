/**
 * Laws about what becomes of a call.
 */
import { rootInvocation } from "@cahier/domain/identity/Identity";
import { type ExtensionCall, ExtensionFault, type ExtensionFunction } from "@cahier/ports/ExtensionTools";
import type { JsonObject } from "@cahier/domain/tool/ToolArguments";
import * as Effect from "effect/Effect";
import type * as Schema from "effect/Schema";
import type { ExtensionToolsHarness } from "../../../laws/ExtensionToolsLaws.ts";
import * as Expectation from "../../../Expectation.ts";
import * as Law from "../../../Law.ts";
import { call, callId, codeOf, runId, said, tool } from "./calls.ts";

const law = Law.of<ExtensionToolsHarness>();

export const answering: ReadonlyArray<Law.Law<ExtensionToolsHarness>> = [
  law({
    id: "EXT-10",
    title: "a text is given to the model as it is, other JSON as JSON, undefined as null",
    *check(harness) {
      const tools = yield* harness.open;
      const id = yield* tools.register(tool("give"), (given) => Effect.succeed(given["value"]));
      for (const text of ["a text", "null", "{}", '"quoted"', " \n "]) {
        yield* Expectation.same("text", said(yield* call(tools, id, { value: text })), text);
      }
      for (const value of [null, true, 0, -1.5, [], ["a", [1]], {}, { a: { b: null } }]) {
        const text = said(yield* call(tools, id, { value }));
        yield* Expectation.same("JSON", parse(text), value);
      }
      yield* Expectation.same("undefined", said(yield* call(tools, id)), "null");
    },
  }),
  law({
    id: "EXT-11",
    title: "a function is told its arguments, and for which call of which run it works",
    *check(harness) {
      const tools = yield* harness.open;
      const seen: Array<{ readonly given: JsonObject; readonly call: ExtensionCall }> = [];
      const id = yield* tools.register(tool("see"), (given, of) =>
        Effect.sync(() => {
          seen.push({ given, call: of });
          return null;
        }),
      );
      for (const scene of ["chat", "session"] as const) yield* call(tools, id, { text: scene, deep: [{}] }, scene);
      for (const [index, target] of ["chat", "session"].entries()) {
        const found = seen[index];
        yield* Expectation.same("arguments", found?.given, { text: target, deep: [{}] });
        yield* Expectation.same(
          "call",
          [found?.call.toolId, found?.call.runId, found?.call.invocationId, found?.call.callId, found?.call.target],
          [id, runId, rootInvocation, callId, target],
        );
      }
    },
  }),
  law({
    id: "EXT-12",
    title: "a function that throws, gives no JSON or says that it failed is an error of the tool",
    *check(harness) {
      const tools = yield* harness.open;
      for (const [what, run] of errors()) {
        const outcome = yield* Effect.scoped(Effect.flatMap(tools.register(tool("err"), run), (id) => call(tools, id)));
        yield* Expectation.same(what, codeOf(outcome), ["Answered", "extension.tool_error"]);
      }
      const id = yield* tools.register(tool("err"), () => faultOf("failed", "the ink is dry"));
      const text = JSON.stringify(yield* call(tools, id));
      yield* Expectation.isTrue(text.includes("the ink is dry"), `what the tool says is lost in ${text}`);
    },
  }),
  law({
    id: "EXT-13",
    title: "a lost call is unknown, and one that was not reached is not sent",
    *check(harness) {
      const tools = yield* harness.open;
      const lost = yield* tools.register(tool("lost"), () => faultOf("lost", "the page has gone"));
      yield* Expectation.same("lost", (yield* call(tools, lost))._tag, "Unknown");
      const notReached = yield* tools.register(tool("not reached"), () => faultOf("notReached", "no page is there"));
      yield* Expectation.same("not reached", codeOf(yield* call(tools, notReached)), [
        "NotSent",
        "extension.tool_unavailable",
      ]);
    },
  }),
];

const faultOf = (kind: ExtensionFault["kind"], detail: string) => Effect.fail(new ExtensionFault({ kind, detail }));

/** What plain JavaScript can give, whatever the types say. */
const giving = (value: unknown): ExtensionFunction => {
  const outside = value as Schema.Json;
  return () => Effect.succeed(outside);
};

const errors = (): ReadonlyArray<readonly [string, ExtensionFunction]> => {
  const cyclic: Array<unknown> = [];
  cyclic.push(cyclic);
  return [
    [
      "a function that throws",
      () => {
        throw new TypeError("no ink");
      },
    ],
    ["a function that dies", () => Effect.die("no ink")],
    ["a function", giving(() => 1)],
    ["a big integer", giving(10n)],
    ["not a number", giving(Number.NaN)],
    ["a cycle", giving(cyclic)],
    ["undefined in a list", giving([undefined])],
    ["a map", giving(new Map([["a", 1]]))],
    [
      "a value that cannot be read",
      giving(
        new Proxy(
          {},
          {
            ownKeys: () => {
              throw new TypeError("no ink");
            },
          },
        ),
      ),
    ],
    ["what says that it failed", () => faultOf("failed", "no ink")],
  ];
};

const parse = (text: string): unknown => {
  try {
    return JSON.parse(text);
  } catch {
    return `no JSON: ${text}`;
  }
};
