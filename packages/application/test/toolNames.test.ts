import { prepareSnapshot } from "@cahier/application/tool/prepareSnapshot";
import { builtinTools } from "@cahier/application/tool/builtin/catalog";
import { inAliases, toolName } from "@cahier/application/tool/toolNames";
import { systemPrompt } from "@cahier/application/prompt/systemPrompt";
import { defaultWriter } from "@cahier/domain/profile/defaultWriter";
import { withDefaults } from "@cahier/domain/profile/withDefaults";
import { assert, describe, it } from "@effect/vitest";
import * as Effect from "effect/Effect";
import * as Result from "effect/Result";
import { payloadsOf, play } from "./support/play.ts";
import * as World from "./support/World.ts";

const profile = withDefaults(defaultWriter(builtinTools.map(({ descriptor }) => descriptor)).profile);

const snapshot = Result.getOrThrow(
  prepareSnapshot({
    id: "tools_1",
    catalog: builtinTools,
    scene: "chat",
    profile,
    layers: { profile: profile.tools },
  }),
);

/** A file that is called like a tool. */
const path = "output/workspace.finish.md";
const spaced = "output/my workspace.finish";

describe("the names of tools in what a model reads", () => {
  it("are those that the model knows, and stay as they are for a tool that it was not given", () => {
    assert.strictEqual(toolName(snapshot, "workspace.finish"), "workspace_finish");
    assert.strictEqual(toolName(snapshot, "task.return"), "task.return");
  });

  it("are put in where a text names a tool, not within paths or quotes", () => {
    assert.strictEqual(
      inAliases(snapshot, `Call workspace.finish. Read ${path}, "${spaced}" and "a \\" workspace.commit".`),
      `Call workspace_finish. Read ${path}, "${spaced}" and "a \\" workspace.commit".`,
    );
  });

  it("leave the message body's path alone in the system prompt", () => {
    const prompt = systemPrompt(snapshot, {
      ...profile,
      output: { messageBodyPath: spaced },
    });
    assert.include(prompt, `The message is the file ${spaced}.`);
    assert.include(prompt, "call workspace_finish");
    assert.notInclude(prompt, "workspace.commit");
  });

  it.effect("leave files alone that are called like a tool, in answers, refusals and reminders", () =>
    Effect.gen(function* () {
      const document = {
        kind: "cahier.agentProfile",
        schemaVersion: 1,
        id: "odd",
        displayName: "Odd",
        tools: { allow: World.soloTools, maxRounds: 20 },
        run: { driftRecovery: { maxAttempts: 2 } },
        output: {
          artifacts: [
            { id: "main", path: spaced, kind: "markdown", target: "messageBody", required: true, assemblyOrder: 0 },
          ],
        },
      };
      const { events, outcome, results } = yield* play(
        [
          { text: "Only text." },
          World.call("workspace_finish"),
          World.call("workspace_read_file", { path: spaced }),
          World.call("workspace_commit", { path }),
          World.write("They wait.", spaced),
          World.write("Other.", `${path}/below.md`),
          World.call("workspace_read_file", { path }),
          World.call("workspace_write_file", { path: `${spaced}/below.md`, content: "x" }),
          World.commit,
          World.finish,
        ],
        { profile: { document } },
      );
      assert.strictEqual(outcome.status, "completed");
      const reminder = payloadsOf(events, "drift_recovery_attempted")[0]?.reminder.text ?? "";
      assert.include(reminder, `text of the message into ${spaced} with workspace_write_file`);
      const [early, missing, unpublished, written, , folder, below, published] = results.map(({ content }) => content);
      assert.include(early, `"${spaced}" with workspace_commit`);
      assert.include(missing, `no file "${spaced}". List the workspace with workspace_list_files`);
      assert.include(unpublished, `no file "${path}"`);
      assert.include(written, spaced);
      assert.include(folder, `"${path}" is a folder`);
      assert.include(below, `"${spaced}" is a file`);
      assert.include(published, `${spaced} is published`);
      assert.include(published, "end with workspace_finish");
    }),
  );
});
