import * as Message from "@cahier/domain/model/Message";
import { assert, describe, it } from "@effect/vitest";
import * as Result from "effect/Result";
import { bytes, cuts, decoding, feed } from "./support/decode.ts";

const { asked, problem, success } = decoding("anthropic-messages");

const events = (...all: ReadonlyArray<string | object>): string =>
  all
    .map((event) => {
      const data = typeof event === "string" ? event : JSON.stringify(event);
      return `event: ${/"type":\s*"(\w+)"/.exec(data)?.[1] ?? ""}\ndata: ${data}\n\n`;
    })
    .join("");

const start =
  '{"type":"message_start","message":{"id":"msg_1","model":"claude-x","content":[],"usage":{"input_tokens":5,"cache_creation_input_tokens":3,"cache_read_input_tokens":4,"output_tokens":1}}}';
const open = (index: number, block: string): string =>
  `{"type":"content_block_start","index":${index},"content_block":${block}}`;
const grow = (index: number, delta: string): string =>
  `{"type":"content_block_delta","index":${index},"delta":${delta}}`;
const close = (index: number): object => ({ type: "content_block_stop", index });
const stop = (reason: string): ReadonlyArray<object> => [
  { type: "message_delta", delta: { stop_reason: reason }, usage: { output_tokens: 9, input_tokens: null } },
  { type: "message_stop" },
];

const nativesOf = (body: string): ReadonlyArray<string> =>
  success(body).response.message.parts.flatMap((part) => (part.type === "native" ? [part.json] : []));

const stream = events(
  start,
  open(0, '{"type":"thinking","thinking":"","signature":""}'),
  { type: "ping" },
  grow(0, '{"type":"thinking_delta","thinking":"Zuerst "}'),
  grow(0, '{"type":"thinking_delta","thinking":"das Meer 🌊."}'),
  grow(0, '{"type":"signature_delta","signature":"c2ln/+="}'),
  close(0),
  open(1, '{"type":"redacted_thinking","data":"ZGF0YQ=="}'),
  close(1),
  open(2, '{"citations":null,"type":"text","text":""}'),
  grow(2, '{"type":"text_delta","text":"Grüße, "}'),
  grow(2, '{"type":"citations_delta","citation":{"z":1.0,"a":12345678901234567890}}'),
  grow(2, '{"type":"text_delta","text":"世界\\u2028."}'),
  close(2),
  open(3, '{"type":"tool_use","id":"toolu_1","name":"read","input":{},"caller":{"type":"direct"}}'),
  grow(3, '{"type":"input_json_delta","partial_json":""}'),
  grow(3, '{"type":"input_json_delta","partial_json":"{\\"n\\": 1"}'),
  grow(3, '{"type":"input_json_delta","partial_json":".0}"}'),
  close(3),
  open(4, '{ "type":"tomorrow_block", "weight": 1.50, "big": 12345678901234567890 }'),
  grow(4, '{"type":"tomorrow_delta","content":"a"}'),
  grow(4, '{"type":"tomorrow_delta","content":"b","state":{"k": 2.0}}'),
  close(4),
  ...stop("tool_use"),
);

describe("a streamed Messages response", () => {
  it("becomes text, reasoning, native blocks and calls, with usage that counts the cache", () => {
    const { response, seen } = success(stream);
    const native = { type: "native", format: "anthropic-messages", source: "custom", model: "tiny" };
    assert.deepStrictEqual<unknown>(response, {
      message: {
        role: "assistant",
        parts: [
          { type: "text", text: "Grüße, 世界\u2028." },
          { type: "reasoning", text: "Zuerst das Meer 🌊." },
          { ...native, json: '{"type":"thinking","thinking":"Zuerst das Meer 🌊.","signature":"c2ln/+="}' },
          { ...native, json: '{"type":"redacted_thinking","data":"ZGF0YQ=="}' },
          {
            ...native,
            json: '{"citations":[{"z":1.0,"a":12345678901234567890}],"type":"text","text":"Grüße, 世界\u2028."}',
          },
          {
            ...native,
            json: '{"type":"tool_use","id":"toolu_1","name":"read","input":{"n": 1.0},"caller":{"type":"direct"}}',
          },
          {
            ...native,
            json: '{ "type":"tomorrow_block", "weight": 1.50, "big": 12345678901234567890,"content":"ab","state":{"k": 2.0} }',
          },
          { type: "toolCall", callId: "toolu_1", name: "read", arguments: '{"n": 1.0}' },
        ],
      },
      finish: "toolCalls",
      responseId: "msg_1",
      model: "claude-x",
      usage: { inputTokens: 12, outputTokens: 9, cachedTokens: 4 },
    });
    assert.strictEqual(seen.joined("text"), "Grüße, 世界\u2028.");
    assert.strictEqual(seen.joined("reasoning"), "Zuerst das Meer 🌊.");
    assert.strictEqual(seen.argumentsOf(0), '{"n": 1.0}');
  });

  it("gives the same response wherever the bytes are cut, also without its line ends", () => {
    const all = bytes(stream);
    const whole = feed([all], { request: asked }).result;
    for (const pieces of cuts(all)) assert.deepStrictEqual(feed(pieces, { request: asked }).result, whole);
    assert.deepStrictEqual(feed([bytes(stream.replaceAll("\n\n", ""))], { request: asked }).result, whole);
  });

  it("cut at any byte ends in one problem with the text that had arrived, or in the whole response", () => {
    const all = bytes(stream);
    for (let at = 0; at < all.length; at += 1) {
      const fed = feed([all.subarray(0, at)], { interrupted: true, request: asked });
      const arrived = Result.isSuccess(fed.result) ? fed.result.success : fed.partial;
      assert.strictEqual(arrived === undefined ? "" : Message.textOf(arrived.message), fed.seen.joined("text"));
    }
    const cut = problem(stream.slice(0, stream.indexOf("message_delta") - 20));
    assert.strictEqual(cut.problem._tag, "interrupted");
    assert.isFalse(cut.partial?.message.parts.some((part) => part.type === "native"));
  });

  it("with input that was cut keeps the raw arguments and a block that is still JSON", () => {
    const body = events(
      start,
      open(0, '{"type":"tool_use","id":"t","name":"read","input":{}}'),
      grow(0, '{"type":"input_json_delta","partial_json":"{\\"a\\": \\"b"}'),
      close(0),
      ...stop("max_tokens"),
    );
    const { message, finish } = success(body).response;
    assert.strictEqual(finish, "length");
    assert.strictEqual(Message.toolCallsOf(message)[0]?.arguments, '{"a": "b');
    assert.deepStrictEqual(nativesOf(body), ['{"type":"tool_use","id":"t","name":"read","input":{}}']);
  });

  it("with an error event is that error, with its status and what came before", () => {
    const so = [start, open(0, '{"type":"text","text":"So"}')];
    const failing = (type: string) => problem(events(...so, { type: "error", error: { type, message: "as said" } }));
    const overloaded = failing("overloaded_error");
    assert.deepInclude(overloaded.problem, { _tag: "error", status: 529 });
    assert.strictEqual(overloaded.partial === undefined ? "" : Message.textOf(overloaded.partial.message), "So");
    assert.deepInclude(failing("rate_limit_error").problem, { status: 429 });
    assert.deepInclude(failing("authentication_error").problem, { status: 401 });
    assert.deepInclude(failing("invalid_request_error").problem, { status: 400 });
    assert.deepInclude(failing("request_too_large").problem, { status: 413 });
    assert.deepInclude(failing("api_error").problem, { status: 500 });
    assert.deepInclude(problem('event: error\ndata: {"oops":1}\n\n').problem, { _tag: "error", status: 500 });
  });

  it("of events in no known form is invalid, of unknown events alone too", () => {
    assert.strictEqual(problem(events(start, '{"type":"content_block_start","index":0}')).problem._tag, "invalid");
    assert.strictEqual(problem(events(start, grow(7, '{"type":"text_delta","text":"a"}'))).problem._tag, "invalid");
    assert.strictEqual(problem(events({ type: "tomorrow" })).problem._tag, "invalid");
    assert.strictEqual(problem(events({ type: "message_stop" })).problem._tag, "invalid");
  });

  it("without an id or a name of a call is a fault", () => {
    const calling = (block: string) => problem(events(start, open(0, block), close(0), ...stop("tool_use")));
    assert.strictEqual(calling('{"type":"tool_use","name":"read","input":{}}').problem._tag, "toolCall");
    assert.strictEqual(calling('{"type":"tool_use","id":"t","input":{}}').problem._tag, "toolCall");
  });
});

describe("a Messages response in one body", () => {
  const blocks = [
    '{"type":"thinking", "thinking":"Hm","signature":"c2ln"}',
    '{"type":"text","text":"a\\u00e4"}',
    '{"signature":"bW9yZQ","thinking":"so","type":"thinking"}',
    '{"type":"text","text":"b"}',
    '{"type":"tool_use","id":"t","name":"read","input":{ "n": 1.0, "big": 12345678901234567890 }}',
    '{"type":"server_tool_use","id":"s","name":"web_search","input":{"q":1}}',
  ];
  const body = (content: string, reason = "tool_use") =>
    `{"id":"msg_2","content":[${content}],"model":"claude-x","stop_reason":"${reason}","usage":{"input_tokens":1,"output_tokens":2,"output_tokens_details":{"thinking_tokens":1}}}`;

  it("keeps every block as it stands in the body, in order", () => {
    const text = body(blocks.join(" ,\n"));
    assert.deepStrictEqual(nativesOf(text), blocks);
    const { response, seen } = success(text);
    assert.strictEqual(Message.textOf(response.message), "aäb");
    assert.strictEqual(Message.reasoningOf(response.message), "Hm\n\nso");
    assert.strictEqual(seen.joined("reasoning"), "Hm\n\nso");
    assert.deepStrictEqual(
      Message.toolCallsOf(response.message).map(({ arguments: raw }) => raw),
      ['{ "n": 1.0, "big": 12345678901234567890 }'],
    );
    assert.deepStrictEqual(response.usage, { inputTokens: 1, outputTokens: 2, reasoningTokens: 1 });
  });

  it("names every stop reason", () => {
    const finishOf = (reason: string) => success(body(blocks[1] ?? "", reason)).response.finish;
    assert.deepStrictEqual(
      ["end_turn", "stop_sequence", "max_tokens", "model_context_window_exceeded", "refusal", "pause_turn"].map(
        finishOf,
      ),
      ["stop", "stop", "length", "length", "refusal", "other"],
    );
  });

  it("that is an error or no message is a problem", () => {
    assert.deepInclude(problem('{"type":"error","error":{"type":"not_found_error","message":"no"}}').problem, {
      _tag: "error",
      status: 404,
    });
    for (const text of ['{"content":"words"}', '{"content":[{"text":"a"}]}', "[]", '{"content":[', "<html>"]) {
      assert.strictEqual(problem(text).problem._tag, "invalid", text);
    }
  });
});
