import * as ToolContent from "@cahier/domain/tool/ToolContent";
import { assert, describe, it } from "@effect/vitest";
import * as Schema from "effect/Schema";

const parts: ReadonlyArray<ToolContent.ToolContent> = [
  { type: "text", text: "Two notes." },
  { type: "json", value: { n: 2 } },
  { type: "imageRef", uri: "notes://1.png", title: "Map", mimeType: "image/png" },
  { type: "audioRef", uri: "notes://1.ogg" },
  { type: "fileRef", path: "scratch/notes.md" },
  { type: "resourceRef", uri: "notes://1", mimeType: "text/plain", text: "First." },
  { type: "resourceRef", uri: "notes://2" },
  { type: "diffRef", path: "output/main.md", diff: "-one\n+two" },
];

describe("the content of a tool's result", () => {
  it("is shown to the model part by part, references by their names", () => {
    assert.deepStrictEqual(ToolContent.render(parts).split("\n\n"), [
      "Two notes.",
      '{\n  "n": 2\n}',
      "[Image notes://1.png (Map, image/png)]",
      "[Audio notes://1.ogg]",
      "[File scratch/notes.md]",
      "[Resource notes://1 (text/plain)]\nFirst.",
      "[Resource notes://2]",
      "Changes of output/main.md:\n-one\n+two",
    ]);
  });

  it("is never empty for the model", () => {
    assert.strictEqual(ToolContent.render([]), ToolContent.noContent);
    assert.strictEqual(ToolContent.render([{ type: "text", text: "" }]), ToolContent.noContent);
  });

  it("survives the record", () => {
    const codec = Schema.fromJsonString(Schema.Array(ToolContent.ToolContent));
    assert.deepStrictEqual(Schema.decodeUnknownSync(codec)(JSON.stringify(parts)), parts);
  });
});
