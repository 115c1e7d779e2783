import { assert, describe, it } from "@effect/vitest";
import * as Result from "effect/Result";
import * as Script from "../src/protocols/scripted/Script.ts";

const problems = (value: unknown): ReadonlyArray<string> => {
  const decoded = Script.decode(typeof value === "string" ? value : JSON.stringify(value));
  return Result.isFailure(decoded)
    ? decoded.failure.map(({ path, rule }) => `${path}: ${rule}`)
    : ["the script was accepted"];
};

const script = (...turns: ReadonlyArray<unknown>) => ({ format: "cahier.script/1", turns });

describe("a script", () => {
  it("with every field is read as it stands", () => {
    const value = {
      ...script(
        {
          text: "a",
          reasoning: "r",
          toolCalls: [
            { name: "read", arguments: { path: "a" } },
            { id: "x", name: "write", rawArguments: '{"' },
            { id: null, name: "finish", arguments: null },
          ],
          usage: { inputTokens: 1, outputTokens: 2, cachedTokens: 0, reasoningTokens: 1 },
          delayMs: 5,
        },
        { error: { status: 429, retryAfter: 1.5, body: { error: "slow" } } },
        { text: "abc", error: { cutAfterChars: 0 } },
        { error: { hang: true } },
        {},
      ),
      agents: { critic: [{ turns: [{ text: "first" }] }, { turns: [] }] },
    };
    assert.deepStrictEqual(Script.decode(`\uFEFF${JSON.stringify(value)}`), Result.succeed(value as never));
  });

  it("may have turns of agents alone", () => {
    assert.isTrue(Result.isSuccess(Script.decode('{"format":"cahier.script/1","agents":{}}')));
  });

  const refused: ReadonlyArray<readonly [string, unknown, RegExp]> = [
    ["is empty", "  ", /^: the script is empty$/],
    ["is no JSON", '{"format":', /^: the script is not JSON/],
    ["is no object", [], /^: /],
    ["has another format", { format: "cahier.script/2", turns: [] }, /^format: .*cahier\.script\/1/],
    ["has no turns and no agents", { format: "cahier.script/1" }, /^: must have turns or agents$/],
    ["has an unknown field", { ...script(), turn: [] }, /^turn: /],
    ["has an unknown field in a turn", script({}, { txt: "a" }), /^turns\[1\]\.txt: is no field of a script$/],
    ["has text that is no string", script({ text: 1 }), /^turns\[0\]\.text: .*string/i],
    [
      "has a call without a name",
      script({ toolCalls: [{ id: "x" }] }),
      /^turns\[0\]\.toolCalls\[0\]\.name: is missing$/,
    ],
    [
      "has both forms of arguments",
      script({ toolCalls: [{ name: "a", arguments: {}, rawArguments: "{}" }] }),
      /^turns\[0\]\.toolCalls\[0\]: has both arguments and rawArguments/,
    ],
    [
      "has two errors in a turn",
      script({ error: { status: 500, hang: true } }),
      /^turns\[0\]\.error: must have exactly one/,
    ],
    ["has an empty error", script({ error: {} }), /^turns\[0\]\.error: must have exactly one/],
    ["has retryAfter without a status", script({ error: { hang: true, retryAfter: 1 } }), /need a status/],
    ["has a status that is no error", script({ error: { status: 200 } }), /^turns\[0\]\.error\.status: /],
    ["has hang that is not true", script({ error: { hang: false } }), /^turns\[0\]\.error\.hang: /],
    ["has a negative count", script({ usage: { inputTokens: -1, outputTokens: 0 } }), /usage\.inputTokens: /],
    ["has usage without outputTokens", script({ usage: { inputTokens: 1 } }), /usage\.outputTokens: /],
    ["has a fraction as a delay", script({ delayMs: 0.5 }), /^turns\[0\]\.delayMs: /],
    ["has agents of a wrong form", { ...script(), agents: { a: { turns: [] } } }, /^agents\.a: /],
  ];

  for (const [what, value, expected] of refused) {
    it(`that ${what} is refused with the place and the rule`, () => {
      assert.isTrue(
        problems(value).some((line) => expected.test(line)),
        problems(value).join("\n"),
      );
    });
  }

  it("reports all its problems at once", () => {
    assert.strictEqual(problems(script({ text: 1 }, { txt: 1 }, { delayMs: -1 })).length, 3);
  });
});
