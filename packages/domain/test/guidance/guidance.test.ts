import { assert, describe, it } from "@effect/vitest";
import * as Result from "effect/Result";
import { rootInvocation } from "../../src/identity/Identity.ts";
import * as Guidance from "../../src/guidance/Guidance.ts";
import { fold } from "../../src/run/evolve.ts";
import { empty, type RunState } from "../../src/run/RunState.ts";
import * as Journals from "../run/journals.ts";

const working = fold(empty, Journals.events(Journals.writingRun.slice(0, 12)));
const finished = fold(
  empty,
  Journals.events(
    Journals.writingRun.slice(0, Journals.writingRun.findIndex(({ type }) => type === "agent_loop_finished") + 1),
  ),
);
const ended = fold(empty, Journals.events(Journals.writingRun));

const submitted = (id: string, text: string) =>
  Journals.fact("user_guidance_submitted", {
    guidanceId: id,
    invocationId: rootInvocation,
    chars: text.length,
    words: 1,
    preview: text.slice(0, 10),
    text: Journals.payload(`input/guidance/${id}.md`, text),
    submittedAt: "2026-01-01T00:00:00.000Z",
    status: "queued",
  });

const waiting = (texts: ReadonlyArray<string>): RunState =>
  fold(
    working,
    Journals.events(
      texts.map((text, index) => submitted(`guidance_${index}`, text)),
      working.seq + 1,
    ),
  );

const codeOf = (state: RunState, guidance: Guidance.SubmittedGuidance): string | undefined => {
  const admitted = Guidance.admitGuidance(state, guidance);
  return Result.isFailure(admitted) ? admitted.failure.code : undefined;
};

describe("what a user says to a run", () => {
  it("is taken while its agent works, up to 16 000 characters", () => {
    assert.isUndefined(codeOf(working, { text: "Slower.", clientGuidanceId: "mine" }));
    assert.isUndefined(codeOf(working, { text: "\u{1f600}".repeat(Guidance.longestText) }));
  });

  it.each([
    ["agent.guidance_invalid", working, { text: "Slower.", clientGuidanceId: "" }],
    ["agent.guidance_empty", working, { text: " \n" }],
    ["agent.guidance_too_large", working, { text: "a".repeat(Guidance.longestText + 1) }],
    ["agent.guidance_active_run_missing", empty, { text: "Slower." }],
    ["agent.guidance_mailbox_closed", finished, { text: "Slower." }],
    ["agent.guidance_run_not_accepting", ended, { text: "Slower." }],
    ["agent.guidance_run_not_accepting", { ...working, cancelRequested: true }, { text: "Slower." }],
    ["agent.guidance_mailbox_full", waiting(Array.from({ length: 8 }, () => "More.")), { text: "Slower." }],
    ["agent.guidance_mailbox_full", waiting(Array.from({ length: 4 }, () => "a".repeat(16_000))), { text: "a" }],
  ] as const)("is refused as %s where it cannot be read", (code, state, guidance) => {
    assert.strictEqual(codeOf(state, guidance), code);
  });

  it("waits once, in the order in which it came, until it is told or discarded", () => {
    const two = waiting(["One.", "Two."]);
    assert.deepStrictEqual(
      two.guidance.pending.map(({ guidanceId }) => guidanceId),
      ["guidance_0", "guidance_1"],
    );
    const again = fold(two, Journals.events([submitted("guidance_1", "Two.")], two.seq + 1));
    assert.strictEqual(again.guidance.pending.length, 2);
    const discarded = fold(
      two,
      Journals.events(
        [
          Journals.fact("user_guidance_discarded", {
            guidanceIds: ["guidance_0", "guidance_1"],
            clientGuidanceIds: [],
            reason: "run_cancel_requested",
            status: "discarded",
          }),
        ],
        two.seq + 1,
      ),
    );
    assert.deepStrictEqual(discarded.guidance.pending, []);
  });

  it("is told in one message and shown by its first 240 characters", () => {
    assert.strictEqual(Guidance.toldAs(["One.", "Two."]), "<user_guidance>\nOne.\n\nTwo.\n</user_guidance>");
    assert.strictEqual([...Guidance.previewOf("\u{1f600}".repeat(241))].length, 240);
    assert.strictEqual(Guidance.previewOf("Short."), "Short.");
  });
});
