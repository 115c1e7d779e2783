/**
 * What is printed of texts that others wrote.
 */
import { assert, describe, it } from "@effect/vitest";
import { printable, shortened, wrapped } from "../src/cli/printable.ts";

describe("a text made printable", () => {
  it("is one line without control or direction characters, which are shown", () => {
    assert.strictEqual(printable("  a\r\n\tb\u2028c  "), "a b c");
    assert.strictEqual(printable("\u001b[31mred\u0007\u007f\u009b\u202e"), "␛[31mred␇␡��");
    assert.strictEqual(printable("half \ud800 a pair"), "half � a pair");
  });

  it("keeps letters, emoji and joined emoji as they are", () => {
    const text = "Größe 日本 👩‍🚀 e\u0301";
    assert.strictEqual(printable(text), text);
  });
});

describe("a shortened text", () => {
  it("is whole when it fits", () => {
    assert.strictEqual(shortened("日本語", 6), "日本語");
    assert.strictEqual(shortened("", 0), "");
  });

  it("counts wide characters twice and cuts between them", () => {
    assert.strictEqual(shortened("日本語の文", 6), "日本…");
    assert.strictEqual(shortened("a👩‍🚀👩‍🚀b", 4), "a👩‍🚀…");
    assert.strictEqual(shortened("one two", 5), "one…");
  });
});

describe("a wrapped text", () => {
  it("breaks at spaces, else between characters, and loses nothing but those spaces", () => {
    assert.deepStrictEqual(wrapped("one two three", 7), ["one two", "three"]);
    assert.deepStrictEqual(wrapped("one two three", 8), ["one two", "three"]);
    assert.deepStrictEqual(wrapped("unbreakable", 4), ["unbr", "eaka", "ble"]);
    assert.deepStrictEqual(wrapped("日本語の文", 5), ["日本", "語の", "文"]);
    assert.deepStrictEqual(wrapped("", 5), [""]);
  });

  it("gives up rather than going round when not one character fits", () => {
    assert.deepStrictEqual(wrapped("日本", 1), ["日本"]);
  });
});
