import { assert, describe, it } from "@effect/vitest";
import * as Effect from "effect/Effect";
import { payloadsOf, play } from "./support/play.ts";
import * as World from "./support/World.ts";

const codesOf = (results: ReadonlyArray<{ readonly errorCode?: string }>) => results.map(({ errorCode }) => errorCode);

const names = ["list_files", "read_file", "write_file", "commit", "finish"].map((name) => `builtin:workspace.${name}`);

const profile = (tools: object, run: object = {}) => ({
  document: {
    kind: "cahier.agentProfile",
    schemaVersion: 1,
    id: "limited",
    displayName: "Limited",
    run,
    tools: { allow: names, maxRounds: 80, ...tools },
  },
});

const list = World.call("workspace_list_files");

describe("the gate", () => {
  it.effect("an unknown tool is answered with the names that there are, and is charged", () =>
    Effect.gen(function* () {
      const { outcome, results, state } = yield* play([
        World.call("workspace_shell", { command: "ls" }),
        World.call("workspace.commit"),
        ...World.publishing,
      ]);
      assert.strictEqual(outcome.status, "completed");
      assert.deepStrictEqual(codesOf(results).slice(0, 2), ["model.unknown_tool_call", "model.unknown_tool_call"]);
      assert.include(results[0]?.content, "workspace_write_file, workspace_apply_patch, workspace_commit");
      assert.strictEqual(state.invocations["inv_root"]?.callCount, 5);
    }),
  );

  it.effect("an unknown tool fails the run when the profile says so, and nothing of its turn runs", () =>
    Effect.gen(function* () {
      const { outcome, types } = yield* play(
        [World.calls(["workspace_list_files"], ["workspace_shell"]), ...World.publishing],
        { profile: profile({ unadvertisedTool: "fail" }) },
      );
      assert.strictEqual(outcome.status, "failed");
      assert.strictEqual(outcome.error?.code, "model.unknown_tool_call");
      assert.notInclude(types, "tool_call_started");
    }),
  );

  it.effect("all calls of an invocation have one budget, and every refused call costs of it", () =>
    Effect.gen(function* () {
      const { outcome, results, texts } = yield* play(
        [
          World.call("nothing"),
          { toolCalls: [{ name: "workspace_list_files", rawArguments: "[" }] },
          list,
          list,
          { text: "x" },
          { text: "x" },
        ],
        { profile: profile({ maxCallsPerRun: 3 }) },
      );
      assert.deepStrictEqual(codesOf(results), [
        "model.unknown_tool_call",
        "tool.invalid_arguments",
        undefined,
        "agent.tool_budget_exhausted",
      ]);
      assert.strictEqual(outcome.error?.code, "model.tool_call_required");
      assert.deepStrictEqual(texts, World.beginning);
    }),
  );

  it.effect("the budget is spent call by call within one turn", () =>
    Effect.gen(function* () {
      const { outcome, results } = yield* play(
        [World.calls(["workspace_list_files"], ["workspace_list_files"], ["workspace_list_files"])],
        { profile: profile({ maxCallsPerRun: 2 }) },
      );
      assert.deepStrictEqual(codesOf(results), [undefined, undefined, "agent.tool_budget_exhausted"]);
      assert.strictEqual(outcome.error?.code, "model.script_exhausted");
    }),
  );

  it.effect("a tool can have a budget of its own; the others go on", () =>
    Effect.gen(function* () {
      const { outcome, results } = yield* play(
        [World.calls(["workspace_list_files"], ["workspace_list_files"]), list, ...World.publishing],
        {
          profile: profile({ maxCallsPerTool: { "builtin:workspace.list_files": 1 } }),
        },
      );
      assert.strictEqual(outcome.status, "completed");
      assert.deepStrictEqual(codesOf(results).slice(0, 3), [
        undefined,
        "agent.tool_budget_exhausted",
        "agent.tool_budget_exhausted",
      ]);
    }),
  );

  it.effect("unusable arguments come back with the beginning of what was sent", () =>
    Effect.gen(function* () {
      const { results } = yield* play([
        {
          toolCalls: [{ name: "workspace_write_file", rawArguments: '{"path":"output/main.md","content":"The ferry' }],
        },
        { toolCalls: [{ name: "workspace_list_files", rawArguments: "[1]" }] },
        ...World.publishing,
      ]);
      assert.deepStrictEqual(codesOf(results).slice(0, 2), ["tool.invalid_arguments", "tool.invalid_arguments"]);
      assert.include(results[0]?.content, "The ferry");
    }),
  );

  it.effect("arguments that are nested without end are answered like others that cannot be used", () =>
    Effect.gen(function* () {
      const rawArguments = `{"path":${"[".repeat(100_000)}${"]".repeat(100_000)}}`;
      const { outcome, results } = yield* play([
        { toolCalls: [{ name: "workspace_list_files", rawArguments }] },
        ...World.publishing,
      ]);
      assert.strictEqual(outcome.status, "completed");
      assert.strictEqual(results[0]?.errorCode, "tool.invalid_arguments");
      assert.include(results[0]?.content, "one JSON object of at most 256 levels");
    }),
  );

  it.effect("arguments that do not fit name every field that is wrong, unknown ones included", () =>
    Effect.gen(function* () {
      const { results } = yield* play([
        World.call("workspace_write_file", { path: 7, contents: "x" }),
        ...World.publishing,
      ]);
      assert.strictEqual(results[0]?.errorCode, "tool.invalid_arguments");
      for (const field of ["path", "content", "contents"]) assert.include(results[0]?.content, field);
    }),
  );

  it.effect("arguments that are encoded twice run as if they were plain", () =>
    Effect.gen(function* () {
      const rawArguments = JSON.stringify(JSON.stringify({ path: "output/main.md", content: "plain" }));
      const { texts } = yield* play([
        { toolCalls: [{ name: "workspace_write_file", rawArguments }] },
        World.commit,
        World.finish,
      ]);
      assert.strictEqual(texts[2], "plain");
    }),
  );

  it.effect("two calls of one answer with one id are fatal before anything runs", () =>
    Effect.gen(function* () {
      const { events, outcome, types } = yield* play([
        {
          toolCalls: [
            { id: "same", name: "workspace_write_file", arguments: { path: "output/main.md", content: "x" } },
            { id: "same", name: "workspace_commit" },
          ],
        },
      ]);
      assert.strictEqual(outcome.status, "failed");
      assert.strictEqual(outcome.error?.code, "model.invalid_tool_call");
      assert.notInclude(types, "tool_call_started");
      assert.notInclude(types, "tool_call_requested");
      assert.strictEqual(payloadsOf(events, "run_failed")[0]?.retryable, false);
    }),
  );

  it.effect("a call without an id is fatal: no result could be paired with it", () =>
    Effect.gen(function* () {
      const { outcome, types } = yield* play([{ toolCalls: [{ id: null, name: "workspace_commit" }] }]);
      assert.strictEqual(outcome.error?.code, "model.invalid_tool_call");
      assert.notInclude(types, "tool_call_started");
    }),
  );

  it.effect("the last call of an answer that was cut at its length is never run; earlier ones are", () =>
    Effect.gen(function* () {
      const { outcome, results, state, texts } = yield* play(
        [
          World.calls(
            ["workspace_write_file", { path: "output/main.md", content: "whole" }],
            ["workspace_write_file", { path: "output/main.md", content: "cut" }],
          ),
          World.commit,
          World.finish,
        ],
        {
          process: {
            gateway: (gateway) => ({
              ...gateway,
              generate: (request, onDelta) =>
                Effect.map(gateway.generate(request, onDelta), (response) =>
                  request.position === 0 ? { ...response, finish: "length" as const } : response,
                ),
            }),
          },
        },
      );
      assert.strictEqual(outcome.status, "completed");
      assert.deepStrictEqual(codesOf(results).slice(0, 2), [undefined, "tool.invalid_arguments"]);
      assert.strictEqual(state.invocations["inv_root"]?.callCount, 4);
      assert.strictEqual(texts[2], "whole");
    }),
  );
});
