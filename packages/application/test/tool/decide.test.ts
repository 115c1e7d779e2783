import * as Gate from "@cahier/application/tool/gate";
import { prepareSnapshot } from "@cahier/application/tool/prepareSnapshot";
import { CallId } from "@cahier/domain/identity/Identity";
import type { ToolCallPart } from "@cahier/domain/model/Message";
import type { PolicyRule } from "@cahier/domain/policy/Policy";
import { defaultWriter } from "@cahier/domain/profile/defaultWriter";
import { withDefaults } from "@cahier/domain/profile/withDefaults";
import { argumentsSha256 } from "@cahier/domain/tool/canonicalArguments";
import { ToolId } from "@cahier/domain/tool/ToolId";
import type { InvocationToolSnapshot } from "@cahier/domain/tool/ToolSnapshot";
import * as ToolTurn from "@cahier/domain/tool/ToolTurn";
import { assert, describe, it } from "@effect/vitest";
import * as Result from "effect/Result";
import { toolOf } from "./tools.ts";

const ids = ["builtin:a", "builtin:b", "mcp/notes:erase"];

const snapshotOf = (rules: ReadonlyArray<PolicyRule> = [], tools: object = {}): InvocationToolSnapshot => {
  const base = withDefaults(defaultWriter([]).profile);
  const profile = { ...base, tools: { ...base.tools, allow: ids, maxCallsPerRun: 4, ...tools } };
  return Result.getOrThrow(
    prepareSnapshot({
      id: "tools_1",
      catalog: ids.map((id) => toolOf(id, { inputSchema: closed })),
      scene: "chat",
      profile,
      layers: { user: rules, profile: { ...profile.tools } },
    }),
  );
};

const closed = { type: "object", properties: { n: { type: "integer" } }, additionalProperties: false };

const callOf = (name: string, args = "{}"): ToolCallPart => ({
  type: "toolCall",
  callId: CallId.make(`call_${name}`),
  name,
  arguments: args,
});

const unused = { callCount: 0, callsPerTool: {} };

const codesOf = (verdicts: ReadonlyArray<Gate.GateVerdict>) => verdicts.map(({ refusal }) => refusal?.code);

describe("the order of the gate", () => {
  it("is: snapshot, tool, choice, budgets, container, schema, policy, approval; the first that objects speaks", () => {
    const denying = snapshotOf([{ tools: ["builtin:a"], permission: "deny" }], { maxCallsPerRun: 1 });
    const other = { ...ToolTurn.everything(denying), snapshotId: "tools_2" };
    const none = { ...ToolTurn.everything(denying), choice: "none" as const };
    const spent = { callCount: 1, callsPerTool: {} };
    const decide = (
      name: string,
      args: string,
      used: Parameters<typeof Gate.decide>[1],
      contract?: ToolTurn.ToolTurnContract,
    ) => Gate.decide(denying, used, [callOf(name, args)], false, contract)[0]?.refusal?.code;
    assert.strictEqual(decide("nothing", "[", spent, other), "tool.turn_snapshot_mismatch");
    assert.strictEqual(decide("nothing", "[", spent, none), "model.unknown_tool_call");
    assert.strictEqual(decide("a", "[", spent, none), "model.tool_choice_violation");
    assert.strictEqual(decide("a", "[", spent), "agent.tool_budget_exhausted");
    assert.strictEqual(decide("a", "[", unused), "tool.invalid_arguments");
    assert.strictEqual(decide("a", '{"m":1}', unused), "tool.invalid_arguments");
    const [verdict] = Gate.decide(denying, unused, [callOf("a")], false);
    assert.isUndefined(verdict?.refusal);
    assert.deepInclude(verdict?.denial, { layer: "user", rule: "rules[0]" });
    assert.isUndefined(verdict?.approval);
  });

  it("charges every call, also one that is refused, and counts each tool for itself", () => {
    const snapshot = snapshotOf([], { maxCallsPerRun: 4, maxCallsPerTool: { "builtin:a": 1 } });
    const calls = [callOf("nothing"), callOf("a", "["), callOf("a"), callOf("b"), callOf("b")];
    assert.deepStrictEqual(codesOf(Gate.decide(snapshot, unused, calls, false)), [
      "model.unknown_tool_call",
      "tool.invalid_arguments",
      "agent.tool_budget_exhausted",
      undefined,
      "agent.tool_budget_exhausted",
    ]);
  });

  it("asks about a tool of another source with everything that a person must see", () => {
    const [verdict] = Gate.decide(snapshotOf(), unused, [callOf("mcp__notes__erase", '{"n":1}')], false);
    assert.deepStrictEqual(verdict?.approval, {
      title: "mcp/notes:erase",
      argumentsSummary: "n: 1",
      sideEffects: ["Runs on an MCP server, outside of Cahier."],
      source: "mcp",
      reason: verdict?.approval?.reason ?? "",
      layer: "tool",
      rule: "source",
    });
    assert.include(verdict?.approval?.reason, "it belongs to an MCP server");
  });

  it("binds a verdict to the arguments, however they are spelt", () => {
    const spellings = ['{"n":1}', ' { "n" : 1 } ', JSON.stringify('{"n":1}')];
    const digests = spellings.map((args) => Gate.decide(snapshotOf(), unused, [callOf("a", args)], false)[0]);
    for (const verdict of digests) assert.strictEqual(verdict?.argumentsSha256, argumentsSha256('{"n":1}'));
    assert.strictEqual(
      Gate.decide(snapshotOf(), unused, [callOf("a", "[")], false)[0]?.argumentsSha256,
      argumentsSha256("["),
    );
  });

  it("suggests the name that was meant", () => {
    const [verdict] = Gate.decide(snapshotOf(), unused, [callOf("mcp_notes_erase")], false);
    assert.include(
      verdict?.refusal?.message,
      "did you mean mcp__notes__erase? Available are: a, b, mcp__notes__erase.",
    );
  });

  it("lets the calls of a snapshot without policy run: it was frozen before there was one", () => {
    const snapshot = snapshotOf([{ tools: ["*"], permission: "deny" }]);
    const old = { ...snapshot, bindings: snapshot.bindings.map(({ policy: _policy, ...binding }) => binding) };
    const [verdict] = Gate.decide(old, unused, [callOf("a")], false);
    assert.isUndefined(verdict?.denial);
    assert.isUndefined(verdict?.approval);
  });

  it("holds a turn to the tools that it offers", () => {
    const snapshot = snapshotOf();
    const only = { snapshotId: snapshot.id, tools: [ToolId.make("builtin:a")], choice: "auto" as const };
    const verdicts = Gate.decide(snapshot, unused, [callOf("a"), callOf("b")], false, only);
    assert.deepStrictEqual(codesOf(verdicts), [undefined, "model.tool_choice_violation"]);
    assert.strictEqual(Gate.fatalRefusal(verdicts)?.code, "model.tool_choice_violation");
    assert.isUndefined(Gate.fatalRefusal(Gate.decide(snapshot, unused, [callOf("c"), callOf("b", "[")], false)));
  });
});
