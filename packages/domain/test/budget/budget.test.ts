import { assert, describe, it } from "@effect/vitest";
import * as Arbitrary from "effect/Arbitrary";
import * as Result from "effect/Result";
import * as Schema from "effect/Schema";
import * as Purse from "../../src/budget/Purse.ts";
import * as Repetition from "../../src/budget/Repetition.ts";

const refusalOf = (result: Result.Result<unknown, Purse.BudgetRefusal>) =>
  Result.isFailure(result) ? [result.failure.code, result.failure.message] : ["none", ""];

const read = { id: "builtin:read", name: "read" };

describe("a purse", () => {
  it("lets exactly the calls of its limit through, and says which budget is used up and how much it was", () => {
    const spent = [1, 2, 3].reduce(
      (purse) => {
        assert.deepStrictEqual(refusalOf(Purse.admitCall(purse, read))[0], "none");
        return Purse.charge(purse, { calls: 1 });
      },
      Purse.make({ calls: 3 }),
    );
    assert.deepStrictEqual(refusalOf(Purse.admitCall(spent, read)), [
      "agent.tool_budget_exhausted",
      "The budget of 3 tool calls is used up (3 of 3).",
    ]);
  });

  it("counts the calls of each tool apart", () => {
    const purse = Purse.charge(Purse.make({ calls: 9, perTool: { "builtin:read": 1 } }), {
      calls: 1,
      perTool: { "builtin:read": 1 },
    });
    assert.deepStrictEqual(refusalOf(Purse.admitCall(purse, read)), [
      "agent.tool_budget_exhausted",
      "All 1 call of read is used up. Go on with the other tools.",
    ]);
    assert.strictEqual(refusalOf(Purse.admitCall(purse, { id: "builtin:write", name: "write" }))[0], "none");
    assert.strictEqual(refusalOf(Purse.admitCall(purse, { name: "nothing" }))[0], "none");
  });

  it.each([
    ["rounds", "agent.max_tool_rounds_exceeded", { rounds: 2 }, "The budget of 2 rounds is used up (2 of 2)."],
    [
      "tokens",
      "agent.token_budget_exhausted",
      { tokens: 900 },
      "The run's budget of 900 tokens is used up (900 of 900).",
    ],
    ["cost", "agent.cost_budget_exhausted", { cost: 0.3 }, "The run's budget of 0.3 in cost is used up (0.3 of 0.3)."],
    ["time", "agent.time_budget_exhausted", { wallMs: 1500 }, "The run's budget of 1.5 s is used up (1.5 of 1.5 s)."],
  ] as const)("lets no round begin when %s are used up", (_kind, code, limits, message) => {
    const purse = Purse.make(limits);
    assert.strictEqual(refusalOf(Purse.admitRound(purse))[0], "none");
    assert.deepStrictEqual(refusalOf(Purse.admitRound(Purse.charge(purse, limits))), [code, message]);
  });

  it("adds prices without losing a hundredth of them", () => {
    const spent = [0.1, 0.1, 0.1].reduce((purse, cost) => Purse.charge(purse, { cost }), Purse.make({ cost: 0.3 }));
    assert.strictEqual(Purse.overdrawn(spent)?.code, "agent.cost_budget_exhausted");
    assert.deepStrictEqual(Purse.remaining(spent), { cost: 0 });
  });

  it("may be overdrawn by what has already happened, and says by how much", () => {
    const purse = Purse.charge(Purse.make({ tokens: 100 }), { tokens: 130 });
    assert.include(Purse.overdrawn(purse)?.message, "130 of 100");
    assert.deepStrictEqual(Purse.remaining(purse), { tokens: 0 });
  });

  it("without limits lets everything through and has nothing to tell", () => {
    const purse = Purse.charge(Purse.make({}), { calls: 5, tokens: 5, rounds: 5, wallMs: 5, cost: 5 });
    assert.strictEqual(refusalOf(Purse.admitCall(purse, read))[0], "none");
    assert.strictEqual(refusalOf(Purse.admitRound(purse))[0], "none");
    assert.deepStrictEqual(Purse.remaining(purse), {});
  });

  it("sets a child's share aside before it starts, and takes back what it did not spend", () => {
    const purse = Purse.make({ tokens: 100, perTool: { "builtin:read": 4 } });
    const share = { tokens: 60, perTool: { "builtin:read": 3 } };
    const reserved = Result.getOrThrow(Purse.reserve(purse, share));
    assert.deepStrictEqual(Purse.remaining(reserved), { tokens: 40, perTool: { "builtin:read": 1 } });
    assert.deepStrictEqual(refusalOf(Purse.reserve(reserved, { tokens: 41 })), [
      "agent.token_budget_exhausted",
      "The run's budget of 100 tokens is used up (60 of 100), 60 of it reserved for delegated tasks.",
    ]);
    assert.deepStrictEqual(refusalOf(Purse.reserve(reserved, { perTool: { "builtin:read": 2 } })), [
      "agent.tool_budget_exhausted",
      "Only 1 of 4 calls of builtin:read are left, and 2 are asked for.",
    ]);
    const settled = Purse.settle(reserved, share, { tokens: 20, perTool: { "builtin:read": 1 } });
    assert.deepStrictEqual(Purse.remaining(settled), { tokens: 80, perTool: { "builtin:read": 3 } });
  });

  const amount = Arbitrary.schema(
    Schema.Struct({
      calls: Schema.Literals([0, 1, 2, 5]),
      rounds: Schema.Literals([0, 1, 3]),
      tokens: Schema.Literals([0, 10, 40, 100]),
      cost: Schema.Literals([0, 0.1, 0.25]),
      wallMs: Schema.Literals([0, 100, 700]),
    }),
  );

  it.prop(
    "children together never get more than there is, and what they give back is there again",
    [amount, Arbitrary.array(amount, { maxLength: 8 })],
    ([limits, shares]) => {
      const full = Purse.make(limits);
      const granted: Array<Purse.Amount> = [];
      const purse = shares.reduce((before, share) => {
        const after = Purse.reserve(before, share);
        if (Result.isFailure(after)) return before;
        granted.push(share);
        return after.success;
      }, full);
      for (const kind of ["calls", "rounds", "tokens", "cost", "wallMs"] as const) {
        const sum = granted.reduce((total, share) => total + (share[kind] ?? 0), 0);
        assert.isAtMost(sum, limits[kind] + 1e-6);
      }
      const back = granted.reduce((before, share) => Purse.settle(before, share, {}), purse);
      assert.deepStrictEqual(Purse.remaining(back), Purse.remaining(full));
    },
    { arbitrary: { runs: 500 } },
  );

  it.prop("spending never leaves more than before", [amount, amount, amount], ([limits, first, second]) => {
    const before = Purse.charge(Purse.make(limits), first);
    const after = Purse.charge(before, second);
    for (const kind of ["calls", "rounds", "tokens", "cost", "wallMs"] as const)
      assert.isAtMost(Purse.remaining(after)[kind] ?? 0, Purse.remaining(before)[kind] ?? 0);
  });
});

describe("the guard against repetition", () => {
  const call = (name: string, result = "r"): Repetition.ObservedCall => ({
    toolId: "builtin:read",
    argumentsSha256: name,
    resultSha256: result,
  });
  const after = (...calls: ReadonlyArray<Repetition.ObservedCall>) =>
    calls.reduce(Repetition.observeCall, Repetition.empty);
  const judged = (text: string, limits?: Repetition.RepetitionLimits) =>
    Repetition.judge(after(...[...text].map((name) => call(name))), limits);

  it.each([
    ["", "fine"],
    ["aa", "fine"],
    ["aaa", "warn"],
    ["aaaa", "warn"],
    ["aaaaa", "end"],
    ["xaaa", "warn"],
    ["aaaab", "fine"],
    ["aabaa", "fine"],
    ["abab", "fine"],
    ["ababab", "warn"],
    ["ababababab", "end"],
    ["abcabcabc", "warn"],
    ["abcdabcdabcd", "warn"],
    ["abcdeabcdeabcde", "fine"],
    ["abacadabacad", "fine"],
  ])("after the calls %j says %s", (calls, verdict) => {
    assert.strictEqual(judged(calls), verdict);
  });

  it("can be set to other numbers", () => {
    assert.strictEqual(judged("aa", { warnAt: 2, endAt: 3 }), "warn");
    assert.strictEqual(judged("aaa", { warnAt: 2, endAt: 3 }), "end");
    assert.strictEqual(judged("a".repeat(39), { warnAt: 40, endAt: 60 }), "fine");
    assert.strictEqual(judged("a".repeat(60), { warnAt: 40, endAt: 60 }), "end");
  });

  it("lets a call be repeated whose result changes", () => {
    assert.strictEqual(
      Repetition.judge(after(...["1", "2", "3", "4", "5"].map((result) => call("a", result)))),
      "fine",
    );
  });

  it("tells tools apart", () => {
    const other = { ...call("a"), toolId: "builtin:write" };
    assert.strictEqual(Repetition.judge(after(call("a"), call("a"), other)), "fine");
  });

  it("knows the same text, apart from calls, and says what it has seen", () => {
    const texts = [1, 2, 3].reduce((history) => Repetition.observeText(history, "t"), after(call("a")));
    assert.strictEqual(Repetition.judge(texts), "warn");
    assert.include(Repetition.describe(texts), "The same text was written 3 times in a row");
    assert.include(Repetition.describe(after(call("a"), call("a"), call("a"))), "The same call gave the same result 3");
    assert.deepStrictEqual(Repetition.repeats(texts), { calls: 1, texts: 3 });
  });

  it("remembers no more than it needs", () => {
    const long = Array.from({ length: 1000 }, (_, index) => call(String(index)));
    assert.isBelow(after(...long).calls.length, 300);
  });
});
