import { assert, describe, it } from "@effect/vitest";
import * as Result from "effect/Result";
import {
  type Caller,
  decideDelegation,
  type DelegationCode,
  isEligible,
  type Operation,
  shownCode,
  type Target,
  type Use,
} from "../../src/task/decideDelegation.ts";
import { withDefaults } from "../../src/profile/withDefaults.ts";

const allowed: Caller = {
  profileId: "lead",
  isSubagent: false,
  depth: 0,
  delegation: {
    canDelegate: true,
    canHandoff: true,
    maxConcurrentInvocations: 3,
    maxDepth: 1,
    maxHandoffDepth: 2,
    maxInvocationsPerRun: 8,
  },
};

const unused: Use = { delegated: 0, unfinished: 0, handoffs: 0 };

const critic: Target = {
  ...withDefaults({ kind: "cahier.agentProfile", schemaVersion: 1, id: "critic" }),
  delegation: {
    ...withDefaults({ kind: "cahier.agentProfile", schemaVersion: 1, id: "critic" }).delegation,
    callable: true,
    allowAsSubagent: true,
    allowAsHandoffTarget: true,
  },
};

const callerWith = (delegation: Partial<Caller["delegation"]>, more: Partial<Caller> = {}): Caller => ({
  ...allowed,
  ...more,
  delegation: { ...allowed.delegation, ...delegation },
});

const targetWith = (delegation: Partial<Target["delegation"]>, more: Partial<Target> = {}): Target => ({
  ...critic,
  ...more,
  delegation: { ...critic.delegation, ...delegation },
});

const codeOf = (
  operation: Operation,
  { caller = allowed, target, use = unused }: { caller?: Caller; target?: Target | null; use?: Use },
): DelegationCode | undefined => {
  const decided = decideDelegation(operation, caller, "critic", target === null ? undefined : (target ?? critic), use, [
    "other",
  ]);
  return Result.isFailure(decided) ? decided.failure.code : undefined;
};

/** Everything that stands against giving work to another agent, in the order in which it is looked at. */
const delegating: ReadonlyArray<readonly [DelegationCode, Parameters<typeof codeOf>[1]]> = [
  ["agent.profile_cannot_delegate", { caller: callerWith({ canDelegate: false }) }],
  ["agent.target_profile_not_found", { target: null }],
  ["agent.target_not_callable", { target: targetWith({ callable: false }) }],
  ["agent.target_not_subagent", { target: targetWith({ allowAsSubagent: false }) }],
  ["agent.target_caller_denied", { target: targetWith({ allowedCallers: ["editor"] }) }],
  [
    "agent.profile_model_requires_configuration",
    { target: targetWith({}, { model: { mode: "requiresConfiguration" } }) },
  ],
  ["agent.max_delegation_depth_exhausted", { caller: callerWith({}, { depth: 1, isSubagent: true }) }],
  ["agent.max_invocations_per_run_exhausted", { use: { ...unused, delegated: 8 } }],
  ["agent.max_concurrent_invocations_exhausted", { use: { ...unused, delegated: 3, unfinished: 3 } }],
];

const handing: ReadonlyArray<readonly [DelegationCode, Parameters<typeof codeOf>[1]]> = [
  ["agent.child_handoff_denied", { caller: callerWith({}, { isSubagent: true, depth: 1 }) }],
  ["agent.profile_cannot_handoff", { caller: callerWith({ canHandoff: false }) }],
  ["agent.target_profile_not_found", { target: null }],
  ["agent.target_not_callable", { target: targetWith({ callable: false }) }],
  ["agent.target_not_handoff", { target: targetWith({ allowAsHandoffTarget: false }) }],
  ["agent.target_caller_denied", { target: targetWith({ allowedCallers: [] }) }],
  [
    "agent.profile_model_requires_configuration",
    { target: targetWith({}, { model: { mode: "requiresConfiguration" } }) },
  ],
  ["agent.max_handoff_depth_exhausted", { use: { ...unused, handoffs: 2 } }],
];

describe("whether an agent may give a task to another", () => {
  it("is so when nothing stands against it, up to the limits", () => {
    assert.isUndefined(codeOf("delegate", {}));
    assert.isUndefined(codeOf("delegate", { use: { delegated: 7, unfinished: 2, handoffs: 9 } }));
    assert.isUndefined(codeOf("delegate", { target: targetWith({ allowedCallers: ["lead"] }) }));
    assert.isUndefined(codeOf("delegate", { target: targetWith({ allowAsHandoffTarget: false }) }));
    assert.isUndefined(codeOf("delegate", { caller: callerWith({ maxDepth: 2 }, { depth: 1, isSubagent: true }) }));
  });

  it.each(delegating)("is refused as %s", (code, given) => {
    assert.strictEqual(codeOf("delegate", given), code);
  });
});

describe("whether an agent may hand its place over to another", () => {
  it("is so when nothing stands against it, however many tasks were given", () => {
    assert.isUndefined(codeOf("handoff", { use: { delegated: 8, unfinished: 3, handoffs: 1 } }));
    assert.isUndefined(codeOf("handoff", { target: targetWith({ allowAsSubagent: false }) }));
  });

  it.each(handing)("is refused as %s", (code, given) => {
    assert.strictEqual(codeOf("handoff", given), code);
  });
});

describe("a refusal", () => {
  it("of a choice names whom else the agent could choose, and one of a limit does not", () => {
    const message = (target: Target | undefined, use: Use) => {
      const decided = decideDelegation("delegate", allowed, "critic", target, use, ["editor", "other"]);
      return Result.isFailure(decided) ? decided.failure.message : "";
    };
    assert.strictEqual(message(undefined, unused), 'There is no agent "critic". You can name: editor, other.');
    assert.notInclude(message(critic, { ...unused, unfinished: 3 }), "editor");
  });

  it("is shown under one code for what is never allowed and one for what is used up", () => {
    assert.strictEqual(shownCode("delegate", "agent.target_not_callable"), "agent.delegation_policy_denied");
    assert.strictEqual(
      shownCode("delegate", "agent.max_concurrent_invocations_exhausted"),
      "agent.delegation_budget_exhausted",
    );
    assert.strictEqual(shownCode("handoff", "agent.target_not_handoff"), "agent.handoff_policy_denied");
    assert.strictEqual(shownCode("handoff", "agent.max_handoff_depth_exhausted"), "agent.handoff_depth_exhausted");
  });

  it("has as little to do with an agent that is listed as a limit that is used up", () => {
    assert.isTrue(isEligible("delegate", callerWith({ maxInvocationsPerRun: 0 }), critic));
    assert.isFalse(isEligible("delegate", allowed, targetWith({ callable: false })));
    assert.isFalse(isEligible("handoff", callerWith({ canHandoff: false }), critic));
  });
});
