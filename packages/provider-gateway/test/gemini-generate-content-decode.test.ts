import * as Message from "@cahier/domain/model/Message";
import { assert, describe, it } from "@effect/vitest";
import * as Result from "effect/Result";
import { bytes, cuts, decoding, feed, inFormat } from "./support/decode.ts";

const { asked, problem, success } = decoding("gemini-generate-content");

const chunk = (parts: string, rest = "", tail = ""): string =>
  `{"candidates":[{"content":{"parts":[${parts}],"role":"model"}${rest},"index":0}]${tail},"responseId":"r1","modelVersion":"gemini-x"}`;
const stop = ',"finishReason":"STOP"';
const usage =
  ',"usageMetadata":{"promptTokenCount":10,"candidatesTokenCount":5,"thoughtsTokenCount":3,"toolUsePromptTokenCount":2,"cachedContentTokenCount":4}';
const stream = (...chunks: ReadonlyArray<string>): string => chunks.map((one) => `data: ${one}\r\n\r\n`).join("");

const nativesOf = (body: string): ReadonlyArray<string> =>
  success(body).response.message.parts.flatMap((part) => (part.type === "native" ? [part.json] : []));

const call =
  '{"functionCall":{"name":"read","args":{ "n": 1.0, "big": 12345678901234567890 }},"thoughtSignature":"QUJD\\u003d"}';

const all = stream(
  chunk('{"text":"Zuerst ","thought":true}'),
  chunk('{"text":"das Meer.","thought":true}'),
  chunk('{"thought":false,"text":"Grüße, "}'),
  chunk('{"text":"世界 🙂"}'),
  chunk('{"text":".","thoughtSignature":"c2ln"}'),
  chunk('{"executableCode":{"language":"PYTHON","code":"1"}}'),
  chunk(`${call},{"functionCall":{"id":"f2","name":"roll"}}`),
  chunk('{"text":""}', stop, usage),
);

describe("a streamed generateContent response", () => {
  it("becomes text, reasoning, native parts and calls; runs of plain text are one part", () => {
    const { response, seen } = success(all);
    assert.deepStrictEqual(nativesOf(all), [
      '{"text":"Zuerst das Meer.","thought":true}',
      '{"thought":false,"text":"Grüße, 世界 🙂"}',
      '{"text":".","thoughtSignature":"c2ln"}',
      '{"executableCode":{"language":"PYTHON","code":"1"}}',
      call,
      '{"functionCall":{"id":"f2","name":"roll"}}',
      '{"text":""}',
    ]);
    assert.strictEqual(Message.textOf(response.message), "Grüße, 世界 🙂.");
    assert.strictEqual(Message.reasoningOf(response.message), "Zuerst das Meer.");
    assert.deepStrictEqual<unknown>(Message.toolCallsOf(response.message), [
      {
        type: "toolCall",
        callId: "call_0_0",
        name: "read",
        arguments: '{ "n": 1.0, "big": 12345678901234567890 }',
      },
      { type: "toolCall", callId: "f2", name: "roll", arguments: "{}" },
    ]);
    assert.strictEqual(response.finish, "toolCalls");
    assert.deepStrictEqual(response.usage, { inputTokens: 12, outputTokens: 8, cachedTokens: 4, reasoningTokens: 3 });
    assert.deepStrictEqual([response.responseId, response.model], ["r1", "gemini-x"]);
    assert.strictEqual(seen.joined("text"), "Grüße, 世界 🙂.");
    assert.strictEqual(seen.joined("reasoning"), "Zuerst das Meer.");
  });

  it("gives the same response wherever the bytes are cut, and with its chunks as one array", () => {
    const whole = feed([bytes(all)], { request: asked }).result;
    for (const pieces of cuts(bytes(all))) assert.deepStrictEqual(feed(pieces, { request: asked }).result, whole);
    const chunks = all.split("\r\n\r\n").flatMap((event) => (event === "" ? [] : [event.slice("data: ".length)]));
    assert.deepStrictEqual(feed([bytes(`[${chunks.join(",\r\n")}]`)], { request: asked }).result, whole);
  });

  it("cut at any byte ends in one problem with the text that had arrived, or in the whole response", () => {
    const whole = bytes(all);
    for (let at = 0; at < whole.length; at += 1) {
      const fed = feed([whole.subarray(0, at)], { interrupted: true, request: asked });
      const arrived = Result.isSuccess(fed.result) ? fed.result.success : fed.partial;
      assert.strictEqual(arrived === undefined ? "" : Message.textOf(arrived.message), fed.seen.joined("text"));
    }
    assert.strictEqual(problem(stream(chunk('{"text":"a"}'))).problem._tag, "interrupted");
  });

  it("gives calls without an id one that differs between the turns of a session", () => {
    const idOf = (position: number) => {
      const request = inFormat("gemini-generate-content", { position });
      const { result } = feed([bytes(stream(chunk(call, stop)))], { request });
      return Result.isSuccess(result) ? Message.toolCallsOf(result.success.message)[0]?.callId : undefined;
    };
    assert.notStrictEqual(idOf(0), idOf(1));
  });
});

describe("a generateContent response", () => {
  it("in one body keeps every part as it stands", () => {
    const parts = [
      '{ "text" : "a" }',
      '{"text":"b","partMetadata":{"k":1.0}}',
      '{"inlineData":{"mimeType":"image/png","data":"AA=="}}',
    ];
    assert.deepStrictEqual(nativesOf(chunk(parts.join(" , "), stop)), parts);
  });

  it("names every finish reason", () => {
    const finishOf = (reason: string) => success(chunk('{"text":"a"}', `,"finishReason":"${reason}"`)).response.finish;
    assert.deepStrictEqual(
      ["STOP", "MAX_TOKENS", "SAFETY", "PROHIBITED_CONTENT", "MALFORMED_FUNCTION_CALL", "OTHER"].map(finishOf),
      ["stop", "length", "refusal", "refusal", "other", "other"],
    );
  });

  it("to a prompt that was blocked is a refusal without text", () => {
    const { response } = success('{"promptFeedback":{"blockReason":"SAFETY"},"usageMetadata":{"promptTokenCount":3}}');
    assert.strictEqual(response.finish, "refusal");
    assert.deepStrictEqual(response.message.parts, []);
    assert.deepStrictEqual(response.usage, { inputTokens: 3, outputTokens: 0 });
  });

  it("that is an error is a problem with the status that it names", () => {
    const error = '{"error":{"code":429,"message":"slow","status":"RESOURCE_EXHAUSTED"}}';
    for (const body of [error, `[${error}]`, stream(error), stream(chunk('{"text":"a"}'), error)]) {
      assert.deepInclude(problem(body).problem, { _tag: "error", status: 429 });
    }
    assert.deepInclude(problem('{"error":"boom"}').problem, { _tag: "error", status: 500 });
  });

  it("without candidates, cut, or of another form is invalid", () => {
    for (const body of [
      "{}",
      '{"candidates":[]}',
      '{"candidates":{}}',
      '{"candidates":[{"content":{"parts":["a"]}}]}',
      "[]",
      '{"candidates":[',
    ]) {
      assert.strictEqual(problem(body).problem._tag, "invalid", body);
    }
    assert.strictEqual(problem(chunk('{"functionCall":{"args":{}}}', stop)).problem._tag, "toolCall");
  });
});
