import { assert, describe, it } from "@effect/vitest";
import * as Schema from "effect/Schema";
import { argumentsSha256, canonicalJson } from "../../src/tool/canonicalArguments.ts";

describe("canonical arguments", () => {
  it("have one form whatever the order of keys and the white space", () => {
    assert.strictEqual(
      canonicalJson({ b: [1, { d: null, c: "x" }], a: true }),
      '{"a":true,"b":[1,{"c":"x","d":null}]}',
    );
    const same = ['{"a":1,"b":2}', '{ "b": 2,\n "a": 1.0 }', JSON.stringify('{"b":2,"a":1}')];
    assert.strictEqual(new Set(same.map(argumentsSha256)).size, 1);
    assert.strictEqual(argumentsSha256("null"), argumentsSha256("{}"));
  });

  it("differ where a value, the order of a list, or unusable text differs", () => {
    const different = ['{"a":1}', '{"a":2}', '{"a":[1,2]}', '{"a":[2,1]}', '{"a":"1"}', "[1]", "[2]", '{"a":'];
    assert.strictEqual(new Set(different.map(argumentsSha256)).size, different.length);
  });

  it.prop("are JSON of the same value", [Schema.Json], ([value]) => {
    const text = canonicalJson(value);
    assert.deepStrictEqual(JSON.parse(text), JSON.parse(JSON.stringify(value)));
    assert.strictEqual(canonicalJson(JSON.parse(text) as Schema.Json), text);
  });
});
