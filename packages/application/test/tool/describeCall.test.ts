import { builtinTools } from "@cahier/application/tool/builtin/catalog";
import { argumentsSummary, longestSummary, sideEffects, titleOf } from "@cahier/application/tool/describeCall";
import type { ToolDescriptor } from "@cahier/domain/tool/ToolDescriptor";
import { assert, describe, it } from "@effect/vitest";
import { toolOf } from "./tools.ts";

const descriptorOf = (name: string): ToolDescriptor => {
  const found = builtinTools.find(({ descriptor }) => descriptor.id === `builtin:${name}`);
  if (found === undefined) throw new Error(`there is no ${name}`);
  return found.descriptor;
};

describe("the summary of arguments", () => {
  it("is one short line, with the length of what is cut", () => {
    assert.strictEqual(argumentsSummary({}), "no arguments");
    assert.strictEqual(argumentsSummary({ path: "a.md", all: true }), 'path: "a.md", all: true');
    const long = argumentsSummary({ path: "a.md", content: "x".repeat(5000) });
    assert.match(long, /^path: "a\.md", content: "x{79}… \(5000 characters\)$/);
    const many = argumentsSummary(Object.fromEntries(Array.from({ length: 90 }, (_, at) => [`name_${at}`, at])));
    assert.match(many, /, and \d+ more$/);
    assert.isBelow(many.length, longestSummary + 20);
  });

  it("shows characters that would move or hide text as their numbers", () => {
    const shown = argumentsSummary({ text: "a\u001b[2Jb\u202ec\u200bd\r\n" });
    // eslint-disable-next-line no-control-regex -- control characters are what must not be there
    assert.notMatch(shown, /[\u0000-\u001f\u200b\u202e]/);
    assert.include(shown, "\\u202e");
  });

  it("never cuts a character in two", () => {
    assert.isTrue(argumentsSummary({ text: "😀".repeat(200) }).isWellFormed());
  });
});

describe("the title of a tool", () => {
  it("is one line that hides nothing, whatever its server calls it", () => {
    const title = `Read\u202e\nnotes ${"x".repeat(500)}`;
    const shown = titleOf(toolOf("mcp/notes:read", { title }).descriptor);
    assert.isTrue(shown.startsWith("Read\\u202e\\u000anotes x"));
    assert.isBelow(shown.length, 140);
  });
});

describe("the side effects of a call", () => {
  it("are concrete for built-in tools", () => {
    assert.deepStrictEqual(sideEffects(descriptorOf("workspace.write_file"), { path: "output/main.md" }), [
      'Writes the file "output/main.md" of the workspace.',
    ]);
    assert.deepStrictEqual(sideEffects(descriptorOf("workspace.commit"), {}), [
      "Publishes the message body to the chat, where readers see it.",
    ]);
    assert.deepStrictEqual(sideEffects(descriptorOf("workspace.read_file"), { path: "output/main.md" }), []);
  });

  it("say of tools of other sources where they run and what their annotations state", () => {
    const mcp = toolOf("mcp/notes:erase", { annotations: { destructive: true, openWorld: true, cost: "high" } });
    assert.deepStrictEqual(sideEffects(mcp.descriptor, {}), [
      "Runs on an MCP server, outside of Cahier.",
      "Can overwrite or remove something for good.",
      "Reaches other machines.",
      "Can cost much money or time.",
    ]);
    const reader = toolOf("extension/notes:read", { annotations: { readOnly: true, cost: "low" } });
    assert.deepStrictEqual(sideEffects(reader.descriptor, {}), [
      "Runs in an extension, outside of Cahier.",
      "Says of itself that it only reads.",
      "Costs a little money or time.",
    ]);
  });
});
