import { assert, describe, it } from "@effect/vitest";
import * as Arbitrary from "effect/Arbitrary";
import * as Schema from "effect/Schema";
import { decide, type PolicyLayers, type PolicySubject } from "../../src/policy/decide.ts";
import type { PolicyRule } from "../../src/policy/Policy.ts";
import { PolicyDecision } from "../../src/policy/PolicyDecision.ts";
import { ToolId } from "../../src/tool/ToolId.ts";

const tool: PolicySubject = {
  id: ToolId.make("builtin:notes.read"),
  source: "builtin",
  visibility: "model",
  permission: "always",
  annotations: { readOnly: true, destructive: false, idempotent: true, openWorld: false, cost: "none" },
  budget: { timeoutMs: 120_000 },
};

const silentProfile: PolicyLayers["profile"] = {
  allow: [tool.id],
  deny: [],
  policy: [],
  maxCallsPerTool: {},
  timeoutMs: {},
};

type Said = "-" | "always" | "ask" | "deny";
const sayings: ReadonlyArray<Said> = ["-", "always", "ask", "deny"];
const defaults = ["always", "ask", "deny"] as const;

const rule = (said: Said) => (said === "-" ? [] : [{ tools: [tool.id], permission: said }]);

const layers = (said: { readonly [Layer in "platform" | "user" | "plan" | "profile" | "source"]?: Said }) => ({
  platform: rule(said.platform ?? "-"),
  user: rule(said.user ?? "-"),
  plan: { rules: rule(said.plan ?? "-") },
  profile: { ...silentProfile, policy: rule(said.profile ?? "-") },
  source: rule(said.source ?? "-"),
});

const letter = ({ approval, callable }: PolicyDecision) => (callable ? (approval ? "?" : "+") : "x");

/**
 * Rows: what plan node and profile say. Columns: what the source says (silent, always, ask, deny), under each of them
 * the tool's default (always, ask, deny). `+` runs, `?` asks, `x` is denied.
 */
const table: { readonly [row: string]: string } = {
  "-      -     ": "+?x ++x ??x xxx",
  "-      always": "++x ++x ??x xxx",
  "-      ask   ": "??x ??x ??x xxx",
  "-      deny  ": "xxx xxx xxx xxx",
  "always -     ": "++x ++x ??x xxx",
  "always always": "++x ++x ??x xxx",
  "always ask   ": "++x ++x ??x xxx",
  "always deny  ": "xxx xxx xxx xxx",
  "ask    -     ": "??x ??x ??x xxx",
  "ask    always": "??x ??x ??x xxx",
  "ask    ask   ": "??x ??x ??x xxx",
  "ask    deny  ": "xxx xxx xxx xxx",
  "deny   -     ": "xxx xxx xxx xxx",
  "deny   always": "xxx xxx xxx xxx",
  "deny   ask   ": "xxx xxx xxx xxx",
  "deny   deny  ": "xxx xxx xxx xxx",
};

/** What platform (rows) and user (columns: silent, always, ask, deny) make of `+`, `?` and `x` below them. */
const above: { readonly [platform in Said]: string } = {
  "-": "+?x +?x ??x xxx",
  always: "+?x +?x ??x xxx",
  ask: "??x ??x ??x xxx",
  deny: "xxx xxx xxx xxx",
};

describe("the truth table of policy", () => {
  for (const plan of sayings) {
    for (const profile of sayings) {
      const row = `${plan.padEnd(6)} ${profile.padEnd(6)}`;
      it(`plan node and profile say ${row}`, () => {
        const below = sayings.map((source) =>
          defaults
            .map((permission) => letter(decide(layers({ plan, profile, source }), { ...tool, permission })))
            .join(""),
        );
        assert.strictEqual(below.join(" "), table[row]);
        for (const platform of sayings) {
          for (const [column, user] of sayings.entries()) {
            const change = above[platform].split(" ")[column] ?? "";
            for (const [index, source] of sayings.entries()) {
              for (const [at, permission] of defaults.entries()) {
                const decided = decide(layers({ platform, user, plan, profile, source }), { ...tool, permission });
                assert.strictEqual(letter(decided), change["+?x".indexOf(below[index]?.[at] ?? "")]);
              }
            }
          }
        }
      });
    }
  }
});

describe("the reason of a decision", () => {
  const reasonOf = (said: Parameters<typeof layers>[0], subject = tool) => {
    const { layer, message, rule: place } = decide(layers(said), subject).reason;
    return [layer, place, message];
  };

  it("names the highest layer that denies", () => {
    assert.deepStrictEqual(reasonOf({ user: "deny", source: "deny" }), [
      "user",
      "rules[0]",
      "The user's policy denies this tool.",
    ]);
  });

  it("names the layer whose question stands, above all that allow", () => {
    assert.strictEqual(reasonOf({ user: "always", plan: "always", source: "ask" })[0], "source");
    assert.strictEqual(reasonOf({ user: "always" }, { ...tool, permission: "ask" })[0], "tool");
    assert.strictEqual(reasonOf({ platform: "ask", user: "ask" })[0], "platform");
  });

  it("names the highest layer that allows", () => {
    assert.strictEqual(reasonOf({ plan: "always", profile: "ask" })[0], "plan");
    assert.strictEqual(reasonOf({ user: "always", profile: "always" })[0], "user");
    assert.deepStrictEqual(reasonOf({}), ["tool", "permission", "The tool's default allows this tool."]);
  });

  it("repeats what the rule gives as its reason, and its place", () => {
    const policy: ReadonlyArray<PolicyRule> = [
      { tools: ["mcp/*"], permission: "deny" },
      { tools: ["builtin:*"], permission: "ask", reason: "Look first." },
    ];
    assert.deepStrictEqual(decide({ profile: silentProfile, platform: policy }, tool).reason, {
      layer: "platform",
      rule: "rules[1]",
      message: "The platform's policy asks before this tool runs: Look first.",
    });
  });
});

describe("several rules of one layer", () => {
  const decided = (...user: ReadonlyArray<PolicyRule>) => letter(decide({ profile: silentProfile, user }, tool));
  const all = (permission: "always" | "ask" | "deny") => ({ tools: ["*"], permission });
  const one = (permission: "always" | "ask" | "deny") => ({ tools: [tool.id], permission });

  it("the last that fits decides, and a deny wherever it stands", () => {
    assert.strictEqual(decided(all("ask"), one("always")), "+");
    assert.strictEqual(decided(one("always"), all("ask")), "?");
    assert.strictEqual(decided(one("deny"), all("always")), "x");
    assert.strictEqual(decided(all("ask"), { tools: ["*"], maxCalls: 3 }), "?");
  });

  it("rules for other tools say nothing", () => {
    assert.strictEqual(decided({ tools: ["mcp/*", "builtin:notes.write"], permission: "deny" }), "+");
  });
});

describe("a tool that asks by default", () => {
  const annotations = tool.annotations;

  it.each([
    ["of an MCP server", { source: "mcp" as const }, "source"],
    ["of an extension", { source: "extension" as const }, "source"],
    ["that destroys", { annotations: { ...annotations, destructive: true } }, "annotations.destructive"],
    ["that reaches outside", { annotations: { ...annotations, openWorld: true } }, "annotations.openWorld"],
    ["that is expensive", { annotations: { ...annotations, cost: "high" as const } }, "annotations.cost"],
    ["that declares it", { permission: "ask" as const }, "permission"],
  ])("is one %s", (_what, change, place) => {
    const { approval, reason } = decide({ profile: silentProfile }, { ...tool, ...change });
    assert.isTrue(approval);
    assert.deepStrictEqual([reason.layer, reason.rule], ["tool", place]);
    const allowed = layers({ profile: "always" });
    assert.isFalse(decide(allowed, { ...tool, ...change }).approval);
  });

  it("is a rollback", () => {
    const id = ToolId.make("builtin:workspace.rollback");
    const profile = { ...silentProfile, allow: [id] };
    assert.strictEqual(decide({ profile }, { ...tool, id }).reason.rule, "rollback");
  });

  it("is not one that is cheap, closed and harmless", () => {
    assert.isFalse(
      decide({ profile: silentProfile }, { ...tool, annotations: { ...annotations, cost: "low" } }).approval,
    );
  });
});

describe("what the model sees", () => {
  it.each([
    ["the profile does not allow it", { profile: { ...silentProfile, allow: [] } }, "profile", "tools.allow"],
    ["the profile takes it away", { profile: { ...silentProfile, deny: [tool.id] } }, "profile", "tools.deny"],
    [
      "the plan node does not allow it",
      { profile: silentProfile, plan: { rules: [], allowedTools: ["mcp/*"] } },
      "plan",
      "allowedTools",
    ],
    ["a rule hides it", { profile: silentProfile, user: [{ tools: ["*"], visible: false }] }, "user", "rules[0]"],
  ])("not a tool when %s", (_why, given: PolicyLayers, layer, place) => {
    const { approval, callable, reason, visible } = decide(given, tool);
    assert.deepStrictEqual([visible, callable, approval], [false, false, false]);
    assert.deepStrictEqual([reason.layer, reason.rule], [layer, place]);
  });

  it("not a tool for people", () => {
    assert.isFalse(decide({ profile: silentProfile }, { ...tool, visibility: "user" }).visible);
  });

  it("nothing shows what another layer hides", () => {
    const shown = { profile: { ...silentProfile, allow: [] }, platform: [{ tools: ["*"], visible: true }] };
    assert.isFalse(decide(shown, tool).visible);
  });

  it("a tool that policy denies, so that a call of it is answered with the reason", () => {
    const { callable, visible } = decide(layers({ user: "deny" }), tool);
    assert.deepStrictEqual([visible, callable], [true, false]);
  });
});

describe("the budget of a tool", () => {
  it("is the least that any layer allows", () => {
    const { budget } = decide(
      {
        platform: [
          { tools: ["*"], maxCalls: 9 },
          { tools: [tool.id], maxCalls: 7 },
        ],
        user: [{ tools: ["builtin:*"], maxCalls: 8 }],
        profile: { ...silentProfile, maxCallsPerTool: { [tool.id]: 12 }, timeoutMs: { [tool.id]: 5000 } },
      },
      { ...tool, budget: { maxCalls: 10, maxOutputTokens: 500, timeoutMs: 120_000 } },
    );
    assert.deepStrictEqual(budget, { maxCalls: 7, maxOutputTokens: 500, timeoutMs: 5000 });
  });

  it("is never raised", () => {
    const profile = { ...silentProfile, maxCallsPerTool: { [tool.id]: 12 }, timeoutMs: { [tool.id]: 500_000 } };
    const { budget } = decide({ profile }, { ...tool, budget: { maxCalls: 3, timeoutMs: 1000 } });
    assert.deepStrictEqual(budget, { maxCalls: 3, timeoutMs: 1000 });
  });
});

describe("the properties of policy", () => {
  const ruleOf = Schema.Struct({
    tools: Schema.Array(Schema.Literals(["*", "builtin:*", tool.id, "mcp/*"])),
    permission: Schema.optionalKey(Schema.Literals(["always", "ask", "deny"])),
    visible: Schema.optionalKey(Schema.Boolean),
    maxCalls: Schema.optionalKey(Schema.Literals([1, 2, 3])),
  });
  const rules = Arbitrary.array(Arbitrary.schema(ruleOf), { maxLength: 3 });
  const five = [rules, rules, rules, rules, rules] as const;
  const permissions = Arbitrary.schema(Schema.Literals(["always", "ask", "deny"]));
  const names = ["platform", "user", "plan", "profile", "source"] as const;

  const build = (all: ReadonlyArray<ReadonlyArray<PolicyRule>>): PolicyLayers => ({
    platform: all[0] ?? [],
    user: all[1] ?? [],
    plan: { rules: all[2] ?? [] },
    profile: {
      ...silentProfile,
      policy: (all[3] ?? []).flatMap((one) =>
        one.permission === undefined ? [] : [{ tools: one.tools, permission: one.permission }],
      ),
    },
    source: all[4] ?? [],
  });

  const rank = ({ approval, callable }: PolicyDecision) => (callable ? (approval ? 1 : 2) : 0);

  const isNoWider = (narrow: PolicyDecision, wide: PolicyDecision) => {
    assert.isAtMost(rank(narrow), rank(wide));
    assert.isTrue(wide.visible || !narrow.visible);
    assert.isAtMost(narrow.budget.maxCalls ?? Infinity, wide.budget.maxCalls ?? Infinity);
    assert.isAtMost(narrow.budget.timeoutMs, wide.budget.timeoutMs);
  };

  it.prop(
    "adding a deny, to any layer and at any place, never makes anything more allowed",
    [...five, permissions, Arbitrary.schema(Schema.Int)],
    ([a, b, c, d, e, permission, seed]) => {
      const all: ReadonlyArray<ReadonlyArray<PolicyRule>> = [a, b, c, d, e];
      const before = decide(build(all), { ...tool, permission });
      for (const index of names.keys()) {
        const own = all[index] ?? [];
        const at = Math.abs(seed) % (own.length + 1);
        for (const pattern of ["*", "mcp/*", tool.id]) {
          const deny = { tools: [pattern], permission: "deny" as const };
          const narrowed = all.with(index, own.toSpliced(at, 0, deny));
          isNoWider(decide(build(narrowed), { ...tool, permission }), before);
        }
      }
    },
    { arbitrary: { runs: 400 } },
  );

  it.prop(
    "platform and user only narrow, whatever their policies say",
    [...five, permissions],
    ([a, b, c, d, e, permission]) => {
      const subject = { ...tool, permission };
      const both = decide(build([a, b, c, d, e]), subject);
      isNoWider(both, decide(build([a, [], c, d, e]), subject));
      isNoWider(both, decide(build([[], b, c, d, e]), subject));
    },
    { arbitrary: { runs: 400 } },
  );

  it.prop(
    "a question that a layer adds at its end never makes anything more allowed, and hiding hides",
    [...five, permissions],
    ([a, b, c, d, e, permission]) => {
      const all: ReadonlyArray<ReadonlyArray<PolicyRule>> = [a, b, c, d, e];
      const subject = { ...tool, permission };
      const before = decide(build(all), subject);
      for (const [index, name] of names.entries()) {
        const own = all[index] ?? [];
        isNoWider(decide(build(all.with(index, [...own, { tools: ["*"], permission: "ask" }])), subject), before);
        const hidden = decide(build(all.with(index, [...own, { tools: ["*"], visible: false }])), subject);
        assert.strictEqual(hidden.visible, name === "profile" ? before.visible : false);
      }
    },
    { arbitrary: { runs: 400 } },
  );

  it.prop(
    "a decision is whole: approval only of what is callable, callable only what is visible, and it survives JSON",
    [...five, permissions],
    ([a, b, c, d, e, permission]) => {
      const decided = decide(build([a, b, c, d, e]), { ...tool, permission });
      assert.isTrue(decided.visible || !decided.callable);
      assert.isTrue(decided.callable || !decided.approval);
      assert.match(decided.reason.message, /\.$/);
      assert.deepStrictEqual(Schema.decodeUnknownSync(PolicyDecision)(JSON.parse(JSON.stringify(decided))), decided);
    },
  );
});
