import * as Message from "@cahier/domain/model/Message";
import { assert, describe, it } from "@effect/vitest";
import * as Result from "effect/Result";
import { bytes, cuts, decoding, feed } from "./support/decode.ts";

const { asked, problem, success } = decoding("gemini-interactions");

const events = (...all: ReadonlyArray<string>): string =>
  all.map((data) => `event: ${/"event_type":"([^"]*)"/.exec(data)?.[1] ?? ""}\ndata: ${data}\n\n`).join("");

const nativesOf = (body: string): ReadonlyArray<string> =>
  success(body).response.message.parts.flatMap((part) => (part.type === "native" ? [part.json] : []));

const usage =
  '{"total_input_tokens":10,"total_output_tokens":5,"total_thought_tokens":3,"total_tool_use_tokens":2,"total_cached_tokens":4}';
const created =
  '{"event_type":"interaction.created","interaction":{"id":"v1_1","model":"gemini-x","status":"in_progress"}}';
const completed = (status: string) =>
  `{"event_type":"interaction.completed","interaction":{"id":"v1_1","status":"${status}","usage":${usage}}}`;
const start = (index: number, step: string) => `{"event_type":"step.start","index":${index},"step":${step}}`;
const delta = (index: number, piece: string) => `{"delta":${piece},"event_type":"step.delta","index":${index}}`;
const stop = (index: number) => `{"index":${index},"event_type":"step.stop"}`;

const stream = `${events(
  created,
  '{"event_type":"interaction.status_update","interaction_id":"v1_1","status":"in_progress"}',
  start(0, '{"type":"thought"}'),
  delta(0, '{"content":{"text":"Zuerst","type":"text","n":1.0},"type":"thought_summary"}'),
  delta(0, '{"content":{"text":"dann","type":"text"},"type":"thought_summary"}'),
  delta(0, '{"signature":"c2ln\\u003d","type":"thought_signature"}'),
  stop(0),
  start(1, '{"type":"model_output"}'),
  delta(1, '{"text":"Grüße, ","type":"text"}'),
  delta(1, '{"text":"世界 🙂","type":"text"}'),
  delta(1, '{"type":"text_annotation_delta","annotations":[{"type":"url_citation","start_index":1.0}]}'),
  delta(1, '{"type":"image","data":"AA==","mime_type":"image/png"}'),
  delta(1, '{"text":".","type":"text"}'),
  stop(1),
  start(2, '{"arguments":{},"id":"fc_1","name":"read","type":"function_call"}'),
  delta(2, '{"arguments":"{ \\"n\\": ","type":"arguments_delta"}'),
  delta(2, '{"arguments":"1.0 }","type":"arguments_delta"}'),
  stop(2),
  start(3, '{"type":"tomorrow_call", "big": 12345678901234567890}'),
  delta(3, '{"type":"tomorrow","signature":"QUJD","arguments":{"q": 2.0}}'),
  stop(3),
  completed("requires_action"),
)}event: done\ndata: [DONE]\n\n`;

describe("a streamed interaction", () => {
  it("becomes text, reasoning, native steps and calls", () => {
    const { response, seen } = success(stream);
    assert.deepStrictEqual(nativesOf(stream), [
      '{"type":"thought","summary":[{"text":"Zuerst","type":"text","n":1.0},{"text":"dann","type":"text"}],"signature":"c2ln="}',
      '{"type":"model_output","content":[{"type":"text","text":"Grüße, 世界 🙂","annotations":[{"type":"url_citation","start_index":1.0}]},{"type":"image","data":"AA==","mime_type":"image/png"},{"type":"text","text":"."}]}',
      '{"arguments":{ "n": 1.0 },"id":"fc_1","name":"read","type":"function_call"}',
      '{"type":"tomorrow_call", "big": 12345678901234567890,"signature":"QUJD","arguments":{"q": 2.0}}',
    ]);
    assert.strictEqual(Message.textOf(response.message), "Grüße, 世界 🙂.");
    assert.strictEqual(Message.reasoningOf(response.message), "Zuerst\n\ndann");
    assert.deepStrictEqual<unknown>(Message.toolCallsOf(response.message), [
      { type: "toolCall", callId: "fc_1", name: "read", arguments: '{ "n": 1.0 }' },
    ]);
    assert.strictEqual(response.finish, "toolCalls");
    assert.deepStrictEqual(response.usage, { inputTokens: 12, outputTokens: 8, cachedTokens: 4, reasoningTokens: 3 });
    assert.deepStrictEqual([response.responseId, response.model], ["v1_1", "gemini-x"]);
    assert.strictEqual(seen.joined("text"), "Grüße, 世界 🙂.");
    assert.strictEqual(seen.joined("reasoning"), "Zuerst\n\ndann");
    assert.strictEqual(seen.argumentsOf(0), '{ "n": 1.0 }');
  });

  it("gives the same response wherever the bytes are cut, also without its line ends", () => {
    const whole = feed([bytes(stream)], { request: asked }).result;
    for (const pieces of cuts(bytes(stream))) assert.deepStrictEqual(feed(pieces, { request: asked }).result, whole);
    assert.deepStrictEqual(feed([bytes(stream.replaceAll("\n\n", ""))], { request: asked }).result, whole);
  });

  it("cut at any byte ends in one problem with the text that had arrived, or in the whole response", () => {
    const whole = bytes(stream);
    for (let at = 0; at < whole.length; at += 1) {
      const fed = feed([whole.subarray(0, at)], { interrupted: true, request: asked });
      const arrived = Result.isSuccess(fed.result) ? fed.result.success : fed.partial;
      assert.strictEqual(arrived === undefined ? "" : Message.textOf(arrived.message), fed.seen.joined("text"));
    }
    assert.strictEqual(problem(events(created)).problem._tag, "interrupted");
  });

  it("that fails is the error, with its status and what came before", () => {
    const so = [created, start(0, '{"type":"model_output","content":[{"type":"text","text":"So"}]}')];
    const failed = problem(
      events(...so, '{"event_type":"error","error":{"code":"resource_exhausted","message":"slow"}}'),
    );
    assert.deepInclude(failed.problem, { _tag: "error", status: 429 });
    assert.strictEqual(failed.partial === undefined ? "" : Message.textOf(failed.partial.message), "So");
    assert.deepInclude(problem(events(...so, '{"event_type":"error"}')).problem, { _tag: "error", status: 500 });
    assert.deepInclude(problem(events(...so, completed("failed"))).problem, { _tag: "error", status: 500 });
  });

  it("of deltas without a step, or of another form, is invalid", () => {
    assert.strictEqual(problem(events(created, delta(4, '{"type":"text","text":"a"}'))).problem._tag, "invalid");
    assert.strictEqual(problem(events('{"event_type":"step.start","step":{}}')).problem._tag, "invalid");
    const nameless = events(created, start(0, '{"type":"function_call","id":"f"}'), completed("requires_action"));
    assert.strictEqual(problem(nameless).problem._tag, "toolCall");
  });
});

describe("an interaction in one body", () => {
  const steps = [
    '{ "signature":"c2ln\\u003d","type":"thought","summary":[{"type":"text","text":"Hm"}] }',
    '{"content":[{"text":"a","type":"text"},{"text":"b","type":"text"}],"type":"model_output"}',
    '{"arguments":{ "big":12345678901234567890 },"id":"fc_1","name":"read","type":"function_call"}',
  ];
  const body = (all: ReadonlyArray<string>, status: string) =>
    `{"id":"v1_2","model":"gemini-x","status":"${status}","steps":[${all.join(" , ")}],"usage":${usage}}`;

  it("keeps every step of the model as it stands", () => {
    const text = body(
      ['{"type":"user_input","content":[{"type":"text","text":"asked"}]}', ...steps],
      "requires_action",
    );
    assert.deepStrictEqual(nativesOf(text), steps);
    const { response } = success(text);
    assert.strictEqual(Message.textOf(response.message), "ab");
    assert.strictEqual(Message.reasoningOf(response.message), "Hm");
    assert.strictEqual(Message.toolCallsOf(response.message)[0]?.arguments, '{ "big":12345678901234567890 }');
  });

  it("names why it ended", () => {
    const finishOf = (status: string, all = steps.slice(0, 2)) => success(body(all, status)).response.finish;
    assert.deepStrictEqual(
      ["completed", "incomplete", "cancelled"].map((status) => finishOf(status)),
      ["stop", "length", "other"],
    );
    assert.strictEqual(finishOf("requires_action", steps), "toolCalls");
    assert.strictEqual(finishOf("incomplete", steps), "length");
  });

  it("that failed, has no steps or another form is a problem", () => {
    assert.deepInclude(problem('{"error":{"code":"invalid_request","message":"no"}}').problem, { status: 400 });
    assert.deepInclude(problem('{"error":"boom"}').problem, { _tag: "error", status: 500 });
    assert.strictEqual(problem(body([], "failed")).problem._tag, "error");
    for (const text of ["{}", '{"steps":["a"]}', "[]", '{"steps":[']) {
      assert.strictEqual(problem(text).problem._tag, "invalid", text);
    }
  });
});
