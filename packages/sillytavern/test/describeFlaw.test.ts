import { assert, describe, it } from "@effect/vitest";
import { describeFlaw } from "../src/chat/internal/describeFlaw.ts";
import { parseObject } from "../src/chat/internal/json.ts";
import * as RandomChat from "./support/RandomChat.ts";

describe("a line that is no JSON object", () => {
  it("is said to be cut off at every place where an object can be cut, in any spelling", () => {
    for (let seed = 0; seed < 60; seed += 1) {
      const value = RandomChat.value(RandomChat.randomOf(seed), 3);
      const text = String.raw`{ "a\u0041\"\\" : ${value} ,"b":[-1.5e+3,true,false,null,[]]}`;
      assert.isNotNull(parseObject(text));
      for (let end = 1; end < text.length; end += 1) {
        assert.match(describeFlaw(text.slice(0, end)), /^is cut off\./, text.slice(0, end));
      }
    }
  });

  it("is not said to be cut off where nothing after its end would make it an object", () => {
    const object = '{"a":["x",1],"b":{"c":null}}';
    for (let at = 1; at <= object.length; at += 1) {
      for (const odd of isInsideString(object, at) ? ["\u0007"] : ["}}}", "@", "\u0007"]) {
        const text = object.slice(0, at) + odd;
        assert.notMatch(describeFlaw(text), /cut off/, text);
      }
    }
  });

  it("of many millions of characters is described within seconds", () => {
    const text = `{"mes":"${String.raw`word \n`.repeat(2_000_000)}`;
    const began = performance.now();
    assert.match(describeFlaw(text), /^is cut off/);
    assert.match(describeFlaw(`${text}" oops`), /^is not JSON/);
    assert.isBelow(performance.now() - began, 5000);
  });
});

const isInsideString = (text: string, at: number): boolean => text.slice(0, at).split('"').length % 2 === 0;
