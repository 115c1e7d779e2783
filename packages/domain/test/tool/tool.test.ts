import { assert, describe, it } from "@effect/vitest";
import * as Option from "effect/Option";
import * as Result from "effect/Result";
import * as Schema from "effect/Schema";
import { CallId } from "../../src/identity/Identity.ts";
import { effectClassOf } from "../../src/tool/ToolDescriptor.ts";
import * as ToolId from "../../src/tool/ToolId.ts";
import { callFileName, toMessage } from "../../src/tool/ToolResult.ts";
import { builtinAlias } from "../../src/tool/ToolSnapshot.ts";

describe("the id of a tool", () => {
  it.each([
    ["builtin:workspace.read_file", "builtin", "workspace.read_file"],
    ["mcp/notes:read", "mcp/notes", "read"],
    ["extension/dice:roll:twice", "extension/dice", "roll:twice"],
  ])("%s is a provider and a name, split at the first colon", (text, provider, native) => {
    assert.deepStrictEqual(ToolId.parse(text), Result.succeed({ provider, native }));
  });

  it.each([
    ["workspace.read_file", "tool.id_invalid"],
    ["", "tool.id_invalid"],
    [":read", "tool.provider_id_empty"],
    [":", "tool.provider_id_empty"],
    ["builtin:", "tool.native_name_empty"],
  ])("%j is refused with %s", (text, code) => {
    const parsed = ToolId.parse(text);
    assert.isTrue(Result.isFailure(parsed) && parsed.failure.code === code);
    assert.isTrue(Option.isNone(Schema.decodeOption(ToolId.ToolId)(text)));
  });

  it.prop("what parses is what the schema takes", [Schema.String], ([text]) => {
    for (const candidate of [text, `builtin:${text}`, `${text}:name`])
      assert.strictEqual(
        Result.isSuccess(ToolId.parse(candidate)),
        Option.isSome(Schema.decodeOption(ToolId.ToolId)(candidate)),
      );
  });

  it("the alias of a built-in is its name in the letters that every provider takes", () => {
    assert.strictEqual(builtinAlias(ToolId.builtin("workspace.read_file")), "workspace_read_file");
  });
});

describe("the effect class of a tool", () => {
  const annotations = {
    readOnly: false,
    destructive: false,
    idempotent: false,
    openWorld: false,
    cost: "none" as const,
  };

  it.each([
    [{ ...annotations, readOnly: true }, "pure"],
    [{ ...annotations, readOnly: true, idempotent: true }, "pure"],
    [{ ...annotations, idempotent: true }, "idempotent"],
    [annotations, "irreversible"],
  ] as const)("is derived from the annotations when it is not declared (%j)", (given, derived) => {
    assert.strictEqual(effectClassOf({ annotations: given }), derived);
    assert.strictEqual(effectClassOf({ annotations: given, effectClass: "keyed" }), "keyed");
  });
});

describe("the result of a tool", () => {
  it("shows the model its content and the error mark, and nothing of the record", () => {
    const message = toMessage({
      callId: CallId.make("c1"),
      toolId: "builtin:workspace.read_file",
      name: "workspace_read_file",
      content: "no",
      isError: true,
      errorCode: "workspace.file_not_found",
      structured: { error: {} },
      resourceRefs: [],
    });
    assert.deepStrictEqual(message, {
      role: "tool",
      parts: [
        { type: "toolResult", callId: CallId.make("c1"), name: "workspace_read_file", content: "no", isError: true },
      ],
    });
  });

  it("is filed under the beginning of the hash of its call's id", () => {
    assert.strictEqual(callFileName("0123456789abcdef0123"), "call_0123456789abcdef");
  });
});
