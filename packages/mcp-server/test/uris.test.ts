import { assert, describe, it } from "@effect/vitest";
import * as WorkspacePath from "@cahier/domain/workspace/WorkspacePath";
import * as Option from "effect/Option";
import * as Result from "effect/Result";
import * as Schema from "effect/Schema";
import * as uris from "../src/internal/uris.ts";

const runId = `run_${"2".repeat(32)}`;

describe("the URI of a file", () => {
  it.prop("names that file, whatever is in its path", [Schema.Array(Schema.String)], ([names]) => {
    const path = WorkspacePath.parse(names.join("/"));
    if (Result.isFailure(path)) return;
    const uri = uris.fileUri(runId, path.success);
    assert.deepStrictEqual(uris.parse(uri), Option.some({ _tag: "File", runId, path: path.success } as uris.Named));
    assert.isTrue(URL.canParse(uri));
  });

  it.prop("that anybody makes up names a file in the workspace of its run, or nothing", [Schema.String], ([text]) => {
    const named = uris.parse(`cahier://runs/${runId}/files/${text}`);
    if (Option.isNone(named) || named.value._tag === "Run") return;
    const parsed = WorkspacePath.parse(named.value.path);
    assert.deepStrictEqual(parsed, Result.succeed(named.value.path));
  });

  it("keeps what would end a URI or begin another part of it", () => {
    for (const path of ["a b/c#d.md", "100%/x&y=1.md", "é/日本.md", "[x]/{y}.md"])
      assert.deepStrictEqual(
        uris.parse(uris.fileUri(runId, path)),
        Option.some({ _tag: "File", runId, path } as uris.Named),
      );
  });
});
