import { assert, describe, it } from "@effect/vitest";
import * as Turns from "../src/prompt/Turns.ts";

/** Oldest first: `u` a user's message, `a` an answer, `-` what is no message. */
const grouped = (chat: string): string =>
  Turns.grouped([...chat].toReversed(), (item) => (item === "-" ? null : item === "u" ? "user" : "assistant"))
    .map((group) => group.toReversed().join(""))
    .toReversed()
    .join(" ");

describe("turns of a chat", () => {
  it("are what the user said with all that answered it", () => {
    assert.strictEqual(grouped("auauuaau"), "a ua uuaa u");
    assert.strictEqual(grouped(""), "");
    assert.strictEqual(grouped("aa"), "aa");
  });

  it("hold what stands within them, and not what stands between them", () => {
    assert.strictEqual(grouped("-a-u-a-ua-"), "- a - u-a - ua -");
    assert.strictEqual(grouped("--"), "- -");
  });
});
