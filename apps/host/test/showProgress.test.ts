import { CallId, rootInvocation } from "@cahier/domain/identity/Identity";
import { assert, describe, it } from "@effect/vitest";
import { showProgress } from "../src/timeline/showProgress.ts";

const call = (id: string) => ({
  callId: CallId.make(id),
  toolId: "mcp/server:long",
  name: "mcp__Server__long",
  invocationId: rootInvocation,
});

describe("the progress of a tool at the terminal", () => {
  it("is a line with how much is done, of how much, and the tool's own words, which command nothing", () => {
    const lines: Array<string> = [];
    const show = showProgress(
      (line) => void lines.push(line),
      () => 0,
    );
    show({ done: 3, total: 10, message: "Reading\n\u001b[2J" }, call("call_1"));
    show({ done: 0.5 }, call("call_2"));
    assert.deepStrictEqual(lines, ["mcp__Server__long: 3 of 10, Reading ␛[2J", "mcp__Server__long: 0.5"]);
  });

  it("is shown once a second for each call", () => {
    const lines: Array<string> = [];
    let time = 0;
    const show = showProgress(
      (line) => void lines.push(line),
      () => time,
    );
    for (time = 0; time < 2500; time += 100) show({ done: time }, call("call_1"));
    assert.deepStrictEqual(
      lines,
      [0, 1000, 2000].map((done) => `mcp__Server__long: ${done}`),
    );
  });
});
