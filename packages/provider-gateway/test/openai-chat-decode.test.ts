import * as Message from "@cahier/domain/model/Message";
import { assert, describe, it } from "@effect/vitest";
import * as Result from "effect/Result";
import { bytes, cuts, feed } from "./support/decode.ts";
import { chunk, sseBody } from "./support/requests.ts";

const usage = {
  prompt_tokens: 12,
  completion_tokens: 7,
  prompt_tokens_details: { cached_tokens: 4 },
  completion_tokens_details: { reasoning_tokens: 2 },
};

const success = (body: string) => {
  const fed = feed([bytes(body)]);
  if (Result.isFailure(fed.result)) throw new Error(JSON.stringify(fed.result.failure));
  return { response: fed.result.success, seen: fed.seen };
};

const problem = (body: string, options: Parameters<typeof feed>[1] = {}) => {
  const fed = feed([bytes(body)], options);
  if (Result.isSuccess(fed.result)) throw new Error("the body was accepted");
  return { problem: fed.result.failure.problem, partial: fed.partial };
};

const call = (index: number | undefined, id: string | undefined, name: string | undefined, text: unknown) => ({
  tool_calls: [
    {
      ...(index === undefined ? {} : { index }),
      ...(id === undefined ? {} : { id }),
      type: "function",
      function: { ...(name === undefined ? {} : { name }), arguments: text },
    },
  ],
});

const callsOf = (body: string) =>
  Message.toolCallsOf(success(body).response.message).map((part) => [part.callId, part.name, part.arguments]);

describe("a streamed Chat Completions response", () => {
  it("keeps the counts that can be read beside those that cannot", () => {
    const usageOf = (reported: object) =>
      success(sseBody(chunk({ content: "x" }, "stop"), { choices: [], usage: reported }, "[DONE]")).response.usage;
    const odd = { ...usage, prompt_tokens_details: { cached_tokens: "3" }, prompt_cache_hit_tokens: [] };
    assert.deepStrictEqual(usageOf(odd), { inputTokens: 12, outputTokens: 7, reasoningTokens: 2 });
    assert.deepStrictEqual(usageOf({ prompt_tokens: 5, completion_tokens: "7", prompt_tokens_details: 1 }), {
      inputTokens: 5,
      outputTokens: 0,
    });
    assert.isUndefined(usageOf({ prompt_tokens: "5" }));
  });

  it("is not lost by what stands behind its finish, nor by an error that is none", () => {
    const whole = [chunk({ content: "Hi" }), chunk({}, "stop", { error: "" })];
    for (const tail of ["[DONE] ", " [DONE]", "ping", "{broken"]) {
      assert.strictEqual(Message.textOf(success(sseBody(...whole, tail)).response.message), "Hi", tail);
    }
    assert.strictEqual(problem(sseBody(chunk({ content: "Hi" }), "ping")).problem._tag, "invalid");
    assert.strictEqual(problem(sseBody(...whole, { error: { code: 503 } })).problem._tag, "error");
  });

  const stream = `\uFEFF: keep-alive\nretry: 10\n\n${sseBody(
    chunk({ role: "assistant", content: "" }),
    chunk({ reasoning_content: "denken – " }),
    chunk({ reasoning_content: "gut" }),
    chunk({ content: "\n" }),
    chunk({ content: "Grüße, 世界 " }),
    chunk({ content: "🙂\u2028." }),
    chunk(call(0, "call_a", "read", "")),
    chunk(call(0, undefined, undefined, '{"path":')),
    chunk(call(1, "call_b", "write", '{"é":1}')),
    chunk(call(0, undefined, undefined, '"a.md"}')),
    chunk({}, "tool_calls"),
    { id: "chatcmpl-1", choices: [], usage },
    "[DONE]",
  )}`;

  it("gives the same response and the same deltas wherever the bytes are cut", () => {
    const all = bytes(stream);
    const whole = feed([all]);
    assert.isTrue(Result.isSuccess(whole.result));
    for (const pieces of cuts(all)) {
      const fed = feed(pieces);
      assert.deepStrictEqual(fed.result, whole.result);
      assert.deepStrictEqual(fed.seen.deltas, whole.seen.deltas);
    }
  });

  it("gives the same response with CR LF line ends", () => {
    assert.deepStrictEqual(feed([bytes(stream.replaceAll("\n", "\r\n"))]).result, feed([bytes(stream)]).result);
  });

  it("becomes text, reasoning and tool calls in this order, with usage, id and model", () => {
    const { response, seen } = success(stream);
    assert.deepStrictEqual(response, {
      message: {
        role: "assistant",
        parts: [
          { type: "text", text: "\nGrüße, 世界 🙂\u2028." },
          { type: "reasoning", text: "denken – gut" },
          { type: "toolCall", callId: "call_a" as never, name: "read", arguments: '{"path":"a.md"}' },
          { type: "toolCall", callId: "call_b" as never, name: "write", arguments: '{"é":1}' },
        ],
      },
      finish: "toolCalls",
      responseId: "chatcmpl-1",
      model: "tiny-2",
      usage: { inputTokens: 12, outputTokens: 7, cachedTokens: 4, reasoningTokens: 2 },
    });
    assert.strictEqual(seen.joined("text"), Message.textOf(response.message));
    assert.strictEqual(seen.joined("reasoning"), "denken – gut");
    assert.strictEqual(seen.argumentsOf(0), '{"path":"a.md"}');
    assert.strictEqual(seen.argumentsOf(1), '{"é":1}');
    assert.strictEqual(seen.deltas.filter((delta) => delta.type === "toolCallEnd").length, 2);
  });

  it("cut at any byte ends in one problem with the text that had arrived, or in the whole response", () => {
    const all = bytes(stream);
    const text = "\nGrüße, 世界 🙂\u2028.";
    let complete = 0;
    for (let at = 0; at < all.length; at += 1) {
      for (const interrupted of [true, false]) {
        const fed = feed([all.subarray(0, at)], { interrupted });
        const partial = fed.partial === undefined ? "" : Message.textOf(fed.partial.message);
        assert.isTrue(text.startsWith(partial), `at ${at}: ${partial}`);
        assert.strictEqual(partial, fed.seen.joined("text"));
        if (Result.isSuccess(fed.result)) complete += 1;
        else assert.include(["interrupted", "invalid"], fed.result.failure.problem._tag);
      }
    }
    assert.isAbove(complete, 0);
    const lastText = stream.indexOf("call_a");
    const cut = feed([bytes(stream.slice(0, lastText))], { interrupted: true });
    assert.strictEqual(cut.partial === undefined ? "" : Message.textOf(cut.partial.message), text);
  });

  it("may lack the end mark or the finish reason, but not both", () => {
    assert.strictEqual(success(sseBody(chunk({ content: "a" }, "stop"))).response.finish, "stop");
    assert.strictEqual(success(sseBody(chunk({ content: "a" }), "[DONE]")).response.finish, "stop");
    const cut = problem(sseBody(chunk({ content: "abc" })));
    assert.strictEqual(cut.problem._tag, "interrupted");
    assert.strictEqual(cut.partial === undefined ? "" : Message.textOf(cut.partial.message), "abc");
  });

  it("may end without its last blank line", () => {
    const body = sseBody(chunk({ content: "a" }, "stop")).trimEnd();
    assert.strictEqual(Message.textOf(success(body).response.message), "a");
  });

  it("that is only blank text has no text part and no text delta", () => {
    const { response, seen } = success(sseBody(chunk({ content: "\n\n" }), chunk(call(0, "c", "read", "{}"), "stop")));
    assert.deepStrictEqual(
      response.message.parts.map((part) => part.type),
      ["toolCall"],
    );
    assert.strictEqual(seen.joined("text"), "");
    assert.strictEqual(response.finish, "toolCalls");
  });

  it("takes only the first of several choices", () => {
    const other = { choices: [{ index: 1, delta: { content: "B" }, finish_reason: "length" }] };
    const { response } = success(sseBody(chunk({ content: "A" }), other, chunk({}, "stop")));
    assert.strictEqual(Message.textOf(response.message), "A");
    assert.strictEqual(response.finish, "stop");
  });

  it("with bytes that are not UTF-8 keeps going with replacement characters", () => {
    const body = bytes(sseBody(chunk({ content: "a?b" }, "stop")));
    const broken = body.map((byte) => (byte === 0x3f ? 0xff : byte));
    const { result } = feed([broken]);
    assert.strictEqual(Result.isSuccess(result) ? Message.textOf(result.success.message) : "", "a\uFFFDb");
  });
});

describe("tool calls of compatible servers", () => {
  const done = chunk({}, "tool_calls");

  it("come whole in one chunk, several at a time", () => {
    const both = {
      tool_calls: [...call(0, "x", "a", "{}").tool_calls, ...call(1, "y", "b", '{"k":1}').tool_calls],
    };
    assert.deepStrictEqual(callsOf(sseBody(chunk(both, "tool_calls"))), [
      ["x", "a", "{}"],
      ["y", "b", '{"k":1}'],
    ]);
  });

  it("come without an index", () => {
    const body = sseBody(
      chunk(call(undefined, "x", "a", '{"p"')),
      chunk(call(undefined, undefined, undefined, ":1}")),
      chunk(call(undefined, "y", "b", "{}")),
      done,
    );
    assert.deepStrictEqual(callsOf(body), [
      ["x", "a", '{"p":1}'],
      ["y", "b", "{}"],
    ]);
  });

  it("come all at index 0, told apart by their ids", () => {
    const body = sseBody(chunk(call(0, "x", "a", "{}")), chunk(call(0, "y", "b", "{}")), done);
    assert.deepStrictEqual(callsOf(body), [
      ["x", "a", "{}"],
      ["y", "b", "{}"],
    ]);
  });

  it("come with id and name repeated in every piece", () => {
    const body = sseBody(chunk(call(0, "x", "read", '{"p"')), chunk(call(0, "x", "read", ":1}")), done);
    assert.deepStrictEqual(callsOf(body), [["x", "read", '{"p":1}']]);
  });

  it("come with the name in pieces and with empty ids after the first", () => {
    const body = sseBody(chunk(call(0, "x", "re", "")), chunk(call(0, "", "ad", "{}")), done);
    assert.deepStrictEqual(callsOf(body), [["x", "read", "{}"]]);
  });

  it("come with arguments as an object, as null, and under the name args", () => {
    const args = { tool_calls: [{ index: 2, id: "z", function: { name: "c", args: '{"q":2}' } }] };
    const body = sseBody(
      chunk(call(0, "x", "a", { p: 1 })),
      chunk(call(1, "y", "b", null)),
      chunk(args),
      chunk({}, "stop"),
    );
    assert.deepStrictEqual(callsOf(body), [
      ["x", "a", '{"p":1}'],
      ["y", "b", ""],
      ["z", "c", '{"q":2}'],
    ]);
  });

  it("keep raw arguments as they were sent, even when they are no JSON", () => {
    assert.deepStrictEqual(callsOf(sseBody(chunk(call(0, "x", "a", '{"p": 1.0, ')), done)), [
      ["x", "a", '{"p": 1.0, '],
    ]);
  });

  it("without an id, without a name, or with an id twice are a fault and never get one invented", () => {
    const noId = problem(sseBody(chunk({ content: "so " }), chunk(call(0, undefined, "a", "{}")), done));
    assert.strictEqual(noId.problem._tag, "toolCall");
    assert.strictEqual(noId.partial === undefined ? "" : Message.textOf(noId.partial.message), "so ");
    assert.strictEqual(problem(sseBody(chunk(call(0, "x", undefined, "{}")), done)).problem._tag, "toolCall");
    const twice = sseBody(chunk(call(0, "x", "a", "{}")), chunk(call(1, "x", "b", "{}")), done);
    assert.strictEqual(problem(twice).problem._tag, "toolCall");
    const legacy = sseBody(chunk({ function_call: { name: "a", arguments: "{}" } }, "function_call"));
    assert.strictEqual(problem(legacy).problem._tag, "toolCall");
  });
});

describe("a Chat Completions response in one body", () => {
  const completion = (message: unknown, finish: string | null = "stop", extra: object = {}): string =>
    JSON.stringify({
      id: "chatcmpl-2",
      model: "tiny-2",
      choices: [{ index: 0, message, finish_reason: finish }],
      usage,
      ...extra,
    });

  it("gives the same response wherever the bytes are cut, and its text as a delta", () => {
    const all = bytes(
      completion({ role: "assistant", content: "Grüße 🙂", reasoning: "r", ...call(undefined, "x", "a", "{}") }),
    );
    const whole = feed([all]);
    assert.strictEqual(whole.seen.joined("text"), "Grüße 🙂");
    assert.isTrue(Result.isSuccess(whole.result) && whole.result.success.finish === "toolCalls");
    for (const pieces of cuts(all)) assert.deepStrictEqual(feed(pieces).result, whole.result);
  });

  it("is accepted whether or not streaming was asked for, after blank keep-alive text too", () => {
    assert.strictEqual(Message.textOf(success(`\n \n${completion({ content: "a" })}`).response.message), "a");
  });

  it("with content parts gives text and thinking", () => {
    const content = [
      { type: "thinking", thinking: [{ type: "text", text: "hm" }] },
      { type: "text", text: "144" },
    ];
    const { message } = success(completion({ content })).response;
    assert.strictEqual(Message.textOf(message), "144");
    assert.strictEqual(Message.reasoningOf(message), "hm");
  });

  it("names every finish reason", () => {
    const finishOf = (finish: string) => success(completion({ content: "a" }, finish)).response.finish;
    assert.deepStrictEqual(
      ["stop", "eos", "length", "content_filter", "MAX_TOKENS", "tool_calls", "odd"].map(finishOf),
      ["stop", "stop", "length", "refusal", "length", "stop", "other"],
    );
  });

  it("with a refusal is the refusal's text", () => {
    const { response } = success(completion({ content: null, refusal: "I cannot." }));
    assert.strictEqual(Message.textOf(response.message), "I cannot.");
    assert.strictEqual(response.finish, "refusal");
  });

  it("without content is an empty message", () => {
    assert.deepStrictEqual(success(completion({ content: null })).response.message.parts, []);
  });

  it("with usage in no known form has none", () => {
    const body = completion({ content: "a" }, "stop", { usage: { prompt_tokens: "many" } });
    assert.isUndefined(success(body).response.usage);
  });

  it("that is cut, HTML, empty, no choice or of a wrong form is invalid", () => {
    const invalid = [
      completion({ content: "abc" }).slice(0, -10),
      "<!DOCTYPE html><p>Bad gateway",
      "",
      "  \n",
      JSON.stringify({ choices: [] }),
      JSON.stringify({ choices: [{ message: { tool_calls: [{ id: 7 }] } }] }),
      "just words",
      "[]",
    ];
    for (const body of invalid) assert.strictEqual(problem(body).problem._tag, "invalid", body);
  });
});

describe("an error inside a successful response", () => {
  const statusOf = (body: string): number => {
    const found = problem(body).problem;
    return found._tag === "error" ? found.status : 0;
  };

  it("is a problem with the status that it names", () => {
    assert.strictEqual(statusOf(sseBody({ error: { code: 429, message: "slow down" } })), 429);
    assert.strictEqual(statusOf(sseBody({ error: { type: "server_error", message: "x" } })), 500);
    assert.strictEqual(statusOf(sseBody({ error: { code: "context_length_exceeded" } })), 400);
    assert.strictEqual(statusOf(sseBody({ error: { type: "overloaded_error" } })), 503);
    assert.strictEqual(statusOf(sseBody({ error: "boom" })), 500);
    assert.strictEqual(statusOf(JSON.stringify({ object: "error", message: "no", code: 404 })), 404);
    assert.strictEqual(statusOf(JSON.stringify([{ error: { code: 400, message: "no" } }])), 400);
    assert.strictEqual(statusOf('event: error\ndata: {"oops":1}\n\n'), 500);
    assert.strictEqual(statusOf(sseBody(chunk({ content: "a" }, "error"))), 500);
  });

  it("keeps the text that came before it", () => {
    const found = problem(sseBody(chunk({ content: "so far" }), { error: { code: 502 } }));
    assert.strictEqual(found.partial === undefined ? "" : Message.textOf(found.partial.message), "so far");
  });

  it("that is null is none", () => {
    assert.strictEqual(success(sseBody(chunk({ content: "a" }, "stop", { error: null }))).response.finish, "stop");
  });
});
