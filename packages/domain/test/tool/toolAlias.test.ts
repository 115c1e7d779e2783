import { assert, describe, it } from "@effect/vitest";
import * as Arbitrary from "effect/Arbitrary";
import * as Schema from "effect/Schema";
import * as ToolAlias from "../../src/tool/ToolAlias.ts";
import { ToolId } from "../../src/tool/ToolId.ts";

const id = (text: string) => ToolId.make(text);
const assign = (ids: ReadonlyArray<string>, options?: ToolAlias.AliasOptions) =>
  Object.fromEntries(
    ToolAlias.assign(
      ids.map((text) => ({ id: id(text) })),
      options,
    ),
  );

const long = "a-tool-with-a-name-that-is-much-longer-than-any-provider-would-ever-take";

describe("the aliases of the tools of an invocation", () => {
  it.each([
    ["builtin:workspace.read_file", "workspace_read_file"],
    ["builtin:chat.read_messages", "chat_read_messages"],
    ["extension/weather:forecast", "forecast"],
    ["extension/weather:next  week's · forecast", "next_week_s_forecast"],
    ["extension/weather:__a__b__", "a__b"],
    ["extension/weather:天气", "tool"],
    ["mcp/notes:read", "mcp__notes__read"],
    ["mcp/my notes!:read_all__now", "mcp__my_notes__read_all_now"],
    ["mcp/笔记:读", "mcp__server__tool"],
    ["mcp/notes:a:b", "mcp__notes__a_b"],
  ])("%s is called %s", (tool, alias) => {
    assert.deepStrictEqual(assign([tool]), { [tool]: alias });
  });

  it("an MCP server is called as people call it", () => {
    const aliases = ToolAlias.assign([{ id: id("mcp/0b1c:read"), serverName: "My Notes" }]);
    assert.deepStrictEqual([...aliases.values()], ["mcp__My_Notes__read"]);
  });

  it("a name that is too long leaves the server twenty characters and the tool the rest", () => {
    const server = "a-server-with-a-long-name-indeed";
    const alias = assign([`mcp/${server}:${long}`])[`mcp/${server}:${long}`] ?? "";
    assert.strictEqual(alias.length, 64);
    assert.strictEqual(alias, `mcp__${server.slice(0, 20)}__${long.slice(0, 37)}`);
  });

  it("a server with a short name leaves the tool more", () => {
    const tool = `mcp/n:${long}`;
    assert.strictEqual(assign([tool])[tool], `mcp__n__${long.slice(0, 56)}`);
  });

  it("built-in names are taken before all others, and so is task_return", () => {
    assert.deepStrictEqual(
      assign(["extension/a:workspace.commit", "extension/a:workspace_commit", "builtin:workspace.commit"]),
      {
        "builtin:workspace.commit": "workspace_commit",
        "extension/a:workspace.commit": "workspace_commit__2",
        "extension/a:workspace_commit": "workspace_commit__3",
      },
    );
    assert.deepStrictEqual(assign(["extension/a:task_return"]), { "extension/a:task_return": "task_return__2" });
    assert.deepStrictEqual(assign(["extension/a:write"], { builtins: [id("builtin:write")] }), {
      "extension/a:write": "write__2",
    });
  });

  it("two names that are equal after shortening stay apart within the limit", () => {
    const tools = [`mcp/notes:${long}-one`, `mcp/notes:${long}-two`];
    const aliases = Object.values(assign(tools));
    assert.strictEqual(new Set(aliases).size, 2);
    assert.deepStrictEqual(
      aliases.map((alias) => alias.length),
      [64, 64],
    );
    assert.match(aliases[1] ?? "", /__2$/);
  });

  it("a later invocation takes over what the run has given, whatever joins", () => {
    const earlier = new Map([["extension/b:roll", "roll"]]);
    assert.deepStrictEqual(assign(["extension/a:roll", "extension/b:roll"], { earlier }), {
      "extension/a:roll": "roll__2",
      "extension/b:roll": "roll",
    });
  });

  it("an alias that was given stays taken when its tool is gone", () => {
    const earlier = new Map([["extension/b:roll", "roll"]]);
    assert.deepStrictEqual(assign(["extension/a:roll"], { earlier }), { "extension/a:roll": "roll__2" });
  });

  it("an earlier alias yields to a built-in and to a smaller limit", () => {
    const earlier = new Map([
      ["extension/b:commit", "workspace_commit"],
      ["extension/b:forecast", "a_rather_long_forecast"],
    ]);
    assert.deepStrictEqual(
      assign(["builtin:workspace.commit", "extension/b:commit", "extension/b:forecast"], { earlier, maxLength: 20 }),
      {
        "builtin:workspace.commit": "workspace_commit",
        "extension/b:commit": "commit",
        "extension/b:forecast": "forecast",
      },
    );
  });

  const names = Arbitrary.schema(
    Schema.Literals(["read", "read_", "re.ad", "re_ad", "读", "!", long, `${long}1`, `${long}2`, "task_return"]),
  );
  const providers = Arbitrary.schema(
    Schema.Literals(["builtin", "mcp/notes", "mcp/no tes", "mcp/no_tes", `mcp/${long}`, "extension/a", "extension/b"]),
  );
  const ids = Arbitrary.array(
    Arbitrary.flatMap(providers, (provider) => Arbitrary.map(names, (name) => `${provider}:${name}`)),
    { maxLength: 30 },
  );

  it.prop(
    "no two tools share one, none is too long, and the order of the tools means nothing",
    [ids, Arbitrary.schema(Schema.Literals([16, 24, 40, 64, 100, 3]))],
    ([tools, limit]) => {
      const aliases = assign(tools, { maxLength: limit });
      assert.deepStrictEqual(Object.keys(aliases).toSorted(), [...new Set(tools)].toSorted());
      const given = Object.values(aliases);
      assert.strictEqual(new Set(given).size, given.length);
      for (const alias of given) {
        assert.match(alias, /^[A-Za-z0-9_-]+$/);
        assert.isAtMost(alias.length, Math.min(64, Math.max(16, limit)));
      }
      assert.deepStrictEqual(assign(tools.toReversed(), { maxLength: limit }), aliases);
    },
    { arbitrary: { runs: 500 } },
  );

  it.prop(
    "every tool keeps its alias in later invocations with other tools",
    [ids, ids],
    ([first, second]) => {
      const given = assign(first);
      const later = assign(second, {
        earlier: new Map(Object.entries(given)),
        builtins: first.filter((tool) => tool.startsWith("builtin:")).map(id),
      });
      // A built-in that joins later keeps its fixed name, at the cost of whoever had it.
      const joined = second.some((tool) => tool.startsWith("builtin:") && !first.includes(tool));
      if (joined) return;
      for (const tool of second) if (given[tool] !== undefined) assert.strictEqual(later[tool], given[tool]);
    },
    { arbitrary: { runs: 500 } },
  );

  it("five hundred long names stay apart", () => {
    const tools = Array.from({ length: 500 }, (_, index) => ({ id: id(`mcp/server${index % 7}:${long}-${index}`) }));
    const given = [...ToolAlias.assign(tools).values()];
    assert.strictEqual(new Set(given).size, 500);
    assert.isTrue(given.every((alias) => /^[A-Za-z0-9_-]{1,64}$/.test(alias)));
  });
});
