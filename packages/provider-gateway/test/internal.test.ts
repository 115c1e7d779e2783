import { assert, describe, it } from "@effect/vitest";
import { GrowingText } from "../src/internal/GrowingText.ts";
import { JsonBuffer } from "../src/internal/JsonBuffer.ts";
import { RawTexts } from "../src/internal/RawJson.ts";
import * as networkKind from "../src/internal/networkKind.ts";
import * as reason from "../src/internal/reason.ts";
import * as redact from "../src/internal/redact.ts";

const coded = (code: string, cause?: unknown): Error => Object.assign(new Error(code, { cause }), { code });

describe("the kind of a network error", () => {
  const kinds: ReadonlyArray<readonly [string, unknown, string, string]> = [
    ["a refused connection", coded("ECONNREFUSED"), "connect", "bodyInterrupted"],
    ["a reset", coded("ECONNRESET"), "connect", "bodyInterrupted"],
    ["a closed socket", coded("UND_ERR_SOCKET"), "request", "bodyInterrupted"],
    ["a slow connection", coded("UND_ERR_CONNECT_TIMEOUT"), "timeout", "timeout"],
    ["a slow body", coded("UND_ERR_BODY_TIMEOUT"), "timeout", "timeout"],
    ["an unknown name", coded("ENOTFOUND"), "dns", "dns"],
    ["a proxy that refuses", coded("UND_ERR_PRX_CONN", coded("ECONNREFUSED")), "proxy", "proxy"],
    ["a self-signed certificate", coded("DEPTH_ZERO_SELF_SIGNED_CERT"), "tls", "tls"],
    ["a certificate of another host", coded("ERR_TLS_CERT_ALTNAME_INVALID"), "tls", "tls"],
    ["a code in a cause", new TypeError("fetch failed", { cause: coded("EAI_AGAIN") }), "dns", "dns"],
    [
      "a code among several",
      Object.assign(new Error(""), { errors: [coded("EHOSTUNREACH")] }),
      "connect",
      "bodyInterrupted",
    ],
    ["no code", new Error("?"), "request", "bodyInterrupted"],
    ["no error", "?", "request", "bodyInterrupted"],
  ];
  for (const [what, error, beforeHead, within] of kinds) {
    it(`of ${what} is ${beforeHead} before the head and ${within} within the body`, () => {
      assert.strictEqual(networkKind.toFault(error, "head").kind, beforeHead);
      assert.strictEqual(networkKind.toFault(error, "body").kind, within);
    });
  }

  it("is found in a cause that is its own cause", () => {
    const error = coded("X");
    error.cause = error;
    assert.strictEqual(networkKind.toFault(error, "head").kind, "request");
  });
});

describe("a preview", () => {
  const secret = "key-ABCDEFGH";

  it("hides a secret in every spelling, and the beginning of one at its end", () => {
    for (const text of [secret, `x${secret}y`, `"${secret}"`, "key-ABCDEFG", "a key-A"]) {
      assert.notInclude(redact.preview(text, [secret]), "key-A");
    }
    assert.strictEqual(redact.preview("a key", [secret]), "a key");
    assert.notInclude(redact.preview('{"k":"a\\"b/c"}', ['a"b/c']), "b/c");
    assert.notInclude(redact.preview("?k=a%22b%2Fc", ['a"b/c']), "b%2Fc");
  });

  it("hides what looks like a key although it is not known", () => {
    assert.strictEqual(redact.preview("Bearer abc.def", []), "Bearer [redacted]");
    assert.strictEqual(redact.preview("got sk-proj-0123456789", []), "got [redacted]");
  });

  it("of an endpoint has no query and no credentials", () => {
    assert.strictEqual(redact.endpoint(new URL("https://u:p@h.example/v1?k=1#f")), "https://h.example/v1");
  });
});

describe("the wait that a server asks for", () => {
  it("is read from seconds, milliseconds and dates, and nothing else", () => {
    const wait = (value: string) => reason.retryAfter({ "retry-after": value }, Date.parse("2026-01-01T00:00:00Z"));
    assert.strictEqual(wait("120"), 120_000);
    assert.strictEqual(wait(" 1.2 "), 1200);
    assert.strictEqual(wait("Thu, 01 Jan 2026 00:00:30 GMT"), 30_000);
    assert.strictEqual(wait("Wed, 31 Dec 2025 00:00:00 GMT"), 0);
    for (const value of ["", "soon", "NaN"]) assert.isUndefined(wait(value), value);
    assert.isAtMost(wait("9".repeat(400)) ?? 0, Number.MAX_SAFE_INTEGER);
    assert.strictEqual(reason.retryAfter({ "retry-after-ms": "15", "retry-after": "1" }, 0), 15);
  });
});

describe("the status that an error inside a response stands for", () => {
  const named: ReadonlyArray<readonly [object, number]> = [
    [{ type: "tokens_exceeded_error" }, 400],
    [{ type: "exceed_context_size_error" }, 400],
    [{ type: "exceeded_current_quota_error" }, 402],
    [{ code: "data_inspection_failed" }, 400],
    [{ code: "cyber_policy_violation" }, 400],
    [{ type: "tokens" }, 429],
    [{ type: "tokens", code: "rate_limit_exceeded" }, 429],
    [{ type: "insufficient_quota" }, 402],
    [{ status: "RESOURCE_EXHAUSTED" }, 429],
    [{ type: "engine_overloaded_error" }, 503],
    [{ type: "of_tomorrow" }, 500],
  ];
  it.each(named)("is, of %o, %i", (error, status) => assert.strictEqual(reason.statusOfError(error), status));
});

describe("a growing buffer", () => {
  it("holds the bytes of all texts, whatever they are and however they grow", () => {
    const texts = ["", "a", "ü".repeat(9), "🙂".repeat(5000), "\uD800", "\u2028", "z".repeat(20_000), "世".repeat(7)];
    const buffer = new JsonBuffer(1);
    let all = "";
    for (const text of texts) {
      buffer.append(text);
      all += text;
      assert.deepStrictEqual(buffer.withTail("]🙂"), new TextEncoder().encode(`${all}]🙂`));
      assert.strictEqual(buffer.length, new TextEncoder().encode(all).length);
    }
  });

  it("does not change bytes below its length that it has given out", () => {
    const buffer = new JsonBuffer();
    buffer.append("prefix");
    const given = buffer.withTail("tail").subarray(0, buffer.length);
    buffer.append("more".repeat(10_000));
    assert.strictEqual(new TextDecoder().decode(given), "prefix");
  });
});

describe("texts of JSON in a body", () => {
  it("stand in their places as they came, whatever the words around them look like", () => {
    const buffer = new JsonBuffer();
    const raws = new RawTexts();
    const words = '{"":0} ,{"":1}';
    const [first, second] = ['{ "n":1.0,"of":{"":1} }', '["\\u0041"]'];
    raws.append([{ words, input: raws.hold(first) }, raws.hold(second), { [words]: "" }], buffer);
    const escaped = JSON.stringify(words);
    assert.strictEqual(
      buffer.text(0, buffer.length),
      `{"words":${escaped},"input":${first}},${second},{${escaped}:""}`,
    );
  });

  it("may be the last that is written, whose end stays open", () => {
    const buffer = new JsonBuffer();
    const raws = new RawTexts();
    raws.append([{ items: [raws.hold("{}")] }], buffer, 2);
    assert.strictEqual(buffer.text(0, buffer.length), '{"items":[{}');
  });
});

describe("many values in a body", () => {
  const put = (values: ReadonlyArray<string>): string => {
    const buffer = new JsonBuffer();
    const raws = new RawTexts();
    const held = values.map((text, index) => ({ text, raw: raws.hold(`{"n":${index}.0}`) }));
    raws.append(held, buffer, 1);
    return buffer.text(0, buffer.length);
  };

  it.each([
    ["short", Array.from({ length: 1000 }, (_, index) => `ü${index}`)],
    ["long", Array.from({ length: 100 }, (_, index) => String(index).repeat(5000))],
    ["long at the beginning alone", Array.from({ length: 100 }, (_, index) => "x".repeat(index < 3 ? 300_000 : 1))],
    ["long at the end alone", Array.from({ length: 100 }, (_, index) => "🙂".repeat(index > 97 ? 200_000 : 1))],
  ])("are one list without a gap, whether they are %s", (_, values) => {
    const expected = values.map((text, index) => `{"text":${JSON.stringify(text)},"raw":{"n":${index}.0}}`).join(",");
    assert.strictEqual(put(values), expected.slice(0, -1));
  });
});

describe("a growing text", () => {
  it("is all of its pieces at any time, however many there are", () => {
    const text = new GrowingText("a");
    let all = "a";
    for (let piece = 0; piece < 1000; piece += 1) {
      text.add(piece % 7 === 0 ? "" : `ü${piece}`);
      all += piece % 7 === 0 ? "" : `ü${piece}`;
      assert.strictEqual(text.text(), all);
    }
    assert.isFalse(text.isEmpty);
    assert.isTrue(new GrowingText("").isEmpty);
  });
});
