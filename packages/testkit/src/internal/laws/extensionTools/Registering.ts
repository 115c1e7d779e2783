/**
 * Laws about which tools are there.
 */
import { ToolId } from "@cahier/domain/tool/ToolId";
import type { ExtensionTool, ExtensionTools } from "@cahier/ports/ExtensionTools";
import * as Effect from "effect/Effect";
import * as Exit from "effect/Exit";
import * as Result from "effect/Result";
import * as Scope from "effect/Scope";
import type { ExtensionToolsHarness } from "../../../laws/ExtensionToolsLaws.ts";
import * as Expectation from "../../../Expectation.ts";
import * as Law from "../../../Law.ts";
import { call, codeOf, said, saying, tool } from "./calls.ts";

const law = Law.of<ExtensionToolsHarness>();

export const registering: ReadonlyArray<Law.Law<ExtensionToolsHarness>> = [
  law({
    id: "EXT-01",
    title:
      "a registered tool has the id of its extension and name, is listed as it was stated, and is on unless stated",
    *check(harness) {
      const tools = yield* harness.open;
      const stated = tool("words: count", {
        title: "Count words",
        contexts: ["session"],
        annotations: { readOnly: true },
      });
      const second = yield* tools.register(stated, saying("7"));
      const first = yield* tools.register(tool("colour", { enabled: false }), saying("red"));
      yield* Expectation.same("ids", [first, second], ["extension/desk:colour", "extension/desk:words: count"]);
      const listed = yield* tools.list;
      yield* Expectation.same(
        "listed",
        listed.map(({ toolId, enabled }) => [toolId, enabled]),
        [
          [first, false],
          [second, true],
        ],
      );
      const { extensionId, name, title, description, inputSchema, contexts, annotations } = listed[1] ?? stated;
      yield* Expectation.same(
        "what was stated",
        { ...stated, extensionId, name, title, description, inputSchema, contexts, annotations },
        stated,
      );
    },
  }),
  law({
    id: "EXT-02",
    title: "an id that is taken is refused, and whoever has it keeps it",
    *check(harness) {
      const tools = yield* harness.open;
      const id = yield* tools.register(tool("colour"), saying("red"));
      yield* refused(tools, tool("colour", { description: "Another one." }), "extension.tool_duplicate");
      yield* Expectation.same("text", said(yield* call(tools, id)), "red");
      yield* Expectation.same("description", (yield* tools.list)[0]?.description, "Does colour.");
      yield* tools.setEnabled(id, false);
      yield* refused(tools, tool("colour"), "extension.tool_duplicate");
    },
  }),
  law({
    id: "EXT-03",
    title: "of many who register one id at once, one has it",
    *check(harness) {
      const tools = yield* harness.open;
      const results = yield* Effect.forEach(
        ["one", "two", "three", "four"],
        (text) => Effect.result(tools.register(tool("colour"), saying(text))),
        { concurrency: "unbounded" },
      );
      yield* Expectation.same("registered", results.filter(Result.isSuccess).length, 1);
      yield* Expectation.same("listed", (yield* tools.list).length, 1);
    },
  }),
  law({
    id: "EXT-04",
    title: "a form that cannot be offered is refused, and nothing of it is there",
    *check(harness) {
      const tools = yield* harness.open;
      for (const bad of badForms) yield* refused(tools, bad, "extension.registration_invalid");
      yield* Expectation.same("listed", yield* tools.list, []);
      yield* Expectation.same("offered", (yield* tools.source.catalogue).tools, []);
      for (const good of oddForms) yield* tools.register(good, saying("yes"));
      yield* Expectation.same("listed", (yield* tools.list).length, oddForms.length);
    },
  }),
  law({
    id: "EXT-05",
    title: "a tool goes with the scope that registered it, and its id is free again",
    *check(harness) {
      const tools = yield* harness.open;
      const stays = yield* tools.register(tool("stays"), saying("here"));
      const id = yield* Effect.scoped(tools.register(tool("colour"), saying("red")));
      yield* Expectation.same(
        "listed",
        (yield* tools.list).map(({ toolId }) => toolId),
        [stays],
      );
      yield* Expectation.same("offered", yield* offered(tools), [stays]);
      yield* Expectation.same("call", codeOf(yield* call(tools, id)), ["NotSent", "extension.tool_unavailable"]);
      yield* Expectation.same("other", said(yield* call(tools, stays)), "here");
    },
  }),
  law({
    id: "EXT-06",
    title: "a tool that is registered anew is the one that is called, and nothing of the one before it stays",
    *check(harness) {
      const tools = yield* harness.open;
      const before = yield* Scope.make();
      const id = yield* Scope.provide(tools.register(tool("colour"), saying("red")), before);
      yield* tools.setEnabled(id, false);
      yield* Scope.close(before, Exit.void);
      const again = yield* tools.register(tool("colour"), saying("blue"));
      yield* Scope.close(before, Exit.void);
      yield* Expectation.same("id", again, id);
      yield* Expectation.same("text", said(yield* call(tools, id)), "blue");
      yield* Expectation.same("offered", yield* offered(tools), [id]);
    },
  }),
  law({
    id: "EXT-07",
    title: "a tool that is switched off is listed, but neither offered nor called, until it is on",
    *check(harness) {
      const tools = yield* harness.open;
      const id = yield* tools.register(tool("colour", { enabled: false }), saying("red"));
      const off = ["NotSent", "extension.tool_unavailable"];
      yield* Expectation.same("call before it is on", codeOf(yield* call(tools, id)), off);
      yield* Expectation.same("offered before it is on", yield* offered(tools), []);
      yield* tools.setEnabled(id, true);
      yield* Expectation.same("text", said(yield* call(tools, id)), "red");
      yield* Expectation.same("offered", yield* offered(tools), [id]);
      yield* tools.setEnabled(id, false);
      yield* Expectation.same("call", codeOf(yield* call(tools, id)), off);
      yield* Expectation.same("offered when it is off", yield* offered(tools), []);
      yield* Expectation.same(
        "listed",
        (yield* tools.list).map(({ enabled }) => enabled),
        [false],
      );
    },
  }),
  law({
    id: "EXT-08",
    title: "what is not registered cannot be switched",
    *check(harness) {
      const tools = yield* harness.open;
      const gone = yield* Effect.scoped(tools.register(tool("colour"), saying("red")));
      for (const id of [gone, ToolId.make("extension/nobody:nothing")]) {
        const refusal = yield* Expectation.failsWith(id, tools.setEnabled(id, true), "ExtensionRefusal");
        yield* Expectation.same("code", refusal.code, "extension.tool_unavailable");
      }
    },
  }),
  law({
    id: "EXT-09",
    title: "contexts are the scenes in which a tool is offered; what is not said of it is taken at its worst",
    *check(harness) {
      const tools = yield* harness.open;
      const { inputSchema } = tool("colour");
      yield* tools.register(tool("colour", { contexts: ["session"] }), saying("red"));
      yield* tools.register(tool("count", { annotations: { readOnly: true, cost: "high" } }), saying("7"));
      const [first, second] = (yield* tools.source.catalogue).tools;
      yield* Expectation.same(
        "scenes",
        [first?.scenes, second?.scenes ?? ["chat", "session"]],
        [["session"], ["chat", "session"]],
      );
      const { description, annotations, inputSchema: offeredSchema } = first?.descriptor ?? {};
      yield* Expectation.same(
        "what was stated",
        { description, inputSchema: offeredSchema },
        {
          description: "Does colour.",
          inputSchema,
        },
      );
      yield* Expectation.same("what was not", [annotations?.readOnly, annotations?.idempotent], [false, false]);
      const known = second?.descriptor.annotations;
      yield* Expectation.same("annotations", [known?.readOnly, known?.idempotent, known?.cost], [true, false, "high"]);
    },
  }),
];

const refused = (
  tools: ExtensionTools["Service"],
  stated: ExtensionTool,
  code: string,
): Effect.Effect<void, Expectation.LawBroken, Scope.Scope> =>
  Expectation.failsWith(JSON.stringify(stated), tools.register(stated, saying("")), "ExtensionRefusal").pipe(
    Effect.flatMap((refusal) =>
      Effect.andThen(
        Expectation.same(`code of ${JSON.stringify(stated)}`, refusal.code, code),
        Expectation.isTrue(refusal.detail !== "", `${code} comes without a word`),
      ),
    ),
  );

const offered = (tools: ExtensionTools["Service"]) =>
  Effect.map(tools.source.catalogue, (catalogue) => catalogue.tools.map(({ descriptor }) => descriptor.id));

const badForms: ReadonlyArray<ExtensionTool> = [
  ...["", "a b", "a:b", "a/b", "Grüße", "x".repeat(129)].map((extensionId) => tool("colour", { extensionId })),
  ...["", " colour", "colour\n", "x".repeat(129)].map((name) => tool(name)),
  tool("colour", { contexts: [] }),
  ...[
    {},
    { type: "string" },
    { type: ["object", "null"] },
    { type: "object", properties: 5 },
    { type: "object", required: "text" },
    { type: "object", properties: { text: { $ref: "https://example.com/schema.json" } } },
    { type: "object", $defs: { text: { $dynamicRef: "other.json#text" } } },
  ].map((inputSchema) => tool("colour", { inputSchema })),
];

/** Forms that look odd and are right. */
const oddForms: ReadonlyArray<ExtensionTool> = [
  tool("x".repeat(128)),
  tool("a: b / c, 数え"),
  tool("colour", { extensionId: "A.b_c-1" }),
  tool("colour", { extensionId: "x".repeat(128), inputSchema: { type: "object" } }),
  tool("local", {
    inputSchema: {
      type: "object",
      properties: { text: { $ref: "#/$defs/text" }, $ref: { type: "string" } },
      $defs: { text: { type: "string" } },
    },
  }),
];
