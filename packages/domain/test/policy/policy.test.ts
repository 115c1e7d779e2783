import { assert, describe, it } from "@effect/vitest";
import * as Arbitrary from "effect/Arbitrary";
import * as Result from "effect/Result";
import * as Schema from "effect/Schema";
import { admitModel } from "../../src/policy/admitModel.ts";
import { isPattern, matches } from "../../src/policy/pattern.ts";
import * as Policy from "../../src/policy/Policy.ts";

const document = (rules: unknown, more: object = {}) => ({ kind: "cahier.policy", schemaVersion: 1, rules, ...more });

const issues = (input: unknown, owner: "platform" | "user" = "platform") => {
  const read = Policy.decode(input, owner);
  return Result.isFailure(read) ? read.failure.map(({ code, path }) => [code, path]) : [];
};

describe("a pattern of tools", () => {
  it.each([
    ["mcp/*", "mcp/notes:read", true],
    ["mcp/*", "extension/notes:read", false],
    ["mcp/notes:*", "mcp/notes:read", true],
    ["mcp/notes:*", "mcp/notes2:read", false],
    ["builtin:workspace.*", "builtin:workspace.read_file", true],
    ["builtin:workspace.*", "builtin:workspaces", false],
    ["builtin:workspace.read_file", "builtin:workspace.read_file", true],
    ["builtin:workspace.read_file", "builtin:workspace.read_files", false],
    ["builtin:workspace.read_file", "builtin:workspaceXread_file", false],
    ["*", "builtin:anything", true],
    ["mcp/*:read*", "mcp/notes:read_all", true],
    ["mcp/*:read*", "mcp/notes:write", false],
    ["mcp/*aa*aa", "mcp/x:aaa", false],
    ["mcp/*aa*aa", "mcp/x:aaaa", true],
    ["extension/a*a", "extension/a", false],
  ])("%s fits %s: %s", (pattern, id, expected) => {
    assert.strictEqual(matches(pattern, id), expected);
  });

  it("must begin as an id does, for a name that is misspelt would protect nobody", () => {
    for (const pattern of ["*", "mcp/*", "builtin:x", "extension/a:b", "builtin:*"]) assert.isTrue(isPattern(pattern));
    for (const pattern of ["", "mcp", "builtins:x", "workspace.read_file", " mcp/*", "mcp/ ", "builtin:"])
      assert.isFalse(isPattern(pattern), pattern);
  });

  it.prop(
    "fits exactly what the regular expression of the same meaning fits",
    [
      Arbitrary.map(Arbitrary.array(Arbitrary.schema(Schema.Literals(["*", "a", "b", "."])), { maxLength: 8 }), (all) =>
        all.join(""),
      ),
      Arbitrary.map(Arbitrary.array(Arbitrary.schema(Schema.Literals(["a", "b", "."])), { maxLength: 8 }), (all) =>
        all.join(""),
      ),
    ],
    ([pattern, id]) => {
      const expression = new RegExp(`^${pattern.replaceAll(".", "\\.").replaceAll("*", ".*")}$`);
      assert.strictEqual(matches(pattern, id), expression.test(id));
    },
    { arbitrary: { runs: 1000 } },
  );
});

describe("a policy document", () => {
  it("states rules with ids and patterns", () => {
    const policy = document([
      { tools: ["mcp/*"], permission: "ask", reason: "Servers are not ours." },
      { tools: ["builtin:workspace.shell"], visible: false },
      { tools: ["*"], maxCalls: 20 },
    ]);
    assert.deepStrictEqual(issues(policy, "user"), []);
    assert.deepStrictEqual(issues(Policy.empty), []);
    assert.deepStrictEqual(issues(document([], { models: { sources: ["openai"], formats: ["openai-chat"] } })), []);
  });

  const rule = { tools: ["mcp/*"], permission: "ask" };

  it.each([
    [null, "policy.contract_invalid", ""],
    [[], "policy.contract_invalid", ""],
    [{ ...document([]), kind: "cahier.agentProfile" }, "policy.kind_invalid", "kind"],
    [{ ...document([]), schemaVersion: 2 }, "policy.schema_unsupported", "schemaVersion"],
    [document("none"), "policy.contract_invalid", "rules"],
    [document([], { rule: [] }), "policy.contract_invalid", "rule"],
    [document([{ ...rule, permision: "deny" }]), "policy.contract_invalid", "rules[0].permision"],
    [document([{ ...rule, permission: "never" }]), "policy.contract_invalid", "rules[0].permission"],
    [document([{ ...rule, tools: [] }]), "policy.pattern_invalid", "rules[0].tools"],
    [document([rule, { ...rule, tools: ["mcp/*", "shell"] }]), "policy.pattern_invalid", "rules[1].tools[1]"],
    [document([{ ...rule, maxCalls: 0 }]), "policy.max_calls_invalid", "rules[0].maxCalls"],
    [document([{ ...rule, maxCalls: 1.5 }]), "policy.max_calls_invalid", "rules[0].maxCalls"],
    [document([{ tools: ["mcp/*"] }]), "policy.rule_empty", "rules[0]"],
    [document([], { models: { formats: ["openai"] } }), "policy.contract_invalid", "models.formats[0]"],
  ])("%j is refused with %s at %j", (input, code, path) => {
    assert.deepStrictEqual(issues(input), [[code, path]]);
  });

  it("of a user may not restrict models", () => {
    assert.deepStrictEqual(issues(document([], { models: {} }), "user"), [["policy.models_platform_only", "models"]]);
  });

  it("is refused with everything that is wrong at once", () => {
    assert.lengthOf(issues(document([{ tools: [] }, { tools: ["x"], maxCalls: -1 }])), 4);
  });
});

describe("a restriction of models", () => {
  const openai = { source: "openai", format: "openai-chat", baseUrl: "https://api.openai.com/v1" } as const;
  const endpoints = ["https://api.openai.com", "http://localhost:1234/v1/"];
  const isAdmitted = (restriction: Policy.ModelRestriction | undefined, binding: Parameters<typeof admitModel>[1]) => {
    const admitted = admitModel(restriction, binding);
    if (Result.isFailure(admitted)) assert.strictEqual(admitted.failure.code, "model.source_denied");
    return Result.isSuccess(admitted);
  };

  it("that is not there, or says nothing, admits every model", () => {
    assert.isTrue(isAdmitted(undefined, openai));
    assert.isTrue(isAdmitted({}, openai));
  });

  it("admits what every of its lists names", () => {
    assert.isTrue(isAdmitted({ sources: ["openai"], formats: ["openai-chat"], endpoints }, openai));
    assert.isFalse(isAdmitted({ sources: ["anthropic"] }, openai));
    assert.isFalse(isAdmitted({ sources: [] }, openai));
    assert.isFalse(isAdmitted({ formats: ["anthropic-messages"] }, openai));
  });

  it.each([
    ["https://api.openai.com", true],
    ["https://API.OpenAI.com/", true],
    ["https://api.openai.com/v1/", true],
    ["http://localhost:1234/v1", true],
    ["http://localhost:1234/v2", false],
    ["http://localhost:1234/v1/../v2", false],
    ["http://localhost:1234/v1/%2E%2e/v2", false],
    ["http://localhost:1234/v1/..\\v2", false],
    ["http://localhost:1234/v11", false],
    ["http://api.openai.com/v1", false],
    ["https://api.openai.com.example/v1", false],
    ["https://api.openai.com@example.org/v1", false],
    ["https://api.openai.com:8443/v1", false],
    ["", false],
  ])("admits the address %s: %s", (baseUrl, expected) => {
    assert.strictEqual(isAdmitted({ endpoints }, { ...openai, baseUrl }), expected);
  });

  it("of addresses refuses a model that names none, unless it sends nothing", () => {
    assert.isFalse(isAdmitted({ endpoints }, { source: "openai", format: "openai-chat" }));
    assert.isTrue(isAdmitted({ endpoints }, { source: "scripted", format: "scripted" }));
  });
});
