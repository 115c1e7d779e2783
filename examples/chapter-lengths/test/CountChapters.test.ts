import * as Payloads from "@cahier/application/payload/Payloads";
import { ToolResult } from "@cahier/domain/tool/ToolResult";
import { assert, describe, it } from "@effect/vitest";
import * as Effect from "effect/Effect";
import * as Schema from "effect/Schema";
import { countChapters, id } from "../src/CountChapters.ts";
import { type Call, layer, payloadsOf, play } from "./support/runtime.ts";

const draft = "# Dawn\n\nThey wait by the river.\n\n# Dusk\n\nThe ferry comes.\n";
const write: Call = { name: "workspace_write_file", arguments: { path: "output/main.md", content: draft } };
const count: Call = { name: "count_chapters", arguments: { path: "output/main.md" } };
const ending: ReadonlyArray<Call> = [{ name: "workspace_commit" }, { name: "workspace_finish" }];

const allowed = { tools: ["extension/chapter-lengths:*"], permission: "always" };

const decodeResult = Schema.decodeUnknownEffect(Schema.fromJsonString(ToolResult));

describe("a tool that counts chapters", () => {
  it.effect("answers the model with every chapter, and the record with places to read", () =>
    Effect.gen(function* () {
      const { events, outcome, runId } = yield* play([write, count, ...ending], [allowed]);
      assert.strictEqual(outcome.status, "completed");
      const stored = payloadsOf(events, "tool_result_stored").find(({ toolId }) => toolId === id);
      assert.isDefined(stored);
      const payloads = yield* Payloads.make(runId);
      const result = yield* decodeResult(yield* payloads.read(stored.result));
      assert.strictEqual(
        result.content,
        [
          '"Dawn", lines 1-4: 23 characters, 5 words',
          '"Dusk", lines 5-8: 16 characters, 3 words',
          "output/main.md: 58 characters, 10 words in all.",
        ].join("\n"),
      );
      assert.deepStrictEqual(result.resourceRefs, ["workspace:output/main.md#L1-L4", "workspace:output/main.md#L5-L8"]);
    }).pipe(Effect.provide(layer)),
  );

  it.effect("asks a person before it runs, because it comes from an extension", () =>
    Effect.gen(function* () {
      const { events, outcome } = yield* play([write, count, ...ending]);
      assert.strictEqual(outcome.status, "awaiting_approval");
      const [asked] = payloadsOf(events, "tool_call_awaiting_approval");
      assert.isDefined(asked);
      assert.strictEqual(asked.title, countChapters.descriptor.title);
      assert.strictEqual(asked.source, "extension");
      assert.include(asked.sideEffects, 'Counts the words of "output/main.md".');
      assert.deepStrictEqual([asked.layer, asked.rule], ["tool", "source"]);
      assert.notInclude(
        payloadsOf(events, "tool_call_started").map(({ toolId }) => toolId),
        id,
      );
    }).pipe(Effect.provide(layer)),
  );

  it.effect("runs without asking under a profile with a rule that allows it", () =>
    Effect.gen(function* () {
      const { events } = yield* play([write, count, ...ending], [allowed]);
      assert.deepStrictEqual(payloadsOf(events, "tool_call_awaiting_approval"), []);
      assert.include(
        payloadsOf(events, "tool_call_completed").map(({ toolId }) => toolId),
        id,
      );
    }).pipe(Effect.provide(layer)),
  );

  it.effect("tells the model what is wrong with a call", () =>
    Effect.gen(function* () {
      const missing = { ...count, arguments: { path: "output/other.md" } };
      const tooDeep = { ...count, arguments: { path: "output/main.md", level: 7 } };
      const { events } = yield* play([write, missing, tooDeep, ...ending], [allowed]);
      assert.deepStrictEqual(
        payloadsOf(events, "tool_call_failed").map(({ errorCode, toolId }) => [toolId, errorCode]),
        [
          [id, "workspace.file_not_found"],
          [id, "tool.invalid_arguments"],
        ],
      );
    }).pipe(Effect.provide(layer)),
  );
});
