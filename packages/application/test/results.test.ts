import type { Tool } from "@cahier/application/tool/Tool";
import type { ToolContent } from "@cahier/domain/tool/ToolContent";
import { assert, describe, it } from "@effect/vitest";
import * as Effect from "effect/Effect";
import type * as Schema from "effect/Schema";
import * as TestClock from "effect/testing/TestClock";
import { ended, payloadsOf, play, reached, start } from "./support/play.ts";
import * as World from "./support/World.ts";
import { done, toolOf, type ToolOptions } from "./tool/tools.ts";

const workspace = ["list_files", "search_files", "read_file", "write_file", "commit", "finish"].map(
  (name) => `builtin:workspace.${name}`,
);

/** A profile that has the tools of the workspace and the given ones, and asks about none of them. */
const profileWith = (ids: ReadonlyArray<string>, tools: object = {}, allowed: ReadonlyArray<string> = workspace) => ({
  document: {
    kind: "cahier.agentProfile",
    schemaVersion: 1,
    id: "results",
    displayName: "Results",
    tools: {
      allow: [...allowed, ...ids],
      maxRounds: 20,
      policy: [{ tools: ["*"], permission: "always" }],
      ...tools,
    },
  },
});

const aliasOf = (id: string) =>
  id
    .replace("mcp/notes:", "mcp__notes__")
    .replace(/^[^_:]*:/, "")
    .replaceAll(".", "_");

/** Plays a run in which the model calls one tool once, then does what else it is told, and publishes. */
const playTool = (
  id: string,
  options: ToolOptions,
  {
    more = [],
    tools,
    allowed,
  }: { more?: ReadonlyArray<World.Turn>; tools?: object; allowed?: ReadonlyArray<string> } = {},
) =>
  play([World.call(aliasOf(id), {}), ...more, ...World.publishing], {
    process: { tools: [toolOf(id, options)] },
    profile: profileWith([id], tools, allowed),
  });

const sources = ["builtin:test.tool", "mcp/notes:tool", "extension/notes:tool"] as const;

describe("a tool of any source", () => {
  it.effect.each(sources)("%s answers the model with its content and keeps the rest for the record", (id) =>
    Effect.gen(function* () {
      const run: Tool["run"] = () =>
        Effect.succeed({ ...done("Fine."), structured: { n: 1 }, usage: { tokens: 5, timeMs: 2 } });
      const { events, outcome, results, state } = yield* playTool(id, { run });
      assert.strictEqual(outcome.status, "completed");
      assert.deepInclude(results[0], { toolId: id, content: "Fine.", isError: false, structured: { n: 1 } });
      assert.deepStrictEqual(payloadsOf(events, "tool_call_completed")[0]?.usage, { tokens: 5, timeMs: 2 });
      assert.strictEqual(state.invocations["inv_root"]?.toolTokens, 5);
    }),
  );

  it.effect("ends the run when it throws and is built in, and is answered for when it is not", () =>
    Effect.gen(function* () {
      const run: Tool["run"] = () => Effect.die(new Error("boom"));
      const builtin = yield* playTool("builtin:test.tool", { run });
      assert.strictEqual(builtin.outcome.error?.code, "tool.executor_failed");
      const mcp = yield* playTool("mcp/notes:tool", { run });
      assert.strictEqual(mcp.outcome.status, "completed");
      assert.strictEqual(mcp.results[0]?.errorCode, "mcp.server_error");
      assert.include(mcp.results[0]?.content, "broke off: Error: boom. It is not known whether the call took effect.");
      const extension = yield* playTool("extension/notes:tool", { run, annotations: { readOnly: true } });
      assert.strictEqual(extension.results[0]?.errorCode, "extension.tool_error");
      assert.include(extension.results[0]?.content, "It may have taken effect.");
      const reader = yield* playTool("mcp/notes:tool", { run, annotations: { readOnly: true } });
      assert.include(reader.results[0]?.content, "It may have taken effect.");
    }),
  );

  it.effect("ends the run when it answers another call than its own", () =>
    Effect.gen(function* () {
      const of = (wrong: object) =>
        playTool("mcp/notes:tool", { run: () => Effect.succeed({ ...done("Fine."), ...wrong }) });
      assert.strictEqual((yield* of({ callId: "another" })).outcome.error?.code, "tool.result_identity_mismatch");
      assert.strictEqual((yield* of({ toolId: "mcp/notes:b" })).outcome.error?.code, "tool.result_identity_mismatch");
      const right = yield* playTool("mcp/notes:tool", {
        run: (_, { call }) => Effect.succeed({ ...done("Fine."), callId: call.callId, toolId: call.toolId }),
      });
      assert.strictEqual(right.outcome.status, "completed");
    }),
  );

  it.effect("may say that it failed and still say what it has to say", () =>
    Effect.gen(function* () {
      const { results } = yield* playTool("extension/notes:tool", {
        run: () => Effect.succeed({ ...done("No such note."), errorCode: "extension.tool_error" }),
      });
      assert.deepInclude(results[0], { content: "No such note.", isError: true, errorCode: "extension.tool_error" });
      const long = yield* playTool("extension/notes:tool", {
        run: () => Effect.succeed({ ...done("no ".repeat(5000)), errorCode: "extension.tool_error" }),
      });
      assert.strictEqual(long.results[0]?.content.length, 15_000);
      assert.isAtMost(payloadsOf(long.events, "tool_call_failed")[0]?.message?.length ?? 0, 2048);
    }),
  );

  it.effect("breaks its output schema with a warning in the record, and no error", () =>
    Effect.gen(function* () {
      const outputSchema = { type: "object", properties: { n: { type: "integer" } }, required: ["n"] };
      const given = (structured?: { readonly n: number | string }) =>
        playTool("mcp/notes:tool", {
          outputSchema,
          run: () => Effect.succeed({ ...done("Fine."), ...(structured === undefined ? {} : { structured }) }),
        });
      assert.isUndefined((yield* given({ n: 1 })).results[0]?.warnings);
      const wrong = (yield* given({ n: "one" })).results[0];
      assert.isFalse(wrong?.isError);
      assert.strictEqual(wrong?.content, "Fine.");
      assert.include(wrong?.warnings?.[0], 'n must be a whole number; given was "one".');
      assert.include((yield* given()).results[0]?.warnings?.[0], "gave no structured result");
    }),
  );

  it.effect("may give several kinds of content: the model reads them in order, the record keeps them", () =>
    Effect.gen(function* () {
      const content: ReadonlyArray<ToolContent> = [
        { type: "text", text: "Two notes." },
        { type: "json", value: { n: 2 } },
        { type: "imageRef", uri: "notes://1.png", mimeType: "image/png" },
      ];
      const { results } = yield* playTool("mcp/notes:tool", { run: () => Effect.succeed({ _tag: "Done", content }) });
      assert.strictEqual(results[0]?.content, 'Two notes.\n\n{\n  "n": 2\n}\n\n[Image notes://1.png (image/png)]');
      assert.deepStrictEqual(results[0]?.parts, content);
    }),
  );
});

describe("data that is nested without end", () => {
  it.effect("is left out of a result, with a warning in the record", () =>
    Effect.gen(function* () {
      const value = JSON.parse(`${"[".repeat(50_000)}${"]".repeat(50_000)}`) as Schema.Json;
      const { outcome, results } = yield* playTool("mcp/notes:tool", {
        run: () =>
          Effect.succeed({
            _tag: "Done",
            content: [
              { type: "text", text: "Deep." },
              { type: "json", value },
            ],
            structured: { value },
          }),
      });
      assert.strictEqual(outcome.status, "completed");
      assert.strictEqual(results[0]?.content, "Deep.");
      assert.isUndefined(results[0]?.structured);
      assert.deepStrictEqual(results[0]?.warnings, ["Data of more than 256 levels was left out."]);
    }),
  );
});

describe("two tools of one id", () => {
  it.effect("refuse every start, whichever sources they are of", () =>
    Effect.gen(function* () {
      const world = World.make();
      const tools = [toolOf("extension/notes:tool"), toolOf("extension/notes:tool")];
      const failure = yield* Effect.flip(start(World.publishing)).pipe(World.inProcess(world, { tools }));
      assert.strictEqual(failure.reason.code, "tool.catalog_duplicate_id");
      assert.include(failure.message, '"extension/notes:tool" is offered twice');
      assert.strictEqual(world.journals.journals.size, 0);
    }),
  );
});

describe("a call that takes too long", () => {
  const never: Tool["run"] = () => Effect.never;
  const id = "extension/notes:slow";

  /** Starts a run whose only call never ends, and lets the time pass that it may take. */
  const slow = Effect.fnUntraced(function* (options: ToolOptions, timeoutMs: number, tools: object = {}) {
    const world = World.make();
    return yield* Effect.gen(function* () {
      const run = yield* start([World.call("slow"), ...World.publishing], { profile: profileWith([id], tools) });
      yield* reached(world, run.runId, "tool_call_started");
      yield* TestClock.adjust(timeoutMs - 1);
      assert.strictEqual(run.state().invocations["inv_root"]?.turn?.calls[0]?.phase, "started");
      yield* TestClock.adjust(1);
      return yield* ended(world, run);
    }).pipe(World.inProcess(world, { tools: [toolOf(id, { run: never, ...options })] }));
  });

  it.effect("is ended and answered with the advice to check what it did", () =>
    Effect.gen(function* () {
      const { outcome, results } = yield* slow({}, 120_000);
      assert.strictEqual(outcome.status, "completed");
      assert.strictEqual(results[0]?.errorCode, "tool.timeout");
      assert.include(results[0]?.content, "slow took longer than the 120 s that it may take");
      assert.include(results[0]?.content, "It is not known whether the call took effect. Check before you repeat it.");
    }),
  );

  it.effect("has the time that the profile gives it, and a harmless one is told so", () =>
    Effect.gen(function* () {
      const { results } = yield* slow({ annotations: { idempotent: true } }, 2000, { timeoutMs: { [id]: 2000 } });
      assert.include(results[0]?.content, "the 2 s that it may take");
      assert.include(results[0]?.content, "to call it again does no harm");
    }),
  );
});

describe("a long result of an external tool", () => {
  const long = `${"x".repeat(4000)}\n${"word ".repeat(3000)}needle`;
  const id = "mcp/notes:tool";
  const options: ToolOptions = { run: () => Effect.succeed({ ...done(long), structured: { whole: true } }) };
  const file = /tool-results\/inv_root\/round-001-call_[0-9a-f]{16}\.txt/;

  const pathIn = (text: string | undefined): string => file.exec(text ?? "")?.[0] ?? "";

  it.effect("is shown by its beginning, and says how to read on with the tools that there are", () =>
    Effect.gen(function* () {
      const { events, results, runId, state, world } = yield* playTool(id, options, {
        tools: { externalResultInlineCharLimit: 5000 },
      });
      const [result] = results;
      assert.isBelow(result?.content.length ?? 0, 3500);
      assert.include(result?.content, `This result has ${long.length} characters`);
      assert.include(result?.content, "read it in parts with workspace_read_file");
      assert.include(result?.content, "find a place in it with workspace_search_files");
      const path = pathIn(result?.content);
      assert.deepStrictEqual(result?.structured, {
        externalized: true,
        path,
        auditPath: path.replace(".txt", ".json"),
        charCount: long.length,
        charLimit: 5000,
      });
      assert.deepStrictEqual(result?.original, { content: long, structured: { whole: true } });
      assert.strictEqual(payloadsOf(events, "tool_result_readable_view_stored")[0]?.path, path);
      assert.deepStrictEqual(Object.keys(state.readableViews), [path]);
      const shown = new TextDecoder().decode(world.mirrors.trees.get(runId)?.get(path));
      assert.strictEqual(shown.replaceAll("\n", ""), long.replaceAll("\n", ""));
      for (const line of shown.split("\n")) assert.isAtMost(line.length, 3000);
    }),
  );

  it.effect("names no tool that the invocation has not", () =>
    Effect.gen(function* () {
      const { results } = yield* playTool(id, options, {
        tools: { externalResultInlineCharLimit: 5000 },
        allowed: workspace.filter((tool) => !/read|search/.test(tool)),
      });
      assert.include(results[0]?.content, "None of your tools can show the rest");
    }),
  );

  it.effect("stays whole below the limit", () =>
    Effect.gen(function* () {
      const { results, state } = yield* playTool(id, options, { tools: { externalResultInlineCharLimit: 20_000 } });
      assert.strictEqual(results[0]?.content, long);
      assert.deepStrictEqual(state.readableViews, {});
    }),
  );

  it.effect("of any tool is shortened when its budget of tokens is smaller", () =>
    Effect.gen(function* () {
      const { results } = yield* playTool("builtin:test.tool", {
        ...options,
        budget: { timeoutMs: 1000, maxOutputTokens: 100 },
      });
      assert.include(results[0]?.structured as object, { externalized: true, charLimit: 400 });
    }),
  );

  it.effect("is read and searched as a file that only whoever names it finds, and that nobody can change", () =>
    Effect.gen(function* () {
      const name = "tool-results/inv_root/round-001-call_";
      const world = World.make();
      const tools = [toolOf(id, options)];
      const profile = profileWith([id], { externalResultInlineCharLimit: 5000 });
      const first = yield* play([World.call(aliasOf(id), {}), ...World.publishing], { process: { tools }, profile });
      const path = pathIn(first.results[0]?.content);
      const { results } = yield* play(
        [
          World.call(aliasOf(id), {}),
          World.call("workspace_read_file", { path, start_line: 2, line_count: 1 }),
          World.call("workspace_search_files", { query: "needle", path: "tool-results" }),
          World.call("workspace_search_files", { query: "needle" }),
          World.call("workspace_list_files"),
          World.call("workspace_list_files", { path: "tool-results" }),
          World.call("workspace_write_file", { path, content: "x" }),
          World.call("workspace_commit", { path }),
          World.call("workspace_read_file", { path: "tool-results/none.txt" }),
          World.call("workspace_read_file", { path: "tool-results" }),
          ...World.publishing,
        ],
        { process: { tools }, profile, world },
      );
      const [, read, found, unscoped, all, listed, ...refused] = results;
      assert.include(path, name);
      assert.include(read?.content, "\n2\txxx");
      assert.include(found?.content, "needle");
      assert.include(unscoped?.content, "No hits");
      assert.notInclude(all?.content, "tool-results");
      assert.include(listed?.content, ".txt");
      assert.deepStrictEqual(
        refused.slice(0, 4).map(({ errorCode }) => errorCode),
        [
          "workspace.path_not_writable",
          "workspace.file_not_found",
          "workspace.file_not_found",
          "workspace.path_is_directory",
        ],
      );
    }),
  );
});

describe("a model that goes in circles", () => {
  it.effect("is warned at the third equal result of an equal call, and its run ends at the fifth", () =>
    Effect.gen(function* () {
      const turns = Array.from({ length: 6 }, () => World.call("workspace_list_files"));
      const { outcome, results } = yield* play(turns, { profile: profileWith([]) });
      assert.strictEqual(outcome.error?.code, "agent.repeated_call");
      assert.deepStrictEqual(
        results.map(({ content }) => content.includes("The same call gave the same result")),
        [false, false, true, true, false],
      );
      assert.include(results[2]?.content, "3 times in a row. Do something else, or finish: at 5 times the run ends.");
    }),
  );
});

describe("two edits of one file in one turn", () => {
  const path = "output/main.md";
  const patch = (old_string: string, new_string: string) =>
    ["workspace_apply_patch", { path, old_string, new_string }] as const;

  it.effect("both land", () =>
    Effect.gen(function* () {
      const { results, texts } = yield* play([
        World.write("one two three"),
        World.calls(patch("one", "1"), patch("three", "3")),
        World.commit,
        World.finish,
      ]);
      assert.deepStrictEqual(
        results.slice(1, 3).map(({ isError }) => isError),
        [false, false],
      );
      assert.strictEqual(texts[2], "1 two 3");
    }),
  );

  it.effect("or the second is told why it did not", () =>
    Effect.gen(function* () {
      const { results, texts } = yield* play([
        World.write("one two three"),
        World.calls(patch("one two", "1"), patch("two", "2")),
        World.commit,
        World.finish,
      ]);
      assert.strictEqual(results[2]?.errorCode, "workspace.patch_old_string_not_found");
      assert.strictEqual(texts[2], "1 three");
    }),
  );
});
