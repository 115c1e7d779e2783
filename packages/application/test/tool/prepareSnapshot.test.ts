import { builtinTools } from "@cahier/application/tool/builtin/catalog";
import {
  aliasesOf,
  definitionsOf,
  type Described,
  prepareSnapshot,
  type SnapshotRequest,
} from "@cahier/application/tool/prepareSnapshot";
import { defaultWriter } from "@cahier/domain/profile/defaultWriter";
import { withDefaults } from "@cahier/domain/profile/withDefaults";
import type { InvocationToolSnapshot } from "@cahier/domain/tool/ToolSnapshot";
import { assert, describe, it } from "@effect/vitest";
import * as Result from "effect/Result";
import { toolOf } from "./tools.ts";

const base = withDefaults(defaultWriter([]).profile);

interface Options extends Partial<Omit<SnapshotRequest, "catalog" | "profile">> {
  readonly tools?: Partial<SnapshotRequest["profile"]["tools"]>;
}

/** A profile that allows the whole catalogue, unless the test says otherwise. */
const prepare = (catalog: ReadonlyArray<Described>, { tools, ...request }: Options = {}) => {
  const profile = {
    ...base,
    tools: { ...base.tools, allow: catalog.map(({ descriptor }) => descriptor.id), ...tools },
  };
  return prepareSnapshot({
    id: "tools_1",
    catalog,
    scene: "chat",
    profile,
    layers: { profile: profile.tools },
    ...request,
  });
};

const idsOf = (snapshot: InvocationToolSnapshot) => snapshot.bindings.map(({ descriptor }) => descriptor.id as string);
const prepared = (...args: Parameters<typeof prepare>) => Result.getOrThrow(prepare(...args));
const codeOf = (...args: Parameters<typeof prepare>) => {
  const result = prepare(...args);
  return Result.isFailure(result) ? result.failure.code : undefined;
};

const all = [
  "workspace.read_file",
  "workspace.commit",
  "workspace.finish",
  "chat.search",
  "worldinfo.read_activated",
  "task.return",
].map((name) => toolOf(`builtin:${name}`));

describe("the tools of an invocation", () => {
  it("are the profile's, in its order, each with what policy decided", () => {
    const snapshot = prepared(all, { tools: { allow: ["builtin:chat.search", "builtin:workspace.read_file"] } });
    assert.deepStrictEqual(idsOf(snapshot), ["builtin:chat.search", "builtin:workspace.read_file"]);
    for (const { policy } of snapshot.bindings) assert.isTrue(policy?.callable);
  });

  it("of a session lack what needs a chat", () => {
    assert.deepStrictEqual(idsOf(prepared(all, { scene: "session" })), ["builtin:workspace.read_file"]);
  });

  it("end as the invocation may end: by finishing, by returning a task's result, or by replying", () => {
    const ends = (exitPolicy: SnapshotRequest["exitPolicy"] & string) =>
      idsOf(prepared(all, { exitPolicy })).filter((id) => /finish|return/.test(id));
    assert.deepStrictEqual(ends("run_finish_allowed"), ["builtin:workspace.finish"]);
    assert.deepStrictEqual(ends("task_return_required"), ["builtin:task.return"]);
    assert.deepStrictEqual(ends("reply_allowed"), []);
  });

  it("lack what policy hides and keep what it denies", () => {
    const layers = {
      user: [
        { tools: ["builtin:chat.*"], visible: false },
        { tools: ["builtin:workspace.commit"], permission: "deny" as const },
      ],
      profile: { ...base.tools, allow: all.map(({ descriptor }) => descriptor.id) },
    };
    const snapshot = prepared(all, { layers });
    assert.notInclude(idsOf(snapshot), "builtin:chat.search");
    const commit = snapshot.bindings.find(({ modelAlias }) => modelAlias === "workspace_commit");
    assert.isFalse(commit?.policy?.callable);
  });

  it("have the budgets that policy came to", () => {
    const snapshot = prepared(all, {
      tools: { maxCallsPerTool: { "builtin:chat.search": 2 }, timeoutMs: { "builtin:chat.search": 5 } },
    });
    const search = snapshot.bindings.find(({ modelAlias }) => modelAlias === "chat_search");
    assert.strictEqual(search?.maxCalls, 2);
    assert.strictEqual(search?.policy?.budget.timeoutMs, 5);
  });

  it("keep the aliases that the run gave before, and two names never become one", () => {
    const long = "x".repeat(80);
    const catalog = [
      toolOf(`extension/a:${long}1`),
      toolOf(`extension/a:${long}2`),
      toolOf("builtin:workspace.read_file"),
    ];
    const first = prepared(catalog);
    const aliases = aliasesOf(first);
    assert.strictEqual(new Set(aliases.values()).size, 3);
    const without = catalog.slice(1);
    const later = prepared(without, { earlierAliases: aliases });
    assert.strictEqual(aliasesOf(later).get(`extension/a:${long}2`), aliases.get(`extension/a:${long}2`));
    for (const alias of aliasesOf(prepared(catalog, { aliasMaxLength: 32 })).values())
      assert.isAtMost(alias.length, 32);
  });

  it("may be reworded by a profile; the descriptor stays as it is", () => {
    const tool = builtinTools.find(({ descriptor }) => descriptor.id === "builtin:workspace.read_file");
    assert.isDefined(tool);
    if (tool === undefined) return;
    const before = structuredClone(tool.descriptor);
    const snapshot = prepared([tool], {
      tools: {
        toolDescriptions: {
          "builtin:workspace.read_file": { description: "Look.", properties: { path: "Where." } },
        },
      },
    });
    const [definition] = definitionsOf(snapshot);
    assert.strictEqual(definition?.description, "Look.");
    assert.deepInclude(definition?.inputSchema["properties"], { path: { type: "string", description: "Where." } });
    assert.deepStrictEqual(tool.descriptor, before);
  });
});

describe("a snapshot that breaks a rule is not made", () => {
  it("two tools of the catalogue have one id", () => {
    assert.strictEqual(codeOf([toolOf("mcp/a:x"), toolOf("mcp/a:x")]), "tool.catalog_duplicate_id");
  });

  it("a budget is not positive, or there is no id", () => {
    assert.strictEqual(codeOf(all, { tools: { maxCallsPerRun: 0 } }), "tool.snapshot_budget_invalid");
    assert.strictEqual(codeOf(all, { id: "" }), "tool.snapshot_id_empty");
    assert.strictEqual(
      codeOf(all, { tools: { maxCallsPerTool: { "builtin:chat.search": 0 } } }),
      "tool.snapshot_tool_budget_invalid",
    );
  });
});
