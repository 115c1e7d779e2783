import * as Message from "@cahier/domain/model/Message";
import { assert, describe, it } from "@effect/vitest";
import * as Result from "effect/Result";
import { bytes, cuts, decoding, feed } from "./support/decode.ts";

const { asked, problem, success } = decoding("openai-responses");

const events = (...all: ReadonlyArray<string>): string =>
  all.map((data) => `event: ${/"type":"([^"]*)"/.exec(data)?.[1] ?? ""}\ndata: ${data}\n\n`).join("");

const nativesOf = (body: string): ReadonlyArray<string> =>
  success(body).response.message.parts.flatMap((part) => (part.type === "native" ? [part.json] : []));

const reasoning =
  '{"id":"rs_1","type":"reasoning","encrypted_content":"gAAA\\/b=","summary":[{"type":"summary_text","text":"Zuerst"},{"type":"summary_text","text":"dann"}]}';
const message =
  '{"id":"msg_1","type":"message","role":"assistant","content":[{"type":"output_text","text":"Grüße, 世界\\u2028.","logprobs":[],"n":1.0}]}';
const call =
  '{"id":"fc_1","type":"function_call","status":"completed","arguments":"{ \\"n\\": 1.0 }","call_id":"call_1","name":"read"}';
const unknown = '{ "type":"tomorrow_call", "big": 12345678901234567890 }';
const usage =
  '{"input_tokens":10,"input_tokens_details":{"cached_tokens":4},"output_tokens":7,"output_tokens_details":{"reasoning_tokens":3}}';

const started =
  '{"type":"response.created","response":{"id":"resp_1","model":"gpt-x","status":"in_progress","output":[],"error":null}}';
const ended = (output: ReadonlyArray<string> = []) =>
  `{"type":"response.completed","response":{"id":"resp_1","model":"gpt-x","status":"completed","error":null,"output":[${output.join(",")}],"usage":${usage}}}`;
const done = (index: number, item: string) =>
  `{"type":"response.output_item.done","output_index":${index},"item":${item}}`;
const added = (index: number, item: string) =>
  `{"type":"response.output_item.added","output_index":${index},"item":${item}}`;
const delta = (kind: string, index: number, text: string) =>
  `{"type":"response.${kind}.delta","output_index":${index},"delta":${JSON.stringify(text)}}`;

const stream = events(
  started,
  added(0, '{"id":"rs_1","type":"reasoning","summary":[]}'),
  '{"type":"response.reasoning_summary_part.added","output_index":0,"part":{"type":"summary_text","text":""}}',
  delta("reasoning_summary_text", 0, "Zuerst"),
  '{"type":"response.reasoning_summary_part.added","output_index":0,"part":{"type":"summary_text","text":""}}',
  delta("reasoning_summary_text", 0, "dann"),
  done(0, reasoning),
  added(1, '{"id":"msg_1","type":"message","role":"assistant","content":[]}'),
  delta("output_text", 1, "Grüße, "),
  delta("output_text", 1, "世界"),
  added(2, '{"id":"fc_1","type":"function_call","arguments":"","call_id":"call_1","name":"read"}'),
  delta("function_call_arguments", 2, '{ "n": '),
  delta("function_call_arguments", 2, "1.0 }"),
  done(2, call),
  done(1, message),
  '{"type":"response.tomorrow","anything":1}',
  ended([reasoning, message, call, unknown]),
);

describe("a streamed response of Responses", () => {
  it("becomes text, reasoning, native items in the order of the output, and calls", () => {
    const { response, seen } = success(stream);
    assert.deepStrictEqual(nativesOf(stream), [reasoning, message, call, unknown]);
    assert.strictEqual(Message.textOf(response.message), "Grüße, 世界\u2028.");
    assert.strictEqual(Message.reasoningOf(response.message), "Zuerst\n\ndann");
    assert.deepStrictEqual<unknown>(Message.toolCallsOf(response.message), [
      { type: "toolCall", callId: "call_1", name: "read", arguments: '{ "n": 1.0 }' },
    ]);
    assert.strictEqual(response.finish, "toolCalls");
    assert.deepStrictEqual(response.usage, { inputTokens: 10, outputTokens: 7, cachedTokens: 4, reasoningTokens: 3 });
    assert.deepStrictEqual([response.responseId, response.model], ["resp_1", "gpt-x"]);
    assert.strictEqual(seen.joined("text"), "Grüße, 世界\u2028.");
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
    assert.strictEqual(problem(events(started, done(0, message))).problem._tag, "interrupted");
  });

  it("may tell items only when they are done, or only at its end", () => {
    const late = events(started, done(0, reasoning), done(1, message), done(2, call), ended());
    const last = events(started, ended([reasoning, message, call]));
    for (const body of [late, last]) {
      const { response, seen } = success(body);
      assert.deepStrictEqual(nativesOf(body), [reasoning, message, call]);
      assert.strictEqual(seen.joined("text"), "Grüße, 世界\u2028.");
      assert.strictEqual(seen.joined("reasoning"), "Zuerst\n\ndann");
      assert.strictEqual(seen.argumentsOf(0), '{ "n": 1.0 }');
      assert.strictEqual(response.finish, "toolCalls");
    }
  });

  it("that fails is the error, with its status and what came before", () => {
    const so = [started, delta("output_text", 0, "So")];
    const failing = (...last: ReadonlyArray<string>) => problem(events(...so, ...last));
    const limited = failing('{"type":"error","code":"rate_limit_exceeded","message":"slow","param":null}');
    assert.deepInclude(limited.problem, { _tag: "error", status: 429 });
    assert.strictEqual(limited.partial === undefined ? "" : Message.textOf(limited.partial.message), "So");
    const failed = (error: string) =>
      failing(`{"type":"response.failed","response":{"status":"failed","error":${error}}}`);
    assert.deepInclude(failed('{"code":"server_error","message":"x"}').problem, { status: 500 });
    assert.deepInclude(failed("null").problem, { _tag: "error", status: 500 });
    assert.deepInclude(failing('{"type":"error","error":{"type":"invalid_request_error"}}').problem, { status: 400 });
  });

  it("with a refusal is the refusal's text", () => {
    const refused = '{"type":"message","content":[{"type":"refusal","refusal":"I cannot."}]}';
    for (const body of [
      events(started, delta("refusal", 0, "I can"), done(0, refused), ended()),
      events(started, ended([refused])),
    ]) {
      const { response } = success(body);
      assert.strictEqual(Message.textOf(response.message), "I cannot.");
      assert.strictEqual(response.finish, "refusal");
    }
  });
});

describe("a streamed response whose items are told loosely", () => {
  const without = (text: string, ...members: ReadonlyArray<string>): string =>
    members.reduce((left, member) => left.replaceAll(new RegExp(`"${member}":(?:\\d+|"[^"]*"),`, "g"), ""), text);
  const item = (text: string) => `"item_id":"${text}",`;
  const named = events(
    started,
    added(0, '{"id":"msg_1","type":"message","role":"assistant","content":[]}'),
    delta("output_text", 0, "Grüße, ").replace('"output_index"', `${item("msg_1")}"output_index"`),
    delta("output_text", 0, "世界").replace('"output_index"', `${item("msg_1")}"output_index"`),
    added(1, '{"id":"fc_1","type":"function_call","arguments":"","call_id":"call_1","name":"read"}'),
    delta("function_call_arguments", 1, '{ "n": ').replace('"output_index"', `${item("fc_1")}"output_index"`),
    delta("function_call_arguments", 1, "1.0 }").replace('"output_index"', `${item("fc_1")}"output_index"`),
    done(0, message),
    done(1, call),
  );
  const renamed = [message.replace("msg_1", "msg_9"), call.replace("fc_1", "fc_9")];
  const loose: ReadonlyArray<readonly [string, string]> = [
    ["without places", without(named, "output_index")],
    ["without ids", without(named, "item_id", "id")],
    ["without either", without(named, "output_index", "item_id", "id")],
    ["all at one place", named.replaceAll('"output_index":1', '"output_index":0')],
    ["at other places than in the output", named.replaceAll(/"output_index":(\d)/g, '"output_index":1$1')],
  ];
  for (const [what, stream] of loose) {
    for (const [end, output] of [
      ["the items", [message, call]],
      ["the items under other ids", renamed],
      ["no item", []],
    ] as const) {
      it(`has each text and each call once: ${what}, with ${end} at its end`, () => {
        const { response, seen } = success(stream + events(ended(output)));
        assert.strictEqual(Message.textOf(response.message), "Grüße, 世界\u2028.");
        assert.strictEqual(seen.joined("text"), "Grüße, 世界\u2028.");
        assert.deepStrictEqual(
          Message.toolCallsOf(response.message).map((part) => [part.callId, part.arguments]),
          [["call_1", '{ "n": 1.0 }']],
        );
        assert.strictEqual(response.message.parts.filter(({ type }) => type === "native").length, 2);
      });
    }
  }

  it("may lack the word that its items are done", () => {
    const open = without(named.split("event: response.output_item.done")[0] ?? "", "output_index", "item_id");
    const { response, seen } = success(open + events(ended([message, call])));
    assert.strictEqual(seen.joined("text"), "Grüße, 世界\u2028.");
    assert.strictEqual(Message.toolCallsOf(response.message).length, 1);
    assert.deepStrictEqual(nativesOf(open + events(ended([message, call]))), [message, call]);
  });

  it("has two messages of the same output apart", () => {
    const second = message.replace("msg_1", "msg_2").replace("Grüße, 世界\\u2028.", "Und mehr.");
    const stream = without(events(started, done(0, message), done(1, second)), "output_index");
    const { response } = success(stream + events(ended([message, second])));
    assert.strictEqual(Message.textOf(response.message), "Grüße, 世界\u2028.Und mehr.");
  });
});

describe("the end of a streamed response", () => {
  const endingIn = (type: string, response: string) =>
    events(started, delta("output_text", 0, "So"), `{"type":"${type}","response":{"id":"resp_1"${response}}}`);

  it("is judged by the status of the response, whatever the event is called", () => {
    for (const type of ["response.done", "response.completed", "response.incomplete", "response.cancelled"]) {
      const failed = problem(endingIn(type, ',"status":"failed","error":{"code":"rate_limit_exceeded"}'));
      assert.deepInclude(failed.problem, { _tag: "error", status: 429 });
      assert.strictEqual(failed.partial === undefined ? "" : Message.textOf(failed.partial.message), "So");
      assert.deepInclude(problem(endingIn(type, ',"status":"failed","error":null')).problem, { status: 500 });
      assert.deepInclude(problem(endingIn(type, ',"error":{"code":"server_error"}')).problem, { status: 500 });
      const cut = ',"status":"incomplete","incomplete_details":{"reason":"max_output_tokens"}';
      assert.strictEqual(success(endingIn(type, cut)).response.finish, "length");
      assert.strictEqual(success(endingIn(type, ',"status":"cancelled"')).response.finish, "other");
      assert.strictEqual(success(endingIn(type, ',"status":"completed"')).response.finish, "stop");
    }
  });

  it("is told by the event where the response has no status", () => {
    const finishes = ["response.done", "response.completed", "response.incomplete", "response.cancelled"].map(
      (type) => success(endingIn(type, "")).response.finish,
    );
    assert.deepStrictEqual(finishes, ["stop", "stop", "other", "other"]);
  });
});

describe("a response of Responses in one body", () => {
  const body = (output: string, rest = '"status":"completed"') =>
    `{"id":"resp_2","output":[${output}],"error":null,${rest}}`;

  it("keeps every item as it stands", () => {
    const items = [reasoning, unknown, message, call];
    assert.deepStrictEqual(nativesOf(body(items.join(" , "))), items);
    assert.strictEqual(success(body(items.join(","))).seen.joined("reasoning"), "Zuerst\n\ndann");
    const shown = '{"type":"reasoning","content":[{"type":"reasoning_text","text":"All."}],"summary":[]}';
    assert.strictEqual(Message.reasoningOf(success(body(shown)).response.message), "All.");
  });

  it("names why it is incomplete", () => {
    const finishOf = (reason: string) =>
      success(body(message, `"status":"incomplete","incomplete_details":{"reason":"${reason}"}`)).response.finish;
    assert.deepStrictEqual(["max_output_tokens", "content_filter", "odd"].map(finishOf), [
      "length",
      "refusal",
      "other",
    ]);
    assert.strictEqual(success(body(message, '"status":"cancelled"')).response.finish, "other");
  });

  it("that failed, has no output or another form is a problem", () => {
    assert.strictEqual(problem('{"status":"failed","error":{"code":"server_error"}}').problem._tag, "error");
    assert.strictEqual(problem('{"status":"failed","error":null,"output":[]}').problem._tag, "error");
    assert.deepInclude(problem('{"error":"boom"}').problem, { _tag: "error", status: 500 });
    for (const text of ["{}", '{"output":null}', '{"output":["a"]}', "[]", '{"output":[']) {
      assert.strictEqual(problem(text).problem._tag, "invalid", text);
    }
    const nameless = '{"type":"function_call","call_id":"c","arguments":"{}"}';
    assert.strictEqual(problem(body(nameless)).problem._tag, "toolCall");
  });
});
