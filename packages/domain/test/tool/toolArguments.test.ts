import { assert, describe, it } from "@effect/vitest";
import * as Schema from "effect/Schema";
import { maxNesting } from "../../src/tool/nesting.ts";
import * as ToolArguments from "../../src/tool/ToolArguments.ts";

const encoded = (value: unknown, times: number): string =>
  Array.from({ length: times }).reduce<string>((text) => JSON.stringify(text), JSON.stringify(value));

describe("tool arguments", () => {
  it.each([
    ["absent", ""],
    ["blank", " \n"],
    ["null", "null"],
    ["the empty string", '""'],
    ["the string null", '"null"'],
    ["the string of an empty object", '"{}"'],
    ["the empty object", "{}"],
    ["a doubly encoded null", encoded("null", 1)],
  ])("%s is the empty object", (_name, raw) => {
    assert.deepStrictEqual(ToolArguments.fromRaw(raw), { _tag: "Usable", value: {} });
    assert.strictEqual(JSON.stringify(JSON.parse(ToolArguments.replay(raw))), "{}");
  });

  it.each([
    ["plain", 0, true],
    ["once encoded as a string", 1, true],
    ["twice encoded as a string", 2, true],
    ["three times encoded as a string", 3, false],
  ])("an object that is %s", (_name, times, usable) => {
    const raw = encoded({ path: "output/main.md" }, times);
    const read = ToolArguments.fromRaw(raw);
    assert.deepStrictEqual(
      read,
      usable ? { _tag: "Usable", value: { path: "output/main.md" } } : { _tag: "Unusable", raw },
    );
    assert.strictEqual(ToolArguments.replay(raw), usable ? '{"path":"output/main.md"}' : "{}");
  });

  it.each([
    ["truncated JSON", '{"path":"out'],
    ["truncated JSON in a string", JSON.stringify('{"path":"out')],
    ["an array", "[1]"],
    ["an array in a string", '"[1]"'],
    ["a number", "7"],
    ["a truth value", "true"],
    ["a word", "hello"],
    ["a sentence in a string", '"hello there"'],
    ["two objects", "{}{}"],
  ])("%s stays raw and is replayed as the empty object", (_name, raw) => {
    assert.deepStrictEqual(ToolArguments.fromRaw(raw), { _tag: "Unusable", raw });
    assert.strictEqual(ToolArguments.replay(raw), "{}");
  });

  it("an object that is nested so deep that nothing could walk it stays raw", () => {
    const nested = (levels: number) => `{"a":${"[".repeat(levels)}${"]".repeat(levels)}}`;
    assert.strictEqual(ToolArguments.fromRaw(nested(maxNesting - 1))._tag, "Usable");
    for (const levels of [maxNesting, 200_000])
      assert.strictEqual(ToolArguments.fromRaw(nested(levels))._tag, "Unusable");
  });

  it("an object is replayed byte for byte, spaces, key order and number spelling included", () => {
    const raw = ' {"b": 1.0, "a": 1e2}';
    assert.strictEqual(ToolArguments.replay(raw), raw);
  });

  it.prop("an object survives any encoding that is read", [Schema.Record(Schema.String, Schema.Json)], ([object]) => {
    for (const times of [0, 1, 2]) {
      const read = ToolArguments.fromRaw(encoded(object, times));
      assert.isTrue(read._tag === "Usable");
      if (read._tag === "Usable") assert.strictEqual(JSON.stringify(read.value), JSON.stringify(object));
    }
  });

  it.prop("whatever was sent, what is replayed is the text of an object", [Schema.String], ([raw]) => {
    const replayed: unknown = JSON.parse(ToolArguments.replay(raw));
    assert.isTrue(typeof replayed === "object" && replayed !== null && !Array.isArray(replayed));
  });

  it("a preview shows the beginning and says that there is more", () => {
    assert.strictEqual(ToolArguments.preview("short"), "short");
    assert.strictEqual(ToolArguments.preview("x".repeat(300)), `${"x".repeat(200)}…`);
  });
});
