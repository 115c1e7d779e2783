import { assert, describe, it } from "@effect/vitest";
import * as JsonText from "../src/chat/internal/JsonText.ts";
import * as RandomChat from "./support/RandomChat.ts";

describe("edits of JSON as text", () => {
  it("finds the text of any member and element in any spelling", () => {
    const text = ' { "a" : [ 1.0 , {"\\u0062":"x\\"]}"} ] , "c":12345678901234567890 } ';
    assert.strictEqual(JsonText.raw(text, ["a", 0]), "1.0");
    assert.strictEqual(JsonText.raw(text, ["a", 1, "b"]), '"x\\"]}"');
    assert.strictEqual(JsonText.raw(text, ["c"]), "12345678901234567890");
    assert.strictEqual(JsonText.raw(text, ["a", 2]), null);
    assert.strictEqual(JsonText.raw(text, ["a", "b"]), null);
  });

  it("of several members with one name the last counts, as for a parser", () => {
    assert.strictEqual(JsonText.set('{"a":1,"a":2}', ["a"], "3"), '{"a":1,"a":3}');
  });

  it("puts values into empty objects and arrays", () => {
    assert.strictEqual(JsonText.set("{ }", ["a"], "1"), '{"a":1 }');
    assert.strictEqual(JsonText.push('{"a":[ ]}', ["a"], "1"), '{"a":[1 ]}');
  });

  it("leaves a text alone whose path does not exist", () => {
    assert.strictEqual(JsonText.set('{"a":1}', ["b", "c"], "1"), '{"a":1}');
    assert.strictEqual(JsonText.push('{"a":1}', ["a"], "1"), '{"a":1}');
    assert.strictEqual(JsonText.remove('{"a":1}', ["b"]), '{"a":1}');
  });

  it("takes the first and the only element out with their comma", () => {
    assert.strictEqual(JsonText.remove("[1, 2 ,3]", [0]), "[2 ,3]");
    assert.strictEqual(JsonText.remove('{"a":1, "b":2}', ["a"]), '{"b":2}');
    assert.strictEqual(JsonText.remove("[ 1 ]", [0]), "[  ]");
  });

  it("an edit reads back as what was put in, and taking it out gives the first text", () => {
    for (let seed = 0; seed < 500; seed += 1) {
      const random = RandomChat.randomOf(seed);
      const [first, second] = [RandomChat.value(random, 3), RandomChat.value(random, 3)];
      const text = ` { "list" : [ ${first}\t] ,"map":{ "x" : ${second} }  , "last":${first} }`;
      const pushed = JsonText.push(text, ["list"], second);
      assert.deepStrictEqual(JSON.parse(pushed).list, [JSON.parse(first), JSON.parse(second)]);
      assert.strictEqual(JsonText.remove(pushed, ["list", 1]), text);
      const added = JsonText.set(text, ["map", "new"], first);
      assert.deepStrictEqual(JSON.parse(added).map, { x: JSON.parse(second), new: JSON.parse(first) });
      assert.strictEqual(JsonText.remove(added, ["map", "new"]), text);
      const changed = JsonText.set(text, ["map", "x"], first);
      assert.strictEqual(JsonText.set(changed, ["map", "x"], second), text);
    }
  });
});
