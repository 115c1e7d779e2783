import { assert, describe, it } from "@effect/vitest";
import * as Result from "effect/Result";
import type { ToolChoice } from "../../src/model/ModelRequest.ts";
import * as ToolCatalog from "../../src/tool/ToolCatalog.ts";
import type { ToolDescriptor } from "../../src/tool/ToolDescriptor.ts";
import { builtin, ToolId } from "../../src/tool/ToolId.ts";
import * as ToolSnapshot from "../../src/tool/ToolSnapshot.ts";
import * as ToolTurn from "../../src/tool/ToolTurn.ts";

const descriptor = (name: string): ToolDescriptor => ({
  id: builtin(name),
  title: name,
  description: name,
  inputSchema: { type: "object" },
  annotations: { readOnly: true, destructive: false, idempotent: true, openWorld: false, cost: "none" },
  source: "builtin",
  visibility: "model",
  permission: "always",
  budget: { timeoutMs: 120_000 },
});

const binding = (name: string, more: { readonly modelAlias?: string; readonly maxCalls?: number } = {}) => ({
  descriptor: descriptor(name),
  modelAlias: name,
  ...more,
});

const snapshot: ToolSnapshot.InvocationToolSnapshot = {
  schemaVersion: 1,
  id: "tools_1",
  bindings: [binding("read"), binding("write", { maxCalls: 3 })],
  maxCallsPerInvocation: 80,
};

const codeOf = (result: Result.Result<unknown, { readonly code: string }>): string =>
  Result.isFailure(result) ? result.failure.code : "none";

describe("the tools of an invocation", () => {
  it("are taken when they keep every rule, and an empty set is one", () => {
    assert.deepStrictEqual(ToolSnapshot.check(snapshot), Result.succeed(snapshot));
    assert.isTrue(Result.isSuccess(ToolSnapshot.check({ ...snapshot, bindings: [] })));
  });

  const broken: ReadonlyArray<readonly [string, string, Partial<ToolSnapshot.SnapshotCandidate>]> = [
    ["of another version", "tool.snapshot_schema_unsupported", { schemaVersion: 2 }],
    ["without an id", "tool.snapshot_id_empty", { id: "" }],
    ["with a budget of no call", "tool.snapshot_budget_invalid", { maxCallsPerInvocation: 0 }],
    ["with a budget of half a call", "tool.snapshot_budget_invalid", { maxCallsPerInvocation: 0.5 }],
    ["with an empty alias", "tool.snapshot_alias_empty", { bindings: [binding("read", { modelAlias: "" })] }],
    ["with a dot in an alias", "tool.snapshot_alias_invalid", { bindings: [binding("a.b")] }],
    ["with a line end after an alias", "tool.snapshot_alias_invalid", { bindings: [binding("a\n")] }],
    ["with an alias of 65 characters", "tool.snapshot_alias_invalid", { bindings: [binding("a".repeat(65))] }],
    ["with a tool of no call", "tool.snapshot_tool_budget_invalid", { bindings: [binding("a", { maxCalls: 0 })] }],
    [
      "with one tool twice",
      "tool.snapshot_duplicate_id",
      { bindings: [binding("a"), binding("a", { modelAlias: "b" })] },
    ],
    [
      "with one alias twice",
      "tool.snapshot_duplicate_alias",
      { bindings: [binding("a"), binding("b", { modelAlias: "a" })] },
    ],
  ];

  it.each(broken)("%s are refused with %s", (_what, code, change) => {
    const candidate: ToolSnapshot.SnapshotCandidate = { ...snapshot, ...change };
    assert.strictEqual(codeOf(ToolSnapshot.check(candidate)), code);
  });

  it("are read back as they were stored, and held to the rules again", () => {
    assert.deepStrictEqual(ToolSnapshot.trust(JSON.stringify(snapshot)), Result.succeed(snapshot));
    const later = ToolSnapshot.trust(JSON.stringify({ ...snapshot, schemaVersion: 2 }));
    assert.strictEqual(later === undefined ? "" : codeOf(later), "tool.snapshot_schema_unsupported");
    for (const text of ["", "[]", "{}", JSON.stringify({ ...snapshot, bindings: [{}] })])
      assert.isUndefined(ToolSnapshot.trust(text));
  });

  it("an alias of 64 characters is one", () => {
    assert.strictEqual(codeOf(ToolSnapshot.check({ ...snapshot, bindings: [binding("a".repeat(64))] })), "none");
  });
});

describe("the tools of a turn", () => {
  const all = ToolTurn.everything(snapshot);
  const read = builtin("read");
  const write = builtin("write");

  it("are all tools of the invocation, and the model decides, unless somebody says otherwise", () => {
    assert.deepStrictEqual(all, { snapshotId: "tools_1", tools: [read, write], choice: "auto" });
    assert.deepStrictEqual(ToolTurn.check(all, snapshot), Result.succeed(all));
  });

  const broken: ReadonlyArray<readonly [string, string, Partial<ToolTurn.ToolTurnContract>]> = [
    ["made for another invocation", "tool.turn_snapshot_mismatch", { snapshotId: "tools_2" }],
    ["with one tool twice", "tool.turn_duplicate_id", { tools: [read, read] }],
    ["with a foreign tool", "tool.turn_tool_not_in_snapshot", { tools: [builtin("other")] }],
    ["which require a call and offer nothing", "tool.turn_required_empty", { tools: [], choice: "required" }],
    [
      "which require a tool that they do not offer",
      "tool.turn_specific_not_available",
      { tools: [read], choice: { specific: write } },
    ],
  ];

  it.each(broken)("%s are refused with %s", (_what, code, change) => {
    assert.strictEqual(codeOf(ToolTurn.check({ ...all, ...change }, snapshot)), code);
  });

  const choices: ReadonlyArray<readonly [ToolChoice, string, string]> = [
    ["auto", "none", "none"],
    ["required", "none", "none"],
    ["none", "model.tool_choice_violation", "model.tool_choice_violation"],
    [{ specific: read }, "none", "model.tool_choice_violation"],
  ];

  it.each(choices)("with the choice %j a call of read gives %s and one of write %s", (choice, ofRead, ofWrite) => {
    const contract = { ...all, choice };
    assert.strictEqual(codeOf(ToolTurn.admit(contract, read)), ofRead);
    assert.strictEqual(codeOf(ToolTurn.admit(contract, write)), ofWrite);
  });

  it("a tool that the turn does not offer may not be called", () => {
    assert.strictEqual(
      codeOf(ToolTurn.admit({ ...all, tools: [read] }, ToolId.make("builtin:write"))),
      "model.tool_choice_violation",
    );
  });
});

describe("the catalogue", () => {
  const tools = (...names: ReadonlyArray<string>) => names.map((name) => ({ descriptor: descriptor(name) }));

  it("is sorted and keyed by id, in whatever order the sources come", () => {
    const one = Result.getOrThrow(ToolCatalog.merge([tools("c", "a"), tools("b")]));
    const other = Result.getOrThrow(ToolCatalog.merge([tools("b"), [], tools("a", "c")]));
    assert.deepStrictEqual(
      one.tools.map((tool) => tool.descriptor.id),
      [builtin("a"), builtin("b"), builtin("c")],
    );
    assert.deepStrictEqual(other, one);
    assert.strictEqual(one.byId.get("builtin:b"), one.tools[1]);
  });

  it("refuses a second tool of one id, from whichever source", () => {
    for (const sources of [[tools("a"), tools("b", "a")], [tools("a", "a")]])
      assert.strictEqual(codeOf(ToolCatalog.merge(sources)), "tool.catalog_duplicate_id");
  });
});
