import { assert, describe, it } from "@effect/vitest";
import { rootInvocation } from "../../src/identity/Identity.ts";
import { fold } from "../../src/run/evolve.ts";
import * as RunEvent from "../../src/run/RunEvent.ts";
import { empty } from "../../src/run/RunState.ts";
import * as Journals from "./journals.ts";

/** The events of a run up to its first answer. */
const base = Journals.writingRun.slice(
  0,
  Journals.writingRun.findIndex(({ type }) => type === "model_response_stored") + 1,
);

const fact = (type: RunEvent.RunEventType, payload: object): Journals.Fact => ({
  type,
  v: RunEvent.definitions[type].v,
  invocationId: rootInvocation,
  payload: payload as Journals.Fact["payload"],
});

const after = (...facts: ReadonlyArray<Journals.Fact>) =>
  fold(empty, Journals.events([...base, ...facts])).invocations[rootInvocation];

describe("a model call whose attempt was lost", () => {
  it("counts for every attempt that may have been answered, and once where nothing was lost", () => {
    const turn = { round: 9, invocationId: rootInvocation };
    const created = fact("model_request_created", { ...turn, messageCount: 1 });
    const attempt = (number: number) => fact("model_call_attempt_started", { ...turn, attempt: number, maxRetries: 3 });
    const failed = fact("model_call_attempt_failed", {
      ...turn,
      attempt: 1,
      maxRetries: 3,
      code: "agent.transient",
      retryable: true,
      willRetry: true,
      message: "",
    });
    const answered = fact("model_response_stored", {
      ...turn,
      response: { path: "x", sha256: "0".repeat(64), bytes: 0, text: "" },
      model: "m",
      finish: "stop",
      usage: { inputTokens: 100, outputTokens: 10 },
      cost: 2,
    });
    const spentBy = (...facts: ReadonlyArray<Journals.Fact>) => {
      const [before, later] = [after(), after(created, ...facts)];
      return [
        (later?.inputTokens ?? 0) - (before?.inputTokens ?? 0),
        (later?.outputTokens ?? 0) - (before?.outputTokens ?? 0),
        (later?.cost ?? 0) - (before?.cost ?? 0),
      ];
    };
    assert.deepStrictEqual(spentBy(attempt(1), answered), [100, 10, 2]);
    assert.deepStrictEqual(spentBy(attempt(1), failed, attempt(2), answered), [100, 10, 2]);
    assert.deepStrictEqual(spentBy(attempt(1), attempt(2), answered), [200, 20, 4]);
    assert.deepStrictEqual(spentBy(attempt(1), attempt(2), failed, attempt(3), answered), [200, 20, 4]);
  });
});
