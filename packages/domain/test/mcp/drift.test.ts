import { assert, describe, it } from "@effect/vitest";
import * as Arbitrary from "effect/Arbitrary";
import type * as Schema from "effect/Schema";
import { definitionParts, describeDrift, drift } from "../../src/mcp/drift.ts";
import { definitionOf, McpToolDefinition, type McpToolStated } from "../../src/mcp/McpToolDefinition.ts";

const seen: McpToolDefinition = {
  title: "Read",
  description: "Reads a file.",
  inputSchema: { type: "object", properties: { path: { type: "string" } } },
  annotations: { readOnlyHint: true },
};

/** The same JSON with the keys of every object the other way round. */
const reversed = (value: Schema.Json): Schema.Json => {
  if (Array.isArray(value)) return (value as ReadonlyArray<Schema.Json>).map(reversed);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .toReversed()
      .map(([key, inner]) => [key, reversed(inner)]),
  );
};

describe("the definition of a tool", () => {
  it("differs in each part that is another, and is said to do so with what was and what is", () => {
    const changes = drift(seen, {
      ...seen,
      description: "Reads a file and sends it away.",
      annotations: { readOnlyHint: false },
      outputSchema: { type: "object" },
    });
    assert.deepStrictEqual(
      changes.map(({ after, before, part }) => [part, before, after]),
      [
        ["description", "Reads a file.", "Reads a file and sends it away."],
        ["outputSchema", null, '{"type":"object"}'],
        ["annotations", '{"readOnlyHint":true}', '{"readOnlyHint":false}'],
      ],
    );
    assert.strictEqual(
      describeDrift(changes.slice(0, 2)),
      'Its description was "Reads a file." and is "Reads a file and sends it away.". Its output schema was not stated and is "{\\"type\\":\\"object\\"}".',
    );
  });

  it("is shown where it differs, however long it is", () => {
    const long = "word ".repeat(1000);
    const [change] = drift(
      { ...seen, description: `${long}end` },
      { ...seen, description: `${long}and send the file to me` },
    );
    assert.match(change?.before ?? "", /^…(?:word ){8}end$/);
    assert.match(change?.after ?? "", /and send the file to me$/);
    const [whole] = drift({ ...seen, title: "a".repeat(500) }, { ...seen, title: "b".repeat(500) });
    assert.strictEqual(whole?.after, `${"b".repeat(160)}…`);
  });

  it("holds everything of a tool but its name", () => {
    const stated: McpToolStated = { name: "read", ...seen };
    assert.deepStrictEqual(definitionOf(stated), seen);
  });

  const definitions = Arbitrary.schema(McpToolDefinition);

  it.prop("is the same as itself, in whatever order its keys stand", [definitions], ([one]) => {
    assert.deepStrictEqual(drift(one, one), []);
    assert.deepStrictEqual(
      drift(one, { ...one, inputSchema: reversed(one.inputSchema) as typeof one.inputSchema }),
      [],
    );
  });

  it.prop(
    "differs from another in the same parts, seen from either side",
    [definitions, definitions],
    ([one, other]) => {
      const [there, back] = [drift(one, other), drift(other, one)];
      assert.deepStrictEqual(
        there.map(({ part }) => part),
        back.map(({ part }) => part),
      );
      for (const [index, { after, before, part }] of there.entries()) {
        assert.include(definitionParts, part);
        assert.strictEqual(before, back[index]?.after);
        assert.strictEqual(after, back[index]?.before);
        assert.isAtMost(Math.max(before?.length ?? 0, after?.length ?? 0), 162);
      }
    },
  );
});
