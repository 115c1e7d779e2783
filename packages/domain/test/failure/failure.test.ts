import { assert, describe, it } from "@effect/vitest";
import * as Failure from "../../src/failure/Failure.ts";
import {
  areaOf,
  type FailureCode,
  failureCodes,
  type FailureEntry,
  isFailureCode,
} from "../../src/failure/FailureCode.ts";

const codes = Object.keys(failureCodes) as ReadonlyArray<FailureCode>;
const entryOf = (code: FailureCode): FailureEntry => failureCodes[code];
const areas = [
  "agent",
  "blob",
  "card",
  "chat",
  "context",
  "dice",
  "extension",
  "journal",
  "llm_connection",
  "mcp",
  "model",
  "network",
  "policy",
  "prompt_assembly",
  "skill",
  "storage",
  "tool",
  "usage",
  "workspace",
  "worldinfo",
];

describe("the registry of failure codes", () => {
  it("every code is an area, a dot and a name in lower-case words", () => {
    for (const code of codes) assert.match(code, /^[a-z]+(_[a-z]+)*\.[a-z0-9]+(_[a-z0-9]+)*$/);
    assert.deepStrictEqual([...new Set(codes.map(areaOf))].toSorted(), areas);
  });

  it("every entry says in a sentence what the code means", () => {
    for (const code of codes) assert.match(entryOf(code).meaning, /^["A-Z].{8,}[.)]$/, code);
  });

  it("what is retryable is a matter of the model or the network, and ends a run when nobody retries", () => {
    for (const code of codes.filter(Failure.isRetryable)) {
      assert.strictEqual(entryOf(code).class, "fatal", code);
      assert.isTrue(/^(model|network)\./.test(code) || code === "agent.transient", code);
      assert.isTrue(Failure.isUserRetryable(code));
    }
  });

  it("a person is offered another try where the model may do better next time", () => {
    assert.deepStrictEqual(
      codes.filter((code) => Failure.isUserRetryable(code) && !Failure.isRetryable(code)).toSorted(),
      ["agent.max_tool_rounds_exceeded", "agent.tool_after_finish", "model.tool_call_required"],
    );
  });

  it("only its own codes are codes", () => {
    assert.isTrue(isFailureCode("agent.internal_error"));
    for (const other of ["agent.nothing", "toString", ""]) assert.isFalse(isFailureCode(other));
  });
});

describe("a failure", () => {
  it("carries its reason with the area as tag, its message, its details and its cause", () => {
    const cause = new Error("disk");
    for (const make of [Failure.recoverable, Failure.denied, Failure.fatal]) {
      const failure = make("storage.full", "There is no room.", { details: { bytes: 1 }, cause });
      assert.deepStrictEqual(failure.reason, {
        _tag: "storage",
        code: "storage.full",
        message: "There is no room.",
        details: { bytes: 1 },
      });
      assert.strictEqual(failure.message, "There is no room.");
      assert.strictEqual(failure.cause, cause);
    }
  });

  it("says by its class where it ends", () => {
    assert.strictEqual(Failure.recoverable("tool.invalid_arguments", "")._tag, "Recoverable");
    assert.strictEqual(Failure.denied("tool.invalid_arguments", "")._tag, "Denied");
    assert.strictEqual(Failure.fatal("tool.invalid_arguments", "")._tag, "Fatal");
  });
});
