import * as Agents from "@cahier/application/delegation/Agents";
import * as PathMap from "@cahier/domain/run/PathMap";
import * as Payloads from "@cahier/application/payload/Payloads";
import { Runs } from "@cahier/application/run/Runs";
import { builtinTools } from "@cahier/application/tool/builtin/catalog";
import { finish } from "@cahier/application/tool/builtin/finish";
import type { Tool } from "@cahier/application/tool/Tool";
import * as WorkspaceFiles from "@cahier/application/workspace/WorkspaceFiles";
import { fatal } from "@cahier/domain/failure/Failure";
import { CallId, rootInvocation } from "@cahier/domain/identity/Identity";
import { builtin } from "@cahier/domain/tool/ToolId";
import * as FrozenSkills from "@cahier/domain/skill/FrozenSkills";
import { assert, describe, it } from "@effect/vitest";
import * as Effect from "effect/Effect";
import { ended, payloadsOf, play, reached, start } from "./support/play.ts";
import * as World from "./support/World.ts";

const codesOf = (results: ReadonlyArray<{ readonly errorCode?: string }>) => results.map(({ errorCode }) => errorCode);

type Given = readonly [name: string, args: unknown];

/** Makes calls one turn after the other; gives the code of each, then publishes so that the run completes. */
const codes = Effect.fnUntraced(function* (calls: ReadonlyArray<Given>, options: Parameters<typeof play>[1] = {}) {
  const turns = [...calls.map(([name, args]) => World.call(`workspace_${name}`, args)), ...World.publishing];
  const { outcome, results } = yield* play(turns, options);
  assert.strictEqual(outcome.status, "completed");
  return codesOf(results).slice(0, calls.length);
});

const draft: Given = ["write_file", { path: "scratch/a.md", content: "one\ntwo\nthree" }];
const path = "scratch/a.md";

describe("the tools of the workspace", () => {
  it.effect("refuse what does not fit, each with its code", () =>
    Effect.gen(function* () {
      const table: ReadonlyArray<readonly [string, object, string]> = [
        ["read_file", { path: "scratch/b.md" }, "workspace.file_not_found"],
        ["read_file", { path: "scratch" }, "workspace.path_is_directory"],
        ["read_file", { path: "/etc/passwd" }, "workspace.invalid_path"],
        ["read_file", { path: "input/prompt.json" }, "workspace.path_not_visible"],
        ["read_file", { path, start_line: 1, start_char: 0 }, "workspace.mixed_read_range"],
        ["read_file", { path, start_line: 9 }, "workspace.invalid_line_range"],
        ["read_file", { path, start_char: 99 }, "workspace.invalid_char_range"],
        ["read_file", { path, start_line: 1, line_count: 1_000_000 }, "workspace.read_line_count_too_large"],
        ["read_file", { path, start_char: 0, max_chars: 10_000_000 }, "workspace.read_char_count_too_large"],
        ["list_files", { path: "scratch", depth: 99 }, "workspace.list_depth_too_large"],
        ["list_files", { path: "nowhere" }, "workspace.path_not_visible"],
        ["search_files", { query: "one", path: "scratch/none" }, "workspace.path_not_found"],
        ["search_files", { query: "one", limit: 0 }, "workspace.search_limit_invalid"],
        ["search_files", { query: "one", limit: 9999 }, "workspace.search_limit_too_large"],
        ["search_files", { query: "one", context_lines: 99 }, "workspace.search_context_too_large"],
        ["write_file", { path: "scratch/a.md/b.md", content: "x" }, "workspace.path_not_writable"],
        ["write_file", { path: "input/x.md", content: "x" }, "workspace.path_not_writable"],
        ["write_file", { path: "output", content: "x" }, "workspace.path_not_writable"],
        ["write_file", { path, content: "x", mode: "insert" }, "workspace.write_mode_invalid"],
        ["apply_patch", { path, old_string: "", new_string: "x" }, "workspace.patch_empty_old_string"],
        ["apply_patch", { path, old_string: "one", new_string: "one" }, "workspace.patch_no_change"],
        ["apply_patch", { path, old_string: "nine", new_string: "x" }, "workspace.patch_old_string_not_found"],
        ["apply_patch", { path, old_string: "e", new_string: "x" }, "workspace.patch_old_string_not_unique"],
        ["commit", { mode: "insert" }, "workspace.commit_mode_invalid"],
        ["commit", { path: "output/none.md" }, "workspace.file_not_found"],
        ["commit", {}, "workspace.file_not_found"],
      ];
      const found = yield* codes([draft, ...table.map(([name, args]): Given => [name, args])]);
      assert.deepStrictEqual(found, [undefined, ...table.map(([, , code]) => code)]);
    }),
  );

  it.effect("an empty file is not published", () =>
    Effect.gen(function* () {
      const found = yield* codes([
        ["write_file", { path: "output/empty.md", content: " \n" }],
        ["commit", { path: "output/empty.md" }],
      ]);
      assert.deepStrictEqual(found, [undefined, "workspace.required_artifact_empty"]);
    }),
  );

  it.effect("a file can be replaced, patched and appended to by whoever wrote it", () =>
    Effect.gen(function* () {
      const found = yield* codes([
        draft,
        ["write_file", { path, content: "four" }],
        ["apply_patch", { path, old_string: "four", new_string: "five" }],
        ["write_file", { path, content: " six", mode: "append" }],
        ["apply_patch", { path, old_string: "five six", new_string: "seven" }],
      ]);
      assert.deepStrictEqual(
        found,
        Array.from({ length: 5 }, () => undefined),
      );
    }),
  );

  it.effect("appending needs no read, makes a missing file, and adds exactly the text", () =>
    Effect.gen(function* () {
      const { results, state, texts } = yield* play([
        World.call("workspace_write_file", { path: "output/main.md", content: "one", mode: "append" }),
        World.call("workspace_write_file", { path: "output/main.md", content: " two\n", mode: "append" }),
        World.commit,
        World.finish,
      ]);
      assert.deepStrictEqual(codesOf(results).slice(0, 2), [undefined, undefined]);
      assert.strictEqual(texts[2], "one two\n");
      assert.strictEqual(PathMap.get(state.files, "output/main.md")?.words, 2);
    }),
  );

  it.effect("the text of an answer that was kept as a file is known to the model, which may patch it unread", () =>
    Effect.gen(function* () {
      const file = "output/direct_output.md";
      const { results, texts } = yield* play([
        { text: "one\ntwo\nthree" },
        World.call("workspace_apply_patch", { path: file, old_string: "two", new_string: "zwei" }),
        World.call("workspace_commit", { path: file }),
        World.finish,
      ]);
      assert.isUndefined(results[0]?.errorCode);
      assert.strictEqual(texts[2], "one\nzwei\nthree");
    }),
  );

  it.effect("search and list show what there is, with references to read on", () =>
    Effect.gen(function* () {
      const { results } = yield* play([
        World.call(...([`workspace_${draft[0]}`, draft[1]] as const)),
        World.call("workspace_list_files"),
        World.call("workspace_search_files", { query: "two" }),
        World.call("workspace_search_files", { query: "nothing" }),
        World.call("workspace_read_file", { path, start_line: 2, line_count: 1 }),
        ...World.publishing,
      ]);
      assert.include(results[1]?.content, "scratch/a.md");
      assert.include(results[1]?.content, "output/");
      assert.match(results[2]?.resourceRefs[0] ?? "", /^workspace:scratch\/a\.md#L/);
      assert.include(results[3]?.content, "No hits");
      assert.deepStrictEqual(results[4]?.resourceRefs, ["workspace:scratch/a.md#L2-L2"]);
      assert.include(results[4]?.content, "two");
      assert.notInclude(results[4]?.content, "three");
    }),
  );

  it.effect("a write answers with counts, and its record has the hash of the file", () =>
    Effect.gen(function* () {
      const { results, state } = yield* play(World.publishing);
      assert.deepStrictEqual(results[0]?.structured, {
        path: "output/main.md",
        mode: "replace",
        chars: 23,
        words: 5,
        sha256: PathMap.get(state.files, "output/main.md")?.sha256 ?? "",
      });
      assert.notInclude(results[0]?.content, PathMap.get(state.files, "output/main.md")?.sha256);
    }),
  );

  it("descriptions for the model say nothing of the runtime's own terms", () => {
    const described = JSON.stringify(builtinTools.map(({ descriptor }) => descriptor));
    const descriptions = [...described.matchAll(/"description":"([^"]*)"/g)].map(([, text]) => text ?? "");
    assert.isAbove(descriptions.length, 35);
    for (const description of descriptions)
      assert.notMatch(description, /journal|sha-?256|invocation|runtime|blob|epoch|JSON|SillyTavern/i);
  });
});

/** A tool of an embedder's own. */
const custom = (run: Tool["run"], more: Partial<Tool["descriptor"]> = {}): Tool => ({
  descriptor: {
    id: builtin("custom.act"),
    title: "Act",
    description: "Acts.",
    inputSchema: { type: "object" },
    annotations: { readOnly: false, destructive: false, idempotent: false, openWorld: false, cost: "none" },
    source: "builtin",
    visibility: "model",
    permission: "always",
    budget: { timeoutMs: 1000 },
    ...more,
  },
  run,
});

const withCustom = (tool: Tool) => ({
  process: { tools: [tool] },
  profile: {
    document: {
      kind: "cahier.agentProfile",
      schemaVersion: 1,
      id: "custom",
      displayName: "Custom",
      tools: {
        allow: ["builtin:custom.act", ...["write_file", "commit", "finish"].map((name) => `builtin:workspace.${name}`)],
        maxRounds: 9,
      },
    },
  },
});

describe("a tool of an embedder", () => {
  it.effect("is called by its alias with the arguments that the model gave", () =>
    Effect.gen(function* () {
      const seen: Array<unknown> = [];
      const tool = custom((given) => {
        seen.push(given);
        return Effect.succeed({ _tag: "Done", content: "Acted." });
      });
      const { outcome, results } = yield* play(
        [World.call("custom_act", { n: 1 }), ...World.publishing],
        withCustom(tool),
      );
      assert.strictEqual(outcome.status, "completed");
      assert.deepStrictEqual(seen, [{ n: 1 }]);
      assert.strictEqual(results[0]?.content, "Acted.");
    }),
  );

  it.effect("that is broken fails the run with the tool's name, whether it throws or dies", () =>
    Effect.gen(function* () {
      const throwing = custom(() => {
        throw new Error("oops");
      });
      for (const tool of [throwing, custom(() => Effect.die("oops"))]) {
        const { outcome } = yield* play([World.call("custom_act")], withCustom(tool));
        assert.strictEqual(outcome.status, "failed");
        assert.strictEqual(outcome.error?.code, "tool.executor_failed");
        assert.include(outcome.error?.message, "builtin:custom.act");
      }
    }),
  );

  it.effect("that says the host cannot go on stops the run with its own reason, and the run can be resumed", () =>
    Effect.gen(function* () {
      const tool = custom(() => Effect.fail(fatal("storage.failed", "The notebook is gone.")));
      const { outcome } = yield* play([World.call("custom_act")], withCustom(tool));
      assert.deepStrictEqual(
        [outcome.status, outcome.error?.code, outcome.error?.message],
        [
          "interrupted",
          "storage.failed",
          "The notebook is gone. Once this storage can be written again, resume the run.",
        ],
      );
    }),
  );

  it.effect("that is gone when its call comes is answered as unknown", () =>
    Effect.gen(function* () {
      const tool = custom(() => Effect.succeed({ _tag: "Done", content: "" }), { visibility: "user" });
      const { results } = yield* play([World.call("custom_act"), ...World.publishing], withCustom(tool));
      assert.strictEqual(results[0]?.errorCode, "model.unknown_tool_call");
    }),
  );

  it.effect("that may have acted when its process died is not called again; the model is told to look first", () =>
    Effect.gen(function* () {
      const acts = { count: 0 };
      const tool = custom(() =>
        Effect.suspend(() => {
          acts.count += 1;
          return Effect.never;
        }),
      );
      const found = yield* dyingInside(tool);
      assert.strictEqual(found.outcome.status, "completed");
      assert.strictEqual(acts.count, 1);
      assert.strictEqual(found.results[0]?.errorCode, "tool.outcome_unknown");
      assert.include(found.results[0]?.content, "Check before you repeat it");
      assert.deepStrictEqual(payloadsOf(found.events, "run_resumed")[0]?.unknownCalls, ["call_0_0"]);
    }),
  );

  it.effect("that can be repeated is called again when its process died", () =>
    Effect.gen(function* () {
      const acts = { count: 0 };
      const tool = custom(
        () =>
          Effect.suspend(() => {
            acts.count += 1;
            return acts.count === 1 ? Effect.never : Effect.succeed({ _tag: "Done", content: "Acted." } as const);
          }),
        { effectClass: "idempotent" },
      );
      const found = yield* dyingInside(tool);
      assert.strictEqual(acts.count, 2);
      assert.strictEqual(found.results[0]?.content, "Acted.");
      assert.strictEqual(payloadsOf(found.events, "tool_call_started").length, 4);
    }),
  );
});

/** A run whose process dies while it is in `tool`, resumed in another process. */
const dyingInside = Effect.fnUntraced(function* (tool: Tool) {
  const world = World.make();
  const { process, profile } = withCustom(tool);
  const runId = yield* Effect.gen(function* () {
    const run = yield* start([World.call("custom_act"), ...World.publishing], { profile });
    yield* reached(world, run.runId, "tool_call_started");
    return run.runId;
  }).pipe(World.inProcess(world, process));
  return yield* Effect.gen(function* () {
    const runs = yield* Runs;
    return yield* ended(world, yield* runs.resume(runId));
  }).pipe(World.inProcess(world, { ...process, name: "second" }));
});

describe("finishing a delegated task", () => {
  it.effect("is not for the tool that ends runs: the task returns a result", () =>
    Effect.gen(function* () {
      const { runId, state, world } = yield* play(World.publishing);
      const files = WorkspaceFiles.make(yield* Payloads.make(runId).pipe(World.inProcess(world)));
      const invocation = state.invocations[rootInvocation];
      assert.isDefined(invocation);
      if (invocation === undefined) return;
      const refusal = yield* Effect.flip(
        finish.run(
          {},
          {
            runId,
            isApproved: false,
            stopped: Effect.never,
            onProgress: undefined,
            ask: () => Effect.succeed({ action: "cancel" }),
            sample: () => Effect.fail({ code: "tool.timeout", message: "no model" }),
            call: { callId: CallId.make("call_1"), toolId: "builtin:workspace.finish", name: "finish" },
            key: "call_key",
            state,
            invocation: { ...invocation, exitPolicy: "task_return_required" },
            input: { messages: Effect.succeed(undefined), worldInfo: Effect.succeed(undefined) },
            skills: {
              frozen: FrozenSkills.none,
              limits: { maxReadCharsPerCall: 1, maxReadCharsPerRun: 1 },
              files: () => Effect.succeed([]),
              bytes: () => Effect.succeed(new Uint8Array()),
              text: () => Effect.undefined,
            },
            files,
            agents: Agents.none,
            nextHex: () => "0".repeat(32),
            access: { visibleRoots: [], writableRoots: [], readOnlyMounts: [] },
            messageBodyPath: "output/main.md",
            snapshot: { schemaVersion: 1, id: "tools", bindings: [], maxCallsPerInvocation: 1 },
          },
        ),
      );
      assert.deepStrictEqual([refusal._tag, refusal.reason.code], ["Recoverable", "agent.child_finish_denied"]);
    }),
  );
});
