import * as PathMap from "@cahier/domain/run/PathMap";
import { assert, describe, it } from "@effect/vitest";
import * as MemoryRunMirror from "@cahier/storage-memory/MemoryRunMirror";
import { CallId, rootInvocation } from "@cahier/domain/identity/Identity";
import * as Sha256 from "@cahier/domain/payload/Sha256";
import * as Effect from "effect/Effect";
import { payloadsOf, play } from "./support/play.ts";
import * as World from "./support/World.ts";

const codesOf = (results: ReadonlyArray<{ readonly errorCode?: string }>) => results.map(({ errorCode }) => errorCode);

const admitted = [
  "run_created",
  "run_owner_changed",
  "profile_resolved",
  "status_changed",
  "workspace_initialized",
  "agent_invocation_created",
  "status_changed",
  "agent_model_binding_resolved",
  "context_assembled",
  "agent_invocation_started",
];
const round = [
  "status_changed",
  "model_request_created",
  "model_call_attempt_started",
  "model_response_stored",
  "model_completed",
  "tool_call_requested",
  "status_changed",
  "tool_call_started",
];
const named = ["checkpoint_created"];
const committing = [
  ...named,
  "status_changed",
  "chat_commit_started",
  "chat_commit_requested",
  "chat_commit_completed",
  "chat_commit_recorded",
];
const closing = ["tool_result_stored", "tool_call_completed"];
const ending = [
  "agent_loop_finished",
  "status_changed",
  "status_changed",
  "run_completed",
  "agent_invocation_completed",
  "run_owner_changed",
];

describe("a writing run", () => {
  it.effect("writes an artifact, publishes it as one message and completes", () =>
    Effect.gen(function* () {
      const { outcome, texts, types } = yield* play(World.publishing);
      assert.isUndefined(outcome.error);
      assert.strictEqual(outcome.status, "completed");
      assert.deepStrictEqual(texts, [...World.beginning, "They wait by the river."]);
      assert.deepStrictEqual(outcome.committed, [{ messageIndex: 2, path: "output/main.md", chars: 23 }]);
      assert.deepStrictEqual(types, [
        ...admitted,
        ...round,
        "workspace_file_written",
        ...closing,
        ...named,
        ...round,
        ...committing,
        ...closing,
        ...round,
        ...closing,
        ...ending,
      ]);
    }),
  );

  it.effect("reads and patches an artifact", () =>
    Effect.gen(function* () {
      const { outcome, results, texts } = yield* play([
        World.write("They wait by the river.\nNobody speaks."),
        World.call("workspace_read_file", { path: "output/main.md" }),
        World.call("workspace_apply_patch", { path: "output/main.md", old_string: "Nobody", new_string: "No one" }),
        World.commit,
        World.finish,
      ]);
      assert.strictEqual(outcome.status, "completed");
      assert.deepStrictEqual(
        codesOf(results),
        Array.from({ length: 5 }, () => undefined),
      );
      assert.include(results[1]?.content, "They wait by the river.");
      assert.strictEqual(texts[2], "They wait by the river.\nNo one speaks.");
    }),
  );

  it.effect("a file can be written and patched in one turn, since the run knows what it wrote", () =>
    Effect.gen(function* () {
      const { texts } = yield* play([
        World.calls(
          ["workspace_write_file", { path: "output/main.md", content: "one two" }],
          ["workspace_apply_patch", { path: "output/main.md", old_string: "two", new_string: "three" }],
          ["workspace_commit"],
          ["workspace_finish"],
        ),
      ]);
      assert.strictEqual(texts[2], "one three");
    }),
  );

  it.effect("returns recoverable tool errors to the model, which goes on", () =>
    Effect.gen(function* () {
      const { outcome, results, types } = yield* play([
        World.call("workspace_read_file", { path: "output/main.md" }),
        World.call("workspace_read_file", { path: "../secret" }),
        ...World.publishing,
      ]);
      assert.strictEqual(outcome.status, "completed");
      assert.deepStrictEqual(codesOf(results).slice(0, 2), ["workspace.file_not_found", "workspace.invalid_path"]);
      assert.deepStrictEqual(
        results.slice(0, 2).map(({ isError }) => isError),
        [true, true],
      );
      assert.strictEqual(types.filter((type) => type === "tool_call_failed").length, 2);
    }),
  );

  it.effect("a failed call carries its code and message in the record, and the names that the model knows", () =>
    Effect.gen(function* () {
      const { events, results } = yield* play([
        World.call("workspace_read_file", { path: "output/main.md" }),
        ...World.publishing,
      ]);
      const [failed] = payloadsOf(events, "tool_call_failed");
      assert.strictEqual(failed?.errorCode, "workspace.file_not_found");
      assert.strictEqual(failed?.message, results[0]?.content);
      assert.include(results[0]?.content, "workspace_list_files");
      assert.notInclude(results[0]?.content, "workspace.list_files");
      assert.deepStrictEqual(results[0]?.structured, {
        error: { code: "workspace.file_not_found", message: results[0]?.content ?? "" },
      });
    }),
  );

  it.effect("runs the calls of a turn in the model's order, and a failure does not stop the later ones", () =>
    Effect.gen(function* () {
      const { events, results, texts } = yield* play([
        World.calls(
          ["workspace_write_file", { path: "scratch/a.md", content: "a" }],
          ["workspace_read_file", { path: "scratch/missing.md" }],
          ["workspace_read_file", { path: "scratch/a.md" }],
          ["workspace_write_file", { path: "output/main.md", content: "done" }],
        ),
        World.commit,
        World.finish,
      ]);
      assert.deepStrictEqual(codesOf(results).slice(0, 4), [
        undefined,
        "workspace.file_not_found",
        undefined,
        undefined,
      ]);
      assert.deepStrictEqual(
        payloadsOf(events, "tool_call_started").map(({ callId }) => callId as string),
        ["call_0_0", "call_0_1", "call_0_2", "call_0_3", "call_1_0", "call_2_0"],
      );
      assert.strictEqual(texts[2], "done");
    }),
  );

  it.effect("stores arguments, results and responses under the hashed ids of their calls", () =>
    Effect.gen(function* () {
      const id = "../ an id / of the provider\u0000";
      const { runId, state, world } = yield* play([
        { toolCalls: [{ id, name: "workspace_write_file", arguments: { path: "output/main.md", content: "x" } }] },
        World.commit,
        World.finish,
      ]);
      const name = `inv_root/round-001-call_${Sha256.ofText(id).slice(0, 16)}.json`;
      assert.isNotNull(state.workspaceId);
      if (state.workspaceId === null) return;
      const mirror = MemoryRunMirror.make(world.mirrors);
      const paths = yield* mirror.list({ runId, workspaceId: state.workspaceId });
      assert.include(paths, `tool-args/${name}`);
      assert.include(paths, `tool-results/${name}`);
      assert.include(paths, "model-responses/inv_root/round-001.json");
      assert.strictEqual(state.invocations[rootInvocation]?.callCount, 3);
    }),
  );

  it.effect("the provider's id of a call is stored and echoed as it came", () =>
    Effect.gen(function* () {
      const id = "  call/α\u2028 ";
      const { results } = yield* play([{ toolCalls: [{ id, name: "workspace_list_files" }] }, ...World.publishing]);
      assert.strictEqual(results[0]?.callId, CallId.make(id));
    }),
  );

  it.effect("fails when it has used up its rounds", () =>
    Effect.gen(function* () {
      const { outcome } = yield* play(
        Array.from({ length: 90 }, () => World.call("workspace_list_files")),
        { profile: { document: { ...profile, tools: { ...profile.tools, maxRounds: 3 } } } },
      );
      assert.strictEqual(outcome.status, "failed");
      assert.strictEqual(outcome.error?.code, "agent.max_tool_rounds_exceeded");
    }),
  );
});

const profile = {
  kind: "cahier.agentProfile",
  schemaVersion: 1,
  id: "short",
  displayName: "Short",
  tools: {
    allow: ["list_files", "read_file", "write_file", "commit", "finish"].map((name) => `builtin:workspace.${name}`),
    maxRounds: 80,
  },
};

describe("finishing", () => {
  it.effect("a foreground run commits before it finishes; finishing first is answered with what is missing", () =>
    Effect.gen(function* () {
      const { outcome, results, texts } = yield* play([World.finish, ...World.publishing]);
      assert.strictEqual(outcome.status, "completed");
      assert.deepStrictEqual(codesOf(results), ["agent.foreground_commit_required", undefined, undefined, undefined]);
      assert.include(results[0]?.content, "output/main.md");
      assert.strictEqual(texts.length, 3);
    }),
  );

  it.effect("a background run finishes without a commit and leaves the chat as it is", () =>
    Effect.gen(function* () {
      const document = { ...profile, run: { presentation: "background" } };
      const { outcome, texts } = yield* play([World.finish], { profile: { document } });
      assert.strictEqual(outcome.status, "completed");
      assert.deepStrictEqual(texts, World.beginning);
    }),
  );

  it.effect("a call after finish in the same turn is fatal and never runs", () =>
    Effect.gen(function* () {
      const { outcome, state, texts } = yield* play([
        World.write("kept"),
        World.commit,
        World.calls(["workspace_finish"], ["workspace_write_file", { path: "scratch/late.md", content: "late" }]),
      ]);
      assert.strictEqual(outcome.error?.code, "agent.tool_after_finish");
      assert.strictEqual(outcome.status, "partial_success");
      assert.isUndefined(PathMap.get(state.files, "scratch/late.md"));
      assert.strictEqual(texts[2], "kept");
    }),
  );

  it.effect("the answer to a commit reminds of finishing", () =>
    Effect.gen(function* () {
      const { results } = yield* play(World.publishing);
      assert.include(results[1]?.content, "workspace_finish");
    }),
  );

  it.effect("a second commit updates the message of the first", () =>
    Effect.gen(function* () {
      const { outcome, texts } = yield* play([
        ...World.publishing.slice(0, 2),
        World.write("Second version."),
        World.commit,
        World.write(" More.", "scratch/more.md"),
        World.call("workspace_commit", { path: "scratch/more.md", mode: "append" }),
        World.finish,
      ]);
      assert.deepStrictEqual(texts, [...World.beginning, "Second version. More."]);
      assert.deepStrictEqual(
        outcome.committed.map(({ messageIndex }) => messageIndex),
        [2, 2, 2],
      );
    }),
  );
});

describe("a text-only answer", () => {
  const text: World.Turn = { text: "They wait by the river." };

  it.effect("before a commit is kept as a file, and a reminder brings the run to its end", () =>
    Effect.gen(function* () {
      const { events, outcome, state, texts } = yield* play([
        text,
        World.call("workspace_commit", { path: "output/direct_output.md" }),
        World.finish,
      ]);
      assert.strictEqual(outcome.status, "completed");
      assert.strictEqual(texts[2], "They wait by the river.");
      assert.strictEqual(PathMap.get(state.files, "output/direct_output.md")?.chars, 23);
      const [attempt] = payloadsOf(events, "drift_recovery_attempted");
      assert.include(attempt?.reminder.text, "output/direct_output.md");
      assert.include(attempt?.reminder.text, "workspace_commit");
      assert.strictEqual(attempt?.committedCount, 0);
    }),
  );

  it.effect("after a commit is answered with a reminder to finish", () =>
    Effect.gen(function* () {
      const { events, outcome } = yield* play([...World.publishing.slice(0, 2), text, World.finish]);
      assert.strictEqual(outcome.status, "completed");
      const [attempt] = payloadsOf(events, "drift_recovery_attempted");
      assert.strictEqual(attempt?.committedCount, 1);
      assert.include(attempt?.reminder.text, "published already");
    }),
  );

  it.effect("is recovered once; a second one fails the run", () =>
    Effect.gen(function* () {
      const { outcome, texts, types } = yield* play([text, text, ...World.publishing]);
      assert.strictEqual(outcome.status, "failed");
      assert.strictEqual(outcome.error?.code, "model.tool_call_required");
      assert.deepStrictEqual(texts, World.beginning);
      assert.strictEqual(types.filter((type) => type === "drift_recovery_attempted").length, 1);
    }),
  );

  it.effect("that keeps coming after a commit ends as partial success: what was published stays", () =>
    Effect.gen(function* () {
      const { events, outcome, texts } = yield* play([...World.publishing.slice(0, 2), text, text]);
      assert.strictEqual(outcome.status, "partial_success");
      assert.strictEqual(outcome.error?.code, "model.tool_call_required");
      assert.strictEqual(texts[2], "They wait by the river.");
      const [end] = payloadsOf(events, "run_partial_success");
      assert.strictEqual(end?.preservedCommitCount, 1);
      assert.deepStrictEqual([end?.retryable, end?.userRetryable], [false, false]);
      assert.deepStrictEqual(
        end?.preservedCommits.map(({ path, mode, round: committedIn }) => ({ path, mode, committedIn })),
        [{ path: "output/main.md", mode: "replace", committedIn: 2 }],
      );
    }),
  );

  it.effect("in the last round fails: nobody could act on a reminder", () =>
    Effect.gen(function* () {
      const document = {
        ...profile,
        tools: { ...profile.tools, maxRounds: 2 },
        run: { driftRecovery: { maxAttempts: 9 } },
      };
      const { outcome, types } = yield* play([text, text, text], { profile: { document } });
      assert.strictEqual(outcome.error?.code, "model.tool_call_required");
      assert.strictEqual(types.filter((type) => type === "drift_recovery_attempted").length, 1);
    }),
  );

  it.effect("without any text is only reminded", () =>
    Effect.gen(function* () {
      const { outcome, state } = yield* play([{ reasoning: "Hm." }, ...World.publishing]);
      assert.strictEqual(outcome.status, "completed");
      assert.isUndefined(PathMap.get(state.files, "output/direct_output.md"));
    }),
  );
});
