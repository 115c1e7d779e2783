/**
 * Logged requests as people read them.
 */
import { InvocationId } from "@cahier/domain/identity/Identity";
import { assert, describe, it } from "@effect/vitest";
import { linesOf } from "../src/cli/requests.ts";

const request = {
  number: 1,
  at: "2026-01-02T03:04:05.000Z",
  invocationId: InvocationId.make("inv_root"),
  position: 0,
  endedAt: "2026-01-02T03:04:05.250Z",
  method: "POST",
  endpoint: "http://127.0.0.1:1/v1/chat/completions",
  requestHeaders: { authorization: "<redacted>" },
  requestBody: '{"model":"fake","messages":[]}',
  status: 200,
  responseHeaders: { "content-type": "text/event-stream" },
  responseBody: "data: {}\n\ndata: \u001b[31m[DONE]\n",
  outcome: "answered",
} as const;

describe("logged requests", () => {
  it("are printed with their bodies below each other, and nothing of them commands the terminal", () => {
    assert.deepStrictEqual(linesOf({ requests: [request], unreadable: ["000002"] }, 100), [
      "1  2026-01-02T03:04:05.000Z  POST http://127.0.0.1:1/v1/chat/completions: 200, answered, 250 ms, inv_root",
      "  sent",
      "    authorization: <redacted>",
      "    {",
      '      "model": "fake",',
      '      "messages": []',
      "    }",
      "  received",
      "    content-type: text/event-stream",
      "    data: {}",
      "    ",
      "    data: ␛[31m[DONE]",
      "",
      "000002 cannot be read; cahier doctor tells why",
    ]);
  });

  it("say only what is new in a request that begins as the one before", () => {
    const messages = (count: number) =>
      JSON.stringify({
        model: "fake",
        messages: Array.from({ length: count }, (_, n) => `message ${n}`),
        stream: true,
      });
    const lines = linesOf(
      {
        requests: [
          { ...request, requestBody: messages(9) },
          { ...request, number: 2, requestBody: messages(10) },
          { ...request, number: 3, requestBody: messages(10) },
        ],
        unreadable: [],
      },
      100,
    );
    const second = lines.slice(lines.findIndex((line) => line.startsWith("2  ")));
    assert.deepStrictEqual(second.slice(3, 9), [
      "    … 11 lines as in request 1",
      '        "message 8",',
      '        "message 9"',
      "      ],",
      '      "stream": true',
      "    }",
    ]);
    assert.include(lines, "    … 16 lines as in request 2");
  });

  it("that had no answer say why, and long ones are cut to the screen", () => {
    const { responseHeaders: _, status: __, ...unanswered } = request;
    const lines = linesOf(
      {
        requests: [
          {
            ...unanswered,
            outcome: "failed",
            detail: "connection refused",
            requestBody: JSON.stringify(Array.from({ length: 60 }, () => "long ".repeat(40))),
            responseBody: "",
          },
        ],
        unreadable: [],
      },
      60,
    );
    assert.include(lines[0], "no answer, failed");
    assert.strictEqual(lines[1], "  connection refused");
    assert.include(lines, "    … 22 more lines; --json prints all of them");
    assert.notInclude(lines, "  received");
    assert.isTrue(lines.slice(2).every((line) => line.length <= 60));
  });
});
