import { assert, describe, it } from "@effect/vitest";
import * as jsonText from "../src/internal/jsonText.ts";

const spaced = ' { "a" : 1.0 , "b\\u0063" : [ 12345678901234567890 , "x\\"]}" , {"q": null} ] ,"a": {"z":1,"y":2e5} }';

describe("JSON as text", () => {
  it("gives the text of a member as it stands, the last of two with one name", () => {
    assert.strictEqual(jsonText.memberOf(spaced, "a"), '{"z":1,"y":2e5}');
    assert.strictEqual(jsonText.memberOf(spaced, "bc"), '[ 12345678901234567890 , "x\\"]}" , {"q": null} ]');
    assert.isUndefined(jsonText.memberOf(spaced, "c"));
    assert.isUndefined(jsonText.memberOf("{}", "a"));
    assert.isUndefined(jsonText.memberOf('[{"a":1}]', "a"));
  });

  it("gives the texts of an array's elements", () => {
    assert.deepStrictEqual(jsonText.elementsOf(jsonText.memberOf(spaced, "bc") ?? ""), [
      "12345678901234567890",
      '"x\\"]}"',
      '{"q": null}',
    ]);
    assert.deepStrictEqual(jsonText.elementsOf("[ ]"), []);
    assert.deepStrictEqual(jsonText.elementsOf("null"), []);
    assert.deepStrictEqual(jsonText.elementsOf("[[],true,-1.50]"), ["[]", "true", "-1.50"]);
  });

  it("replaces members where they stand and adds others at the end", () => {
    const changed = jsonText.withMembers(
      '{ "a": 1.0, "b": "x" , "c":[]}',
      new Map([
        ["b", '"y"'],
        ["d", "2.50"],
      ]),
    );
    assert.strictEqual(changed, '{ "a": 1.0, "b": "y" , "c":[],"d":2.50}');
    assert.strictEqual(jsonText.withMembers("{ }", new Map([["d", "1"]])), '{"d":1 }');
    assert.strictEqual(jsonText.withMembers('{"a":1 }', new Map([["a", "2"]])), '{"a":2 }');
  });

  it("reads events whose line ends are lost, and nothing else", () => {
    assert.deepStrictEqual(jsonText.gluedValues('{"a":1}event: ping\n{"b":"}event: x"}data: {"c":1}data: [DONE]'), [
      '{"a":1}',
      '{"b":"}event: x"}',
      '{"c":1}',
    ]);
    assert.isUndefined(jsonText.gluedValues('{"a":1} and more'));
    assert.isUndefined(jsonText.gluedValues("words"));
  });
});
