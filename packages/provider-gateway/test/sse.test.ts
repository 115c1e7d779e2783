import { assert, describe, it } from "@effect/vitest";
import { sse } from "../src/internal/sse.ts";

const read = (...texts: ReadonlyArray<string>) => {
  const events: Array<readonly [string, string]> = [];
  const framer = sse((data, name) => void events.push([name, data]));
  const problems = texts.map((text) => framer.feed(text));
  framer.end();
  return { events, problem: problems.find((problem) => problem !== undefined) };
};

describe("server-sent events", () => {
  const body =
    ': hello\nretry: 10\nid: 7\nevent: ping\ndata: {"a":1}\n\ndata:two\ndata:  lines\n\nevent: empty\n\ndata\n\ndata: last';

  it("are name and data; comments, ids, waits and events without data are nothing", () => {
    assert.deepStrictEqual(read(body).events, [
      ["ping", '{"a":1}'],
      ["message", "two\n lines"],
      ["message", "last"],
    ]);
  });

  it("are the same wherever the text is cut, and with every kind of line end", () => {
    const whole = read(body).events;
    for (const end of ["\n", "\r\n", "\r"]) {
      const text = body.replaceAll("\n", end);
      for (let at = 0; at <= text.length; at += 1) {
        assert.deepStrictEqual(
          read(text.slice(0, at), text.slice(at)).events,
          whole,
          `${JSON.stringify(end)} at ${at}`,
        );
      }
      assert.deepStrictEqual(read(...text).events, whole);
    }
  });

  it("that do not end are a problem once they are too long", () => {
    assert.isUndefined(read("data: a\n", "data: b\n\n").problem);
    const piece = `data: ${"x".repeat(1024 * 1024)}\n`;
    assert.include(read(...Array.from({ length: 11 }, () => piece)).problem ?? "", "longer");
    assert.include(
      read(
        ..."y"
          .repeat(11)
          .split("")
          .map((one) => one.repeat(1024 * 1024)),
      ).problem ?? "",
      "longer",
    );
  });
});
