import { builtinTools } from "@cahier/application/tool/builtin/catalog";
import { checkArguments } from "@cahier/application/tool/checkArguments";
import { similarName } from "@cahier/application/tool/similarName";
import type { JsonObject } from "@cahier/domain/tool/ToolArguments";
import { assert, describe, it } from "@effect/vitest";

const schema = {
  type: "object",
  properties: {
    file_path: { type: "string", minLength: 1 },
    mode: { enum: ["replace", "append"] },
    count: { type: "integer", minimum: 1, maximum: 5 },
    floors: {
      type: "array",
      maxItems: 2,
      items: {
        type: "object",
        properties: { floor: { type: "integer" }, line: { type: "integer" } },
        required: ["floor"],
        additionalProperties: false,
      },
    },
    either: { anyOf: [{ type: "string" }, { type: "integer" }] },
  },
  required: ["file_path"],
  additionalProperties: false,
};

const said = (given: JsonObject, of: JsonObject = schema): string =>
  checkArguments(of, "edit", given)?.message ?? "fits";

describe("arguments that do not fit", () => {
  it("are told with place, rule and what was given, and the tool as the model calls it", () => {
    const table: ReadonlyArray<readonly [JsonObject, string]> = [
      [{ file_path: "a" }, "fits"],
      [{}, "file_path is missing."],
      [{ file_path: 7 }, "file_path must be a string; given was 7."],
      [{ file_path: "" }, 'file_path must not be empty; given was "".'],
      [{ file_path: "a", mode: "insert" }, 'mode must be one of "replace", "append"; given was "insert".'],
      [{ file_path: "a", count: 9 }, "count must be at most 5; given was 9."],
      [{ file_path: "a", count: 0.5 }, "count must be a whole number; given was 0.5."],
      [
        { file_path: "a", floors: [{ floor: 1 }, { floor: "x" }] },
        'floors[1].floor must be a whole number; given was "x".',
      ],
      [{ file_path: "a", floors: {} }, "floors must be a list; given was {}."],
      [{ file_path: "a", floors: [{ floor: 1 }, { floor: 1 }, { floor: 1 }] }, "floors must have at most 2 items"],
      [{ file_path: "a", either: true }, "either must be a string, or must be a whole number; given was true."],
    ];
    for (const [given, expected] of table) {
      if (expected === "fits") assert.strictEqual(said(given), "fits");
      else assert.include(said(given), `The arguments of edit do not fit. ${expected}`);
    }
  });

  it("name the right name where one was misspelt, also deep inside", () => {
    assert.include(said({ filePath: "a" }), "filePath is not known; did you mean file_path?");
    assert.include(said({ path: "a" }), "path is not known; did you mean file_path?");
    assert.include(said({ file_path: "a", conut: 1 }), "conut is not known; did you mean count?");
    assert.include(
      said({ file_path: "a", floors: [{ flor: 1 }] }),
      "floors[0].floor is missing. floors[0].flor is not known; did you mean floors[0].floor?",
    );
    assert.include(
      said({ file_path: "a", zebra: 1 }),
      "zebra is not known; there are: file_path, mode, count, floors, either.",
    );
  });

  it("are all told at once, a long value by its beginning", () => {
    const message = said({ mode: "x".repeat(5000), count: "many", zebra: 1 });
    for (const word of ["file_path is missing", "zebra", "mode", "count"]) assert.include(message, word);
    assert.isBelow(message.length, 700);
  });

  it("have no schema to fit when it leads out of itself or is none", () => {
    for (const unusable of [
      { $ref: "https://example.org/schema.json" },
      { type: "object", properties: { a: { $ref: "other.json#/b" } } },
      { type: "object", properties: { a: { $ref: "#/$defs/none" } } },
      { type: "object", properties: { a: { pattern: "(" } } },
    ] as ReadonlyArray<JsonObject>) {
      const refusal = checkArguments(unusable, "edit", { a: "x" });
      assert.strictEqual(refusal?.code, "tool.schema_unusable");
      assert.include(refusal?.message, "Go on without this tool.");
    }
  });

  it("may be described by references within the schema, and a property may be called like a keyword", () => {
    const named = {
      type: "object",
      properties: { $ref: { type: "string" }, list: { type: "array", items: { $ref: "#/$defs/item" } } },
      $defs: { item: { type: "integer" } },
      additionalProperties: false,
    };
    assert.strictEqual(said({ $ref: "https://example.org", list: [1] }, named), "fits");
    assert.include(said({ list: ["one"] }, named), "list[0] must be a whole number");
  });

  it("are unknown even when every object has something of that name", () => {
    assert.include(said({ file_path: "a", constructor: 1 }), "constructor is not known");
  });
});

describe("the name that was meant", () => {
  it("is the nearest one, and none for a name that resembles nothing", () => {
    assert.strictEqual(similarName("serach_files", ["read_file", "search_files"]), "search_files");
    assert.strictEqual(similarName("startChar", ["start_line", "start_char"]), "start_char");
    assert.strictEqual(similarName("read", ["workspace_read_file", "write"]), "workspace_read_file");
    assert.strictEqual(similarName("workspace_raed_file", ["workspace_read_file"]), "workspace_read_file");
    assert.isUndefined(similarName("dance", ["file_path", "mode"]));
    assert.isUndefined(similarName("workspace_delete_file", ["workspace_read_file", "workspace_list_files"]));
    assert.isUndefined(similarName("workspace_shell", ["workspace_commit", "workspace_finish"]));
    assert.isUndefined(similarName("x".repeat(5000), ["x".repeat(4999)]));
  });
});

/** Every object schema that stands somewhere in a schema. */
const objectsIn = (value: unknown): ReadonlyArray<JsonObject> => {
  if (typeof value !== "object" || value === null) return [];
  const inner = Object.values(value).flatMap(objectsIn);
  return "type" in value && value.type === "object" ? [value as JsonObject, ...inner] : inner;
};

describe("the schemas of built-in tools", () => {
  it("are closed at every depth but where an agent may state what it likes, and can be used", () => {
    for (const { descriptor } of builtinTools) {
      const objects = objectsIn(descriptor.inputSchema);
      assert.isAbove(objects.length, 0, descriptor.id);
      const isOpen = /agent\.(?:delegate|handoff)|task\.return/.test(descriptor.id);
      for (const [index, object] of objects.entries())
        assert.strictEqual(
          object["additionalProperties"],
          isOpen && index > 0 && !("path" in Object(object["properties"])) ? undefined : false,
          descriptor.id,
        );
      assert.include(
        checkArguments(descriptor.inputSchema, "it", { surely_not_an_argument: 1 })?.message,
        "surely_not_an_argument is not known",
        descriptor.id,
      );
    }
  });

  it("describe every argument in words", () => {
    for (const { descriptor } of builtinTools)
      for (const [name, property] of Object.entries((descriptor.inputSchema["properties"] ?? {}) as JsonObject))
        assert.property(property, "description", `${descriptor.id} ${name}`);
  });
});
