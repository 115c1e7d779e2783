import { builtinTools } from "@cahier/application/tool/builtin/catalog";
import type { SkillPackage } from "@cahier/domain/skill/Skill";
import { assert, describe, it } from "@effect/vitest";
import * as Effect from "effect/Effect";
import { payloadsOf, play } from "../support/play.ts";
import { installIn, packageOf } from "../support/skills.ts";
import * as World from "../support/World.ts";

const lines = (count: number, length = 20): string =>
  Array.from({ length: count }, (_, index) => `Line ${index + 1} `.padEnd(length, "x")).join("\n");

const style = packageOf("style", "Write plainly.\nNo adverbs.", {
  "references/dialogue.md": "Quotation marks.\nOne speaker a line.\n",
  "references/deep/rhythm.md": "Short sentences speed up.",
  "assets/cover.png": new Uint8Array([0x89, 0x50, 0xff, 0x00]),
});

/** Makes calls one turn after the other in a run with Skills; gives their results and what was counted. */
const called = Effect.fnUntraced(function* (
  calls: ReadonlyArray<readonly [name: string, args?: unknown]>,
  {
    packages = [style, packageOf("plot"), packageOf("gore")],
    skills = { visible: ["style"], deny: ["gore"] },
  }: { readonly packages?: ReadonlyArray<SkillPackage>; readonly skills?: object } = {},
) {
  const world = World.make();
  yield* installIn(world, packages);
  const turns = [...calls.map(([name, args]) => World.call(name, args)), ...World.publishing];
  const run = yield* play(turns, {
    world,
    profile: {
      document: {
        kind: "cahier.agentProfile",
        schemaVersion: 1,
        id: "reader",
        displayName: "Reader",
        run: { repetition: { warnAt: 50, endAt: 60 } },
        skills,
        tools: { allow: World.soloTools, maxRounds: 40 },
      },
    },
  });
  assert.strictEqual(run.outcome.status, "completed");
  return {
    results: run.results.slice(0, calls.length),
    counted: payloadsOf(run.events, "skill_read"),
    state: run.state,
  };
});

const codesOf = (results: ReadonlyArray<{ readonly errorCode?: string }>) => results.map(({ errorCode }) => errorCode);

describe("the list of Skills", () => {
  it.effect("has those that the agent sees, with what each is for, and nothing else of them", () =>
    Effect.gen(function* () {
      const { results } = yield* called([["skill_list"]]);
      assert.deepStrictEqual(results[0]?.structured, { skills: [{ name: "style", description: "Tells of style." }] });
      assert.strictEqual(results[0]?.content, "style: Tells of style.");
    }),
  );
});

describe("reading a Skill", () => {
  it.effect("begins with SKILL.md, and gives other files by their path, whole or in part, with a reference", () =>
    Effect.gen(function* () {
      const { counted, results } = yield* called([
        ["skill_read", { name: "style" }],
        ["skill_read", { name: " style ", path: "./references\\dialogue.md", start_line: 2, line_count: 1 }],
        ["skill_read", { name: "style", path: "references/dialogue.md", start_char: 0, max_chars: 9 }],
      ]);
      assert.deepStrictEqual(codesOf(results), [undefined, undefined, undefined]);
      assert.include(results[0]?.content, "Write plainly.");
      assert.deepStrictEqual(results[0]?.resourceRefs, ["skills/style/SKILL.md#L1-L6"]);
      assert.include(results[1]?.content, "One speaker a line.");
      assert.deepStrictEqual(results[1]?.resourceRefs, ["skills/style/references/dialogue.md#L2-L2"]);
      assert.include(results[2]?.content, "Quotation");
      assert.notInclude(results[2]?.content, "marks");
      assert.deepStrictEqual(
        counted.map(({ chars, path }) => [path, chars]),
        [
          ["skills/style/SKILL.md", 76],
          ["skills/style/references/dialogue.md", 20],
          ["skills/style/references/dialogue.md", 9],
        ],
      );
    }),
  );

  it.effect("is refused, each time with its code and with what could be read instead", () =>
    Effect.gen(function* () {
      const table: ReadonlyArray<readonly [string, object, string]> = [
        ["skill_read", { name: "gore" }, "skill.policy_denied"],
        ["skill_read", { name: "plot" }, "skill.not_visible"],
        ["skill_read", { name: "none" }, "skill.not_found"],
        ["skill_read", { name: "style", path: "references" }, "skill.not_found"],
        ["skill_read", { name: "style", path: "../plot/SKILL.md" }, "skill.not_found"],
        ["skill_read", { name: "style", path: "assets/cover.png" }, "skill.invalid_request"],
        ["skill_read", { name: "style", start_line: 1, start_char: 0 }, "skill.invalid_request"],
        ["skill_read", { name: "style", start_line: 99 }, "skill.invalid_request"],
        ["skill_read", { name: "style", start_char: 0, max_chars: 0 }, "skill.invalid_request"],
        ["skill_search", { name: "gore", query: "x" }, "skill.policy_denied"],
        ["skill_search", { name: "plot", query: "x" }, "skill.not_visible"],
        ["skill_search", { name: "style", query: " " }, "skill.invalid_request"],
        ["skill_search", { name: "style", query: "x", path: "nowhere" }, "skill.not_found"],
        ["skill_search", { name: "style", query: "x", limit: 0 }, "skill.search_limit_invalid"],
        ["skill_search", { name: "style", query: "x", limit: 51 }, "skill.search_limit_too_large"],
        ["skill_search", { name: "style", query: "x", context_lines: 6 }, "skill.search_context_too_large"],
      ];
      const { counted, results } = yield* called(table.map(([name, args]) => [name, args]));
      assert.deepStrictEqual(
        codesOf(results),
        table.map(([, , code]) => code),
      );
      assert.deepStrictEqual(counted, []);
      assert.include(results[0]?.content, "You have: style.");
      assert.include(results[3]?.content, "references/dialogue.md");
    }),
  );
});

describe("searching a Skill", () => {
  it.effect("gives places with references to read on, and says how many files are no text", () =>
    Effect.gen(function* () {
      const { counted, results } = yield* called([
        ["skill_search", { name: "style", query: "speaker", context_lines: 0 }],
        ["skill_search", { name: "style", query: "sentences", path: "references/deep/" }],
        ["skill_search", { name: "style", query: "sentences", path: "SKILL.md" }],
      ]);
      assert.deepStrictEqual(codesOf(results), [undefined, undefined, undefined]);
      assert.deepStrictEqual(results[0]?.resourceRefs, ["skills/style/references/dialogue.md#L2-L2"]);
      assert.include(results[0]?.content, "Files not searched, for they are no text or too long: 1.");
      assert.deepStrictEqual(results[1]?.resourceRefs, ["skills/style/references/deep/rhythm.md#L1-L1"]);
      assert.include(results[2]?.content, "No hits");
      assert.deepStrictEqual(
        counted.map(({ chars, path }) => [path, chars]),
        [
          ["skills/style", 19],
          ["skills/style/references/deep", 25],
        ],
      );
    }),
  );

  it.effect("leaves out hits that are more than may be shown at once", () =>
    Effect.gen(function* () {
      const { counted, results } = yield* called(
        [["skill_search", { name: "long", query: "line", context_lines: 0, limit: 50 }]],
        { packages: [packageOf("long", lines(40))], skills: { maxReadCharsPerCall: 100, maxReadCharsPerRun: 1000 } },
      );
      assert.strictEqual(results[0]?.resourceRefs.length, 5);
      assert.include(results[0]?.content, "Hits left out: 35.");
      assert.strictEqual(counted[0]?.chars, 100);
    }),
  );
});

describe("the budget of reading", () => {
  it.effect("is one for skill.read, skill.search and the files of the workspace, per call and in all", () =>
    Effect.gen(function* () {
      const path = "skills/long/references/a.md";
      const part = (start_line: number, line_count: number) => ({ start_line, line_count });
      const { counted, results, state } = yield* called(
        [
          ["skill_read", { name: "long", path: "references/a.md" }],
          ["workspace_read_file", { path }],
          ["skill_read", { name: "long", path: "references/a.md", ...part(1, 10) }],
          ["workspace_read_file", { path, ...part(11, 10) }],
          ["skill_search", { name: "long", query: "Line", context_lines: 0, limit: 1 }],
          ["workspace_search_files", { query: "Line", path: "skills", context_lines: 0, limit: 1 }],
          ["skill_read", { name: "long", path: "references/a.md", ...part(21, 2) }],
          ["skill_read", { name: "long", path: "references/a.md", ...part(21, 1) }],
          ["skill_read", { name: "long", path: "references/a.md", ...part(22, 1) }],
          ["workspace_read_file", { path, ...part(22, 1) }],
          ["workspace_search_files", { query: "Line", path: "skills/long" }],
          ["skill_list"],
          ["workspace_list_files", { path: "skills" }],
        ],
        {
          packages: [packageOf("long", "x", { "references/a.md": lines(60) })],
          skills: { maxReadCharsPerCall: 220, maxReadCharsPerRun: 481 },
        },
      );
      assert.deepStrictEqual(codesOf(results), [
        "skill.read_budget_exceeded",
        "skill.read_budget_exceeded",
        undefined,
        undefined,
        undefined,
        undefined,
        "skill.read_budget_exceeded",
        undefined,
        "skill.read_budget_exhausted",
        "skill.read_budget_exhausted",
        "skill.read_budget_exhausted",
        undefined,
        undefined,
      ]);
      assert.strictEqual(
        counted.reduce((sum, { chars }) => sum + chars, 0),
        481,
      );
      assert.strictEqual(Object.values(state.invocations)[0]?.skillChars, 481);
    }),
  );
});

describe("Skills among the files of an agent", () => {
  it.effect("are listed, searched and read below skills/, those that the agent sees and no others", () =>
    Effect.gen(function* () {
      const { results } = yield* called([
        ["workspace_list_files", { path: "skills" }],
        ["workspace_list_files", { path: "skills/style/references" }],
        ["workspace_search_files", { query: "speaker", path: "skills/style" }],
        ["workspace_read_file", { path: "skills/style/SKILL.md", start_line: 5, line_count: 1 }],
      ]);
      assert.deepStrictEqual(codesOf(results), [undefined, undefined, undefined, undefined]);
      assert.strictEqual(
        results[0]?.content,
        "skills/style/\nskills/style/assets/\nskills/style/references/\nskills/style/SKILL.md",
      );
      assert.strictEqual(
        results[1]?.content,
        "skills/style/references/deep/\nskills/style/references/dialogue.md\nskills/style/references/deep/rhythm.md",
      );
      assert.deepStrictEqual(results[2]?.resourceRefs, ["skills/style/references/dialogue.md#L1-L2"]);
      assert.include(results[3]?.content, "Write plainly.");
      assert.deepStrictEqual(results[3]?.resourceRefs, ["skills/style/SKILL.md#L5-L5"]);
    }),
  );

  it.effect("are found only by whoever names them: a list or search of everything leaves them out", () =>
    Effect.gen(function* () {
      const { results } = yield* called([["workspace_list_files"], ["workspace_search_files", { query: "speaker" }]]);
      assert.notInclude(results[0]?.content, "skills");
      assert.include(results[1]?.content, "No hits");
    }),
  );

  it.effect("are never written, and what is not there is refused as any other file", () =>
    Effect.gen(function* () {
      const path = "skills/style/SKILL.md";
      const table: ReadonlyArray<readonly [string, object, string]> = [
        ["workspace_write_file", { path, content: "x" }, "workspace.path_not_writable"],
        ["workspace_write_file", { path: "skills/new.md", content: "x" }, "workspace.path_not_writable"],
        ["workspace_apply_patch", { path, old_string: "a", new_string: "b" }, "workspace.path_not_writable"],
        ["workspace_read_file", { path: "skills" }, "workspace.path_is_directory"],
        ["workspace_read_file", { path: "skills/style/references" }, "workspace.path_is_directory"],
        ["workspace_read_file", { path: "skills/style/none.md" }, "workspace.file_not_found"],
        ["workspace_read_file", { path: "skills/plot/SKILL.md" }, "workspace.file_not_found"],
        ["workspace_read_file", { path: "skills/gore/SKILL.md" }, "workspace.file_not_found"],
        ["workspace_read_file", { path, start_line: 99 }, "workspace.invalid_line_range"],
        ["workspace_list_files", { path: "skills/plot" }, "workspace.path_not_found"],
        ["workspace_search_files", { query: "x", path: "skills/plot" }, "workspace.path_not_found"],
        ["workspace_search_files", { query: "x", path: "skills", limit: 0 }, "workspace.search_limit_invalid"],
      ];
      const { results } = yield* called(table.map(([name, args]) => [name, args]));
      assert.deepStrictEqual(
        codesOf(results),
        table.map(([, , code]) => code),
      );
    }),
  );

  it.effect("are not there at all for an agent without Skills", () =>
    Effect.gen(function* () {
      const { results } = yield* called([["workspace_list_files", { path: "skills" }]], { packages: [], skills: {} });
      assert.deepStrictEqual(codesOf(results), ["workspace.path_not_visible"]);
    }),
  );
});

describe("the tools for Skills", () => {
  it("install, change and run nothing", () => {
    const tools = builtinTools.filter(({ descriptor }) => descriptor.id.startsWith("builtin:skill."));
    assert.deepStrictEqual(
      tools.map(({ descriptor }) => `${descriptor.id} ${descriptor.effectClass} ${descriptor.annotations.readOnly}`),
      ["list", "search", "read"].map((name) => `builtin:skill.${name} pure true`),
    );
  });
});
