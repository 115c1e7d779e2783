import { conversationOf, tokensOf } from "@cahier/domain/context/ContextFrame";
import { CallId } from "@cahier/domain/identity/Identity";
import type { Payload } from "@cahier/domain/payload/Payload";
import type { PromptComponent } from "@cahier/domain/prompt/PromptComponent";
import type { MessageReference } from "@cahier/domain/run/RunState";
import * as Sha256 from "@cahier/domain/payload/Sha256";
import { assert, describe, it } from "@effect/vitest";

const payload = (path: string): Payload => ({ path, sha256: Sha256.ofText(path), bytes: 1, text: "x" });

const references: ReadonlyArray<MessageReference> = [
  { kind: "user", about: "guidance", payload: payload("said") },
  { kind: "response", payload: payload("one") },
  { kind: "result", callId: CallId.make("a"), payload: payload("result") },
  { kind: "user", about: "taskResults", payload: payload("told") },
  { kind: "response", payload: payload("two") },
  { kind: "user", about: "reminder", payload: payload("again") },
];

const frame = (leftOut: number) =>
  conversationOf({
    leftOut,
    note: 7,
    messages: references.map((reference) => ({ reference, tokens: 10, form: "full" })),
  });

describe("the parts of a request behind its prompt", () => {
  it("are what the model answered, what its calls gave, and what it was told, in their order", () => {
    assert.deepStrictEqual(
      frame(0).map(({ kind }) => kind),
      ["guidance", "conversation", "toolResults", "taskResults", "conversation", "reminder"],
    );
    assert.deepStrictEqual(
      frame(0).map(({ form }) => form),
      [undefined, undefined, "full", undefined, undefined, undefined],
    );
  });

  it("keep what people have said when earlier turns are left out, and begin with a note about that", () => {
    const parts = frame(3);
    assert.deepStrictEqual(
      parts.map(({ identifier, skipped }) => [identifier, skipped]),
      [
        ["note", null],
        ["said", null],
        ["one", "overBudget"],
        ["result", "overBudget"],
        ["told", null],
        ["two", null],
        ["again", null],
      ],
    );
    assert.strictEqual(tokensOf(parts), 47);
  });

  it("are counted once where one stands within another, and not where nobody has counted", () => {
    const part: PromptComponent = { identifier: "a", kind: "system", source: "profile", tokens: 5, skipped: null };
    assert.strictEqual(tokensOf([part, { ...part, within: "a" }, { ...part, tokens: null }]), 5);
  });
});
